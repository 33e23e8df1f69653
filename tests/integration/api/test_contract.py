"""What the OpenAPI document promises holds for calls a generator makes up: no 5xx, no answer outside its schema."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from bobctx import keys, runtime
from bobctx.settings import Settings
from tests.integration.api.conftest import BASE, InProcess

pytestmark = pytest.mark.slow

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = 6
"""Calls of each route and form."""
KNOWN = {"message_id": "a0", "user_id": "u1", "speaker": "ann", "pin_id": "p"}


class Lane:
    """One open lane that is called from a generator's synchronous test."""

    def __init__(self, folder: Path) -> None:
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        chosen = Settings(db=folder / "lane" / "b.db", compactor_region_tokens=2_000)
        found = self.runner.run(
            self.stack.enter_async_context(runtime.open(chosen, dispatcher=InProcess(), background=False))
        )
        assert isinstance(found.app, FastAPI)
        self.document = found.app.openapi()
        transport = httpx.ASGITransport(found.app, raise_app_exceptions=False)
        headers = {"authorization": f"Bearer {keys.default_key(chosen.keys_path)}"}
        self.http = httpx.AsyncClient(transport=transport, base_url=BASE, headers=headers)

    def call(self, case: Any) -> httpx.Response:
        made = case.as_transport_kwargs(base_url=BASE)
        made.pop("cookies", None)
        headers = {k: v for k, v in (made.pop("headers", None) or {}).items() if k.lower() != "authorization"}
        return self.runner.run(self.http.request(headers=headers, **made))

    def close(self) -> None:
        self.runner.run(self.http.aclose())
        self.runner.run(self.stack.aclose())
        self.runner.close()


@pytest.fixture(scope="module")
def lane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lane]:
    made = Lane(tmp_path_factory.mktemp("contract"))
    yield made
    made.close()


def fill(lane: Lane, cid: str) -> None:
    """A conversation with claims, so that answers hold something."""
    turns = [
        {"id": f"a{n}", "role": "assistant" if n % 2 else "user", "speaker": None if n % 2 else "ann",
         "content": f"Never open port {7000 + n} on the gate." + " words" * 200}
        for n in range(24)
    ]  # fmt: skip
    path, who = f"/v1/conversations/{cid}", {"user_id": "u1"}
    lane.runner.run(lane.http.post(f"{path}/messages", json={**who, "messages": turns}))
    lane.runner.run(lane.http.post(f"{path}/compact", json=who))


def aim(case: Any, cid: str) -> None:
    """Turn a made-up call to what exists."""
    case.path_parameters = {k: {**KNOWN, "cid": cid}.get(k, v) for k, v in (case.path_parameters or {}).items()}
    if isinstance(case.body, dict) and "cid" in case.path_parameters:
        case.body["user_id"] = "u1"
    elif "cid" in case.path_parameters:
        case.query = {**(case.query or {}), "user_id": "u1"}


def exercise(lane: Lane, operation: Any, cid: str | None) -> set[int]:
    """Made-up calls of one route, turned to a conversation if one is named; the statuses that came."""
    answered: set[int] = set()

    @given(case=operation.as_strategy())
    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    def one(case: Any) -> None:
        if cid is not None:
            aim(case, cid)
        answer = lane.call(case)
        answered.add(answer.status_code)
        case.validate_response(answer, checks=CHECKS)

    one()
    return answered


@pytest.mark.parametrize("aimed", [False, True], ids=["made up", "aimed"])
def test_every_route_keeps_its_promise(lane: Lane, aimed: bool) -> None:
    """Fails for a 5xx, a status that is not documented, or a body its schema does not allow; names call and route."""
    schema = schemathesis.openapi.from_dict(lane.document)
    reached: dict[str, set[int]] = {}
    for number, result in enumerate(schema.get_all_operations()):
        operation: Any = result.ok()  # type: ignore[union-attr]  # an error has none, and fails here
        cid = f"c{number}" if aimed else None
        if cid is not None:
            fill(lane, cid)
        reached[f"{operation.method} {operation.path}"] = exercise(lane, operation, cid)
    assert len(reached) > 25
    if aimed:
        never = {route for route, statuses in reached.items() if 200 not in statuses}
        assert len(never) < len(reached) // 3, never

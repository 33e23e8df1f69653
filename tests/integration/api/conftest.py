"""The real app over a real database, called in process; no worker process, no network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from bobctx import keys, runtime
from bobctx.compactor.worker import run_job
from bobctx.ports import Job, JobResult
from bobctx.runtime import Runtime
from bobctx.seats.extractive import ExtractiveSeat
from bobctx.settings import Settings

BASE = "http://127.0.0.1:8642"
CONVERSATION = "/v1/conversations/c1"


class InProcess:
    """The worker's code without its process."""

    async def dispatch(self, job: Job) -> JobResult:
        return await run_job({"extractive": ExtractiveSeat()}, job)

    async def close(self) -> None:
        return None


@dataclass(slots=True, kw_only=True)
class Api:
    """An open lane and a client that holds the default key."""

    runtime: Runtime
    http: httpx.AsyncClient
    close: Callable[[], Awaitable[Any]]
    """Stops the lane before the end of the test, for one that opens it again."""

    async def record(self, *messages: dict[str, Any], user: str = "u1", **more: Any) -> dict[str, Any]:
        body = {"user_id": user, "messages": list(messages), **more}
        answer = await self.http.post(f"{CONVERSATION}/messages", json=body)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def expand(self, *ids: str, user: str = "u1") -> list[dict[str, Any]]:
        answer = await self.http.post(f"{CONVERSATION}/expand", json={"user_id": user, "ids": list(ids)})
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["messages"]
        return found

    async def count(self, user: str = "u1") -> int:
        """Messages stored for a user's conversation."""
        answer = await self.http.get(f"{CONVERSATION}/messages", params={"user_id": user})
        return int(answer.json()["total"]) if answer.status_code == 200 else 0

    def with_key(self, key: str | None) -> httpx.AsyncClient:
        headers = {} if key is None else {"authorization": f"Bearer {key}"}
        transport = httpx.ASGITransport(self.runtime.app, raise_app_exceptions=False)
        return httpx.AsyncClient(transport=transport, base_url=BASE, headers=headers)


Open = Callable[..., Awaitable[Api]]


@pytest.fixture
async def open_api(tmp_path: Path) -> AsyncIterator[Open]:
    """Opens lanes with given settings, each in the same folder unless `db` says otherwise."""
    from contextlib import AsyncExitStack

    async with AsyncExitStack() as stack:

        async def opened(*, tolerate: bool = False, background: bool = False, **values: Any) -> Api:
            # On a busy machine an assembly may take long; tests of the deadline set their own.
            values = {"assemble_deadline_ms": 20_000, **values}
            settings = Settings(db=values.pop("db", tmp_path / "lane" / "b.db"), **values)
            own = await stack.enter_async_context(AsyncExitStack())
            found = await own.enter_async_context(
                runtime.open(settings, dispatcher=InProcess(), tolerate=tolerate, background=background)
            )
            transport = httpx.ASGITransport(found.app, raise_app_exceptions=False)
            key = keys.default_key(settings.keys_path)
            http = await own.enter_async_context(
                httpx.AsyncClient(transport=transport, base_url=BASE, headers={"authorization": f"Bearer {key}"})
            )
            return Api(runtime=found, http=http, close=own.aclose)

        yield opened


@pytest.fixture
async def api(open_api: Open) -> Api:
    return await open_api(compactor_region_tokens=2_000)

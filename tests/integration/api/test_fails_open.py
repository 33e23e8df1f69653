"""A database that fails costs the claims, never the turn: assemble answers by plain fit and says why (I8)."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from bobctx.api.assemble import AssembleCall
from bobctx.core.assembly import Assembled, AssemblyPlan, finish_assembly
from bobctx.core.types import Message, Scope
from bobctx.errors import CannotFit, StoreUnavailable
from bobctx.ports import Snapshot
from tests.integration.api.conftest import CONVERSATION, Api, Open

HISTORY = [
    {"id": f"a{n}", "role": "user" if n % 2 == 0 else "assistant", "content": f"turn {n} " + "word " * 300}
    for n in range(40)
]


async def assemble(api: Api, **more: Any) -> httpx.Response:
    return await api.http.post(f"{CONVERSATION}/assemble", json={"user_id": "u1", "window": 8192, **more})


def is_plain_fit(answer: httpx.Response, reason: str | None = None) -> dict[str, Any]:
    """The answer holds the newest message, fits, and says why it is what it is."""
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    assert found["decision"]["mode"] == "fit"
    assert found["decision"]["claims_shown"] == 0
    assert found["decision"]["reason"]
    assert found["budget"]["used"] <= found["budget"]["history"]
    if reason is not None:
        assert found["decision"]["reason"] == reason
    return found


async def test_every_failure_of_the_store_gives_a_plain_fit_of_the_request(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails if the route's catch is narrowed to the errors we know."""
    await api.record(*HISTORY)
    for error, reason in (
        (StoreUnavailable("full", reason="disk_full"), "disk_full"),
        (StoreUnavailable("gone"), "store_unavailable"),
        (sqlite3.DatabaseError("malformed"), "internal:DatabaseError"),
        (RuntimeError("defect"), "internal:RuntimeError"),
        (KeyError("defect"), "internal:KeyError"),
        (RecursionError(), "internal:RecursionError"),
    ):

        async def fails(*_: Any, error: Exception = error, **__: Any) -> Any:
            raise error

        monkeypatch.setattr(type(api.runtime.store), "plan", fails)
        monkeypatch.setattr(type(api.runtime.store), "newest", fails)
        found = is_plain_fit(await assemble(api, messages=HISTORY), reason)
        assert found["messages"][-1]["content"] == HISTORY[-1]["content"]
        assert "defect" not in str(found)
        stored = is_plain_fit(await assemble(api, append=HISTORY[:1]), reason)
        assert "history_unavailable" in stored["warnings"]
        assert stored["messages"][-1]["content"] == HISTORY[0]["content"]
        unread = is_plain_fit(await assemble(api), reason)
        assert unread["decision"]["warnings"] == unread["warnings"] == ["history_unavailable"], "nobody knows its size"
    metrics = (await api.http.get("/metrics")).text
    assert 'bobctx_plain_fits_total{reason="internal"} 12.0' in metrics


async def test_a_slow_store_is_not_waited_for(open_api: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    api = await open_api(assemble_deadline_ms=50)
    await api.record(*HISTORY)

    async def hangs(*_: Any, **__: Any) -> Any:
        await asyncio.sleep(60)

    monkeypatch.setattr(type(api.runtime.store), "plan", hangs)
    async with asyncio.timeout(20):
        is_plain_fit(await assemble(api, messages=HISTORY), "deadline")


async def test_a_stored_history_that_cannot_be_read_in_time_still_gives_its_end(
    open_api: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails if a cold read of a very long conversation leaves the model without any history."""
    api = await open_api(assemble_deadline_ms=1_000)
    await api.record(*HISTORY)

    async def hangs(*_: Any, **__: Any) -> Any:
        await asyncio.sleep(60)

    monkeypatch.setattr(type(api.runtime.store), "plan", hangs)
    found = is_plain_fit(await assemble(api, append=[{"role": "user", "content": "and now?"}]), "deadline")
    assert "history_partial" in found["warnings"]
    assert [m["content"] for m in found["messages"][-2:]] == [HISTORY[-1]["content"], "and now?"]


async def test_cancellation_passes_the_boundary(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails if the boundary catches BaseException: a stop would then hang on every running call."""
    started = asyncio.Event()

    async def hangs(*_: Any, **__: Any) -> Any:
        started.set()
        await asyncio.sleep(60)

    monkeypatch.setattr(type(api.runtime.store), "plan", hangs)
    scope = Scope(conversation_id="c1", user_id="u1")
    task = asyncio.create_task(api.runtime.lane.assembler.assemble(scope, AssembleCall()))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_mistakes_of_the_caller_stay_errors(api: Api) -> None:
    await api.record(*HISTORY[:4])
    answer = await assemble(api, leaf_id="zz")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


async def test_cannot_fit_is_an_error_with_its_code(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_small(plan: AssemblyPlan, bodies: Sequence[Message]) -> Assembled:
        return replace(finish_assembly(plan, bodies), cannot_fit=True)

    monkeypatch.setattr("bobctx.api.assemble.finish_assembly", too_small)
    await api.record(*HISTORY[:4])
    with pytest.raises(CannotFit):
        await api.runtime.lane.assembler.assemble(Scope(conversation_id="c1", user_id="u1"), AssembleCall())
    answer = await assemble(api)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "cannot_fit")


async def test_a_file_that_is_no_database_leaves_plain_fit_and_a_reason(open_api: Open, tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    folder.mkdir(mode=0o700)
    path = folder / "b.db"
    path.write_bytes(b"this is no database " * 1000)
    path.chmod(0o600)
    api = await open_api(db=path, tolerate=True)
    is_plain_fit(await assemble(api, messages=HISTORY))
    ready = await api.http.get("/readyz")
    assert ready.status_code == 503
    assert ready.json()["reason"]
    status = (await api.http.get("/v1/status")).json()
    assert status["store"]["ok"] is False
    assert status["store"]["reason"]
    refused = await api.http.post(f"{CONVERSATION}/messages", json={"user_id": "u1", "messages": HISTORY[:1]})
    assert refused.status_code == 503
    assert (await api.http.get("/healthz")).status_code == 200


async def test_a_locked_database_leaves_plain_fit_for_stored_requests_only_if_it_cannot_be_read(api: Api) -> None:
    """A writer elsewhere blocks our writes, not our reads: prompts go on, recording says 503."""
    await api.record(*HISTORY)
    other = sqlite3.connect(api.runtime.settings.db_path, isolation_level=None)
    try:
        other.execute("BEGIN EXCLUSIVE")
        found = (await assemble(api)).json()
        assert found["messages"][-1]["content"] == HISTORY[-1]["content"]
        refused = await api.http.post(f"{CONVERSATION}/messages", json={"user_id": "u1", "messages": [NEW]})
        assert refused.status_code == 503
    finally:
        other.rollback()
        other.close()
    assert (await api.record(NEW))["indexed"] == 1


NEW = {"id": "new", "role": "user", "content": "after the lock"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write read-only files")
async def test_a_read_only_database_still_gives_prompts(api: Api) -> None:
    await api.record(*HISTORY)
    api.runtime.settings.db_path.chmod(0o400)
    assert (await assemble(api)).status_code == 200


async def test_a_trace_that_cannot_be_stored_is_dropped(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    await api.record(*HISTORY)

    async def fails(*_: Any, **__: Any) -> None:
        raise StoreUnavailable("full")

    monkeypatch.setattr(type(api.runtime.store), "add_run", fails)
    assert (await assemble(api)).status_code == 200
    await asyncio.sleep(0.05)
    assert "bobctx_traces_dropped_total 1.0" in (await api.http.get("/metrics")).text


async def test_a_defect_in_one_trace_does_not_end_all_later_ones(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    await api.record(*HISTORY)
    with monkeypatch.context() as patch:

        async def faulty(*_: Any, **__: Any) -> None:
            raise KeyError("a defect of ours")

        patch.setattr(type(api.runtime.store), "add_run", faulty)
        await assemble(api)
        writer = api.runtime.lane.assembler.traces._writer
        assert writer is not None
        await asyncio.wait([writer], timeout=5)
        assert isinstance(writer.exception(), KeyError)
    trace = (await assemble(api)).json()["trace_id"]
    scope = Scope(conversation_id="c1", user_id="u1")
    await api.runtime.lane.assembler.close()  # writes what waits
    assert await api.runtime.store.run(scope, trace) is not None


async def test_traces_are_stored_without_content(api: Api) -> None:
    await api.record(*HISTORY)
    trace = (await assemble(api)).json()["trace_id"]
    scope = Scope(conversation_id="c1", user_id="u1")
    for _ in range(100):
        run = await api.runtime.store.run(scope, trace)
        if run is not None:
            break
        await asyncio.sleep(0.02)
    assert run is not None
    assert run["decision"]["mode"] == "live"
    assert "turn 39" not in str(run)


async def test_the_planner_asks_for_nothing_between_opening_and_tail(api: Api) -> None:
    """Stored mode never reads the omitted middle (fails if the service loads messages any other way)."""
    await api.record(*HISTORY)
    asked: list[int] = []
    genuine = type(api.runtime.store).plan

    async def watched(store: Any, scope: Scope, leaf: str | None, planner: Any) -> Any:
        def noting(snapshot: Snapshot) -> Any:
            result, positions = planner(snapshot)
            asked.extend(positions)
            return result, positions

        return await genuine(store, scope, leaf, noting)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(api.runtime.store), "plan", watched)
        found = (await assemble(api)).json()
    shown = [item for item in found["plan"] if item["kind"] in ("opening", "kept", "tail")]
    assert len(asked) == len(shown) < len(HISTORY)


async def test_a_mode_of_off_returns_a_requests_messages_unchanged(open_api: Open) -> None:
    api = await open_api(mode="off")
    posted = [{"role": m["role"], "content": m["content"]} for m in HISTORY]
    found = (await assemble(api, messages=posted)).json()
    assert found["messages"] == posted

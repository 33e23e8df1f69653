"""Compaction that is held up, by a seat that fails or by a pause, and the operator who goes on by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bobctx.compactor import wire
from bobctx.ports import Job, JobResult
from tests.integration.api.conftest import Api, Open
from tests.integration.api.sessions import Body, post, prompt, talk
from tests.integration.compactor.conftest import Clock


async def test_while_a_seat_cools_down_prompts_are_fitted_and_it_is_told_and_a_call_by_hand_goes_ahead(
    open_api: Open, tmp_path: Path
) -> None:
    """Fails if a closed guard lets prompts grow, says nothing, holds up an operator, or never opens again."""
    script = tmp_path / "replies.json"
    script.write_text('[{"claims": []}]')
    api = await open_api(window=8_192, compactor_region_tokens=2_000, compactor_model=f"scripted:{script}")
    scheduler: Any = api.runtime.lane.compactor
    clock = scheduler._clock = Clock()
    dispatcher = scheduler._dispatcher
    works = dispatcher.dispatch
    asked: list[str] = []

    async def down(job: Job) -> JobResult:
        asked.append(job.seat)
        return wire.failed_result(job, "unreachable") if job.seat != "extractive" else await works(job)

    async def look() -> list[Body]:
        """What the background does at each turn."""
        ran = await scheduler.run_now(api.runtime.lane.resolve("c1", "u1"), force=False)
        return list(ran["regions"])

    dispatcher.dispatch = down
    history = talk(90)
    await api.record(*history[:120])
    assert [r["status"] for r in await look()] == ["failed"]
    for end in range(130, 181, 10):
        await api.record(*history[:end])
        assert await look() == [], "one failure costs one ask, not one for each turn"
        found = await prompt(api)
        assert found["budget"]["used"] <= found["budget"]["history"]
        assert found["decision"]["claims_shown"] == 0
        assert "[not shown: m" in json.dumps(found["messages"]), "left out, and said so"
    assert asked == ["scripted"]
    clock.ahead += 200
    status = (await api.http.get("/v1/status")).json()["compactor"]
    assert (status["last_failure_reason"], status["cooling_down"]) == ("unreachable", 1)
    assert "unreachable" in status["fixes"]
    assert status["oldest_waiting_s"] >= 200, "what the alert for late compaction looks at"
    assert (await post(api, "/compact"))["regions"][0]["status"] == "failed", "by hand it is tried at once"
    assert len(asked) == 2
    clock.ahead += 301
    assert (await look())[0]["seat"] == "extractive", "the third time somebody else does it"
    assert (await prompt(api))["decision"]["claims_shown"] > 0
    dispatcher.dispatch = works
    assert {r["status"] for r in (await post(api, "/compact"))["regions"]} == {"shadow_ok"}
    assert (await api.http.get("/v1/status")).json()["compactor"]["cooling_down"] == 0


async def test_a_call_by_hand_compacts_what_is_paused(api: Api) -> None:
    await api.record(*talk(60))
    await post(api, "/mode", paused=True)
    assert (await post(api, "/compact", force=False))["regions"] == []
    assert {r["status"] for r in (await post(api, "/compact"))["regions"]} == {"shadow_ok"}

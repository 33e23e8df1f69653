"""What `/metrics` says about the present of a lane, and the share that is held out for comparison."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx.core.holdout import held_out
from bobctx.core.types import Scope
from tests.integration.api.conftest import Api, Open


async def metrics(api: Api) -> dict[str, float]:
    text = (await api.http.get("/metrics")).text
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line[0] != "#"}


async def said(api: Api, cid: str, **more: Any) -> None:
    body = {"user_id": "u1", "messages": [{"role": "user", "content": "hello"}], **more}
    assert (await api.http.post(f"/v1/conversations/{cid}/messages", json=body)).status_code == 200


async def test_a_held_out_conversation_stays_in_shadow_and_is_counted_apart(open_api: Open) -> None:
    api = await open_api(holdout=0.5)
    out = next(f"c{n}" for n in range(99) if held_out(Scope(conversation_id=f"c{n}", user_id="u1"), 0.5))
    main = next(f"c{n}" for n in range(99) if not held_out(Scope(conversation_id=f"c{n}", user_id="u1"), 0.5))
    modes = {}
    for cid in (out, main):
        await said(api, cid, usage={"prompt_tokens": 100, "cached_tokens": 60, "cache_write_tokens": 10})
        found = await api.http.post(f"/v1/conversations/{cid}/assemble", json={"user_id": "u1"})
        modes[cid] = found.json()["decision"]["mode"]
    assert (modes[out], modes[main]) == ("shadow", "live")
    found_ = await metrics(api)
    assert found_['bobctx_conversations{arm="holdout",mode="shadow"}'] == 1
    assert found_['bobctx_conversations{arm="main",mode="live"}'] == 1
    for arm in ("main", "holdout"):
        kinds = [
            found_[f'bobctx_reported_tokens_total{{arm="{arm}",kind="{k}"}}'] for k in ("fresh", "cached", "written")
        ]
        assert kinds == [30, 60, 10]
        assert found_[f'bobctx_reported_requests_total{{arm="{arm}"}}'] == 1


async def test_a_conversation_with_its_own_mode_is_not_held_out(open_api: Open) -> None:
    api = await open_api(holdout=1.0)
    await said(api, "c1")
    await api.http.post("/v1/conversations/c1/mode", json={"user_id": "u1", "mode": "live"})
    found = await api.http.post("/v1/conversations/c1/assemble", json={"user_id": "u1"})
    assert found.json()["decision"]["mode"] == "live"


@pytest.mark.parametrize("mode", ["off", "fit", "shadow"])
async def test_a_milder_lane_holds_nobody_out(open_api: Open, mode: str) -> None:
    api = await open_api(holdout=1.0, mode=mode)
    await said(api, "c1")
    found = await api.http.post("/v1/conversations/c1/assemble", json={"user_id": "u1"})
    assert found.json()["decision"]["mode"] == mode


async def test_spend_breaks_and_waiting_work_are_there_from_the_start(api: Api) -> None:
    found = await metrics(api)
    assert found['bobctx_spend_day_usd{kind="cap"}'] == 5
    assert found['bobctx_spend_day_usd{kind="day"}'] == 0
    assert found["bobctx_oldest_uncompacted_seconds"] == 0


async def test_refused_claims_are_counted_once_by_code(api: Api) -> None:
    measure = api.runtime.lane.metrics.rejected_so_far
    for total in (2, 2, 5):
        measure({"literal_missing": total})
    assert (await metrics(api))['bobctx_claims_rejected_total{code="literal_missing"}'] == 5

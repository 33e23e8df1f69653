"""A small seat in the scheduler: one pass over a region is one ask, free, and stored as one reply."""

from __future__ import annotations

import json

from bobctx.compactor.seating import SeatInfo
from bobctx.compactor.spending import Caps
from bobctx.core.policy import SMALL_REGION_TOKENS
from bobctx.core.prices import Price
from bobctx.ports import SeatReply, SeatRequest
from bobctx.seats.scripted import ScriptedSeat
from bobctx.seats.small import SmallSeat
from tests.integration.compactor.conftest import RULE, SCOPE, Lane, talk
from tests.integration.compactor.test_paid_once import asked_twice


class Model:
    """A small model that copies user messages, and what it was asked."""

    def __init__(self, *, forgets: bool = False) -> None:
        self.forgets = forgets
        self.windows: list[SeatRequest] = []

    def __call__(self, request: SeatRequest) -> SeatReply:
        self.windows.append(request)
        told = "leave this out" in str(request.prompt[-1]["content"])
        claims = [
            {"type": "fact", "text": m.text, "cites": [m.alias]}
            for m in request.region.messages
            if m.role == "user" and (told or not self.forgets or m.text != RULE)
        ]
        return SeatReply(text=json.dumps({"claims": claims}), usage={"prompt_tokens": 100, "completion_tokens": 20})


def small(lane: Lane, model: Model) -> SeatInfo:
    lane.dispatch.seats["small"] = SmallSeat(ScriptedSeat(model, name="small"))
    return SeatInfo(name="small", window=8_192, small=True)


async def test_a_region_is_one_ask_of_many_windows_and_one_stored_reply(lane: Lane) -> None:
    await lane.record(talk(60))
    model = Model()
    answer = await lane.scheduler(seat=small(lane, model), region_cap=12_000, forced_min=12_000).run_now(SCOPE)
    regions = answer["regions"]
    assert all(r["tokens"] <= SMALL_REGION_TOKENS and r["seat"] == "small" for r in regions)
    assert [j.ask for j in lane.dispatch.asked] == ["first"] * len(regions)
    assert len(model.windows) > 5 * len(regions)
    assert all(len(w.region.messages) <= 4 and not w.prior for w in model.windows)
    rows = await lane.chain()
    replies = await lane.store.replies(SCOPE, [row.reply_key or "" for row in rows])
    assert len(replies) == len(rows)
    assert all(r.usage["windows"] > 1 and r.cost_usd == 0.0 for r in replies.values())
    assert (RULE, "constraint", 3) in [(c.text, c.type, c.importance) for row in rows for c in row.claims]


async def test_what_was_answered_is_never_asked_again(lane: Lane) -> None:
    await lane.record(talk(40))
    model = Model()
    seat = small(lane, model)
    await lane.scheduler(seat=seat).run_now(SCOPE)
    asked = len(model.windows)
    old = talk(40)[10]
    await lane.record([{**old, "content": "Gone."}])
    await lane.record([old])
    await lane.scheduler(seat=seat).run_now(SCOPE)
    assert len(model.windows) == asked
    assert asked_twice(lane) == 0


async def test_a_rule_that_was_left_out_costs_one_window_more_and_no_other_claim(lane: Lane) -> None:
    await lane.record(talk(17))
    model = Model(forgets=True)
    await lane.scheduler(seat=small(lane, model)).run_now(SCOPE)
    assert [j.ask for j in lane.dispatch.asked] == ["first", "re-ask"]
    again = [w for w in model.windows if w.ask == "re-ask"]
    assert len(again) == 1
    assert RULE in [m.text for m in again[0].region.messages]
    [row] = await lane.chain()
    texts = [c.text for c in row.claims]
    assert RULE in texts
    assert len(texts) == 16


async def test_a_small_seat_is_not_booked_whatever_the_caps_say(lane: Lane) -> None:
    await lane.record(talk(40))
    caps = Caps(day_usd=0, hour_usd=0, price=Price(given=10.0, made=10.0))
    answer = await lane.scheduler(seat=small(lane, Model()), caps=caps).run_now(SCOPE)
    assert {r["seat"] for r in answer["regions"]} == {"small"}
    assert (await lane.store.ledger.spent(None, now=lane.clock.now())).lane_day_calls == 0


async def test_the_pass_gets_a_longer_deadline_than_one_reply(lane: Lane) -> None:
    await lane.record(talk(17))
    await lane.scheduler(seat=small(lane, Model()), seat_timeout_s=10.0).run_now(SCOPE)
    assert {j.timeout_s for j in lane.dispatch.asked} == {60.0}


async def test_status_names_the_profile(lane: Lane) -> None:
    assert lane.scheduler(seat=small(lane, Model())).status()["seat_profile"] == "small"
    assert lane.scheduler().status()["seat_profile"] == "standard"

"""A context-length error of the seat makes its window smaller: for the next region, and for the next daemon."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bobctx.compactor.seating import SeatInfo
from bobctx.core.parts import read_message
from bobctx.core.speakers import counted_tokens
from bobctx.core.tokens import estimate
from bobctx.core.types import Scope
from bobctx.ports import Incoming, SeatRequest
from bobctx.seats.choice import build, choose
from tests.fake_model import FakeModel, fake_model
from tests.integration.compactor.conftest import SCOPE, Lane, talk

CONFIGURED = 32_768
OTHER = Scope(conversation_id="other", user_id="u")


def seat(lane: Lane, model: FakeModel, *, window: int = CONFIGURED, **options: Any) -> SeatInfo:
    choice = choose("local", base_url=model.base_url, **options)
    lane.dispatch.seats["local"] = build(choice, window=window)
    return SeatInfo(name="local", window=window, small=choice.small)


async def filled(lane: Lane, scope: Scope = SCOPE) -> None:
    """Thirty long exchanges, 500 tokens each."""
    turns = [{**m, "content": m["content"] + " word" * 240} for m in talk(30)]
    await lane.record(turns, scope=scope, tokens=250)


def largest(answer: Any) -> int:
    return max(int(region["tokens"]) for region in answer["regions"])


async def test_the_next_region_is_smaller_and_fits(lane: Lane) -> None:
    await filled(lane)
    async with fake_model("over:30000/8192") as model:
        scheduler = lane.scheduler(seat=seat(lane, model), region_cap=12_000, forced_min=12_000)
        await scheduler.run_now(SCOPE)
        model.requests.clear()
        await filled(lane, OTHER)
        model.answer = lambda _: '{"claims": []}'
        answer = await scheduler.run_now(OTHER)
    assert largest(answer) <= 8_192 // 3
    assert {r["seat"] for r in answer["regions"]} == {"local"}
    assert all(sum(len(m["content"]) for m in r["messages"]) <= 30_000 for r in model.requests)
    assert model.requests[-1]["max_tokens"] == 8_192 // 4
    assert scheduler.status()["seat_window"] == {"tokens": 8_192, "configured": CONFIGURED, "source": "learned"}
    assert "BOBCTX_COMPACTOR_WINDOW" in scheduler.status()["fixes"]["seat_window_learned"]


def heavy(number: int) -> list[dict[str, Any]]:
    """One exchange of 4,000 tokens and more, nearly all of it in blocks that a seat does not read word for word."""
    thought = {"type": "thinking", "thinking": "weighing it all " * 400, "signature": "s" * 400}
    unknown = {"type": "custom_block", "data": {"rows": ["some row of a table"] * 200}}
    call = {"type": "tool_use", "id": f"t{number}", "name": "run", "input": {"cmd": "ls " * 300}}
    lines = "line of output\n" * (3_000 if number == 4 else 200)
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": lines}
    return [
        {"id": f"u{number}", "role": "user", "content": f"Step {number}. " + "go on " * 50},
        {"id": f"a{number}", "role": "assistant", "content": [thought, unknown, call]},
        {"id": f"r{number}", "role": "user", "content": [result]},
        {"id": f"b{number}", "role": "assistant", "content": "ok " * 20},
    ]


@pytest.mark.parametrize("window", [4_096, 8_192, 16_384])
async def test_what_a_seat_is_asked_fits_its_window_whatever_blocks_the_messages_hold(lane: Lane, window: int) -> None:
    """Fails if thoughts, unknown blocks or long results are written out, or count nothing when a region is cut."""
    sent: list[int] = []

    def script(request: SeatRequest) -> str:
        sent.append(sum(estimate(str(m["content"])) for m in request.prompt) + request.max_output_tokens)
        return '{"claims": []}'

    info = replace(lane.model(script), window=window)
    asked: Any = lane.dispatch.seats["model"]
    asked.window = window
    messages = [read_message(m, egress="local") for n in range(12) for m in heavy(n)]
    counted = [replace(m, tokens=counted_tokens(m, estimate)) for m in messages]
    assert max(m.tokens for m in counted) > 8_192
    incoming = [Incoming(message=m, counter_id="test") for m in counted]
    await lane.store.record(SCOPE, incoming, backend=None, truncate_after=None, now=lane.clock.now())
    answer = await lane.scheduler(seat=info, region_cap=12_000, forced_min=12_000).run_now(SCOPE)
    assert {r["seat"] for r in answer["regions"]} == {"model"}
    assert len(sent) > 3
    assert max(sent) <= window


async def test_an_error_that_states_no_window_lowers_it_too(lane: Lane) -> None:
    await filled(lane)
    async with fake_model("over:30000") as model:
        scheduler = lane.scheduler(seat=seat(lane, model), region_cap=12_000, forced_min=12_000)
        await scheduler.run_now(SCOPE)
    assert scheduler.seat_window.tokens < CONFIGURED


async def test_a_new_daemon_knows_it_and_another_setting_is_tried_again(lane: Lane) -> None:
    await filled(lane)
    async with fake_model("over:30000/8192") as model:
        await lane.scheduler(seat=seat(lane, model), region_cap=12_000, forced_min=12_000).run_now(SCOPE)
        again = lane.scheduler(seat=seat(lane, model))
        assert again.seat_window.tokens == CONFIGURED
        await again.seat_window.load()
        assert (again.seat_window.tokens, again.seat_window.lowered) == (8_192, 8_192)
        other = lane.scheduler(seat=seat(lane, model, window=16_384))
        await other.seat_window.load()
    assert other.seat_window.tokens == 16_384


@pytest.mark.parametrize("behaviour", ["plain", "broken", "truncated"])
async def test_other_answers_say_nothing_about_the_window(lane: Lane, behaviour: str) -> None:
    await lane.record(talk(17))
    async with fake_model(behaviour) as model:
        scheduler = lane.scheduler(seat=seat(lane, model))
        await scheduler.run_now(SCOPE)
    assert scheduler.seat_window.lowered is None
    assert await lane.store.ledger.learned() == []


async def test_a_small_seat_divides_its_windows_and_learns_all_the_same(lane: Lane) -> None:
    await filled(lane)
    async with fake_model("over:3600/2048") as model:
        model.answer = lambda _: '{"claims": []}'
        scheduler = lane.scheduler(seat=seat(lane, model, profile="small"))
        answer = await scheduler.run_now(SCOPE)
        assert {r["seat"] for r in answer["regions"]} == {"local"}
        assert scheduler.seat_window.tokens == 2_048
        model.requests.clear()
        await filled(lane, OTHER)
        await scheduler.run_now(OTHER)
    assert all(sum(len(m["content"]) for m in r["messages"]) <= 3_600 for r in model.requests)

"""One job in, one result out: seats are asked, replies read and validated, failures named."""

from __future__ import annotations

import asyncio
import io
import json
from typing import Any

import pytest

from bobctx.compactor import wire
from bobctx.compactor.worker import report_crash, result_chars, run_job, run_worker
from bobctx.core.parts import read_message
from bobctx.core.types import Message, PriorClaim, Region, Scope
from bobctx.errors import SeatFailed
from bobctx.ports import Job, SeatReply, SeatRequest
from bobctx.seats.extractive import ExtractiveSeat
from bobctx.seats.scripted import ScriptedReply, ScriptedSeat

SCOPE = Scope(conversation_id="c", user_id="u")


def message(seq: int, role: str, text: str, **options: Any) -> Message:
    return read_message({"role": role, "content": text}, id=f"id-{seq}", seq=seq, tokens=20, **options)


REGION = Region(
    messages=(
        message(5, "user", "The admin API listens on port 9443. Never enable zeta-sync on db-7."),
        message(6, "assistant", "Understood, I will keep zeta-sync off on db-7."),
    )
)


def job(**fields: Any) -> Job:
    base: dict[str, Any] = {"scope": SCOPE, "region": REGION, "prior": (), "prefix": "r1", "seat": "scripted"}
    return Job(**{**base, **fields})


def reply(*claims: dict[str, Any]) -> str:
    full = [{"id": f"c{i}", "type": "fact", "importance": 2, "supersedes": None, **c} for i, c in enumerate(claims, 1)]
    return json.dumps({"claims": full})


GOOD = reply({"text": "The admin API listens on port 9443.", "cites": ["m5"]})


async def test_a_good_reply_comes_back_validated() -> None:
    seat = ScriptedSeat([ScriptedReply(raw=GOOD)])
    result = await run_job({"scripted": seat}, job())
    assert result.error is None
    assert [(c.text, c.cites) for c in result.claims] == [("The admin API listens on port 9443.", (0,))]
    assert result.raw == GOOD
    assert result.aliases == {"messages": {"m5": 0, "m6": 1}, "priors": {}}


async def test_a_claim_the_source_does_not_support_is_rejected_with_a_reason() -> None:
    seat = ScriptedSeat([ScriptedReply(raw=reply({"text": "The admin API listens on port 8443.", "cites": ["m5"]}))])
    result = await run_job({"scripted": seat}, job())
    assert result.claims == ()
    assert len(result.report.rejections) == 1


async def test_the_extractor_is_a_seat_like_any_other() -> None:
    result = await run_job({"extractive": ExtractiveSeat()}, job(seat="extractive"))
    assert result.error is None
    assert any("zeta-sync" in c.text and c.importance == 3 for c in result.claims)
    assert result.report.rejections == ()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (ScriptedReply(raw=""), "empty"),
        (ScriptedReply(raw="<think>x</think>"), "reasoning_only"),
        (ScriptedReply(raw="{"), "malformed"),
        (ScriptedReply(raw=GOOD, finish_reason="length"), "truncated"),
        (ScriptedReply(fails="rate_limited"), "rate_limited"),
        (ScriptedReply(delay_s=5), "timeout"),
    ],
)
async def test_a_seat_that_gives_no_reply_has_a_reason(line: ScriptedReply, code: str) -> None:
    result = await run_job({"scripted": ScriptedSeat([line])}, job(timeout_s=0.05))
    assert (result.error, result.claims) == (code, ())


async def test_an_unknown_seat_is_named() -> None:
    assert (await run_job({}, job(seat="nobody"))).error == "unknown_seat"


async def test_local_text_never_reaches_a_cloud_seat() -> None:
    asked: list[SeatRequest] = []

    def script(request: SeatRequest) -> SeatReply:
        asked.append(request)
        return SeatReply(text=GOOD)

    cloud = ScriptedSeat(script, name="cloud", egress="cloud_ok")
    assert (await run_job({"cloud": cloud}, job(seat="cloud"))).error == "egress"
    assert asked == []
    open_region = Region(
        messages=tuple(message(m.seq or 0, m.role, m.text, egress="cloud_ok") for m in REGION.messages)
    )
    assert (await run_job({"cloud": cloud}, job(seat="cloud", region=open_region))).error is None
    quoted = PriorClaim(alias="r1.c1", id="x", type="fact", importance=2, text="The port is 9443.", egress="local")
    assert (await run_job({"cloud": cloud}, job(seat="cloud", region=open_region, prior=(quoted,)))).error == "egress"
    assert len(asked) == 1


async def test_a_stored_reply_is_read_under_the_names_of_today_without_a_call() -> None:
    raw = reply({"text": "The admin API listens on port 9443.", "cites": ["m90"], "supersedes": "r7.c1"})
    aliases = {"messages": {"m90": 0, "m91": 1}, "priors": {"r7.c1": "global-1"}}
    prior = PriorClaim(
        alias="r2.c3", id="global-1", type="fact", importance=2, text="The admin API listens on port 8443."
    )
    result = await run_job({}, job(raw=raw, aliases=aliases, prior=(prior,), prefix="r3"))
    assert result.error is None
    assert [c.cites for c in result.claims] == [(0,)]
    assert result.aliases == aliases


async def test_reasons_reach_the_prompt_of_a_retry() -> None:
    prompts: list[str] = []

    def script(request: SeatRequest) -> str:
        prompts.append(str(request.prompt[-1]["content"]))
        return GOOD

    await run_job({"scripted": ScriptedSeat(script)}, job(ask="retry", reasons=("c1: 8443 is in no cited message",)))
    assert "c1: 8443 is in no cited message" in prompts[0]


def test_the_worker_answers_each_frame_and_ends_with_its_input() -> None:
    stdin = io.BytesIO(wire.pack_frame({"id": 4, "job": wire.job_to_json(job(raw=GOOD, seat="extractive"))}))
    stdout = io.BytesIO()
    run_worker({"extractive": ExtractiveSeat()}, stdin, stdout)
    # The end of the input cancels what runs: a job that was started but not awaited may be missing.
    answer = wire.read_frame(io.BytesIO(stdout.getvalue()))
    assert answer is None or answer["id"] == 4


async def test_a_seat_failure_without_a_reason_keeps_its_code() -> None:
    def script(_: SeatRequest) -> str:
        raise SeatFailed()

    assert (await run_job({"scripted": ScriptedSeat(script)}, job())).error == "seat_failed"


def test_a_crash_report_holds_no_text_of_the_error(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        raise KeyError("the secret plan")
    except KeyError as error:
        report_crash(type(error), error, error.__traceback__)
    shown = capsys.readouterr().err
    assert "KeyError" in shown
    assert "secret plan" not in shown


async def test_jobs_run_side_by_side() -> None:
    slow = ScriptedSeat([ScriptedReply(raw=GOOD, delay_s=0.2)])
    async with asyncio.timeout(1.0):
        results = await asyncio.gather(*(run_job({"scripted": slow}, job()) for _ in range(10)))
    assert all(r.error is None for r in results)


def test_tool_results_are_shortened_only_where_the_window_is_too_small() -> None:
    result = read_message({"role": "tool", "content": "x" * 40_000, "tool_call_id": "a"}, id="t", seq=9, tokens=10_000)
    large = Region(messages=(*REGION.messages, result))
    assert result_chars(large, 100_000) is None
    assert result_chars(REGION, 8_000) is None
    shown = result_chars(large, 22_000)
    assert shown is not None
    assert 20_000 < shown < 26_000

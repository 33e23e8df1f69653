"""Due work is found and done in the background; nothing that goes wrong there reaches a turn."""

from __future__ import annotations

import asyncio
import sys
from functools import partial

import pytest

from bobctx.compactor.scheduler import Scheduler, SchedulerConfig
from bobctx.compactor.supervisor import Supervisor
from bobctx.compactor.wire import failed_result
from bobctx.core.budget import plan_budget
from bobctx.core.policy import MAX_SILENT_RUNS
from bobctx.core.types import Scope
from bobctx.errors import SeatFailed
from bobctx.ports import Job, JobResult, SeatRequest
from tests.integration.compactor.conftest import RULE, SCOPE, Lane, talk, until


async def test_a_turn_that_makes_work_due_is_compacted_in_the_background(lane: Lane) -> None:
    scheduler = lane.scheduler()
    scheduler.start()
    await lane.record(talk(120))
    assert scheduler.notice(SCOPE) == ("scheduled", "checking")
    await until(lambda: scheduler.status()["regions"]["shadow_ok"] >= 2)
    assert any(c.text == RULE for row in await lane.chain() for c in row.claims)


async def test_below_the_trigger_nothing_runs_and_the_reason_is_told(lane: Lane) -> None:
    scheduler = lane.scheduler()
    scheduler.start()
    await lane.record(talk(3))
    scheduler.notice(SCOPE)
    await until(lambda: scheduler.notice(SCOPE)[0] == "idle")
    assert scheduler.notice(SCOPE)[1] in ("nothing_eligible", "below_trigger")
    assert await lane.chain() == []


async def test_work_left_by_a_killed_daemon_is_found_at_start(lane: Lane) -> None:
    await lane.record(talk(120))
    scheduler = lane.scheduler()
    scheduler.start()
    await until(lambda: scheduler.status()["regions"]["shadow_ok"] >= 1)


async def test_a_run_stops_at_its_limit_and_goes_on_afterwards(lane: Lane) -> None:
    await lane.record(talk(240))
    scheduler = lane.scheduler(regions_per_run=1)
    scheduler.start()
    await until(lambda: scheduler.status()["regions"]["shadow_ok"] >= 4, 20)


async def test_a_run_that_takes_too_long_is_ended_keeps_what_it_committed_and_holds_up_no_turn(lane: Lane) -> None:
    """Fails if only the number of passes is bounded: a seat that never answers would hold its conversation for ever."""
    hangs = True

    async def hang(_: Job) -> None:
        if hangs and await lane.chain():
            await asyncio.sleep(3_600)

    lane.dispatch.before = hang
    await lane.record(talk(120))
    scheduler = lane.scheduler(run_deadline_s=1.0)
    scheduler.start()
    await until(lambda: scheduler.status()["running"] == 1)
    await lane.record(talk(1, start=500))
    assert scheduler.notice(SCOPE) in (("running", "run_in_progress"), ("idle", "cooldown"))
    await until(lambda: scheduler.status()["last_failure_reason"] == "internal:TimeoutError")
    assert [row.status for row in await lane.chain()] == ["shadow_ok"]
    hangs = False
    lane.clock.ahead += 301
    scheduler.notice(SCOPE)
    await until(lambda: scheduler.status()["regions"]["shadow_ok"] >= 2)


def more_than(jobs: list[Job], count: int) -> bool:
    return len(jobs) > count


async def test_a_failed_seat_cools_down_and_later_the_extractor_steps_in(lane: Lane) -> None:
    def script(_: SeatRequest) -> str:
        raise SeatFailed("down", reason="unreachable")

    await lane.record(talk(120))
    scheduler = lane.scheduler(seat=lane.model(script))
    scheduler.start()
    await until(lambda: scheduler.status()["last_failure_reason"] == "unreachable")
    asked = len(lane.dispatch.asked)
    scheduler.notice(SCOPE)
    await until(lambda: scheduler.notice(SCOPE) == ("idle", "cooldown"))
    assert len(lane.dispatch.asked) == asked
    for _ in range(2):
        lane.clock.ahead += 301
        scheduler.notice(SCOPE)
        await until(partial(more_than, lane.dispatch.asked, asked))
        await until(lambda: scheduler.status()["running"] == 0)
        asked = len(lane.dispatch.asked)
    await until(lambda: scheduler.status()["regions"]["shadow_ok"] >= 1)
    assert any(c.text == RULE for row in await lane.chain() for c in row.claims)


@pytest.mark.parametrize("error", ["worker_died", "timeout", "worker_failed"])
async def test_a_region_whose_worker_failed_twice_is_due_again(
    lane: Lane, monkeypatch: pytest.MonkeyPatch, error: str
) -> None:
    """Fails if it becomes a link that covers nothing: it would never be compacted."""
    await lane.record(talk(40))
    scheduler = lane.scheduler()

    async def broken(job: Job) -> JobResult:
        return failed_result(job, error)

    with monkeypatch.context() as patch:
        patch.setattr(lane.dispatch, "dispatch", broken)
        found = await scheduler.run_now(SCOPE)
    assert [region["status"] for region in found["regions"]] == ["failed"]
    assert (await lane.chain(), found["chain"]["covered_messages"]) == ([], 0)
    await scheduler.run_now(SCOPE)
    assert {row.status for row in await lane.chain()} == {"shadow_ok"}


async def test_a_region_that_never_gets_an_answer_ends_as_a_link_that_covers_nothing(
    lane: Lane, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(job: Job) -> JobResult:
        return failed_result(job, "worker_died")

    await lane.record(talk(40))
    scheduler = lane.scheduler()
    monkeypatch.setattr(lane.dispatch, "dispatch", broken)
    for _ in range(MAX_SILENT_RUNS - 1):
        await scheduler.run_now(SCOPE)
    found = await scheduler.run_now(SCOPE)
    assert found["regions"][0]["status"] == "empty"
    assert found["chain"]["trusted"] >= 1
    assert found["chain"]["covered_messages"] == 0


async def test_a_bug_in_a_run_is_a_failure_that_is_counted_and_nothing_more(lane: Lane) -> None:
    async def explode(_: Job) -> None:
        raise RuntimeError("a private sentence")

    lane.dispatch.before = explode
    await lane.record(talk(120))
    scheduler = lane.scheduler()
    scheduler.start()
    await until(lambda: scheduler.status()["last_failure_reason"] == "internal:RuntimeError")
    lane.dispatch.before = None
    other = Scope(conversation_id="other", user_id="u")
    await lane.record(talk(120), scope=other)
    scheduler.notice(other)
    await until(lambda: scheduler.status()["regions"]["shadow_ok"] >= 1)


async def test_an_edit_is_compacted_again_only_after_a_quiet_time(lane: Lane) -> None:
    await lane.record(talk(120))
    scheduler = lane.scheduler()
    await scheduler.run_now(SCOPE)
    scheduler.start()
    await lane.record([{"id": "u5", "role": "user", "content": "Service svc-5 moved to port 1234."}])
    scheduler.notice(SCOPE)
    await until(lambda: scheduler.notice(SCOPE) == ("idle", "quiet_after_edit"))
    assert "empty" in {row.status for row in await lane.chain()}
    lane.clock.ahead += 31

    async def refilled() -> bool:
        scheduler.notice(SCOPE)
        return {row.status for row in await lane.chain()} == {"shadow_ok"}

    await until(refilled)
    assert any("1234" in c.text for row in await lane.chain() for c in row.claims)


async def test_at_most_two_runs_at_once_and_one_for_each_conversation(lane: Lane) -> None:
    running: dict[str, int] = {}
    most = 0

    async def watch(job: Job) -> None:
        nonlocal most
        name = job.scope.conversation_id
        running[name] = running.get(name, 0) + 1
        assert running[name] == 1
        most = max(most, sum(running.values()))
        await asyncio.sleep(0.05)
        running[name] -= 1

    lane.dispatch.before = watch
    scopes = [Scope(conversation_id=f"c{i}", user_id="u") for i in range(5)]
    for scope in scopes:
        await lane.record(talk(120), scope=scope)
    scheduler = lane.scheduler()
    scheduler.start()
    for _ in range(20):
        for scope in scopes:
            scheduler.notice(scope)
        await asyncio.sleep(0.02)
    await until(lambda: scheduler.status()["regions"]["shadow_ok"] >= 10, 30)
    assert most == 2


async def test_a_call_that_waits_for_a_slot_holds_up_no_run_of_the_same_conversation(lane: Lane) -> None:
    let_go = asyncio.Event()

    async def hold(job: Job) -> None:
        if job.scope.conversation_id == "busy":
            await let_go.wait()

    busy = Scope(conversation_id="busy", user_id="u")
    lane.dispatch.before = hold
    await lane.record(talk(120), scope=busy)
    await lane.record(talk(120))
    scheduler = lane.scheduler(max_concurrent=1)
    scheduler.start()
    scheduler.notice(busy)
    await until(lambda: scheduler.status()["running"] == 1)
    scheduler.notice(SCOPE)
    await asyncio.sleep(0.5)  # the background run of `SCOPE` stands first in line for the slot
    asked = asyncio.create_task(scheduler.run_now(SCOPE))
    await asyncio.sleep(0.05)
    let_go.set()
    async with asyncio.timeout(20):
        await asked


async def test_drain_waits_a_bounded_time_and_then_lets_go(lane: Lane) -> None:
    async def hang(_: Job) -> None:
        await asyncio.sleep(3600)

    lane.dispatch.before = hang
    await lane.record(talk(120))
    scheduler = lane.scheduler()
    scheduler.start()
    await until(lambda: scheduler.status()["running"] == 1)
    async with asyncio.timeout(5):
        await scheduler.drain(0.1)
    assert scheduler.notice(SCOPE) == ("off", "stopping")
    lane.dispatch.before = None
    after = lane.scheduler()
    after.start()
    await until(lambda: after.status()["regions"]["shadow_ok"] >= 1)


async def test_a_disabled_compactor_does_nothing(lane: Lane) -> None:
    scheduler = lane.scheduler(enabled=False)
    scheduler.start()
    await lane.record(talk(120))
    assert scheduler.notice(SCOPE) == ("off", "disabled")
    await asyncio.sleep(0.1)
    assert await lane.chain() == []


async def test_the_whole_way_with_a_real_worker_that_is_killed_on_the_way(lane: Lane) -> None:
    code = (
        "import sys; from bobctx.compactor.worker import run_worker;"
        "from bobctx.seats.extractive import ExtractiveSeat;"
        "run_worker({'extractive': ExtractiveSeat()}, sys.stdin.buffer, sys.stdout.buffer)"
    )
    supervisor = Supervisor([sys.executable, "-c", code])
    config = SchedulerConfig(budget_for=lambda _: plan_budget(16_000), region_cap=2_000, forced_min=2_000)
    scheduler = Scheduler(lane.store, supervisor, lane.clock, config)
    await lane.record(talk(120))
    scheduler.start()
    await until(lambda: supervisor.pid is not None)
    worker = supervisor._worker
    assert worker is not None
    worker.process.kill()
    await until(lambda: scheduler.status()["regions"]["shadow_ok"] >= 3, 30)
    await scheduler.drain(5)
    await supervisor.close()
    assert scheduler.status()["regions"]["failed"] == 0
    assert any(c.text == RULE for row in await lane.chain() for c in row.claims)

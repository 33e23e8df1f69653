"""The supervisor and a real worker process: death, deadlines, stray output, stopping."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bobctx.compactor.supervisor import Supervisor
from bobctx.core.parts import read_message
from bobctx.core.types import Region, Scope
from bobctx.ports import Job

WORKER = """
import os, signal, sys, time
from bobctx.compactor.worker import run_worker
from bobctx.seats.extractive import ExtractiveSeat
from bobctx.seats.scripted import ScriptedReply, ScriptedSeat
def die(request):
    if request.region.messages[0].text.startswith("die"):
        os.kill(os.getpid(), signal.SIGKILL)
    return '{"claims": []}'
def hang(request):
    time.sleep(60)
def bug(request):
    raise ValueError("a private sentence")
def loud(request):
    print("noise of a library")
    os.system("echo noise of a child")
    return '{"claims": []}'
seats = {s.name: s for s in (ExtractiveSeat(), ScriptedSeat(die, name="die"), ScriptedSeat(hang, name="hang"),
    ScriptedSeat(bug, name="bug"), ScriptedSeat(loud, name="loud"),
    ScriptedSeat([ScriptedReply(delay_s=30)], name="slow"), ScriptedSeat([ScriptedReply(delay_s=0.5)], name="half"))}
run_worker(seats, sys.stdin.buffer, sys.stdout.buffer)
"""


def job(seat: str = "extractive", text: str = "Never enable zeta-sync on db-7.", **fields: Any) -> Job:
    message = read_message({"role": "user", "content": text}, id="a", seq=1, tokens=10)
    scope = Scope(conversation_id="c", user_id="u")
    return Job(scope=scope, region=Region(messages=(message,)), prior=(), prefix="r1", seat=seat, **fields)


@pytest.fixture
async def supervisor() -> AsyncIterator[Supervisor]:
    made = Supervisor([sys.executable, "-c", WORKER], grace_s=4.0, start_s=30.0)
    yield made
    await made.close()


async def test_a_job_goes_through_a_real_niced_process(supervisor: Supervisor) -> None:
    result = await supervisor.dispatch(job())
    assert [c.text for c in result.claims] == ["Never enable zeta-sync on db-7."]
    assert supervisor.pid is not None
    assert os.getpriority(os.PRIO_PROCESS, supervisor.pid) >= 10


async def test_the_worker_is_outside_the_terminal_group_but_in_the_session_where_niceness_counts(
    supervisor: Supervisor,
) -> None:
    await supervisor.dispatch(job())
    assert supervisor.pid is not None
    assert os.getpgid(supervisor.pid) == supervisor.pid
    assert os.getsid(supervisor.pid) == os.getsid(0)


async def test_a_worker_killed_while_idle_costs_one_retry(supervisor: Supervisor) -> None:
    await supervisor.dispatch(job())
    assert supervisor.pid is not None
    os.kill(supervisor.pid, signal.SIGKILL)
    assert (await supervisor.dispatch(job())).error is None
    assert supervisor.restarts == 1


async def test_a_worker_killed_during_a_models_ask_is_the_callers_to_retry(supervisor: Supervisor) -> None:
    """The call may be charged for: the next one has to be booked first."""
    await supervisor.dispatch(job())
    assert supervisor.pid is not None
    busy = asyncio.create_task(supervisor.dispatch(job("half")))
    await asyncio.sleep(0.2)
    os.kill(supervisor.pid, signal.SIGKILL)
    assert (await busy).error == "worker_died"
    assert supervisor.restarts == 0
    assert (await supervisor.dispatch(job("half"))).error is None
    assert supervisor.restarts == 1


async def test_a_job_that_kills_its_worker_is_named_and_others_go_on(supervisor: Supervisor) -> None:
    assert (await supervisor.dispatch(job("die", "die"))).error == "worker_died"
    assert (await supervisor.dispatch(job())).error is None


async def test_a_bug_in_a_seat_ends_the_process_without_leaking_text(
    supervisor: Supervisor, capfd: pytest.CaptureFixture[str]
) -> None:
    assert (await supervisor.dispatch(job("bug"))).error == "worker_died"
    assert "private sentence" not in capfd.readouterr().err


async def test_a_seat_that_is_slow_times_out_and_the_process_lives(supervisor: Supervisor) -> None:
    await supervisor.dispatch(job())
    pid = supervisor.pid
    assert (await supervisor.dispatch(job("slow", timeout_s=0.2))).error == "timeout"
    assert supervisor.pid == pid


async def test_a_call_that_hangs_in_a_library_is_ended_by_the_deadline(supervisor: Supervisor) -> None:
    await supervisor.dispatch(job())
    pid = supervisor.pid
    assert (await supervisor.dispatch(job("hang", timeout_s=0.2))).error == "timeout"
    assert (await supervisor.dispatch(job())).error is None
    assert supervisor.pid != pid


async def test_what_libraries_print_does_not_break_the_frames(supervisor: Supervisor) -> None:
    assert (await supervisor.dispatch(job("loud"))).error is None
    assert supervisor.restarts == 0


async def test_a_worker_that_cannot_start_is_an_error_result() -> None:
    supervisor = Supervisor(["/nonexistent/worker"])
    assert (await supervisor.dispatch(job())).error == "worker_failed"
    await supervisor.close()


NO_RESULTS = ("[]", "{}", '{"id": 1}', '{"id": 1, "result": {"claims": []}}', '{"id": "x", "result": 3}')


@pytest.mark.parametrize("written", ["'hello' * 1000", *(repr(f"frame {text}") for text in NO_RESULTS)])
async def test_a_worker_that_writes_nonsense_is_a_dead_worker(written: str) -> None:
    code = (
        f"import struct, sys; text = {written}; frame = text.removeprefix('frame ').encode(); "
        "head = struct.pack('>I', len(frame)) if text.startswith('frame ') else b''; "
        "sys.stdout.buffer.write(head + frame); sys.stdout.flush(); sys.stdin.read()"
    )
    supervisor = Supervisor([sys.executable, "-c", code])
    assert (await supervisor.dispatch(job())).error == "worker_died"
    await supervisor.close()


async def test_closing_ends_the_process_and_waiting_jobs(supervisor: Supervisor) -> None:
    await supervisor.dispatch(job())
    pid = supervisor.pid
    assert pid is not None
    waiting = asyncio.create_task(supervisor.dispatch(job("slow")))
    await asyncio.sleep(0.1)
    await supervisor.close()
    assert (await waiting).error == "stopping"
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert (await supervisor.dispatch(job())).error == "stopping"


async def test_the_worker_ends_when_its_parent_is_gone() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WORKER, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.close()
    async with asyncio.timeout(60):
        assert await process.wait() == 0

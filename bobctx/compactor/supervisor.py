"""Starts the worker process, talks to it, and starts it again when it dies: the daemon's `Dispatcher`.

A killed worker costs one retry: here for a job that asks no model, by the caller for one that does, because each
try may be charged for and has to be booked first. A job over its deadline kills the worker, because nothing else
ends a call that hangs inside a library (design, sections 2 and 5).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bobctx import logs
from bobctx.compactor import wire
from bobctx.compactor.seating import EXTRACTOR
from bobctx.core.types import Json
from bobctx.ports import Job, JobResult

GRACE_S = 15.0
"""Seconds beyond a job's own timeout before its worker is killed: parsing and validation come after the seat."""
START_S = 30.0
"""Seconds more for the first job of a fresh process: importing a model library takes 7 to 8 of them."""
STOP_S = 3.0
"""Seconds between closing stdin and SIGKILL when stopping."""


class _WorkerDied(Exception):
    """The process ended while a job waited."""


class _NotSent(_WorkerDied):
    """The process had ended before the job reached it."""


@dataclass(slots=True, eq=False)
class _Worker:
    """One running process and the jobs that wait for it."""

    process: asyncio.subprocess.Process
    waiting: dict[int, asyncio.Future[JobResult]] = field(default_factory=dict)
    answered: bool = False

    def fail_all(self) -> None:
        for future in self.waiting.values():
            if not future.done():
                future.set_exception(_WorkerDied())
        self.waiting.clear()


class Supervisor:
    """Runs at most one worker process, started with the first job."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        grace_s: float = GRACE_S,
        start_s: float = START_S,
    ) -> None:
        """Args:
        command: The worker's argv.
        env: Its environment; None inherits.
        grace_s: Seconds added to a job's timeout before the process is killed.
        start_s: Seconds added for the first job of a process.
        """
        self._command = tuple(command)
        self._env = None if env is None else dict(env)
        self._grace_s = grace_s
        self._start_s = start_s
        self._worker: _Worker | None = None
        self._starting = asyncio.Lock()
        self._listeners: set[asyncio.Task[None]] = set()
        """Hard references: the event loop keeps only weak ones."""
        self._next_id = 0
        self._closed = False
        self._starts = 0
        self._log = logs.get_logger()

    @property
    def restarts(self) -> int:
        """Processes that had to be started after the first."""
        return max(0, self._starts - 1)

    @property
    def pid(self) -> int | None:
        """Process id of the running worker."""
        return None if self._worker is None else self._worker.process.pid

    async def dispatch(self, job: Job) -> JobResult:
        """One job; a worker that dies is started again and the job tried once more, then `worker_died`.

        A job that asks a model is tried again only if it never reached the worker.
        """
        for _ in range(2):
            if self._closed:
                return wire.failed_result(job, "stopping", "the daemon is stopping")
            try:
                return await self._try(job)
            except _NotSent:
                continue
            except _WorkerDied:
                if not self._closed and _asks_a_model(job):
                    return wire.failed_result(job, "worker_died", "the worker process died on this job")
            except TimeoutError:
                return wire.failed_result(job, "timeout", "the worker did not answer in time and was killed")
            except OSError as error:
                return wire.failed_result(job, "worker_failed", f"the worker cannot be started: {error.strerror}")
            except wire.FrameBroken as error:
                return wire.failed_result(job, "too_large", str(error))
        return wire.failed_result(job, "worker_died", "the worker process died twice on this job")

    async def close(self) -> None:
        """Stop the worker: close its stdin, wait a little, then kill it. Jobs that wait get `stopping`."""
        self._closed = True
        worker, self._worker = self._worker, None
        if worker is not None:
            await _stop(worker)
        await asyncio.gather(*self._listeners, return_exceptions=True)

    async def _try(self, job: Job) -> JobResult:
        frame_id = self._next_id = self._next_id + 1
        frame = wire.pack_frame({"id": frame_id, "job": wire.job_to_json(job)})
        worker = await self._running()
        if worker.process.returncode is not None:  # its listener has not come to see it yet
            self._discard(worker)
            raise _NotSent
        future: asyncio.Future[JobResult] = asyncio.get_running_loop().create_future()
        worker.waiting[frame_id] = future
        deadline = job.timeout_s + self._grace_s + (0.0 if worker.answered else self._start_s)
        try:
            async with asyncio.timeout(deadline):
                await _send(worker, frame)
                return await future
        except TimeoutError:
            self._discard(worker)
            raise
        finally:
            worker.waiting.pop(frame_id, None)

    async def _running(self) -> _Worker:
        """The worker, started if none runs."""
        async with self._starting:
            if self._closed:
                raise _NotSent
            if self._worker is None:
                process = await asyncio.create_subprocess_exec(
                    *self._command,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    env=self._env,
                )
                worker = self._worker = _Worker(process)
                listener = asyncio.create_task(self._listen(worker), name="worker-listener")
                self._listeners.add(listener)
                listener.add_done_callback(self._listeners.discard)
                self._starts += 1
                self._log.info(logs.WORKER_STARTED, worker=process.pid, starts=self._starts)
            return self._worker

    async def _listen(self, worker: _Worker) -> None:
        """Hands results to their jobs until the process ends."""
        stdout = worker.process.stdout
        assert stdout is not None
        try:
            while (frame := await wire.receive_frame(stdout)) is not None:
                _deliver(worker, frame)
        except wire.FrameBroken:
            pass  # a worker that writes nonsense is a dead worker
        finally:
            self._discard(worker)
            code = await worker.process.wait()
            if not self._closed:
                self._log.warning(logs.WORKER_DIED, worker=worker.process.pid, code=code)

    def _discard(self, worker: _Worker) -> None:
        """Kill a worker and fail what waits for it; the next job starts another."""
        if self._worker is worker:
            self._worker = None
        with contextlib.suppress(ProcessLookupError):
            if worker.process.returncode is None:
                worker.process.kill()
        if worker.process.stdin is not None:
            worker.process.stdin.close()
        worker.fail_all()


def _asks_a_model(job: Job) -> bool:
    return job.raw is None and job.seat != EXTRACTOR


def _deliver(worker: _Worker, frame: Json) -> None:
    try:
        number, result = int(frame["id"]), wire.result_from_json(frame["result"])
    except (KeyError, TypeError, ValueError) as error:
        raise wire.FrameBroken("a frame is no result") from error
    worker.answered = True
    future = worker.waiting.pop(number, None)
    if future is not None and not future.done():
        future.set_result(result)


async def _send(worker: _Worker, frame: bytes) -> None:
    stdin = worker.process.stdin
    assert stdin is not None
    try:
        stdin.write(frame)
        await stdin.drain()
    except (ConnectionError, RuntimeError) as error:
        raise _WorkerDied from error


async def _stop(worker: _Worker) -> None:
    stdin = worker.process.stdin
    if stdin is not None:
        stdin.close()
    try:
        async with asyncio.timeout(STOP_S):
            await worker.process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker.process.pid, 9)
        await worker.process.wait()
    worker.fail_all()

"""A lane of its own for one replay: a temporary database, the local extractor, no process and no network."""

from __future__ import annotations

import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bobctx.api.assemble import Assembler, AssemblerConfig
from bobctx.api.counting import Counting
from bobctx.api.metrics import Metrics
from bobctx.api.record import Recorder
from bobctx.compactor.scheduler import Scheduler, SchedulerConfig
from bobctx.compactor.worker import run_job
from bobctx.core.budget import STEP, plan_budget
from bobctx.core.packing import DEFAULT_POLICY, Policy
from bobctx.core.render import DEFAULT_STYLE, Style
from bobctx.core.types import Mode
from bobctx.model_data import reference_counter
from bobctx.ports import Job, JobResult
from bobctx.seats.extractive import ExtractiveSeat
from bobctx.store import SqliteStore

DEADLINE_S = 120.0
"""A replay waits: a slow machine is no reason for a plain fit."""


class ReplayClock:
    """The machine's time."""

    def now(self) -> float:
        """Unix seconds."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return time.monotonic()


class InProcess:
    """The worker's own code, without its process."""

    async def dispatch(self, job: Job) -> JobResult:
        """One job, by the extractor."""
        return await run_job({"extractive": ExtractiveSeat()}, job)

    async def close(self) -> None:
        """Nothing runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneConfig:
    """What a replay has instead of settings."""

    window: int
    profile: str = "default"
    mode: Mode = "live"
    share: float | None = None
    step: float = STEP
    policy: Policy = DEFAULT_POLICY
    recall: bool = False
    style: Style = DEFAULT_STYLE


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayLane:
    """The open parts."""

    store: SqliteStore
    counting: Counting
    recorder: Recorder
    assembler: Assembler
    compactor: Scheduler


@asynccontextmanager
async def open_lane(config: LaneConfig) -> AsyncIterator[ReplayLane]:
    """Record, compact and assemble as the daemon does; everything is gone afterwards."""
    budget = plan_budget(config.window, profile=config.profile, share=config.share, step=config.step)
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="bobctx-replay-"))
        store = await SqliteStore.open(Path(folder) / "replay.db")
        stack.push_async_callback(store.close)
        clock = ReplayClock()
        counting = Counting(reference_counter)
        stack.callback(counting.close)
        compactor = Scheduler(
            store, InProcess(), clock, SchedulerConfig(budget_for=lambda _: budget, profile=config.profile)
        )
        stack.push_async_callback(compactor.drain, 1.0)
        assembler = Assembler(
            store,
            counting,
            clock,
            Metrics(),
            AssemblerConfig(
                mode=config.mode,
                window=config.window,
                profile=config.profile,
                share=config.share,
                policy=config.policy,
                recall=config.recall,
                style=config.style,
                deadline_s=DEADLINE_S,
                step=config.step,
            ),
        )
        stack.push_async_callback(assembler.close)
        await counting.counter()
        yield ReplayLane(
            store=store,
            counting=counting,
            recorder=Recorder(store, counting, clock),
            assembler=assembler,
            compactor=compactor,
        )

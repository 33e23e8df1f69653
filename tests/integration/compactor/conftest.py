"""A real database, a scheduler on it, and seats whose asks are counted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bobctx.compactor.scheduler import Scheduler, SchedulerConfig
from bobctx.compactor.seating import SeatInfo, Seating
from bobctx.compactor.worker import run_job
from bobctx.core.budget import plan_budget
from bobctx.core.parts import read_message
from bobctx.core.types import Scope
from bobctx.ports import Incoming, Job, JobResult, Seat, SeatReply, SeatRequest
from bobctx.seats.extractive import ExtractiveSeat
from bobctx.seats.scripted import ScriptedSeat
from bobctx.store.store import SqliteStore

SCOPE = Scope(conversation_id="c", user_id="u")
RULE = "Never enable zeta-sync on the billing cluster."


@dataclass
class Clock:
    """Real time that tests can move forward."""

    ahead: float = 0.0

    def now(self) -> float:
        return time.time() + self.ahead

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead


@dataclass
class Dispatch:
    """The worker's own code without its process; counts asks of the model seat."""

    seats: dict[str, Seat]
    asked: list[Job] = field(default_factory=list)
    before: Callable[[Job], Any] | None = None
    """Awaited before a seat answers."""

    async def dispatch(self, job: Job) -> JobResult:
        if job.raw is None and job.seat != "extractive":
            self.asked.append(job)
        if self.before is not None and job.raw is None:
            await self.before(job)
        return await run_job(self.seats, job)

    async def close(self) -> None:
        return None


@dataclass
class Lane:
    store: SqliteStore
    clock: Clock
    dispatch: Dispatch
    made: list[Scheduler] = field(default_factory=list)

    def scheduler(self, *, window: int = 16_000, seat: SeatInfo | None = None, **options: Any) -> Scheduler:
        config = SchedulerConfig(
            budget_for=lambda _: plan_budget(window),
            seating=Seating(seat=seat) if seat is not None else Seating(),
            region_cap=options.pop("region_cap", 2_000),
            forced_min=options.pop("forced_min", 2_000),
            **options,
        )
        scheduler = Scheduler(self.store, self.dispatch, self.clock, config, ledger=self.store.ledger)
        self.made.append(scheduler)
        return scheduler

    def model(self, script: Callable[[SeatRequest], SeatReply | str], *, egress: Any = "local") -> SeatInfo:
        self.dispatch.seats["model"] = ScriptedSeat(script, name="model", egress=egress)
        return SeatInfo(name="model", egress=egress, provider="deepseek", window=100_000)

    async def record(self, messages: Sequence[dict[str, Any]], *, egress: Any = "local", **options: Any) -> Any:
        incoming = [
            Incoming(message=read_message(m, tokens=options.get("tokens", 60), egress=egress), counter_id="test")
            for m in messages
        ]
        return await self.store.record(
            options.get("scope", SCOPE), incoming, backend=options.get("backend"), truncate_after=None,
            now=self.clock.now(),
        )  # fmt: skip

    async def chain(self, scope: Scope = SCOPE) -> list[Any]:
        return [row for row in await self.store.compactions(scope) if row.status in ("shadow_ok", "empty")]


def talk(count: int, *, start: int = 0) -> list[dict[str, Any]]:
    """`count` exchanges; the third one holds the rule."""
    messages: list[dict[str, Any]] = []
    for number in range(start, start + count):
        said = RULE if number == 2 else f"Service svc-{number} listens on port {7000 + number} in zone z{number}."
        messages += [
            {"id": f"u{number}", "role": "user", "content": said},
            {"id": f"a{number}", "role": "assistant", "content": f"Noted number {number}."},
        ]
    return messages


async def until(condition: Callable[[], Any], seconds: float = 10.0) -> None:
    async with asyncio.timeout(seconds):
        while True:
            found = condition()
            if asyncio.iscoroutine(found):
                found = await found
            if found:
                return
            await asyncio.sleep(0.02)


@pytest.fixture
async def lane(tmp_path: Path) -> AsyncIterator[Lane]:
    store = await SqliteStore.open(tmp_path / "lane.db")
    made = Lane(store=store, clock=Clock(), dispatch=Dispatch(seats={"extractive": ExtractiveSeat()}))
    yield made
    for scheduler in made.made:
        await scheduler.drain(1.0)
    await store.close()

"""Finds due work and runs it in the background: the daemon's `Compactor`.

Work is found by looking at the data, at start and after each turn, so there is no queue to lose. One run per
conversation, a few in the lane. This is one of the two places that catch everything: a failure is counted,
logged and cooled down, and never reaches a turn (design, sections 2 and 5).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from bobctx import logs
from bobctx.compactor import work as works
from bobctx.compactor.asking import Asking
from bobctx.compactor.report import RegionReport
from bobctx.compactor.run import RegionRun, region_class
from bobctx.compactor.seat_window import SeatWindow
from bobctx.compactor.seating import SeatInfo, Seating
from bobctx.compactor.spending import Caps, Spending
from bobctx.compactor.standing import Standings
from bobctx.compactor.waiting import Waiting
from bobctx.core.advice import fix_for
from bobctx.core.budget import Budget
from bobctx.core.chain import Chain, chain_of
from bobctx.core.fit import compactable_tail
from bobctx.core.policy import COOLDOWN_S, MAX_REGIONS, QUIET_S, SMALL_REGION_TOKENS, Due, Standing, due
from bobctx.core.region import REGION_CAP, seat_room
from bobctx.core.types import Json, Scope, UserScope
from bobctx.errors import BobctxError
from bobctx.ports import Clock, Dispatcher, Ledger, Snapshot, Store

PROMPT_OVERHEAD = 12_000
"""Tokens of a seat's window that instructions, earlier claims and the answer may take."""
FORCED_REGIONS = 4
"""Regions that even a short conversation gets where compaction was asked for."""
SCAN_PAUSE_S = 0.02
"""Between two conversations of the search at start, so that it never crowds out a turn."""
RUN_DEADLINE_S = 900.0
"""Longest run where the seat is asked once for each region."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerConfig:
    """What the composition root decides."""

    budget_for: Callable[[str | None], Budget]
    """The budget that a conversation with this backend is expected to have next."""
    seating: Seating = field(default_factory=Seating)
    profile: str = "default"
    enabled: bool = True
    region_cap: int = REGION_CAP
    """Reference tokens of a region."""
    forced_min: int = 1_000
    """Reference tokens below which an operator's call does not divide a short conversation further."""
    regions_per_run: int = MAX_REGIONS
    max_concurrent: int = 2
    """Runs at once in the lane."""
    cooldown_s: float = COOLDOWN_S
    quiet_s: float = QUIET_S
    seat_timeout_s: float = 120.0
    """Longest wait for one reply."""
    run_deadline_s: float = RUN_DEADLINE_S
    """Longest run; what it has committed stays."""
    admins: tuple[str, ...] = ()
    caps: Caps = field(default_factory=Caps)
    """What seats may cost."""


class Scheduler:
    """Background compaction of one lane."""

    def __init__(
        self,
        store: Store,
        dispatcher: Dispatcher,
        clock: Clock,
        config: SchedulerConfig,
        *,
        ledger: Ledger | None = None,
        observe: Callable[[str, float], object] | None = None,
    ) -> None:
        """`start` begins the work; until then `notice` only remembers. `observe` hears of spend (see `Spending`)."""
        self._store = store
        self._clock = clock
        self._config = config
        self._dispatcher = dispatcher
        self.spending = Spending(ledger, clock, config.caps, observe=observe)
        self.seat_window = SeatWindow(config.seating.seat, ledger, clock)
        self._asking = Asking(
            store, dispatcher, clock, self.spending, window=self.seat_window, timeout_s=config.seat_timeout_s
        )
        self._standings = Standings()
        self._waiting = Waiting()
        self._wake = asyncio.Event()
        self._slots = asyncio.Semaphore(config.max_concurrent)
        self._tasks: set[asyncio.Task[Any]] = set()
        """Hard references: the event loop keeps only weak ones, and a task without any may vanish."""
        self._running: dict[Scope, asyncio.Task[Any]] = {}
        self._stopping = False
        self._log = logs.get_logger()

    # -- the port ------------------------------------------------------------------

    def start(self) -> None:
        """Begin: look at every conversation once, then at those that record turns."""
        if not self._config.enabled:
            return
        self._spawn(self._pump(), "compactor-pump")
        self._spawn(self._scan(), "compactor-scan")

    def notice(self, scope: Scope) -> tuple[str, str]:
        """A turn was recorded: state and reason as last known. Never waits, never raises."""
        if not self._config.enabled:
            return "off", "disabled"
        if self._stopping:
            return "off", "stopping"
        if self._waiting.turn(scope, self._clock.monotonic()):
            self._wake.set()
        if scope in self._running:
            return "running", "run_in_progress"
        known = self._standings.of(scope).due
        if known is None:
            return "scheduled", "checking"
        return ("scheduled", known.reason) if known.due else ("idle", known.reason)

    async def run_now(self, scope: Scope, *, force: bool = True, reseat: bool = False) -> Mapping[str, Any]:
        """Compact what is eligible now, waiting for it; `force` ignores triggers, cooldown and the protected tail."""
        reports: list[RegionReport] = []
        async with self._slots, self._standings.of(scope).lock:  # in the order of the pump, or both could wait
            if reseat:
                reports += await self._reseat(scope)
            reports += await self._regions(scope, force=force, limit=None)
        chain = chain_of(await self._store.snapshot(scope))
        return {"regions": [r.as_json() for r in reports], "chain": chain_json(chain)}

    def forget(self, scope: Scope | UserScope) -> None:
        """Drop the chains that were looked at; the next look reads them again."""
        self._standings.forget(scope)

    def status(self) -> Mapping[str, Any]:
        """Seat and why, what runs and waits, last good and last failed run, cooldowns."""
        seat = self._config.seating.seat
        disabled = () if self._config.enabled else ("disabled",)
        keyless = () if self._config.seating.missing_key is None else ("key_missing",)
        unknown = () if self._config.caps.price.known else ("price_unknown",)
        lowered = () if self.seat_window.lowered is None else ("seat_window_learned",)
        found = self._standings.summary(self._clock.now(), self._config.cooldown_s)
        named = [*disabled, *keyless, *unknown, *lowered, *found["instead"], str(found["last_failure_reason"])]
        return {
            "enabled": self._config.enabled,
            "seat": seat.name,
            "seat_reason": self._config.seating.reason,
            "seat_window": self.seat_window.as_json(),
            "seat_profile": "small" if seat.small else "standard",
            "running": len(self._running),
            "waiting": len(self._waiting),
            **found,
            "fixes": {reason: fix for reason in named if (fix := fix_for(reason)) is not None},
        }

    async def drain(self, timeout_s: float) -> None:
        """Stop taking work, give runs `timeout_s` seconds, then cancel them: what was committed stays."""
        self._stopping = True
        self._waiting.clear()
        self._wake.set()
        runs = set(self._running.values())
        if runs:
            await asyncio.wait(runs, timeout=timeout_s)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # -- finding work --------------------------------------------------------------

    def _look_at(self, scope: Scope, at: float) -> None:
        self._waiting.look(scope, at)
        self._wake.set()

    async def _scan(self) -> None:
        """Every conversation once: what a killed daemon left undone is due again."""
        try:
            scopes = await self._store.scopes()
        except Exception as error:  # noqa: BLE001 - boundary: a store that fails now is seen by readyz, turns re-trigger
            why = error.data.get("reason") if isinstance(error, BobctxError) else None
            self._log.warning(logs.STORE_FAILED, where="compactor scan", error=type(error).__name__, reason=why)
            return
        for scope in scopes:
            self._look_at(scope, 0.0)
            await asyncio.sleep(SCAN_PAUSE_S)

    async def _pump(self) -> None:
        """Looks at waiting scopes in turn; starts a run for each that is due."""
        while not self._stopping:
            scope, delay = self._waiting.take(self._clock.monotonic())
            if scope is None:
                self._wake.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(delay):
                        await self._wake.wait()
                continue
            if scope in self._running:
                self._standings.of(scope).again = True
                continue
            await self._slots.acquire()
            task = self._spawn(self._guarded(scope), "compactor-run")
            self._running[scope] = task
            task.add_done_callback(partial(self._finished, scope))

    def _finished(self, scope: Scope, _: asyncio.Task[Any]) -> None:
        self._running.pop(scope, None)
        self._slots.release()
        standing = self._standings.of(scope)
        if standing.again and not self._stopping:
            standing.again = False
            self._look_at(scope, 0.0)

    # -- running -------------------------------------------------------------------

    async def _guarded(self, scope: Scope) -> None:
        """One run behind the boundary: whatever happens, the conversation goes on."""
        try:
            async with asyncio.timeout(self._config.run_deadline_s), self._standings.of(scope).lock:
                await self._regions(scope, force=False, limit=self._config.regions_per_run)
        except Exception as error:  # noqa: BLE001 - boundary (design, section 2): a failed run never fails a turn
            self._standings.failed(scope, self._clock.now(), f"internal:{type(error).__name__}")
            self._log.error(logs.COMPACTION, status="failed", error=type(error).__name__, exc_info=True, **_ids(scope))

    async def _regions(self, scope: Scope, *, force: bool, limit: int | None) -> list[RegionReport]:
        """Extend the chain region by region, until nothing is due, one fails, or the limit is reached."""
        reports: list[RegionReport] = []
        stale = 0
        while limit is None or len(reports) < limit:
            snapshot = await self._store.snapshot(scope)
            known = self._standings.of(scope)
            chain = works.chain_after(snapshot, known.chain)
            known.chain = (snapshot, chain)
            verdict, budget = self._verdict(snapshot, chain, force=force)
            known.looked(verdict, self._clock.now())
            if verdict.retry_at is not None:
                self._look_at(scope, self._clock.monotonic() + max(0.0, verdict.retry_at - self._clock.now()))
            if not verdict.due:
                return reports
            tail = 0 if force else compactable_tail(snapshot.spine, budget)
            cap = self._forced_cap(snapshot) if force else self._cap()
            found = works.next_work(snapshot, chain, protected_tail=tail, cap=cap, budget=None if force else budget)
            if found is None:
                return reports
            made = await self._one(snapshot, found)
            reports += made
            stale += sum(r.status == "stale" for r in made)
            if not made or any(r.status == "failed" for r in made) or stale > 2:
                return reports
        if limit is not None:
            self._standings.of(scope).again = True
        return reports

    def _verdict(self, snapshot: Snapshot, chain: Chain, *, force: bool) -> tuple[Due, Budget]:
        config, known = self._config, self._standings.of(snapshot.scope)
        budget = config.budget_for(snapshot.backend)
        standing = Standing(
            covered_end=chain.covered_end,
            relinked=works.relinked_at(chain) is not None,
            last_failure=known.last_failure,
            last_edit=snapshot.last_edit_ts,
            enabled=config.enabled,
            paused=snapshot.paused or snapshot.mode in ("off", "fit"),
            cooldown_s=config.cooldown_s,
            quiet_s=config.quiet_s,
        )
        now = self._clock.now()
        verdict = due(
            snapshot.spine,
            standing,
            budget,
            now=now,
            profile=config.profile,
            region_cap=config.region_cap,
            force=force,
        )
        return verdict, budget

    def _cap(self) -> int:
        """Region size that the seat's window allows; a small seat reads windows of its own."""
        if self._config.seating.seat.small:
            return min(self._config.region_cap, SMALL_REGION_TOKENS)
        return max(500, min(self._config.region_cap, seat_room(self.seat_window.tokens, PROMPT_OVERHEAD)))

    def _forced_cap(self, snapshot: Snapshot) -> int:
        """On an operator's call the window to come is not known: a short conversation still gets several regions.

        Claims are shown for regions that are wholly omitted, so one region over all of it would show none.
        """
        spine = snapshot.spine
        return min(
            self._cap(),
            max(self._config.forced_min, spine.tokens_between(spine.opening_end, spine.n) // FORCED_REGIONS),
        )

    async def _one(self, snapshot: Snapshot, found: works.Work, seat: SeatInfo | None = None) -> list[RegionReport]:
        """One region through a run of its own, counted and logged."""
        scope, config = snapshot.scope, self._config
        if seat is None:
            classes = region_class(snapshot.spine, found.start, found.end)
            seat, why = config.seating.choose(backend=snapshot.backend, egress=classes)
            self._standings.instead(why)
        run = RegionRun(
            self._store,
            self._asking,
            self._clock,
            snapshot,
            found,
            seat,
            cap=self._cap(),
            secret=await self._store.secret(),
            admins=config.admins,
            failed_runs=self._standings.of(scope).failed_runs,
            may_read=config.seating.readers(snapshot.backend),
        )
        try:
            reports = await run.run()
        finally:  # what was asked is paid for, whatever became of it
            self._standings.spent(run.calls, run.cost_usd, run.tokens)
        self._standings.instead(run.capped)
        for report in reports:
            self._standings.record(scope, report, self._clock.now())
            self._log.info(
                logs.COMPACTION,
                status=report.status,
                prefix=report.prefix,
                seat=report.seat,
                claims=report.claims,
                rejected=report.rejected,
                reasons=list(report.reasons[:1]),
                calls=report.calls,
                tokens=report.tokens,
                **_ids(scope),
            )
        return reports

    async def _reseat(self, scope: Scope) -> list[RegionReport]:
        """Replace every link that a lesser seat wrote, oldest first, each in one transaction."""
        reports: list[RegionReport] = []
        done: set[int] = set()
        while True:
            snapshot = await self._store.snapshot(scope)
            chain = chain_of(snapshot)
            index = next(
                (i for i in range(len(chain.links)) if i not in done and self._lesser(snapshot, chain, i)), None
            )
            if index is None:
                return reports
            done.add(index)
            made = await self._one(snapshot, works.refill_work(chain, index))
            reports += made
            if any(r.status in ("failed", "stale") for r in made):
                return reports

    def _lesser(self, snapshot: Snapshot, chain: Chain, index: int) -> bool:
        link = chain.links[index]
        classes = region_class(snapshot.spine, link.start, link.end)
        seat, _ = self._config.seating.choose(backend=snapshot.backend, egress=classes)
        return link.compaction.backend != seat.name

    # -- small things --------------------------------------------------------------

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _ids(scope: Scope) -> dict[str, str]:
    return {"conversation": scope.conversation_id, "user": scope.user_id}


def chain_json(chain: Chain) -> dict[str, Json]:
    """The trusted chain in numbers."""
    return {
        "trusted": len(chain.links),
        "covered_messages": sum(link.count for link in chain.links if link.compaction.status == "shadow_ok"),
        "break": None if chain.break_ is None else chain.break_.as_json(),
    }

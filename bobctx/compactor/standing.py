"""What the scheduler remembers about each conversation: last run, failures, cooldown. Lost with the process.

Nothing here decides whether stored claims are used; a restart only forgets a cooldown (design, section 5).
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bobctx.compactor.report import RegionReport
from bobctx.core.chain import Chain
from bobctx.core.policy import Due
from bobctx.core.types import Scope, UserScope
from bobctx.ports import Snapshot

REMEMBERED = 1_000
"""Conversations; the one that was looked at longest ago is forgotten."""


@dataclass(slots=True)
class Known:
    """One conversation."""

    due: Due | None = None
    """As of the last look."""
    waiting_since: float | None = None
    """Unix seconds of the first look that found work which is not done yet; a cooldown waits too."""
    last_failure: float | None = None
    failed_runs: int = 0
    """In a row."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """One run at a time; what a second one would commit is refused by the store anyway."""
    chain: tuple[Snapshot, Chain] | None = None
    """The chain as of the last look, so that a look costs what was appended."""
    again: bool = False
    """Turns came in during a run, or a run stopped at its limit: look again."""

    def looked(self, due: Due, now: float) -> None:
        """Remember a look; `now` in Unix seconds."""
        self.due = due
        waits = due.due or due.reason == "cooldown"
        self.waiting_since = (self.waiting_since or now) if waits else None


class Standings:
    """Known conversations and the lane's totals."""

    def __init__(self) -> None:
        self._known: OrderedDict[Scope, Known] = OrderedDict()
        self._counts = {"shadow_ok": 0, "empty": 0, "failed": 0, "stale": 0}
        self._claims = 0
        self._calls = 0
        self._cost_usd = 0.0
        self._tokens_read = 0
        self._tokens_written = 0
        self._instead: Counter[str] = Counter()
        self._rejections: Counter[str] = Counter()
        self._last_good: float | None = None
        self._last_failure: tuple[float, str] | None = None

    def of(self, scope: Scope) -> Known:
        """What is known; made if new."""
        known = self._known.get(scope)
        if known is None:
            known = self._known[scope] = Known()
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        self._known.move_to_end(scope)
        return known

    def forget(self, scope: Scope | UserScope) -> None:
        """Drop the chains of a conversation, or of all of a user's: they hold texts."""
        for known_scope, known in self._known.items():
            if known_scope == scope or (isinstance(scope, UserScope) and known_scope.user_id == scope.user_id):
                known.chain = None

    def record(self, scope: Scope, report: RegionReport, now: float) -> None:
        """Count one region's outcome; `now` in Unix seconds."""
        self._counts[report.status] += 1
        self._claims += report.claims
        self._rejections.update(report.rejections)
        if report.status == "failed":
            self.failed(scope, now, report.reasons[0] if report.reasons else "failed", count=False)
        elif report.status != "stale":
            known = self.of(scope)
            known.last_failure, known.failed_runs = None, 0
            self._last_good = now

    def failed(self, scope: Scope, now: float, reason: str, *, count: bool = True) -> None:
        """A run failed: its conversation cools down."""
        known = self.of(scope)
        known.last_failure = now
        known.failed_runs += 1
        self._last_failure = (now, reason)
        self._counts["failed"] += count

    def spent(self, calls: int, cost_usd: float, tokens: tuple[int, int]) -> None:
        """Count calls of a seat, what they cost, and the tokens they read and wrote."""
        self._calls += calls
        self._cost_usd += cost_usd
        self._tokens_read += tokens[0]
        self._tokens_written += tokens[1]

    def instead(self, reason: str | None) -> None:
        """Count a region that the extractor did in the configured seat's place, by reason."""
        if reason is not None and reason not in ("configured", "not_configured"):
            self._instead[reason] += 1

    def summary(self, now: float, cooldown_s: float) -> Mapping[str, Any]:
        """Totals since the start, for `status`."""
        cooling = sum(
            1 for k in self._known.values() if k.last_failure is not None and now < k.last_failure + cooldown_s
        )
        failure = self._last_failure
        oldest = min((k.waiting_since for k in self._known.values() if k.waiting_since is not None), default=now)
        return {
            "regions": dict(self._counts),
            "claims": self._claims,
            "calls": self._calls,
            "cost_usd": round(self._cost_usd, 6),
            "tokens_read": self._tokens_read,
            "tokens_written": self._tokens_written,
            "instead": dict(self._instead),
            "last_good_ts": self._last_good,
            "last_failure_ts": None if failure is None else failure[0],
            "last_failure_reason": None if failure is None else failure[1],
            "cooling_down": cooling,
            "rejections": dict(self._rejections),
            "oldest_waiting_s": round(max(0.0, now - oldest), 3),
        }

"""Which conversations wait to be looked at, and from when on: the scheduler's pending looks."""

from __future__ import annotations

from bobctx.core.types import Scope

SETTLE_S = 0.2
"""Seconds without a turn before a conversation is looked at: the turns of one burst share a look."""
SETTLE_MAX_S = 5.0
"""Longest that a burst puts its look off: a look reads the spine, which a busy lane has no time for at every turn."""


class Waiting:
    """Scopes to look at and the earliest time (monotonic seconds) of each; in memory only (design, section 5)."""

    def __init__(self) -> None:
        """Nothing waits."""
        self._looks: dict[Scope, float] = {}
        self._bursts: dict[Scope, float] = {}
        """When the burst of turns that a scope is in must be looked at, at the latest."""

    def __len__(self) -> int:
        return len(self._looks)

    def look(self, scope: Scope, at: float) -> None:
        """Look at a scope from `at` on, unless it is looked at sooner."""
        self._looks[scope] = min(at, self._looks.get(scope, at))

    def turn(self, scope: Scope, now: float) -> bool:
        """A turn was recorded at `now`: look when its burst is over; True when it is the first of a burst."""
        latest = self._bursts.get(scope)
        if latest is None:
            self._bursts[scope] = now + SETTLE_MAX_S
            self.look(scope, now + SETTLE_S)
            return True
        self._looks[scope] = min(now + SETTLE_S, latest)
        return False

    def take(self, now: float) -> tuple[Scope | None, float | None]:
        """The first scope whose time has come, which waits no more; else how long to sleep (None: until woken)."""
        later: float | None = None
        for scope, at in self._looks.items():
            if at <= now:
                del self._looks[scope]
                self._bursts.pop(scope, None)
                return scope, 0.0
            later = at - now if later is None else min(later, at - now)
        return None, later

    def clear(self) -> None:
        """Nothing waits any more."""
        self._looks.clear()
        self._bursts.clear()

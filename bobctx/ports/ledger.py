"""What the layers ask of the books: spend, access, further names, and what models were found to be like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from bobctx.core.records import AccessEntry, LearnedModel, Spent
from bobctx.core.types import Scope


class Ledger(Protocol):
    """Books of the same database that outlive a restart; ids and numbers, never text."""

    async def spent(self, scope: Scope | None, *, now: float) -> Spent:
        """What the lane spent in the last 24 hours, and one conversation in the last hour."""
        ...

    async def book(
        self, scope: Scope, seat: str, usd: float, *, day_cap: float, hour_cap: float, now: float
    ) -> tuple[int | None, Spent]:
        """Book the most that a call may cost, before it is made; None where that would pass a cap."""
        ...

    async def settle(self, booking: int, usd: float) -> None:
        """What the call did cost."""
        ...

    async def note_access(self, entry: AccessEntry) -> None:
        """Add one line to the access log; it gets its number, and nobody can change or remove it."""
        ...

    async def accesses(self, *, user_id: str | None = None, limit: int = 100) -> list[AccessEntry]:
        """The newest lines, newest first."""
        ...

    async def aliases(self) -> Mapping[tuple[str, str], str]:
        """Every further name: (user, name) -> conversation id."""
        ...

    async def add_alias(self, scope: Scope, alias: str, *, now: float) -> None:
        """A further name of a conversation. `NotFound`; `Conflict` where the name is a conversation already."""
        ...

    async def learned(self) -> Sequence[LearnedModel]:
        """What is known about models of prompts and of the seat, oldest first."""
        ...

    async def learn(self, known: LearnedModel, *, now: float) -> None:
        """Keep what was found about one model in place of what was known; `erase` of its user drops it."""
        ...

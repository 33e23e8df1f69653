"""The small books beside the conversations: spend, accesses, further names, models, first answers of calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from bobctx.core.records import AccessEntry, CallName, Holder, KeptAnswer, LearnedModel, Spent
from bobctx.core.types import Mode, Scope, UserScope


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

    async def own_modes(self) -> Mapping[Scope, Mode]:
        """Conversations that have a mode of their own."""
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

    async def holders(self, owner: UserScope, ids: Sequence[str], *, within: str | None = None) -> list[Holder]:
        """Which of a user's conversations hold messages of these ids, `within` only the one of this id.

        Without `within` only derived ids (`h` and 24 hex digits) are found: those are indexed over all conversations.
        """
        ...


class Repeats(Protocol):
    """First answers of calls with an `Idempotency-Key`; a deletion takes those of its conversation with it."""

    async def find(self, name: CallName, *, kept_after: float) -> tuple[KeptAnswer | None, int]:
        """The answer kept since a time (Unix seconds), and a stamp to hand to `keep`."""
        ...

    async def keep(self, name: CallName, kept: KeptAnswer, *, stamp: int | None, kept_after: float, now: float) -> bool:
        """Keep an answer and drop a few older than `kept_after`.

        False, and nothing kept, where something of the user was deleted since `stamp` was given (None: whatever was).
        """
        ...

    async def trim(self, *, kept_after: float) -> int:
        """Drop what was kept before a time; how many."""
        ...

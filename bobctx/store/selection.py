"""What the store does for choosing claims: shortlists, disputes, contexts, votes (design, section 8)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from bobctx.core.conflicts import Disputes, Resolution
from bobctx.core.feedback import Vote, VoteResult
from bobctx.core.shortlist import Candidate, Shortlist, ShortlistQuery
from bobctx.core.types import Json, Scope, UserScope
from bobctx.store import contexts, shortlist
from bobctx.store.chains import Chains
from bobctx.store.driver import Conn
from bobctx.store.sqlite import Transaction
from bobctx.store.statements import SQL

T = TypeVar("T")


class Selection:
    """Part of `SqliteStore`."""

    _chains: Chains

    @abstractmethod
    async def _read(self, fn: Callable[[Conn], T]) -> T: ...

    @abstractmethod
    async def _write(self, fn: Callable[[Transaction], T]) -> T: ...

    async def shortlist(self, scope: Scope | UserScope, query: ShortlistQuery) -> Shortlist:
        """See `ports.Store.shortlist`."""
        return await self._read(lambda conn: shortlist.shortlist(conn, scope, query, self._chains.versions))

    async def disputes(self, scope: Scope | UserScope, *, now: float) -> tuple[Disputes, tuple[Candidate, ...]]:
        """See `ports.Store.disputes`."""
        return await self._read(lambda conn: shortlist.open_disputes(conn, scope, self._chains.versions, now))

    async def resolve(
        self, owner: UserScope, decided: Resolution, *, claim_id: str, principal: str, now: float
    ) -> None:
        """See `ports.Store.resolve`."""
        await self._write(lambda tx: contexts.resolve(tx, owner, decided, claim_id, principal, now))

    async def withdraw(self, owner: UserScope, conflict_id: str) -> None:
        """See `ports.Store.withdraw`."""
        await self._write(lambda tx: contexts.withdraw(tx, owner, conflict_id))

    async def add_context(self, scope: Scope | UserScope, context: Mapping[str, Json]) -> None:
        """See `ports.Store.add_context`."""
        await self._write(lambda tx: contexts.add_context(tx, scope, context))

    async def trace(self, owner: UserScope, trace_id: str) -> Mapping[str, Json] | None:
        """See `ports.Store.trace`."""
        return await self._read(lambda conn: contexts.trace(conn, owner, trace_id))

    async def vote(self, owner: UserScope, vote: Vote) -> VoteResult:
        """See `ports.Store.vote`."""
        return await self._write(lambda tx: contexts.vote(tx, owner, vote))

    async def overview(self, scope: Scope | UserScope) -> Mapping[str, Json]:
        """See `ports.Store.overview`."""
        return await self._read(lambda conn: contexts.overview(conn, scope))

    async def vectors(self, scope: Scope | UserScope, model: str, query: ShortlistQuery) -> list[tuple[str, bytes]]:
        """See `ports.Store.vectors`."""
        return await self._read(lambda conn: shortlist.vectors(conn, scope, model, query, self._chains.versions))

    async def without_vector(
        self, scope: Scope | UserScope, model: str, query: ShortlistQuery, limit: int
    ) -> list[tuple[int, str, str]]:
        """See `ports.Store.without_vector`."""
        return await self._read(lambda conn: shortlist.without_vector(conn, scope, model, query, limit))

    async def add_vectors(self, model: str, vectors: Sequence[tuple[int, str, bytes]]) -> None:
        """See `ports.Store.add_vectors`."""
        rows = [(model, vector, row, claim_id) for row, claim_id, vector in vectors]
        await self._write(lambda tx: tx.conn.executemany(SQL["vector_insert"], rows))

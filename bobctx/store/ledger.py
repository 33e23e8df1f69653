"""Books that outlive a restart: what seats cost, who read originals, further names of conversations.

They hold ids and numbers, never text (design, sections 5 and 9).
"""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from bobctx.core.records import AccessEntry, Spent
from bobctx.core.types import Mode, Scope
from bobctx.errors import Conflict, NotFound
from bobctx.store.database import Database
from bobctx.store.driver import Conn
from bobctx.store.spines import find_conversation
from bobctx.store.sqlite import Transaction
from bobctx.store.statements import SQL

HOUR_S, DAY_S = 3_600.0, 86_400.0
KEPT_S = 40 * DAY_S
"""Bookings older than this are dropped: no cap looks back so far."""
IDS_NOTED = 200
"""Ids of one read that are noted."""


class Ledger:
    """See `ports.Ledger`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # -- spend -----------------------------------------------------------------------------

    async def spent(self, scope: Scope | None, *, now: float) -> Spent:
        """See `ports.Ledger.spent`."""
        return await self._database.read(lambda conn: _spent(conn, scope, now))

    async def book(
        self, scope: Scope, seat: str, usd: float, *, day_cap: float, hour_cap: float, now: float
    ) -> tuple[int | None, Spent]:
        """See `ports.Ledger.book`."""

        def work(tx: Transaction) -> tuple[int | None, Spent]:
            spent = _spent(tx.conn, scope, now)
            if spent.lane_day_usd + usd > day_cap or spent.conversation_hour_usd + usd > hour_cap:
                return None, spent
            conversation = find_conversation(tx.conn, scope)
            conv = None if conversation is None else conversation.conv
            tx.conn.execute(SQL["spend_trim"], (now - KEPT_S,))
            return tx.conn.execute(SQL["spend_book"], (conv, seat, usd, now)).lastrowid, spent

        return await self._database.write(work)

    async def settle(self, booking: int, usd: float) -> None:
        """See `ports.Ledger.settle`."""
        await self._database.write(lambda tx: tx.conn.execute(SQL["spend_settle"], (usd, booking)).rowcount)

    # -- who read originals --------------------------------------------------------------------

    async def note_access(self, entry: AccessEntry) -> None:
        """See `ports.Ledger.note_access`."""
        noted = orjson.dumps(entry.ids[:IDS_NOTED]).decode()
        values = (entry.at, entry.principal, entry.role, entry.action, entry.user_id, entry.conversation_id, noted)
        await self._database.write(lambda tx: tx.conn.execute(SQL["access_insert"], values).rowcount)

    async def accesses(self, *, user_id: str | None = None, limit: int = 100) -> list[AccessEntry]:
        """See `ports.Ledger.accesses`."""

        def work(conn: Conn) -> list[AccessEntry]:
            if user_id is None:
                rows = conn.execute(SQL["access_newest"], (limit,))
            else:
                rows = conn.execute(SQL["access_of_user"], (user_id, limit))
            return [
                AccessEntry(
                    number=row[0], at=row[1], principal=row[2], role=row[3], action=row[4], user_id=row[5],
                    conversation_id=row[6], ids=tuple(orjson.loads(row[7])),
                )
                for row in rows
            ]  # fmt: skip

        return await self._database.read(work)

    # -- further names -------------------------------------------------------------------------

    async def own_modes(self) -> Mapping[Scope, Mode]:
        """See `ports.Ledger.own_modes`."""

        def work(conn: Conn) -> dict[Scope, Mode]:
            rows = conn.execute(SQL["own_modes"]).fetchall()
            return {Scope(conversation_id=str(row[0]), user_id=str(row[1])): row[2] for row in rows}

        return await self._database.read(work)

    async def aliases(self) -> Mapping[tuple[str, str], str]:
        """See `ports.Ledger.aliases`."""
        return await self._database.read(
            lambda conn: {(row[0], row[1]): row[2] for row in conn.execute(SQL["aliases"])}
        )

    async def add_alias(self, scope: Scope, alias: str, *, now: float) -> None:
        """See `ports.Ledger.add_alias`."""

        def work(tx: Transaction) -> None:
            if find_conversation(tx.conn, scope) is None:
                raise NotFound()
            known = tx.conn.execute(SQL["alias_of"], (scope.user_id, alias)).fetchone()
            if known is not None and known[0] == scope.conversation_id:
                return
            taken = known is not None or alias == scope.conversation_id
            if taken or find_conversation(tx.conn, Scope(conversation_id=alias, user_id=scope.user_id)) is not None:
                raise Conflict("This name is a conversation already.", field="alias")
            tx.conn.execute(SQL["alias_insert"], (scope.user_id, alias, scope.conversation_id, now))

        await self._database.write(work)


def _spent(conn: Conn, scope: Scope | None, now: float) -> Spent:
    day, calls = conn.execute(SQL["spend_since"], (now - DAY_S,)).fetchone()
    hour = 0.0
    conversation = None if scope is None else find_conversation(conn, scope)
    if conversation is not None:
        hour = conn.execute(SQL["spend_of_conversation"], (now - HOUR_S, conversation.conv)).fetchone()[0]
    return Spent(lane_day_usd=float(day), lane_day_calls=int(calls), conversation_hour_usd=float(hour))

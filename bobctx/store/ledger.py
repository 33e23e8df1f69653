"""Books that outlive a restart: what seats cost, who read originals, further names, what models are like.

They hold ids and numbers, never text (design, sections 5 and 9).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from bobctx.core.records import AccessEntry, Holder, LearnedModel, Spent
from bobctx.core.types import Mode, Scope, UserScope
from bobctx.errors import Conflict, NotFound
from bobctx.store.database import Database
from bobctx.store.driver import Conn
from bobctx.store.spines import find_conversation
from bobctx.store.sqlite import Transaction
from bobctx.store.statements import SQL

HOUR_S, DAY_S = 3_600.0, 86_400.0
KEPT_S = 40 * DAY_S
"""Bookings older than this are dropped: no cap looks back so far."""
MODELS_KEPT = 4_096
"""Of what was learned; names of models come from callers."""
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

    # -- what models were found to be like -----------------------------------------------------

    async def learned(self) -> Sequence[LearnedModel]:
        """See `ports.Ledger.learned`."""
        return await self._database.read(lambda conn: [learned_of(row) for row in conn.execute(SQL["learned_all"])])

    async def learn(self, known: LearnedModel, *, now: float) -> None:
        """See `ports.Ledger.learn`."""
        samples = orjson.dumps(known.samples).decode()
        values = (known.used_as, known.user_id, known.model, known.window, known.was, samples, now)

        def work(tx: Transaction) -> None:
            tx.conn.execute(SQL["learned_set"], values)
            tx.conn.execute(SQL["learned_trim"], (MODELS_KEPT,))

        await self._database.write(work)

    # -- which conversation ----------------------------------------------------------------------

    async def holders(self, owner: UserScope, ids: Sequence[str], *, within: str | None = None) -> list[Holder]:
        """See `ports.Ledger.holders`."""
        wanted = orjson.dumps(list(ids)).decode()
        where = (owner.user_id,) if within is None else (owner.user_id, within)
        statement = SQL["holders" if within is None else "holders_in"]

        def work(conn: Conn) -> list[Holder]:
            return [
                Holder(
                    conversation_id=row[0],
                    message_id=row[1],
                    deleted=bool(row[2]),
                    is_leaf=bool(row[3]),
                    recorded_ts=row[4],
                )
                for row in conn.execute(statement, (wanted, *where))
            ]

        return await self._database.read(work)


def learned_of(row: Sequence[Any]) -> LearnedModel:
    """A row of `learned_models`."""
    samples = tuple((int(theirs), int(ours)) for theirs, ours in orjson.loads(row[5]))
    return LearnedModel(used_as=row[0], user_id=row[1], model=row[2], window=row[3], was=row[4], samples=samples)


def _spent(conn: Conn, scope: Scope | None, now: float) -> Spent:
    day, calls = conn.execute(SQL["spend_since"], (now - DAY_S,)).fetchone()
    hour = 0.0
    conversation = None if scope is None else find_conversation(conn, scope)
    if conversation is not None:
        hour = conn.execute(SQL["spend_of_conversation"], (now - HOUR_S, conversation.conv)).fetchone()[0]
    return Spent(lane_day_usd=float(day), lane_day_calls=int(calls), conversation_hour_usd=float(hour))

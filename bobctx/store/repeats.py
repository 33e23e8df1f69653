"""First answers of calls with an `Idempotency-Key`: kept for a while, gone with the conversation (design, section 9).

An answer may hold text (a pin's, a refused claim's) and the body's hash is made of text. Therefore a
deletion takes both, and an answer that was under way while something was deleted is not kept at all.
"""

from __future__ import annotations

from collections import Counter

from bobctx.core.records import CallName, KeptAnswer
from bobctx.core.types import Scope
from bobctx.store.database import Database
from bobctx.store.driver import Conn
from bobctx.store.sqlite import Transaction
from bobctx.store.statements import SQL

MOST = 200_000
"""Answers kept; beyond that the oldest go early. Recording itself is idempotent by message id all the same."""
TRIMMED = 64
"""Rows looked at beside each new one, so that no call waits for a long clean-up."""


class Repeats:
    """See `ports.Repeats`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._deletions: Counter[str] = Counter()
        """By user, since the start: an answer is kept only if this did not change under it."""

    async def find(self, name: CallName, *, kept_after: float) -> tuple[KeptAnswer | None, int]:
        """See `ports.Repeats.find`."""
        stamp = self._deletions[name.scope.user_id]

        def work(conn: Conn) -> KeptAnswer | None:
            row = conn.execute(SQL["repeat_find"], (name.digest, kept_after)).fetchone()
            return None if row is None else KeptAnswer(body_sha256=row[0], answer=bytes(row[1]))

        return await self._database.read(work), stamp

    async def keep(self, name: CallName, kept: KeptAnswer, *, stamp: int | None, kept_after: float, now: float) -> bool:
        """See `ports.Repeats.keep`."""
        scope = name.scope

        def work(tx: Transaction) -> bool:
            if stamp is not None and stamp != self._deletions[scope.user_id]:
                return False
            tx.conn.execute(SQL["repeats_trim"], (TRIMMED, kept_after, MOST))
            values = (name.digest, scope.user_id, scope.conversation_id, kept.body_sha256, kept.answer, now)
            tx.conn.execute(SQL["repeat_keep"], values)
            return True

        return await self._database.write(work)

    async def trim(self, *, kept_after: float) -> int:
        """See `ports.Repeats.trim`."""
        total = 0
        while True:
            done = await self._database.write(
                lambda tx: int(tx.conn.execute(SQL["repeats_trim"], (TRIMMED, kept_after, MOST)).rowcount),
                background=True,
            )
            total += done
            if done < TRIMMED:
                return total

    def drop(self, tx: Transaction, scope: Scope) -> None:
        """Forget the answers of a conversation, in the transaction that deletes its text."""
        self._deletions[scope.user_id] += 1
        tx.conn.execute(SQL["repeats_drop"], (scope.user_id, scope.conversation_id))

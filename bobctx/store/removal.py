"""A deletion from its transactions to the last deleted byte, and its receipt."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from bobctx.core.types import Scope
from bobctx.errors import NotFound, StoreUnavailable
from bobctx.store import deletion
from bobctx.store.chains import Chains
from bobctx.store.database import Database
from bobctx.store.deletion import Deleted, Select
from bobctx.store.messages import Reads
from bobctx.store.purge import purge
from bobctx.store.repeats import Repeats
from bobctx.store.sqlite import Transaction
from bobctx.store.statements import SQL


class Removal:
    """Deletions of one database; one purge at a time."""

    def __init__(self, database: Database, reads: Reads, chains: Chains, repeats: Repeats) -> None:
        self._database = database
        self._reads = reads
        self._chains = chains
        self._repeats = repeats
        self._purging = asyncio.Lock()

    async def delete(self, scopes: Sequence[Scope], select: Select, now: float) -> Mapping[str, int]:
        """Delete what `select` names in each conversation, then purge the file.

        What is made from a message goes in the message's transaction; a conversation is one transaction up to
        `deletion.STEP` messages.

        The receipt counts rows by table; `purged` is 1 once no deleted byte is left in index, file and log, and
        0 where that has to be finished later (it is, by itself); `residue` counts pieces found nevertheless.
        Raises `NotFound` for a single unknown conversation.
        """
        total = Deleted()
        for scope in scopes:
            try:
                await self._in_steps(scope, select, now, total)
            except NotFound:
                if len(scopes) == 1:
                    raise
        counts = dict(total.counts)
        counts.setdefault("messages", 0)
        residue = await self._purge(total.fragments) if counts["messages"] else 0
        return {**counts, "purged": int(residue is not None), "residue": residue or 0}

    async def _in_steps(self, scope: Scope, select: Select, now: float, total: Deleted) -> None:
        """One transaction, or several where there is so much that turns would wait long behind one."""

        def work(tx: Transaction) -> Deleted:
            done = deletion.delete(tx, scope, select, self._chains, now, forget=self._forget)
            if done.counts["messages"] or select is deletion.everything:
                self._repeats.drop(tx, scope)
            return done

        more = True
        while more:
            done = await self._database.write(work)
            total.add(done)
            more = done.more

    def _forget(self, conv: int) -> None:
        self._reads.drop(conv)
        self._chains.drop(conv)

    async def _purge(self, fragments: Sequence[str]) -> int | None:
        """Pieces that were found afterwards; None where the purge has to be finished later."""
        async with self._purging:
            try:
                return await purge(self._database, fragments)
            except StoreUnavailable:
                return None

    async def resume(self) -> None:
        """Finish a purge that a killed process or a busy file left behind."""
        try:
            row = await self._database.read(lambda conn: conn.execute(SQL["meta"], ("purge_pending",)).fetchone())
        except StoreUnavailable:
            return
        if row is not None and row[0]:
            await self._purge(())

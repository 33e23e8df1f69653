"""After a deletion: no deleted byte stays in the index, the file or the log, and the file is searched to be sure.

SQLite zeroes what it frees (`secure_delete`), but full-text segments keep deleted words until they
are merged, the log keeps old pages until it is cut, and a migration's backup keeps everything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bobctx.errors import StoreUnavailable
from bobctx.store import migrate, place
from bobctx.store.database import Database
from bobctx.store.driver import Conn
from bobctx.store.sqlite import Transaction
from bobctx.store.statements import SQL

MERGE_PAGES = 400
"""Pages of an index merged in one transaction: a few milliseconds, so that turns are recorded meanwhile."""
BLOCK = 1 << 18
"""Bytes of the file searched at once."""
CHECKPOINT_TRIES = 40
CHECKPOINT_WAIT = 0.05
"""Seconds between tries: a reader's snapshot holds the log for that long at most."""


async def purge(database: Database, fragments: Sequence[str]) -> int:
    """Take deleted text out of every byte of the database; the number of pieces that were found nevertheless."""
    for name in ("fts", "substring"):
        await _merge(database, name)
    await _step(database, "claims_optimize")
    for backup in migrate.backups(database.path):
        backup.unlink(missing_ok=True)
    await _cut_log(database)
    left = await _search(database, fragments)
    if left:
        await database.outside(_vacuum)
        await _cut_log(database)
        left = await _search(database, fragments)
    await _step(database, "meta_set", "purge_pending", 0)
    await _cut_log(database)
    return len(left)


async def _step(database: Database, name: str, *parameters: Any) -> int:
    """One statement in a transaction of its own; how many rows it changed, the index's own among them."""

    def work(tx: Transaction) -> int:
        start = tx.conn.total_changes
        tx.conn.execute(SQL[name], parameters)
        return tx.conn.total_changes - start

    return await database.write(work)


async def _merge(database: Database, name: str) -> None:
    """Merge an index into one segment, a few pages a transaction, until a step finds nothing to do."""
    pages = -MERGE_PAGES
    while await _step(database, f"{name}_merge", pages) >= 2:
        pages = MERGE_PAGES
    await _step(database, f"{name}_optimize")


def _vacuum(conn: Conn) -> None:
    conn.execute("VACUUM")


async def _cut_log(database: Database) -> None:
    """Move the log into the file and cut it to nothing; waits for readers of older snapshots."""
    for _ in range(CHECKPOINT_TRIES):
        busy = await database.outside(lambda conn: int(conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]))
        if not busy:
            return
        await asyncio.sleep(CHECKPOINT_WAIT)
    raise StoreUnavailable("The log cannot be cut: another process reads the database.", reason="locked")


async def _search(database: Database, fragments: Sequence[str]) -> list[str]:
    """Pieces of deleted text that still stand in the files and in no message that lives."""
    found = await asyncio.to_thread(find_bytes, database.path, fragments)
    return await database.read(
        lambda conn: [piece for piece in found if conn.execute(SQL["body_holds"], (piece,)).fetchone() is None]
    )


def find_bytes(path: Path, fragments: Sequence[str]) -> list[str]:
    """Those of the pieces that stand, as UTF-8, in the database file or its log."""
    found: list[str] = []
    for file in (path, place.siblings(path)[0]):
        if not file.exists() or not file.stat().st_size:
            continue
        found.extend(piece for piece in _in_file(file, fragments) if piece not in found)
    return found


def _in_file(file: Path, fragments: Sequence[str]) -> Iterator[str]:
    """Read in blocks that overlap by the longest piece: a search of a whole map would hold up every other thread."""
    wanted = {piece: piece.encode() for piece in fragments}
    overlap = max((len(data) for data in wanted.values()), default=0)
    before = b""
    with file.open("rb") as handle:
        while wanted and (block := handle.read(BLOCK)):
            window = before + block
            for piece in [piece for piece, data in wanted.items() if data in window]:
                del wanted[piece]
                yield piece
            before = window[-overlap:]

"""One writer with group commit and a small pool of readers, over one SQLite file.

A write is a function that runs whole in one transaction on the writer's thread; a read is a
function that runs whole in one snapshot on a reader's thread (design, section 3). No transaction
is ever held across an await on anything else, and none is shared between callers.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from bobctx.errors import BobctxError, StoreUnavailable
from bobctx.store import driver
from bobctx.store.driver import Conn

T = TypeVar("T")

BATCH_OPERATIONS = 256
BATCH_SECONDS = 0.005
"""A batch commits after this much work, so that the first caller in it does not wait for the last."""
BUSY_TIMEOUT_MS = 2000
"""Another process may hold the file for a checkpoint or a backup; more than this is a fault to report."""
READERS = 3

PRAGMAS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -8192",
    "PRAGMA journal_size_limit = 67108864",
)


@dataclass(slots=True)
class Transaction:
    """What a write function gets: the connection, and what has to follow it."""

    conn: Conn
    index: dict[int, tuple[str | None, str | None]] = field(default_factory=dict)
    """Full-text changes by message row: the words it was indexed with, the words it has now."""
    after: list[Callable[[], None]] = field(default_factory=list)
    """Called once the transaction is on disk, on the writer's thread."""

    def reindex(self, row: int, old: str | None, new: str | None) -> None:
        """Index a message row anew at the end of the batch; the first `old` of a batch counts."""
        known = self.index.get(row)
        self.index[row] = (old if known is None else known[0], new)


@dataclass(slots=True, eq=False)
class _Operation:
    fn: Callable[[Transaction], Any]
    future: asyncio.Future[Any]


@dataclass(slots=True)
class _Outcome:
    value: Any = None
    error: BobctxError | None = None


class _NotBegun(Exception):
    """No transaction could be started, so trying each operation alone would only wait as often again."""


class _Ended(Exception):
    """SQLite ended the transaction of a batch: nothing of it is stored."""


class Writer:
    """The only connection that writes. Callers resume once their write is on disk."""

    def __init__(
        self, connection: aiosqlite.Connection, finish: Callable[[Conn, dict[int, tuple[str | None, str | None]]], None]
    ) -> None:
        """`finish` is the last step of every batch: it writes the full-text changes."""
        self._connection = connection
        self._finish = finish
        self._waiting: deque[_Operation] = deque()
        self._wake = asyncio.Event()
        self._closing = False
        self._task = asyncio.create_task(self._work(), name="bobctx-store-writer")

    async def write(self, fn: Callable[[Transaction], T]) -> T:
        """Run `fn` in one transaction. It may be run again after a failed batch, so it must only use its argument.

        A caller that is cancelled while its write waits takes it back; one that is already running is stored.
        Raises what `fn` raises, and `StoreUnavailable` where the database fails.
        """
        if self._closing:
            raise StoreUnavailable("The database is closed.", reason="closed")
        operation = _Operation(fn, asyncio.get_running_loop().create_future())
        self._waiting.append(operation)
        self._wake.set()
        result: T = await operation.future
        return result

    async def outside(self, fn: Callable[[Conn], T]) -> T:
        """Run `fn` on the writer's thread outside any transaction: a batch is one step there, so none is open."""
        try:
            return await driver.run(self._connection, fn)
        except sqlite3.Error as exc:
            raise driver.unavailable(exc) from exc

    async def close(self) -> None:
        """Write what waits, then close the connection."""
        self._closing = True
        self._wake.set()
        await self._task
        await self._connection.close()

    async def _work(self) -> None:
        while True:
            if not self._waiting:
                if self._closing:
                    return
                self._wake.clear()
                await self._wake.wait()
                continue
            batch = [op for op in self._take() if not op.future.cancelled()]
            if batch:
                await self._write_batch(batch)

    def _take(self) -> list[_Operation]:
        return [self._waiting.popleft() for _ in range(min(BATCH_OPERATIONS, len(self._waiting)))]

    async def _write_batch(self, batch: list[_Operation]) -> None:
        functions = [op.fn for op in batch]
        [result] = await asyncio.gather(
            driver.run(self._connection, lambda conn: self._batch(conn, functions)), return_exceptions=True
        )
        if isinstance(result, list):
            self._waiting.extendleft(reversed(batch[len(result) :]))
            for op, outcome in zip(batch, result, strict=False):
                self._settle(op, outcome)
        elif len(batch) == 1 or isinstance(result, _NotBegun):
            for op in batch:
                self._fail(op, result)
        else:
            for op in batch:
                await self._write_batch([op])

    def _settle(self, op: _Operation, outcome: _Outcome) -> None:
        if outcome.error is not None:
            self._fail(op, outcome.error)
            return
        if not op.future.done():
            op.future.set_result(outcome.value)

    def _fail(self, op: _Operation, error: BaseException) -> None:
        if isinstance(error, _Ended | _NotBegun) and error.__cause__ is not None:
            error = error.__cause__
        if isinstance(error, sqlite3.Error):
            error = driver.unavailable(error)
        if not op.future.done():
            op.future.set_exception(error)

    # -- on the writer's thread --------------------------------------------------------

    def _batch(self, conn: Conn, functions: list[Callable[[Transaction], Any]]) -> list[_Outcome]:
        """Outcomes of as many operations, from the first on, as fit the batch's time; all on disk."""
        started = time.monotonic()
        outcomes: list[_Outcome] = []
        total = Transaction(conn)
        try:
            conn.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as exc:
            raise _NotBegun from exc
        try:
            for fn in functions:
                if outcomes and time.monotonic() - started > BATCH_SECONDS:
                    break
                outcomes.append(self._one(total, fn, alone=len(functions) == 1))
            self._finish(conn, total.index)
            conn.execute("COMMIT")
        finally:
            if conn.in_transaction:
                conn.execute("ROLLBACK")
        for call in total.after:
            call()
        return outcomes

    def _one(self, total: Transaction, fn: Callable[[Transaction], Any], *, alone: bool) -> _Outcome:
        """One operation between savepoints; only what it did is undone when it fails."""
        conn = total.conn
        mine = Transaction(conn)
        if alone:
            value = fn(mine)
        else:
            conn.execute("SAVEPOINT operation")
            try:
                value = fn(mine)
            except (BobctxError, sqlite3.Error) as exc:
                if not conn.in_transaction:
                    raise _Ended from exc
                conn.execute("ROLLBACK TO operation")
                conn.execute("RELEASE operation")
                return _Outcome(error=exc if isinstance(exc, BobctxError) else driver.unavailable(exc))
            conn.execute("RELEASE operation")
        for row, (old, new) in mine.index.items():
            total.reindex(row, old, new)
        total.after.extend(mine.after)
        return _Outcome(value=value)


class Readers:
    """A few `mode=ro` connections; one snapshot a read."""

    def __init__(self, connections: list[aiosqlite.Connection]) -> None:
        self._all = tuple(connections)
        self._free = list(connections)
        self._room = asyncio.Semaphore(len(connections))
        self._closed = False

    async def read(self, fn: Callable[[Conn], T]) -> T:
        """Run `fn` in one snapshot. Raises what `fn` raises, and `StoreUnavailable` where the database fails."""
        async with self._room:
            if self._closed:
                raise StoreUnavailable("The database is closed.", reason="closed")
            connection = self._free.pop()
            place = len(self._all)
            try:
                return await driver.run(connection, lambda conn: _in_snapshot(conn, fn))
            except sqlite3.Error as exc:
                raise driver.unavailable(exc) from exc
            except asyncio.CancelledError:
                place = 0  # it may still run: a read that waited behind it would be as late
                raise
            finally:
                self._free.insert(place, connection)

    async def close(self) -> None:
        """Close every connection."""
        self._closed = True
        for connection in self._all:
            await connection.close()


def _in_snapshot(conn: Conn, fn: Callable[[Conn], T]) -> T:
    conn.execute("BEGIN")
    try:
        return fn(conn)
    finally:
        if conn.in_transaction:
            conn.execute("ROLLBACK")


async def open_writer(
    path: Path, finish: Callable[[Conn, dict[int, tuple[str | None, str | None]]], None], *, synchronous: str
) -> Writer:
    """The writer of the database at `path`, with its pragmas; the schema is already in place."""
    connection = await driver.connect(path, readonly=False, busy_timeout_ms=BUSY_TIMEOUT_MS)
    try:
        await driver.run(connection, lambda conn: _configure(conn, (*PRAGMAS, f"PRAGMA synchronous = {synchronous}")))
    except sqlite3.Error as exc:
        await connection.close()
        raise driver.unavailable(exc) from exc
    return Writer(connection, finish)


async def open_readers(path: Path, count: int = READERS) -> Readers:
    """A pool of readers of the database at `path`."""
    connections: list[aiosqlite.Connection] = []
    try:
        for _ in range(count):
            connection = await driver.connect(path, readonly=True, busy_timeout_ms=BUSY_TIMEOUT_MS)
            connections.append(connection)
            await driver.run(connection, lambda conn: _configure(conn, (*PRAGMAS, "PRAGMA query_only = ON")))
    except (sqlite3.Error, StoreUnavailable) as exc:
        for connection in connections:
            await connection.close()
        raise exc if isinstance(exc, StoreUnavailable) else driver.unavailable(exc) from exc
    return Readers(connections)


def _configure(conn: Conn, pragmas: tuple[str, ...]) -> None:
    for pragma in pragmas:
        conn.execute(pragma).fetchall()

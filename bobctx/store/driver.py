"""The one adapter to aiosqlite: a whole function on a connection's own thread, and driver errors by reason.

aiosqlite has no public call that runs a function in its thread; its private `_execute` does, and
a test pins that. Should it go, `run` falls back to the public calls, statement by statement.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import aiosqlite

from bobctx.errors import StoreUnavailable

T = TypeVar("T")

REASONS = {
    sqlite3.SQLITE_BUSY: "locked",
    sqlite3.SQLITE_LOCKED: "locked",
    sqlite3.SQLITE_PROTOCOL: "locked",
    sqlite3.SQLITE_READONLY: "read_only",
    sqlite3.SQLITE_PERM: "read_only",
    sqlite3.SQLITE_FULL: "disk_full",
    sqlite3.SQLITE_CORRUPT: "corrupt",
    sqlite3.SQLITE_NOTADB: "corrupt",
    sqlite3.SQLITE_IOERR: "io_error",
    sqlite3.SQLITE_CANTOPEN: "cannot_open",
    sqlite3.SQLITE_NOMEM: "memory",
    sqlite3.SQLITE_INTERRUPT: "interrupted",
}
_SENTENCES = {
    "locked": "another process holds the database",
    "read_only": "the database file cannot be written",
    "disk_full": "the disk is full",
    "corrupt": "the database file is damaged",
    "io_error": "the disk reports an error",
    "cannot_open": "the database file cannot be opened",
    "closed": "the database is closed",
}


class Rows(Protocol):
    """What the store uses of a cursor."""

    def fetchone(self) -> Any:
        """The next row or None."""
        ...

    def fetchall(self) -> list[Any]:
        """All rows that are left."""
        ...

    def __iter__(self) -> Iterator[Any]: ...

    @property
    def rowcount(self) -> int:
        """Rows changed by the statement."""
        ...

    @property
    def lastrowid(self) -> int | None:
        """Key of the row that was inserted."""
        ...


class Conn(Protocol):
    """What the store uses of a connection, inside a function that runs on its thread."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        ...

    @property
    def total_changes(self) -> int:
        """Rows changed since the connection was opened."""
        ...

    def execute(self, sql: str, parameters: Any = ..., /) -> Rows:
        """One statement."""
        ...

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Rows:
        """One statement for many rows."""
        ...


def reason_of(exc: BaseException) -> str:
    """The reason behind a driver error, as a stable word."""
    if isinstance(exc, sqlite3.ProgrammingError):
        return "closed"
    code = getattr(exc, "sqlite_errorcode", None)
    return REASONS.get(code & 0xFF, "error") if isinstance(code, int) else "error"


def unavailable(exc: BaseException) -> StoreUnavailable:
    """The error for callers: what went wrong, and the driver's own words as data."""
    reason = reason_of(exc)
    sentence = _SENTENCES.get(reason, "the database failed")
    return StoreUnavailable(f"The database cannot be used now: {sentence}.", reason=reason, detail=str(exc))


def address(path: Path, *, readonly: bool) -> str:
    """The file as SQLite is told to open it: it is never made on the way."""
    return f"{path.absolute().as_uri()}?mode={'ro' if readonly else 'rw'}"


async def connect(path: Path, *, readonly: bool, busy_timeout_ms: int) -> aiosqlite.Connection:
    """An open connection in autocommit mode: every transaction is ours, none is the driver's."""
    connection = aiosqlite.connect(
        address(path, readonly=readonly),
        uri=True,
        isolation_level=None,
        timeout=busy_timeout_ms / 1000,
        cached_statements=256,
    )
    connection._thread.daemon = True  # a forgotten connection must not keep a dying process alive
    try:
        return await connection
    except sqlite3.Error as exc:
        raise unavailable(exc) from exc


async def run(connection: aiosqlite.Connection, fn: Callable[[Conn], T]) -> T:
    """`fn` whole on the connection's thread. Raises what `fn` raises; driver errors stay as they are."""
    execute = getattr(connection, "_execute", None)
    if execute is None or not hasattr(connection, "_connection"):
        return await run_by_statement(connection, fn)
    raw = connection._connection
    if raw is None or not getattr(connection, "_running", True):
        raise sqlite3.ProgrammingError("the connection is closed")
    result: T = await execute(fn, raw)
    return result


# -- fallback ------------------------------------------------------------------------


class _FetchedRows:
    """Rows that were all read before the function goes on."""

    def __init__(self, rows: list[Any], rowcount: int, lastrowid: int | None) -> None:
        self._rows = iter(rows)
        self.rowcount = rowcount
        self.lastrowid = lastrowid

    def fetchone(self) -> Any:
        return next(self._rows, None)

    def fetchall(self) -> list[Any]:
        return list(self._rows)

    def __iter__(self) -> Iterator[Any]:
        return self._rows


class _ByStatement:
    """A connection whose statements go to the loop one by one; used from a helper thread."""

    def __init__(self, connection: aiosqlite.Connection, loop: asyncio.AbstractEventLoop) -> None:
        self._connection = connection
        self._loop = loop

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()
        except ValueError as exc:  # how the driver says it
            raise sqlite3.ProgrammingError("the connection is closed") from exc

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction

    @property
    def total_changes(self) -> int:
        return self._connection.total_changes

    async def _execute(self, sql: str, parameters: Any) -> _FetchedRows:
        async with self._connection.execute(sql, parameters) as cursor:
            return _FetchedRows(list(await cursor.fetchall()), cursor.rowcount, cursor.lastrowid)

    async def _executemany(self, sql: str, parameters: Sequence[Any]) -> _FetchedRows:
        async with self._connection.executemany(sql, parameters) as cursor:
            return _FetchedRows([], cursor.rowcount, cursor.lastrowid)

    def execute(self, sql: str, parameters: Any = (), /) -> Rows:
        return self._wait(self._execute(sql, parameters))

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Rows:
        return self._wait(self._executemany(sql, list(parameters)))


async def run_by_statement(connection: aiosqlite.Connection, fn: Callable[[Conn], T]) -> T:
    """`run` over public calls only: slower, the same result. The caller's lock keeps others out meanwhile."""
    proxy = _ByStatement(connection, asyncio.get_running_loop())
    return await asyncio.shield(asyncio.ensure_future(asyncio.to_thread(fn, proxy)))

"""The open file: place, lock, migration, writer and readers together, and whether they can be used."""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from bobctx.core.types import Json
from bobctx.errors import StoreRefused, StoreUnavailable
from bobctx.ports import StoreHealth
from bobctx.store import claims, driver, folding, migrate, place, search, sqlite
from bobctx.store.driver import Conn
from bobctx.store.sqlite import Readers, Transaction, Writer
from bobctx.store.statements import SQL

T = TypeVar("T")

RETRY_SECONDS = 2.0
"""A database that could not be opened is tried again no sooner than this."""
PROBE_SECONDS = 2.0
"""A write probe answers for this long."""
PROBE_BYTES = 1 << 19
"""Written and taken back after a failed write, to see whether there is room again."""
RECHECK_SECONDS = 30.0
"""A file that was found damaged is read through again no sooner than this."""
SECRET_BYTES = 32


class Database:
    """One SQLite file with its connections; opened at `start`, or later where it could not be."""

    def __init__(self, path: Path, *, readonly: bool, synchronous: str, note: Mapping[str, Json]) -> None:
        if synchronous.upper() not in ("NORMAL", "FULL"):
            raise ValueError("synchronous is NORMAL or FULL")
        self.path = path.resolve()
        self.readonly = readonly
        self._synchronous = synchronous.upper()
        self._note = note
        self._lock = place.Lock(self.path)
        self._opening = asyncio.Lock()
        self._writer: Writer | None = None
        self._readers: Readers | None = None
        self._why: StoreUnavailable | None = None
        self._tried = 0.0
        self._wrote = 0.0
        self._closed = False
        self._secret: bytes | None = None
        self._inode = 0
        self._probe: tuple[float, StoreUnavailable | None] = (0.0, None)
        self._damaged: float | None = None
        """When damage was last seen, in a call or by a check; None where none is known of."""
        self._failed = False
        """A write failed since the last probe that worked. A small one that works says nothing of a larger one."""

    async def start(self, *, tolerate: bool) -> None:
        """Open now. With `tolerate` a `StoreUnavailable` is kept and opening is tried again later."""
        try:
            await self._open()
        except StoreUnavailable as exc:
            if not tolerate:
                raise
            self._why = exc

    async def _open(self) -> None:
        self._tried = time.monotonic()
        place.prepare(self.path, readonly=self.readonly)
        if not self.readonly:
            self._lock.acquire(self._note)
        try:
            await asyncio.to_thread(self._make_ready)
            if not self.readonly:
                self._writer = await sqlite.open_writer(self.path, search.write_index, synchronous=self._synchronous)
            self._readers = await sqlite.open_readers(self.path)
            self._secret = await self._readers.read(_secret_of)
        except BaseException:
            await self._shut()
            raise
        self._inode = self.path.stat().st_ino
        self._why = None

    def _make_ready(self) -> None:
        """Migrate, or check for a reader; runs on a helper thread with a connection of its own."""
        if not self.readonly:
            migrate.migrate(self.path)
            _first_use(self.path)
            return
        try:
            with closing(sqlite3.connect(driver.address(self.path, readonly=True), uri=True, timeout=2.0)) as conn:
                version = migrate.check(conn, self.path)
        except sqlite3.Error as exc:
            raise driver.unavailable(exc) from exc
        if version != migrate.newest():
            raise StoreRefused(
                f"{self.path} has schema {version}, this version reads {migrate.newest()}; start the daemon once",
                reason="older_schema",
            )

    async def _ready(self) -> None:
        """Open again what could not be opened before; raises why it still cannot."""
        if self._readers is not None:
            return
        if self._closed:
            raise StoreUnavailable("The database is closed.", reason="closed")
        async with self._opening:
            if self._readers is None and time.monotonic() - self._tried >= RETRY_SECONDS:
                try:
                    await self._open()
                except StoreUnavailable as exc:
                    self._why = exc
        if self._readers is None:
            why = self._why
            assert why is not None, "an unopened database has a reason"
            raise StoreUnavailable(why.message, **why.data)

    async def read(self, fn: Callable[[Conn], T]) -> T:
        """`fn` in one snapshot."""
        await self._ready()
        assert self._readers is not None
        try:
            return await self._readers.read(fn)
        except StoreUnavailable as exc:
            self._note_damage(exc)
            raise

    async def write(self, fn: Callable[[Transaction], T], *, background: bool = False) -> T:
        """`fn` in one transaction; `background` work waits for a quiet moment and makes none less quiet."""
        if self.readonly:
            raise StoreUnavailable("The database was opened for reading only.", reason="opened_readonly")
        await self._ready()
        assert self._writer is not None
        if self._replaced():
            raise StoreUnavailable("The database file was moved or replaced; restart.", reason="file_replaced")
        if not background:
            self._wrote = time.monotonic()
        try:
            return await self._writer.write(fn)
        except StoreUnavailable as exc:
            self._failed = True
            self._note_damage(exc)
            raise

    def _replaced(self) -> bool:
        """Whether the path no longer leads to the open file: what is written then is on no disk that anyone reads."""
        try:
            return self.path.stat().st_ino != self._inode
        except OSError:
            return True

    def _note_damage(self, exc: StoreUnavailable) -> None:
        if exc.data.get("reason") == "corrupt":
            self._damaged = time.monotonic()

    async def _still_damaged(self) -> bool:
        """Whether damage that some call met is still there; the whole file is read to say no."""
        if self._damaged is None:
            return False
        if time.monotonic() - self._damaged >= RECHECK_SECONDS:
            self._damaged = time.monotonic()
            if (await self.read(lambda conn: conn.execute("PRAGMA quick_check(1)").fetchone()))[0] == "ok":
                self._damaged = None
        return self._damaged is not None

    async def outside(self, fn: Callable[[Conn], T]) -> T:
        """`fn` on the writer's thread between two transactions: checkpoints and the like."""
        await self._ready()
        assert self._writer is not None
        return await self._writer.outside(fn)

    async def when_quiet(self, seconds: float, patience: float) -> None:
        """Wait until nobody wrote for a while, but not for ever. Background writes do not count."""
        pause = seconds / 4
        for _ in range(int(patience / pause)):
            if time.monotonic() - self._wrote >= seconds:
                return
            await asyncio.sleep(pause)

    async def secret(self) -> bytes:
        """The database's own key."""
        await self._ready()
        assert self._secret is not None
        return self._secret

    def note(self, note: Mapping[str, Json]) -> None:
        """Replace what other processes read in the lock file."""
        self._lock.note(note)

    async def health(self) -> StoreHealth:
        """Whether the file can be read and, by a process that writes, written; sizes in bytes."""
        reason = await self._reason()
        lag = 0
        if reason is None:
            try:
                lag = await self.read(lambda conn: int(conn.execute(SQL["queue_length"]).fetchone()[0]))
            except StoreUnavailable as exc:
                reason = str(exc.data.get("reason", exc.code))
        wal = place.siblings(self.path)[0]
        return StoreHealth(
            ok=reason is None,
            reason=reason,
            path=str(self.path),
            size_bytes=self.path.stat().st_size if self.path.exists() else 0,
            wal_bytes=wal.stat().st_size if wal.exists() else 0,
            schema_version=migrate.newest() if self._readers is not None else 0,
            index_lag=lag,
        )

    async def _reason(self) -> str | None:
        """Why the database cannot be used now, as one word; None where it can."""
        try:
            await self.read(lambda conn: conn.execute(SQL["meta"], ("secret",)).fetchone())
            if self._replaced():
                return "file_replaced"
            if await self._still_damaged():
                return "corrupt"
            if self.readonly:
                return None
            at, error = self._probe
            if error is not None or time.monotonic() - at >= PROBE_SECONDS:
                self._probe = (time.monotonic(), None)
                failed = self._failed
                await self.write(lambda tx: _mark(tx.conn, large=failed), background=True)
                self._failed = False
            return None
        except StoreUnavailable as exc:
            self._probe = (time.monotonic(), exc)
            return str(exc.data.get("reason", exc.code))

    async def _shut(self) -> None:
        readers, writer = self._readers, self._writer
        self._readers = self._writer = None
        if readers is not None:
            await readers.close()
        if writer is not None:
            await writer.close()
        self._lock.release()

    async def close(self) -> None:
        """Write what waits and close every connection; safe to call twice."""
        self._closed = True
        await self._shut()


def _mark(conn: Conn, *, large: bool) -> None:
    """A real write: a full disk or a file made read-only shows only then.

    After a write that failed it also needs new pages, as a turn would; they are given back at once.
    """
    if large:
        conn.execute(SQL["meta_set"], ("probe_pages", secrets.token_bytes(PROBE_BYTES)))
        conn.execute(SQL["meta_drop"], ("probe_pages",))
    count = conn.execute(SQL["meta"], ("probe",)).fetchone()
    conn.execute(SQL["meta_set"], ("probe", (count[0] if count is not None else 0) + 1))


def _secret_of(conn: Conn) -> bytes:
    row = conn.execute(SQL["meta"], ("secret",)).fetchone()
    if row is None:
        raise StoreUnavailable("The database has no key of its own yet; start the daemon once.", reason="not_ready")
    return bytes(row[0])


def _first_use(path: Path) -> None:
    """A key for a new database, and the index made anew where the folding of words changed."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=2.0)) as conn:
            conn.execute("BEGIN IMMEDIATE")
            try:
                _settle(conn)
                conn.execute("COMMIT")
            finally:
                if conn.in_transaction:
                    conn.execute("ROLLBACK")
    except sqlite3.Error as exc:
        raise driver.unavailable(exc) from exc


def _settle(conn: Any) -> None:
    if conn.execute(SQL["meta"], ("secret",)).fetchone() is None:
        conn.execute(SQL["meta_set"], ("secret", secrets.token_bytes(SECRET_BYTES)))
    row = conn.execute(SQL["meta"], ("folding",)).fetchone()
    if row is not None and row[0] != folding.FOLDING_VERSION:
        search.rebuild(conn)
    if row is None or row[0] != folding.FOLDING_VERSION:
        conn.execute(SQL["meta_set"], ("folding", folding.FOLDING_VERSION))
    if conn.execute(SQL["claims_without_facts"]).fetchone() is not None:
        claims.describe_all(conn)

"""The writer: whole functions in one transaction, group commit, one failure spares the rest, cancelled callers."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bobctx.errors import InvalidInput, StoreUnavailable
from bobctx.store import driver, sqlite
from bobctx.store.driver import Conn
from bobctx.store.sqlite import BATCH_OPERATIONS, Readers, Transaction, Writer, open_readers, open_writer


class Spy:
    """Counts batches: the last step runs once for each."""

    def __init__(self) -> None:
        self.batches = 0
        self.fail = 0

    def __call__(self, conn: Conn, changes: Mapping[int, tuple[str | None, str | None]]) -> None:
        self.batches += 1
        if self.fail:
            self.fail -= 1
            raise sqlite3.OperationalError("last step")


@pytest.fixture
def spy() -> Spy:
    return Spy()


@pytest_asyncio.fixture
async def writer(path: Path, spy: Spy) -> AsyncIterator[Writer]:
    conn = sqlite3.connect(path)
    conn.execute("PRAGMA journal_mode = WAL")
    conn.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)")
    conn.commit()
    conn.close()
    opened = await open_writer(path, spy, synchronous="NORMAL")
    yield opened
    await opened.close()


@pytest_asyncio.fixture
async def readers(path: Path, writer: Writer) -> AsyncIterator[Readers]:
    opened = await open_readers(path)
    yield opened
    await opened.close()


def add(text: str) -> Any:
    return lambda tx: tx.conn.execute("INSERT INTO t (text) VALUES (?)", (text,)).lastrowid


def empty(path: Path) -> None:
    path.touch(0o600)


def count(conn: Conn) -> int:
    return int(conn.execute("SELECT count(*) FROM t").fetchone()[0])


async def test_writes_that_wait_together_share_a_commit(writer: Writer, readers: Readers, spy: Spy) -> None:
    await asyncio.gather(*[writer.write(add(str(i))) for i in range(100)])
    assert await readers.read(count) == 100
    assert spy.batches < 50


async def test_a_batch_is_bounded(writer: Writer, readers: Readers, spy: Spy) -> None:
    await asyncio.gather(*[writer.write(add(str(i))) for i in range(BATCH_OPERATIONS * 3)])
    assert await readers.read(count) == BATCH_OPERATIONS * 3
    assert spy.batches >= 3


async def test_a_slow_write_does_not_keep_those_before_it_waiting(writer: Writer, spy: Spy) -> None:
    import time

    def slow(tx: Transaction) -> None:
        tx.conn.execute("INSERT INTO t (text) VALUES ('slow')")
        time.sleep(0.02)

    await asyncio.gather(*[writer.write(slow) for _ in range(4)])
    assert spy.batches == 4


async def test_a_lone_write_does_not_wait(writer: Writer) -> None:
    started = asyncio.get_running_loop().time()
    for i in range(20):
        await writer.write(add(str(i)))
    assert asyncio.get_running_loop().time() - started < 2.0


async def test_one_that_fails_takes_back_only_its_own(writer: Writer, readers: Readers) -> None:
    def bad(tx: Transaction) -> None:
        tx.conn.execute("INSERT INTO t (text) VALUES ('half')")
        raise InvalidInput("no")

    def worse(tx: Transaction) -> None:
        tx.conn.execute("INSERT INTO t (text) VALUES ('half')")
        tx.conn.execute("INSERT INTO nowhere VALUES (1)")

    def bug(tx: Transaction) -> None:
        tx.conn.execute("INSERT INTO t (text) VALUES ('half')")
        raise KeyError("bug")

    work = [writer.write(f) for i in range(30) for f in (add(f"good {i}"), bad, worse, bug)]
    results = await asyncio.gather(*work, return_exceptions=True)
    kinds = [type(r) for r in results]
    assert (kinds.count(int), kinds.count(InvalidInput), kinds.count(StoreUnavailable), kinds.count(KeyError)) == (
        30,
    ) * 4
    assert await readers.read(lambda conn: conn.execute("SELECT count(*) FROM t WHERE text = 'half'").fetchone()) == (
        0,
    )
    assert await readers.read(count) == 30


async def test_a_transaction_that_sqlite_ended_runs_the_rest_singly(writer: Writer, readers: Readers) -> None:
    def ends(tx: Transaction) -> None:
        tx.conn.execute("INSERT INTO t (text) VALUES ('lost')")
        tx.conn.execute("ROLLBACK")
        raise sqlite3.OperationalError("the disk is gone")

    work = [writer.write(f) for f in (add("before"), ends, add("after"), add("last"))]
    results = await asyncio.gather(*work, return_exceptions=True)
    assert [type(r) for r in results] == [int, StoreUnavailable, int, int]
    assert await readers.read(lambda conn: [r[0] for r in conn.execute("SELECT text FROM t ORDER BY id")]) == [
        "before", "after", "last",
    ]  # fmt: skip


async def test_where_no_transaction_starts_all_that_wait_are_told_together(
    path: Path, spy: Spy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when each of them waits for the lock again, one after the other."""
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_MS", 300)
    empty(path)
    opened = await open_writer(path, spy, synchronous="NORMAL")
    await opened.write(lambda tx: tx.conn.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)").rowcount)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    loop = asyncio.get_running_loop()
    started = loop.time()
    results = await asyncio.gather(*[opened.write(add(str(i))) for i in range(60)], return_exceptions=True)
    assert {r.data["reason"] for r in results if isinstance(r, StoreUnavailable)} == {"locked"}
    assert len(results) == 60
    assert loop.time() - started < 9, "sixty waits of 0.3 s would take twice as long"
    other.close()
    await opened.write(add("again"))
    await opened.close()


async def test_a_failing_last_step_fails_nobody_else(writer: Writer, readers: Readers, spy: Spy) -> None:
    spy.fail = 2
    results = await asyncio.gather(*[writer.write(add(str(i))) for i in range(10)], return_exceptions=True)
    assert sum(isinstance(r, StoreUnavailable) for r in results) <= 2
    assert await readers.read(count) == sum(isinstance(r, int) for r in results) >= 8


async def test_a_caller_resumes_only_when_its_write_is_on_disk(writer: Writer, readers: Readers) -> None:
    for i in range(1, 30):
        await writer.write(add(str(i)))
        assert await readers.read(count) == i


async def test_a_cancelled_caller_takes_back_what_waits_and_splits_nothing(writer: Writer, readers: Readers) -> None:
    def pair(tx: Transaction) -> None:
        tx.conn.execute("INSERT INTO t (text) VALUES ('a')")
        tx.conn.execute("INSERT INTO t (text) VALUES ('b')")

    tasks = [asyncio.create_task(writer.write(pair)) for _ in range(200)]
    await asyncio.sleep(0.002)
    for task in tasks[::2]:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(r is None for r in results[1::2])
    counts = await readers.read(lambda conn: conn.execute("SELECT sum(text = 'a'), sum(text = 'b') FROM t").fetchone())
    assert counts[0] == counts[1] >= 100


async def test_what_waits_is_written_before_closing_and_later_calls_are_told(path: Path, writer: Writer) -> None:
    work = [asyncio.create_task(writer.write(add(str(i)))) for i in range(50)]
    await asyncio.sleep(0)
    await writer.close()
    assert len(await asyncio.gather(*work)) == 50
    with pytest.raises(StoreUnavailable) as caught:
        await writer.write(add("late"))
    assert caught.value.data["reason"] == "closed"
    conn = sqlite3.connect(path)
    assert conn.execute("SELECT count(*) FROM t").fetchone() == (50,)
    conn.close()


async def test_a_reader_sees_one_snapshot_and_cannot_write(writer: Writer, readers: Readers) -> None:
    import threading

    go, gone = threading.Event(), threading.Event()

    def twice(conn: Conn) -> tuple[int, int]:
        first = count(conn)
        go.set()
        assert gone.wait(5)
        return first, count(conn)

    reading = asyncio.create_task(readers.read(twice))
    await asyncio.to_thread(go.wait, 5)
    await writer.write(add("meanwhile"))
    gone.set()
    assert await reading == (0, 0)
    with pytest.raises(StoreUnavailable):
        await readers.read(lambda conn: conn.execute("DELETE FROM t"))


async def test_a_cancelled_read_gives_its_connection_back(readers: Readers) -> None:
    import time

    for _ in range(20):
        task = asyncio.create_task(readers.read(lambda conn: time.sleep(0.01)))
        await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert await readers.read(count) == 0


async def test_a_read_does_not_wait_behind_a_cancelled_one(readers: Readers) -> None:
    import threading

    started, go = threading.Event(), threading.Event()

    def late(conn: Conn) -> None:
        started.set()
        go.wait(5)

    task = asyncio.create_task(readers.read(late))
    await asyncio.to_thread(started.wait, 5)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    try:
        async with asyncio.timeout(2):
            assert await readers.read(count) == 0
    finally:
        go.set()


async def test_an_error_in_a_write_is_not_taken_for_a_closed_database(writer: Writer, readers: Readers) -> None:
    def faulty(tx: Transaction) -> None:
        tx.conn.execute("INSERT INTO t (text) VALUES ('half')")
        raise ValueError("a defect of ours")

    results = await asyncio.gather(*(writer.write(f) for f in (add("a"), faulty, add("b"))), return_exceptions=True)
    assert [type(r) for r in results] == [int, ValueError, int]
    assert await readers.read(count) == 2


# -- the adapter -----------------------------------------------------------------------------


async def test_aiosqlite_still_runs_a_function_on_its_thread(path: Path) -> None:
    """Pins the private call that `driver.run` uses; when this fails, the fallback below takes over."""
    import threading

    empty(path)
    connection = await driver.connect(path, readonly=False, busy_timeout_ms=100)
    assert callable(connection._execute)
    assert isinstance(connection._conn, sqlite3.Connection)
    thread = await driver.run(connection, lambda conn: threading.current_thread())
    assert thread is connection._thread
    assert isinstance(await driver.run(connection, lambda conn: conn), sqlite3.Connection)
    await connection.close()
    assert connection._running is False
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        await driver.run(connection, lambda conn: None)


async def test_the_fallback_gives_the_same_results(path: Path, spy: Spy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "run", driver.run_by_statement)
    empty(path)
    opened = await open_writer(path, spy, synchronous="NORMAL")
    await opened.write(lambda tx: tx.conn.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)").rowcount)

    def bad(tx: Transaction) -> None:
        tx.conn.executemany("INSERT INTO t (text) VALUES (?)", [("x",), ("y",)])
        raise InvalidInput("no")

    work = [opened.write(f) for f in (add("a"), bad, add("b"))]
    results = await asyncio.gather(*work, return_exceptions=True)
    assert [type(r) for r in results] == [int, InvalidInput, int]
    reader = await open_readers(path, 1)
    assert await reader.read(lambda conn: [r[0] for r in conn.execute("SELECT text FROM t ORDER BY id")]) == ["a", "b"]
    await reader.close()
    await opened.close()


async def test_the_whole_store_works_over_the_fallback(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bobctx.store import SqliteStore
    from tests.integration.store.making import SCOPE, ids, put, turns

    monkeypatch.setattr(driver, "run", driver.run_by_statement)
    async with await SqliteStore.open(path) as store:
        await asyncio.gather(put(store, turns(1, 2)), put(store, turns(3, 2)))
        assert len(await ids(store)) == 8
        assert (await store.delete_message(SCOPE, "u1", now=1.0))["purged"] == 1
        assert len(await store.search(SCOPE, "question", limit=9)) == 3

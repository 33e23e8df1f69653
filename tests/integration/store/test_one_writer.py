"""One process writes a file: others are told which, and may read."""

from __future__ import annotations

import asyncio
import fcntl
import os
import sqlite3
import subprocess
import sys
import textwrap
import threading
from contextlib import closing
from pathlib import Path

import pytest

from bobctx.errors import StoreUnavailable
from bobctx.store import SqliteStore, holder, place, sqlite
from tests.integration.store.making import (
    ids,
    opened,
    put,
    turns,
)

ROOT = Path(__file__).resolve().parents[3]


async def test_a_second_writer_is_told_who_writes_and_readers_are_welcome(path: Path) -> None:
    store = await SqliteStore.open(path, note={"url": "http://127.0.0.1:8642"})
    await put(store, turns(1, 1))
    with pytest.raises(StoreUnavailable) as caught:
        await opened(path)
    assert caught.value.data["reason"] == "in_use"
    assert caught.value.data["holder"] == {"pid": os.getpid(), "url": "http://127.0.0.1:8642"}
    assert holder(path) == {"pid": os.getpid(), "url": "http://127.0.0.1:8642"}
    reader = await opened(path, readonly=True)
    assert await ids(reader) == ["u1", "a1"]
    await put(store, turns(2, 1))
    assert len(await ids(reader)) == 4
    with pytest.raises(StoreUnavailable) as caught:
        await put(reader, turns(3, 1))
    assert caught.value.data["reason"] == "opened_readonly"
    assert (await reader.health()).ok
    await reader.close()
    await store.close()
    assert holder(path) is None
    await (await opened(path)).close()


async def test_a_link_to_the_database_is_the_same_database(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    await asyncio.to_thread(other.mkdir, 0o700)
    link = other / "link.db"
    store = await opened(path)
    await asyncio.to_thread(link.symlink_to, path)
    with pytest.raises(StoreUnavailable) as caught:
        await opened(link)
    assert caught.value.data["reason"] == "in_use"
    assert holder(link) == holder(path) == {"pid": os.getpid()}
    await store.close()


async def test_a_look_at_the_lock_keeps_nobody_from_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`holder` takes the lock for an instant; fails when that makes a daemon's start fail."""
    with open(place.lock_path(path), "w") as handle:  # noqa: ASYNC230
        fcntl.flock(handle, fcntl.LOCK_SH)
        monkeypatch.setattr(place, "LOCK_TRIES", 500)  # a busy machine may keep the other thread waiting
        let_go = threading.Timer(0.03, fcntl.flock, (handle, fcntl.LOCK_UN))
        let_go.start()
        await (await opened(path)).close()
        let_go.join()


HOLD = textwrap.dedent(
    """
    import asyncio, sys
    from pathlib import Path
    from bobctx.store import SqliteStore
    from tests.integration.store.making import put, turns

    async def main(path):
        store = await SqliteStore.open(path, note={"url": "http://127.0.0.1:1"})
        await put(store, turns(1, 1))
        print("ready", flush=True)
        await asyncio.sleep(60)

    asyncio.run(main(Path(sys.argv[1])))
    """
)


async def test_two_processes_on_one_file(path: Path) -> None:
    """The lock ends with its process, also when that is killed; until then others may read."""
    child = subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, cwd=ROOT, text=True
    )
    assert child.stdout is not None
    assert await asyncio.to_thread(child.stdout.readline) == "ready\n"
    with pytest.raises(StoreUnavailable) as caught:
        await opened(path)
    assert caught.value.data["holder"] == {"pid": child.pid, "url": "http://127.0.0.1:1"}
    reader = await opened(path, readonly=True)
    assert await ids(reader) == ["u1", "a1"]
    child.kill()
    await asyncio.to_thread(child.communicate)
    assert holder(path) is None
    store = await opened(path)
    await put(store, turns(2, 1))
    assert len(await ids(reader)) == 4
    await reader.close()
    await store.close()


async def test_reading_what_is_not_there_says_so(path: Path) -> None:
    with pytest.raises(StoreUnavailable) as caught:
        await opened(path, readonly=True)
    assert caught.value.data["reason"] == "missing"


async def test_a_lock_held_by_another_program_is_a_reason_not_a_hang(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_MS", 100)
    store = await opened(path)
    await put(store, turns(1, 1))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable) as caught:
            await put(store, turns(2, 1))
        assert caught.value.data["reason"] == "locked"
        assert await ids(store) == ["u1", "a1"], "reading goes on"
        health = await store.health()
        assert (health.ok, health.reason) == (False, "locked")
        other.execute("ROLLBACK")
    await put(store, turns(2, 1))
    assert (await store.health()).ok
    await store.close()

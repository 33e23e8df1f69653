"""Full disks, read-only, damaged, foreign and replaced files: reported, and nothing acknowledged is lost."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from bobctx.errors import StoreUnavailable
from tests.integration.store.making import (
    SCOPE,
    ids,
    opened,
    posted,
    put,
    turns,
)


def make_wide(path: Path, mode: int) -> None:
    path.chmod(mode)


async def test_a_full_disk_fails_the_write_and_loses_nothing(path: Path) -> None:
    store = await opened(path)
    await put(store, turns(1, 3))
    await store._database.outside(
        lambda conn: conn.execute(
            f"PRAGMA max_page_count = {conn.execute('PRAGMA page_count').fetchone()[0]}"
        ).fetchone()
    )
    results = await asyncio.gather(
        *[put(store, [posted(f"big{i}", "user", "word " * 20_000)]) for i in range(4)], return_exceptions=True
    )
    assert [r.data["reason"] for r in results if isinstance(r, StoreUnavailable)] == ["disk_full"] * 4
    assert len(await ids(store)) == 6
    await store._database.write(lambda tx: None)
    health = await store.health()
    assert (health.ok, health.reason) == (False, "disk_full"), "a small write that fits does not make it well"
    await store._database.outside(lambda conn: conn.execute("PRAGMA max_page_count = 1000000").fetchone())
    await put(store, [posted("big0", "user", "word " * 20_000)])
    assert len(await ids(store)) == 7
    assert (await store.health()).ok
    await store.close()


async def test_a_file_that_became_read_only_is_reported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await opened(path)
    await put(store, turns(1, 1))
    await store._database.outside(lambda conn: conn.execute("PRAGMA query_only = ON").fetchall())
    with pytest.raises(StoreUnavailable) as caught:
        await put(store, turns(2, 1))
    assert caught.value.data["reason"] == "read_only"
    assert (await store.health()).reason == "read_only"
    assert await ids(store) == ["u1", "a1"]
    await store.close()


def damage(path: Path) -> None:
    """Overwrite every page but the first, as a failing disk might."""
    size = path.stat().st_size
    with path.open("r+b") as handle:
        handle.seek(4096)
        handle.write(random.Random(1).randbytes(size - 4096))


async def test_a_damaged_file_is_reported_by_reads_writes_and_health(path: Path) -> None:
    store = await opened(path)
    await put(store, turns(1, 50))
    await store.close()
    damage(path)
    store = await opened(path, tolerate=True)
    for work in (store.snapshot(SCOPE), put(store, turns(51, 1)), store.search(SCOPE, "port", limit=3)):
        with pytest.raises(StoreUnavailable) as caught:
            await work
        assert caught.value.data["reason"] == "corrupt"
    health = await store.health()
    assert (health.ok, health.reason) == (False, "corrupt")
    await store.close()


async def test_a_file_that_is_no_database_is_a_state_and_can_heal(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bobctx.store import database

    monkeypatch.setattr(database, "RETRY_SECONDS", 0.0)
    await asyncio.to_thread(path.write_bytes, b"not a database at all" * 500)
    make_wide(path, 0o600)
    with pytest.raises(StoreUnavailable) as caught:
        await opened(path)
    assert caught.value.data["reason"] == "corrupt"
    store = await opened(path, tolerate=True)
    with pytest.raises(StoreUnavailable):
        await put(store, turns(1, 1))
    assert (await store.health()).reason == "corrupt"
    await asyncio.to_thread(path.unlink)
    await put(store, turns(1, 1))
    assert await ids(store) == ["u1", "a1"]
    assert (await store.health()).ok
    await store.close()


async def test_a_replaced_file_is_noticed(path: Path) -> None:
    """Fails if a turn is acknowledged that went into a file nobody will find."""
    store = await opened(path)
    await put(store, turns(1, 1))
    await asyncio.to_thread(path.rename, path.with_name("moved.db"))
    assert (await store.health()).reason == "file_replaced"
    with pytest.raises(StoreUnavailable) as caught:
        await put(store, turns(2, 1))
    assert caught.value.data["reason"] == "file_replaced"
    await asyncio.to_thread(path.with_name("moved.db").rename, path)
    await put(store, turns(2, 1))
    await store.close()


async def test_a_closed_store_says_so(path: Path) -> None:
    store = await opened(path)
    await store.close()
    await store.close()
    for work in (put(store, turns(1, 1)), store.snapshot(SCOPE)):
        with pytest.raises(StoreUnavailable):
            await work
    assert (await store.health()).reason == "closed"

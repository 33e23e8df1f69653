"""Faults: wide modes, network disks, locks, read-only files, full disks, damage, killed processes, clocks."""

from __future__ import annotations

import asyncio
import fcntl
import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from contextlib import closing
from pathlib import Path

import pytest

from bobctx.errors import StoreRefused, StoreUnavailable
from bobctx.store import SqliteStore, holder, place, sqlite
from tests.integration.store.making import (
    PROMPT,
    SCOPE,
    VALIDATOR,
    chain_of,
    compact,
    ids,
    posted,
    put,
    texts,
    turns,
)

ROOT = Path(__file__).resolve().parents[3]


async def opened(path: Path, *, readonly: bool = False, tolerate: bool = False) -> SqliteStore:
    return await SqliteStore.open(
        path, readonly=readonly, tolerate=tolerate, prompt_version=PROMPT, validator_version=VALIDATOR
    )


def make_wide(path: Path, mode: int) -> None:
    path.chmod(mode)


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


# -- the place -----------------------------------------------------------------------------


async def test_directory_and_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    path = tmp_path / "new" / "lane" / "x.db"
    old = os.umask(0)
    try:
        store = await opened(path)
        await put(store, turns(1, 1))
        modes = {p.name: mode_of(p) for p in (path.parent, path, *place.siblings(path), place.lock_path(path))}
        await store.close()
    finally:
        os.umask(old)
    assert modes.pop("lane") == 0o700
    assert set(modes.values()) == {0o600}


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o701, 0o777])
async def test_a_wider_directory_is_refused_with_what_to_do(path: Path, mode: int) -> None:
    make_wide(path.parent, mode)
    with pytest.raises(StoreRefused) as caught:
        await opened(path)
    assert f"chmod 700 {path.parent}" in caught.value.message
    assert caught.value.data["reason"] == "mode"


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o606])
async def test_a_wider_file_is_refused_for_reading_too(path: Path, mode: int) -> None:
    await (await opened(path)).close()
    make_wide(path, mode)
    for readonly in (False, True):
        with pytest.raises(StoreRefused) as caught:
            await opened(path, readonly=readonly)
        assert f"chmod 600 {path}" in caught.value.message


MOUNTS = """\
/dev/vda / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
tmpfs /home/local tmpfs rw 0 0
//box/share /mnt/my\\040share cifs rw 0 0
me@host: /home/far fuse.sshfs rw 0 0
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/var/lib", "ext4"),
        ("/home/ana", "nfs4"),
        ("/home/local/x", "tmpfs"),
        ("/homes", "ext4"),
        ("/mnt/my share/x", "cifs"),
        ("/home/far", "fuse.sshfs"),
    ],
)
def test_the_file_system_is_that_of_the_nearest_mount(folder: str, kind: str) -> None:
    assert place.file_system_of(Path(folder), MOUNTS) == kind


async def test_a_network_file_system_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "file_system_of", lambda *_: "nfs4")
    with pytest.raises(StoreRefused) as caught:
        await opened(path)
    assert caught.value.data["reason"] == "network_file_system"


async def test_a_directory_in_place_of_the_file_is_refused(path: Path) -> None:
    await asyncio.to_thread(path.mkdir)
    with pytest.raises(StoreRefused):
        await opened(path)


# -- one writing process ---------------------------------------------------------------------


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


async def test_a_look_at_the_lock_keeps_nobody_from_it(path: Path) -> None:
    """`holder` takes the lock for an instant; fails when that makes a daemon's start fail."""
    with open(place.lock_path(path), "w") as handle:  # noqa: ASYNC230
        fcntl.flock(handle, fcntl.LOCK_SH)
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


# -- the disk ----------------------------------------------------------------------------------


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


# -- processes and clocks ------------------------------------------------------------------------

CHILD = textwrap.dedent(
    """
    import asyncio, sys
    from pathlib import Path
    from bobctx.store import SqliteStore
    from tests.integration.store.making import PROMPT, VALIDATOR, compact, put, turns

    async def main(path, start):
        store = await SqliteStore.open(path, prompt_version=PROMPT, validator_version=VALIDATOR)
        async def talk(i):
            await put(store, turns(i, 1))
            print(i, flush=True)
        i = start
        while True:
            for k in range(4):
                await talk(i + k)
            i += 4
            await compact(store, 4, [("c1", f"port {8000 + i}", 0)])

    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
    """
)


@pytest.mark.slow
async def test_a_killed_process_loses_no_acknowledged_turn(path: Path) -> None:
    """Invariant I12: SIGKILL in the middle of writes, several times; fails when a commit is reported too early."""
    acknowledged: list[int] = []
    chance = random.Random(7)
    for _ in range(6):
        start = max(acknowledged, default=0) + 100
        child = subprocess.Popen(  # noqa: ASYNC220
            [sys.executable, "-c", CHILD, str(path), str(start)], stdout=subprocess.PIPE, cwd=ROOT, text=True
        )
        assert child.stdout is not None
        seen = [int(await asyncio.to_thread(child.stdout.readline)) for _ in range(chance.randrange(1, 40))]
        child.send_signal(signal.SIGKILL)
        rest, _ = await asyncio.to_thread(child.communicate)
        acknowledged += seen + [int(line) for line in rest.split("\n")[:-1]]
    store = await opened(path)
    snapshot = await store.snapshot(SCOPE)
    stored = set(snapshot.spine.ids)
    assert {f"u{i}" for i in acknowledged} <= stored
    assert {f"a{i}" for i in acknowledged} <= stored
    chain = chain_of(snapshot)
    assert chain.break_ is None
    assert len(chain.links) == len(snapshot.compactions) > 0
    assert (await store.health()).ok
    await put(store, [posted("last", "user", "alive")])
    assert await texts(store, ["last"]) == ["alive"]
    await store.close()
    with closing(sqlite3.connect(path)) as conn:
        assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        conn.execute("INSERT INTO messages_fts (messages_fts) VALUES ('integrity-check')")
        assert conn.execute("PRAGMA foreign_key_check").fetchall() == []


async def test_a_clock_that_jumps_back_changes_no_order(path: Path) -> None:
    store = await opened(path)
    await put(store, turns(1, 2), now=5000.0)
    await put(store, turns(3, 2), now=10.0)
    await compact(store, 2)
    await put(store, [posted("u2", "user", "edited")], now=1.0)
    await put(store, turns(5, 1), now=0.0)
    assert await ids(store) == [f"{r}{i}" for i in range(1, 6) for r in "ua"]
    assert [m.seq for m in await store.load(SCOPE, ["u1", "u3", "u5"])] == [1, 5, 9]
    await store.close()

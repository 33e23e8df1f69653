"""Killed processes and clocks that jump."""

from __future__ import annotations

import asyncio
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from tests.integration.store.making import (
    SCOPE,
    chain_of,
    compact,
    ids,
    opened,
    posted,
    put,
    texts,
    turns,
)

ROOT = Path(__file__).resolve().parents[3]


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

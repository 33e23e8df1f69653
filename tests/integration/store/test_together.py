"""Many callers at once: every read is one consistent snapshot, every caller's turns are whole and in order."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence

from bobctx.core.types import Scope
from bobctx.ports import Snapshot, Store
from bobctx.store import SqliteStore
from tests.integration.store.making import chain_of, compact, posted, put, turns


async def test_the_store_is_what_the_port_says(store: SqliteStore) -> None:
    """Checked by the type checker: every method with its arguments."""
    port: Store = store
    assert (await port.health()).ok


async def test_plans_are_snapshots_while_turns_edits_and_compactions_are_written(store: SqliteStore) -> None:
    """Fails when a cache outlives the revision it was read at: a spine would name bytes that are not loaded."""
    chance = random.Random(3)
    scopes = [Scope(conversation_id=f"c{i}", user_id="ana") for i in range(3)]
    for scope in scopes:
        await put(store, turns(1, 6), scope=scope)
    stop = asyncio.Event()
    seen = 0

    def last_ten(snapshot: Snapshot) -> tuple[Snapshot, Sequence[int]]:
        return snapshot, range(max(0, snapshot.spine.n - 10), snapshot.spine.n)

    async def reads(scope: Scope) -> None:
        nonlocal seen
        revision = 0
        while not stop.is_set():
            snapshot, bodies = await store.plan(scope, None, last_ten)
            assert snapshot.revision >= revision, "time does not go back for one caller"
            revision = snapshot.revision
            spine = snapshot.spine
            start = spine.n - len(bodies)
            assert [m.id for m in bodies] == spine.ids[start : spine.n]
            assert [m.sha256 for m in bodies] == spine.hashes[start : spine.n]
            assert chain_of(snapshot).break_ is None
            seen += 1

    async def writes(scope: Scope) -> None:
        for i in range(7, 30):
            await put(store, turns(i, 1), scope=scope)
            dice = chance.random()
            if dice < 0.3:
                target = chance.randrange(2, i)
                await put(store, [posted(f"u{target}", "user", f"edit {i}", tokens=2000)], scope=scope)
            elif dice < 0.6:
                await compact(store, 2, [("c1", f"claim {i}", 0)], scope=scope)

    readers = [asyncio.create_task(reads(scope)) for scope in scopes for _ in range(2)]
    await asyncio.gather(*[writes(scope) for scope in scopes])
    stop.set()
    await asyncio.gather(*readers)
    assert seen > 20
    for scope in scopes:
        assert (await store.snapshot(scope)).spine.n == 58


async def test_callers_of_one_conversation_each_find_their_turn_whole(store: SqliteStore) -> None:
    scope = Scope(conversation_id="busy", user_id="ana")

    async def turn(i: int) -> None:
        pair = [posted(f"u{i}", "user", f"q{i}"), posted(f"a{i}", "assistant", f"r{i}")]
        result = await put(store, pair, scope=scope)
        assert result.seqs[f"a{i}"] == result.seqs[f"u{i}"] + 1

    await asyncio.gather(*[turn(i) for i in range(200)])
    spine = (await store.snapshot(scope)).spine
    assert spine.n == 400
    assert sorted(spine.seqs, key=lambda s: s or 0) == list(spine.seqs)
    assert all(spine.ids[p + 1] == "a" + spine.ids[p][1:] for p in range(0, 400, 2))


async def test_a_cancelled_recording_is_whole_or_not_there(store: SqliteStore) -> None:
    scope = Scope(conversation_id="cut", user_id="ana")
    await put(store, turns(0, 1), scope=scope)
    tasks = [asyncio.create_task(put(store, turns(i, 1), scope=scope)) for i in range(1, 60)]
    await asyncio.sleep(0.003)
    for task in tasks[::3]:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    stored = set((await store.snapshot(scope)).spine.ids)
    for i, result in enumerate(results, 1):
        assert (f"u{i}" in stored) == (f"a{i}" in stored)
        if not isinstance(result, BaseException):
            assert f"u{i}" in stored


async def test_the_prompt_path_reads_nothing_it_was_not_asked_for(store: SqliteStore) -> None:
    """Invariant behind the flat cost: after an append only the new rows and the bodies asked for are read."""
    scope = Scope(conversation_id="long", user_id="ana")
    for start in range(0, 2000, 200):
        await put(store, turns(start, 100), scope=scope)
        await put(store, turns(start + 100, 100), scope=scope)
    await store.plan(scope, None, lambda s: (None, range(s.spine.n - 10, s.spine.n)))
    await put(store, turns(5000, 1), scope=scope)
    statements: list[str] = []
    steps = 0

    def watch() -> int:
        nonlocal steps
        steps += 1
        return 0

    for connection in store._database._readers._all:  # type: ignore[union-attr]
        await connection.set_trace_callback(statements.append)
        await connection.set_progress_handler(watch, 1000)
    await store.plan(scope, None, lambda s: (None, range(s.spine.n - 10, s.spine.n)))
    await store.plan(scope, None, lambda s: (None, range(s.spine.n - 10, s.spine.n)))
    assert steps < 5, f"{steps} thousand virtual machine steps for two messages more"
    assert len(statements) < 30

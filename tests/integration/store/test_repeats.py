"""First answers of calls with a key: on disk, for a while, bounded, and gone with what they were made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from bobctx.core.records import CallName, KeptAnswer
from bobctx.core.types import Pin, UserScope
from bobctx.store import SqliteStore, repeats
from tests.integration.store.making import PROMPT, SCOPE, VALIDATOR, put, turns

NAME = CallName(principal="p", method="POST", path="/v1/x", scope=SCOPE, key="k")
ELSEWHERE = replace(NAME, scope=replace(SCOPE, conversation_id="elsewhere"))
KEPT = KeptAnswer(body_sha256="00", answer=b'{"text": "the heron lands at dawn"}')
NOW = 1_000_000.0


async def keep(store: SqliteStore, name: CallName = NAME, *, at: float = NOW, after: float = 0.0) -> bool:
    _, stamp = await store.repeats.find(name, kept_after=after)
    return await store.repeats.keep(name, KEPT, stamp=stamp, kept_after=after, now=at)


async def found(store: SqliteStore, name: CallName = NAME, *, after: float = 0.0) -> KeptAnswer | None:
    return (await store.repeats.find(name, kept_after=after))[0]


async def test_an_answer_is_there_after_the_file_was_closed(store: SqliteStore, path: object) -> None:
    assert await keep(store)
    await store.close()
    async with await SqliteStore.open(str(path), prompt_version=PROMPT, validator_version=VALIDATOR) as again:
        assert await found(again) == KEPT


async def test_an_answer_past_its_time_is_not_found_and_goes_with_the_next(
    store: SqliteStore, sql: Callable[[str], list[tuple[object, ...]]]
) -> None:
    await keep(store)
    assert await found(store, after=NOW) is None
    await keep(store, replace(NAME, key="later"), at=NOW + 10, after=NOW + 5)
    assert sql("SELECT count(*) FROM repeats") == [(1,)]
    assert await store.repeats.trim(kept_after=NOW + 20) == 1
    assert sql("SELECT count(*) FROM repeats") == [(0,)]


async def test_only_the_newest_are_kept(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "MOST", 3)
    for number in range(9):
        await keep(store, replace(NAME, key=str(number)))
    assert await store.repeats.trim(kept_after=0.0) == 1
    assert [await found(store, replace(NAME, key=str(n))) is not None for n in range(9)] == [False] * 6 + [True] * 3


@pytest.mark.parametrize("how", ["message", "conversation", "speaker", "user", "unpin"])
async def test_a_deletion_takes_the_answers_of_its_conversation(store: SqliteStore, how: str) -> None:
    """Fails if kept answers, or hashes of bodies, outlive the text they may hold."""
    await put(store, turns(0, 2))
    await put(store, turns(0, 2), scope=ELSEWHERE.scope)
    await store.add_pin(SCOPE, Pin(pin_id="p1", text="x", by="user", created_ts=0.0))
    await keep(store)
    await keep(store, ELSEWHERE)
    first = (await store.snapshot(SCOPE)).spine.ids[0]
    if how == "message":
        await store.delete_message(SCOPE, first, now=NOW)
    elif how == "conversation":
        await store.delete_conversation(SCOPE, now=NOW)
    elif how == "speaker":
        await store.delete_speaker(SCOPE, "nobody", now=NOW)
        assert await found(store) == KEPT, "nothing was deleted"
        return
    elif how == "user":
        await store.erase(UserScope(user_id=SCOPE.user_id), now=NOW)
    else:
        await store.remove_pin(SCOPE, "p1")
    assert await found(store) is None
    assert (await found(store, ELSEWHERE) is None) is (how == "user")


async def test_an_answer_under_way_during_a_deletion_is_not_kept(store: SqliteStore) -> None:
    """Fails if the answer of a call that began before a deletion brings its text back after it."""
    await put(store, turns(0, 2))
    _, stamp = await store.repeats.find(NAME, kept_after=0.0)
    await store.delete_conversation(SCOPE, now=NOW)
    assert not await store.repeats.keep(NAME, KEPT, stamp=stamp, kept_after=0.0, now=NOW)
    assert await found(store) is None
    assert await store.repeats.keep(NAME, KEPT, stamp=None, kept_after=0.0, now=NOW), "a receipt is kept"

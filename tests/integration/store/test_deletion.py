"""Deletion: everything made from a text goes with it, and no byte of it stays in the file (invariant I13)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bobctx.core.types import Pin, Scope, UserScope
from bobctx.errors import NotFound
from bobctx.ports import StoredReply
from bobctx.store import SqliteStore
from tests.integration.store.making import PROMPT, SCOPE, VALIDATOR, chain_of, compact, ids, posted, put, texts, turns

Sql = Callable[[str], list[tuple[object, ...]]]
SECRET = "the launch codeword is peregrinefalcon and nobody may know it"


def reply(key: str, *, raw: str, priors: dict[str, str] | None = None, hashes: tuple[str, ...] = ("h",)) -> StoredReply:
    return StoredReply(
        reply_key=key, region_hashes=hashes, prior_sha256="p", ask="first", reasons_sha256="",
        aliases={"messages": {"m1": 0}, "priors": priors or {}}, seat="scripted", provider="local", host="localhost",
        prompt_version=PROMPT, raw=raw, usage={}, cost_usd=0.0, elapsed_ms=1, status="answered",
    )  # fmt: skip


def on_disk(path: Path, *needles: str) -> list[str]:
    """Which of the needles stand in the database or anything beside it."""
    data = b"".join(p.read_bytes() for p in path.parent.iterdir() if p.is_file())
    return [n for n in needles if n.encode() in data or n.encode().lower() in data]


async def secret_conversation(store: SqliteStore) -> None:
    """Two regions; the first holds the secret, the second was asked about with a claim that cites it."""
    await put(store, turns(1, 1))
    await put(store, [posted("u2", "user", SECRET, tokens=2000, speaker="Eve"), posted("a2", "assistant", "noted")])
    await put(store, turns(3, 8))
    first, taken = await compact(store, 4, [("c1", "codeword peregrinefalcon", 0)], reply_key="first")
    assert taken
    await store.save_reply(SCOPE, reply("first", raw="codeword peregrinefalcon"), message_ids=["u2", "a2", "u3", "a3"])
    _, taken = await compact(
        store, 4, [("c1", "port 8004", 0)], reply_key="second", narrative={"goal": "use peregrinefalcon"},
        validation={"rejections": ["peregrinefalcon"]},
    )  # fmt: skip
    assert taken
    await store.save_reply(
        SCOPE,
        reply("second", raw="about peregrinefalcon", priors={"r1.c1": first.claims[0].id}),
        message_ids=["u4", "a4", "u5", "a5"],
    )
    _, taken = await compact(store, 4, [("c1", "port 8006", 0)], reply_key="third", narrative={"goal": "ports"})
    assert taken
    await store.save_reply(SCOPE, reply("third", raw="ports"), message_ids=["u6", "a6", "u7", "a7"])
    await store.add_pin(
        SCOPE, Pin(pin_id="p1", text="codeword peregrinefalcon", by="user", claim_id=first.claims[0].id)
    )
    await store.add_pin(SCOPE, Pin(pin_id="p2", text="unrelated", by="user"))
    await store.add_run(SCOPE, {"trace_id": "t1", "note": "peregrinefalcon"})


async def test_a_deleted_message_is_nowhere(store: SqliteStore, path: Path, sql: Sql) -> None:
    """Fails when any table, index, log or backup keeps the text."""
    await secret_conversation(store)
    (path.parent / "test.db.v0.bak").write_text(SECRET)
    assert on_disk(path, SECRET, "peregrinefalcon")
    receipt = await store.delete_message(SCOPE, "u2", now=50.0)
    assert on_disk(path, SECRET, "peregrinefalcon", "peregrine") == []
    assert receipt["messages"] == 1
    assert (receipt["purged"], receipt["residue"]) == (1, 0)
    assert (receipt["claims"], receipt["replies"], receipt["pins"], receipt["runs"]) == (1, 2, 1, 1)
    with pytest.raises(NotFound):
        await texts(store, ["u2"])
    assert await store.search(SCOPE, "peregrinefalcon", limit=5) == []
    assert sql("SELECT message_id, seq, sha256, deleted FROM messages WHERE deleted") == [("u2", 3, "", 1)]


async def test_regions_without_the_message_keep_their_claims(store: SqliteStore, sql: Sql) -> None:
    await secret_conversation(store)
    await store.delete_message(SCOPE, "u2", now=50.0)
    snapshot = await store.snapshot(SCOPE)
    chain = chain_of(snapshot)
    assert chain.break_ is None
    assert [link.compaction.status for link in chain.links] == ["empty", "shadow_ok", "shadow_ok"]
    assert [dict(link.compaction.narrative) for link in chain.links] == [{}, {}, {"goal": "ports"}]
    assert sql("SELECT alias, text FROM claims ORDER BY alias") == [("r2.c1", "port 8004"), ("r3.c1", "port 8006")]
    assert [p.pin_id for p in snapshot.pins] == ["p2"]
    assert set(await store.replies(SCOPE, ["first", "second", "third"])) == {"third"}


async def test_a_deleted_message_does_not_come_back(store: SqliteStore, path: Path) -> None:
    await secret_conversation(store)
    await store.delete_message(SCOPE, "u2", now=50.0)
    result = await put(store, [*turns(1, 1), posted("u2", "user", SECRET), posted("a2", "assistant", "noted")])
    assert (result.indexed, result.ignored, result.unchanged) == (0, 1, 3)
    assert "u2" not in await ids(store)
    result = await put(store, [posted("u2", "user", SECRET), posted("n1", "user", "new")])
    assert (result.indexed, result.ignored) == (1, 1)
    assert await store.missing(SCOPE, [("u2", "0" * 64)]) == []
    assert on_disk(path, "peregrinefalcon") == []


async def test_a_paid_reply_that_arrives_after_the_deletion_is_not_kept(store: SqliteStore, path: Path) -> None:
    await secret_conversation(store)
    await store.delete_message(SCOPE, "u2", now=50.0)
    await store.save_reply(SCOPE, reply("late", raw="peregrinefalcon"), message_ids=["u2", "a2"])
    assert await store.replies(SCOPE, ["late"]) == {}
    assert on_disk(path, "peregrinefalcon") == []


async def test_rejected_and_retired_rows_of_the_message_go_too(store: SqliteStore, path: Path) -> None:
    await put(store, turns(1, 1))
    await put(store, [posted("u2", "user", SECRET, tokens=2000), posted("a2", "assistant", "noted"), *turns(3, 4)])
    await compact(store, 2, status="shadow_rejected", validation={"text": "peregrinefalcon"}, reply_key="x")
    await compact(store, 4, [("c1", "peregrinefalcon", 0)])
    await put(store, [posted("a3", "assistant", "edited")])
    assert "peregrinefalcon" in str(on_disk(path, "peregrinefalcon"))
    await store.delete_message(SCOPE, "u2", now=50.0)
    assert on_disk(path, "peregrinefalcon") == []


async def test_a_whole_conversation_goes_and_others_stay(store: SqliteStore, path: Path) -> None:
    other = Scope(conversation_id="talk", user_id="bo")
    await secret_conversation(store)
    await put(store, [posted("u2", "user", "an osprey", tokens=10)], scope=other)
    receipt = await store.delete_conversation(SCOPE, now=60.0)
    assert receipt["messages"] == 20
    assert on_disk(path, "peregrine", "question 4", "port 8004", "unrelated") == []
    snapshot = await store.snapshot(SCOPE)
    assert (snapshot.spine.n, snapshot.compactions, snapshot.pins, snapshot.exists) == (0, (), (), False)
    assert await store.conversations(UserScope(user_id="ana")) == []
    assert await texts(store, ["u2"], other) == ["an osprey"]
    result = await put(store, turns(1, 1))
    assert (result.indexed, result.ignored) == (0, 2)
    result = await put(store, [posted("s9", "system", "rules"), posted("n1", "user", "fresh")])
    assert result.seqs == {"s9": 21, "n1": 22}, "arrival numbers are never used again"
    assert await ids(store) == ["n1"]


async def test_a_speaker_goes_in_one_conversation_or_in_all(store: SqliteStore, path: Path) -> None:
    second = replace(SCOPE, conversation_id="second")
    for scope in (SCOPE, second):
        await put(
            store,
            [posted("u1", "user", "from eve: quetzal", speaker="Eve"), posted("u2", "user", "from bo", speaker="Bo")],
            scope=scope,
        )
    assert (await store.delete_speaker(SCOPE, "Eve", now=1.0))["messages"] == 1
    assert await ids(store) == ["u2"]
    assert await ids(store, second) == ["u1", "u2"]
    assert (await store.delete_speaker(UserScope(user_id="ana"), "Eve", now=1.0))["messages"] == 1
    assert await ids(store, second) == ["u2"]
    assert on_disk(path, "quetzal", "Eve") == []


async def test_erase_takes_one_user_and_export_shows_what_there_is(store: SqliteStore, path: Path) -> None:
    await secret_conversation(store)
    bo = UserScope(user_id="bo")
    await put(store, [posted("u1", "user", "an osprey")], scope=Scope(conversation_id="talk", user_id="bo"))
    kinds = [item["kind"] async for item in store.export(UserScope(user_id="ana"))]
    assert {k: kinds.count(k) for k in set(kinds)} == {
        "conversation": 1, "message": 20, "claim": 3, "compaction": 3, "reply": 3, "pin": 2, "run": 1,
    }  # fmt: skip
    assert (await store.erase(UserScope(user_id="ana"), now=9.0))["messages"] == 20
    assert on_disk(path, "peregrine") == []
    left: list[Any] = [item async for item in store.export(UserScope(user_id="ana"))]
    assert all(item["deleted"] and item["body"] is None for item in left if item["kind"] == "message")
    assert [item["text"] async for item in store.export(bo) if item["kind"] == "message"] == ["an osprey"]


async def test_retention_deletes_by_age(store: SqliteStore) -> None:
    ana = UserScope(user_id="ana")
    await put(store, [posted("u1", "user", "old", created_at=100.0), posted("u2", "user", "new", created_at=900.0)])
    await put(store, [posted("u3", "user", "no time of its own")], now=100.0)
    assert (await store.apply_retention(ana, now=1000.0)) == {}
    await store.set_retention(ana, max_age_s=500.0)
    assert (await store.apply_retention(ana, now=1000.0))["messages"] == 2
    assert await ids(store) == ["u2"]


async def test_deleting_what_is_not_there_is_not_found(store: SqliteStore) -> None:
    with pytest.raises(NotFound):
        await store.delete_conversation(SCOPE, now=1.0)
    await put(store, turns(1, 1))
    for message_id in ("nope", "m99"):
        with pytest.raises(NotFound):
            await store.delete_message(SCOPE, message_id, now=1.0)
    await store.delete_message(SCOPE, "m1", now=1.0)
    with pytest.raises(NotFound):
        await store.delete_message(SCOPE, "u1", now=1.0)


async def test_a_purge_cut_short_is_finished_at_the_next_start(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails when the deletion's transaction does not leave a note for the next process."""
    from bobctx.store import removal

    async def killed(*_: object) -> int:
        raise KeyboardInterrupt

    store = await SqliteStore.open(path, prompt_version=PROMPT, validator_version=VALIDATOR)
    await put(store, turns(1, 40))
    await put(store, [posted("x", "user", SECRET)])
    with monkeypatch.context() as patch:
        patch.setattr(removal, "purge", killed)
        with pytest.raises(KeyboardInterrupt):
            await store.delete_message(SCOPE, "x", now=1.0)
    await store.close()
    store = await SqliteStore.open(path, prompt_version=PROMPT, validator_version=VALIDATOR)
    assert store._purging is not None
    await store._purging
    await store.close()
    assert on_disk(path, SECRET, "peregrine") == []


async def test_a_large_conversation_goes_in_steps_each_complete_in_itself(
    store: SqliteStore, path: Path, sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bobctx.store import deletion

    monkeypatch.setattr(deletion, "STEP", 3)
    await secret_conversation(store)
    receipt = await store.delete_conversation(SCOPE, now=60.0)
    assert (receipt["messages"], receipt["claims"], receipt["compactions"], receipt["replies"]) == (20, 3, 3, 3)
    assert on_disk(path, "peregrine", "question 4", "port 8004") == []
    assert sql("SELECT count(*) FROM claims") == sql("SELECT count(*) FROM bodies") == [(0,)]
    await put(store, [posted(f"n{i}", "user", f"osprey {i}", speaker="Eve") for i in range(8)])
    assert (await store.delete_speaker(SCOPE, "Eve", now=1.0))["messages"] == 8
    assert on_disk(path, "osprey") == []


async def test_the_check_of_the_file_finds_what_is_left(store: SqliteStore, path: Path) -> None:
    """The check itself works: a piece of text that lives is found, also over the edge of two blocks."""
    from bobctx.store import purge

    await put(store, [posted("u1", "user", SECRET)])
    assert purge.find_bytes(path, ["codeword is peregrinefalcon", "nowhere at all"]) == ["codeword is peregrinefalcon"]
    for edge in (40, 64, 100):
        file = path.with_name(f"edge{edge}")
        file.write_bytes(b"x" * (purge.BLOCK - edge + 50) + SECRET.encode() + b"y" * 1000)
        assert list(purge._in_file(file, [SECRET])) == [SECRET]


async def test_a_new_counter_recounts_a_conversation_at_once(store: SqliteStore) -> None:
    await put(store, turns(1, 3))
    other = Scope(conversation_id="talk", user_id="bo")
    await put(store, turns(1, 1), scope=other)
    assert await store.stale_counts("test") == []
    assert await store.stale_counts("new") == [SCOPE, other]
    assert await store.recount(SCOPE, "new", lambda m: len(m.text), now=5.0) == 6
    snapshot = await store.snapshot(SCOPE)
    assert list(snapshot.spine.tokens) == [len(m.text) for m in await store.load(SCOPE, list(snapshot.spine.ids))]
    [listed] = await store.conversations(UserScope(user_id="ana"))
    assert listed.tokens == sum(snapshot.spine.tokens)
    assert await store.stale_counts("new") == [other]

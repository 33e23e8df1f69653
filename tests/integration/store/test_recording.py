"""Recording as the design's section 3 has it: idempotent, edits in place, branches, truncation, lossless bodies."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx.core import sentinel
from bobctx.core.types import Scope
from bobctx.errors import InvalidInput, NotFound, UnknownParent
from bobctx.store import SqliteStore
from tests.integration.store.making import SCOPE, body_of, ids, posted, put, texts, turns


async def test_arrival_numbers_start_at_one_and_follow_the_calls(store: SqliteStore) -> None:
    result = await put(store, turns(1, 2))
    assert (result.indexed, result.updated, result.unchanged) == (4, 0, 0)
    assert result.seqs == {"u1": 1, "a1": 2, "u2": 3, "a2": 4}
    assert result.leaf_id == "a2"
    assert await ids(store) == ["u1", "a1", "u2", "a2"]


async def test_the_same_call_twice_changes_nothing(store: SqliteStore) -> None:
    first = await put(store, turns(1, 2))
    second = await put(store, turns(1, 2))
    assert (second.indexed, second.updated, second.unchanged) == (0, 0, 4)
    assert second.revision == first.revision
    assert second.seqs == first.seqs


async def test_a_new_message_after_known_ones_joins_them(store: SqliteStore) -> None:
    await put(store, turns(1, 2))
    result = await put(store, [*turns(1, 2), posted("u3", "user", "next")])
    assert (result.indexed, result.unchanged, result.leaf_id) == (1, 4, "u3")
    assert await ids(store) == ["u1", "a1", "u2", "a2", "u3"]


async def test_the_newest_messages_are_those_of_the_branch(store: SqliteStore) -> None:
    await put(store, turns(1, 3))
    await put(store, [posted("b2", "user", "another way", parents=["a1"])])
    assert [m.id for m in await store.newest(SCOPE, None, limit=2)] == ["a1", "b2"]
    assert [m.id for m in await store.newest(SCOPE, "a3", limit=3)] == ["a2", "u3", "a3"]
    assert await store.newest(Scope(conversation_id="c1", user_id="nobody"), None, limit=3) == []


async def test_new_bytes_under_a_known_id_are_an_edit_in_place(store: SqliteStore) -> None:
    await put(store, turns(1, 2))
    before = await store.snapshot(SCOPE)
    result = await put(store, [posted("u1", "user", "changed", tokens=7)], now=2000.0)
    after = await store.snapshot(SCOPE)
    assert (result.indexed, result.updated, result.leaf_id) == (0, 1, "a2")
    assert await texts(store, ["u1"]) == ["changed"]
    assert list(after.spine.ids) == list(before.spine.ids)
    assert after.spine.hashes[0] != before.spine.hashes[0]
    assert after.spine.tokens[0] == 7
    assert after.last_edit_ts == 2000.0
    assert before.spine.tokens[0] == 2000, "a reader's spine never changes under it"


async def test_an_edit_takes_the_stricter_egress_class(store: SqliteStore) -> None:
    await put(store, [posted("u1", "user", "one", egress="local"), posted("u2", "user", "two", egress="cloud_ok")])
    await put(store, [posted("u1", "user", "one!", egress="cloud_ok"), posted("u2", "user", "two!", egress="local")])
    found = await store.load(SCOPE, ["u1", "u2"])
    assert [m.egress for m in found] == ["local", "local"]
    flags = (await store.snapshot(SCOPE)).spine.flags
    assert all(f & 32 for f in flags)


async def test_a_parent_that_is_not_the_leaf_starts_a_branch_and_nothing_is_lost(store: SqliteStore) -> None:
    await put(store, turns(1, 3))
    await put(store, [posted("u2b", "user", "another way", parents=["a1"]), posted("a2b", "assistant", "so be it")])
    assert await ids(store) == ["u1", "a1", "u2b", "a2b"]
    assert await ids(store, leaf_id="a3") == ["u1", "a1", "u2", "a2", "u3", "a3"]
    assert await texts(store, ["u3"]) == ["question 3 about port 8003"]


async def test_known_messages_never_move_the_leaf(store: SqliteStore) -> None:
    await put(store, turns(1, 3))
    await put(store, [posted("u2b", "user", "another way", parents=["a1"])])
    await put(store, turns(1, 3))
    assert await ids(store) == ["u1", "a1", "u2b"]


async def test_a_new_message_under_an_old_branch_makes_it_active_again(store: SqliteStore) -> None:
    await put(store, turns(1, 2))
    await put(store, [posted("u2b", "user", "another way", parents=["a1"])])
    await put(store, [posted("u3", "user", "back", parents=["a2"])])
    assert await ids(store) == ["u1", "a1", "u2", "a2", "u3"]
    await put(store, [posted("a2b", "assistant", "here again", parents=["u2b"])])
    assert await ids(store) == ["u1", "a1", "u2b", "a2b"]


async def test_history_posted_with_another_ending_branches_at_the_last_known_message(store: SqliteStore) -> None:
    await put(store, turns(1, 2))
    result = await put(store, [*turns(1, 1), posted("u2b", "user", "again, otherwise")])
    assert result.indexed == 1
    assert await ids(store) == ["u1", "a1", "u2b"]


async def test_truncation_moves_the_leaf_and_deletes_nothing(store: SqliteStore) -> None:
    await put(store, turns(1, 3))
    result = await put(store, [], truncate_after="u2")
    assert result.leaf_id == "u2"
    assert await ids(store) == ["u1", "a1", "u2"]
    await put(store, [posted("a2x", "assistant", "regenerated")])
    assert await ids(store) == ["u1", "a1", "u2", "a2x"]
    assert await ids(store, leaf_id="a3") == ["u1", "a1", "u2", "a2", "u3", "a3"]


async def test_truncation_comes_before_the_messages_of_the_same_call(store: SqliteStore) -> None:
    await put(store, turns(1, 2))
    await put(store, [posted("a1x", "assistant", "better")], truncate_after="u1")
    assert await ids(store) == ["u1", "a1x"]


async def test_an_unknown_parent_stores_nothing_of_the_call(store: SqliteStore) -> None:
    await put(store, turns(1, 1))
    with pytest.raises(UnknownParent) as caught:
        await put(store, [posted("u2", "user", "fine"), posted("x", "user", "lost", parents=["nowhere"])])
    assert caught.value.data["id"] == "nowhere"
    assert await ids(store) == ["u1", "a1"]
    with pytest.raises(UnknownParent):
        await put(store, [], truncate_after="nowhere")
    with pytest.raises(UnknownParent):
        await put(store, turns(1, 1), scope=Scope(conversation_id="new", user_id="ana"), truncate_after="nowhere")
    assert not (await store.snapshot(Scope(conversation_id="new", user_id="ana"))).exists


async def test_a_parent_of_another_conversation_is_unknown(store: SqliteStore) -> None:
    await put(store, turns(1, 1))
    other = Scope(conversation_id="other", user_id="ana")
    with pytest.raises(UnknownParent):
        await put(store, [posted("x", "user", "hello", parents=["u1"])], scope=other)


async def test_empty_lists_of_parents_name_none_where_no_parent_is_ever_named(store: SqliteStore) -> None:
    """A host with an empty list as default value must not lose its history to it."""
    await put(store, [posted("u1", "user", "x", parents=[]), posted("a1", "assistant", "y", parents=[])])
    await put(store, [posted("u2", "user", "x", parents=[])])
    await put(store, [posted("a2", "assistant", "y", parents=[])])
    assert await ids(store) == ["u1", "a1", "u2", "a2"]


async def test_an_empty_list_of_parents_is_a_new_beginning_where_the_host_names_parents(store: SqliteStore) -> None:
    await put(store, [posted("u1", "user", "x", parents=[]), posted("a1", "assistant", "y", parents=["u1"])])
    await put(store, [posted("s", "system", "be brief", parents=[]), posted("u1b", "user", "x again")])
    assert await ids(store) == ["u1b"]
    assert await ids(store, leaf_id="a1") == ["u1", "a1"]
    await put(store, [posted("u2", "user", "back", parents=["a1"])])
    assert await ids(store) == ["u1", "a1", "u2"]


async def test_one_id_with_different_bytes_in_one_call_is_refused(store: SqliteStore) -> None:
    with pytest.raises(InvalidInput):
        await put(store, [posted("u1", "user", "a"), posted("u1", "user", "b")])
    assert not (await store.snapshot(SCOPE)).exists
    result = await put(store, [posted("u1", "user", "a"), posted("u1", "user", "a")])
    assert (result.indexed, result.unchanged) == (1, 1)


async def test_leading_system_messages_stay_off_the_spine_and_later_ones_on_it(store: SqliteStore) -> None:
    await put(
        store,
        [
            posted("s1", "system", "be brief"),
            posted("s2", "developer", "and kind"),
            posted("u1", "user", "hi"),
            posted("s3", "system", "a notice"),
        ],
    )
    assert await ids(store) == ["u1", "s3"]
    assert await texts(store, ["s1", "s2", "s3"]) == ["be brief", "and kind", "a notice"]


BODIES: list[Any] = [
    {"role": "user", "content": ""},
    {"role": "user", "content": "nul \0 inside"},
    {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "data:x"}}]},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "done"},
    {"role": "user", "content": "big", "extra": {"number": 2**80, "float": 1e-7, "deep": [[[[]]]], "null": None}},
    {"role": "user", "content": "\u202eabc \U0001f600 e\u0301 \ufffd"},
    {"role": "user", "content": "x" * 300_000},
    {"role": "user", "content": " " * 300_000},
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(BODIES)))
async def test_every_body_comes_back_exactly(store: SqliteStore, number: int) -> None:
    body = BODIES[number]
    await put(
        store,
        [posted("m", body["role"], body["content"], **{k: v for k, v in body.items() if k not in ("role", "content")})],
    )
    found, total, following = await store.expand(SCOPE, ["m1"], offset=0, max_messages=20, max_chars=60_000)
    assert (total, following) == (1, None)
    assert body_of(found[0].message) == body
    assert [type(v) for v in body_of(found[0].message).values()] == [type(v) for v in body.values()]


async def test_our_own_block_is_never_recorded(store: SqliteStore) -> None:
    key = await store.secret()
    block = sentinel.seal("history: …", key)
    forged = sentinel.seal("history: …", b"another key")
    result = await put(
        store,
        [
            posted("u1", "user", "hello"),
            posted("b1", "user", block),
            posted("f1", "user", forged),
            posted("u2", "user", f"before\n\n{block}\n\nafter"),
        ],
    )
    assert (result.indexed, result.ignored) == (3, 1)
    assert await ids(store) == ["u1", "f1", "u2"]
    assert await texts(store, ["f1", "u2"]) == [forged, "before\n\nafter"]
    with pytest.raises(NotFound):
        await texts(store, ["b1"])


async def test_a_result_of_our_tools_is_kept_for_its_call_but_is_nobodys_words(store: SqliteStore) -> None:
    key = await store.secret()
    call = [{"id": "c1", "type": "function", "function": {"name": "conv_expand", "arguments": "{}"}}]
    await put(
        store,
        [
            posted("u1", "user", "hello"),
            posted("a1", "assistant", None, tool_calls=call),
            posted("t1", "tool", sentinel.seal("zebra original", key, kind="tool"), tool_call_id="c1"),
        ],
    )
    assert await ids(store) == ["u1", "a1", "t1"]
    assert (await store.load(SCOPE, ["t1"]))[0].injected
    assert await store.search(SCOPE, "zebra", limit=5) == []


async def test_listing_shows_one_users_conversations_only(store: SqliteStore) -> None:
    from bobctx.core.types import UserScope

    await put(store, turns(1, 1), now=10.0)
    await put(store, turns(1, 2), scope=Scope(conversation_id="second", user_id="ana"), now=20.0)
    await put(store, turns(1, 3), scope=Scope(conversation_id="talk", user_id="bo"), now=30.0)
    found = await store.conversations(UserScope(user_id="ana"))
    assert [(c.conversation_id, c.messages, c.leaf_id) for c in found] == [("second", 4, "a2"), ("talk", 2, "a1")]
    assert found[1].tokens == 2100


async def test_missing_names_what_is_not_stored_with_that_hash(store: SqliteStore) -> None:
    await put(store, turns(1, 1))
    hashes = list((await store.snapshot(SCOPE)).spine.hashes)
    wanted = await store.missing(SCOPE, [("u1", hashes[0]), ("a1", "0" * 64), ("zz", "1" * 64)])
    assert wanted == ["a1", "zz"]


async def test_modes_and_pins_are_part_of_the_snapshot(store: SqliteStore) -> None:
    from bobctx.core.types import Pin

    with pytest.raises(NotFound):
        await store.set_mode(SCOPE, mode="off")
    await put(store, turns(1, 1))
    await store.set_mode(SCOPE, mode="shadow")
    await store.set_mode(SCOPE, paused=True)
    await store.add_pin(SCOPE, Pin(pin_id="p1", text="keep me", by="user"))
    snapshot = await store.snapshot(SCOPE)
    assert (snapshot.mode, snapshot.paused, [p.text for p in snapshot.pins]) == ("shadow", True, ["keep me"])
    assert await store.remove_pin(SCOPE, "p1")
    assert not await store.remove_pin(SCOPE, "p1")


@pytest.mark.parametrize("count", [1, 40])
async def test_ids_of_any_characters_are_ids(store: SqliteStore, count: int) -> None:
    """NUL ends a string inside SQLite's JSON; quotes, dots and slashes end one elsewhere."""
    strange = ["a\0b", "a\0c", 'q"uote', "m1..m2", "a/b?c=%20", "\U0001f600", " ", "x" * 3000]
    wanted = [f"{name}{i}" for i in range(count) for name in strange]
    await put(store, [posted(name, "user", f"text of {n}") for n, name in enumerate(wanted)])
    assert [m.id for m in await store.load(SCOPE, wanted)] == wanted
    hashes = list((await store.snapshot(SCOPE)).spine.hashes)
    assert await store.missing(SCOPE, list(zip(wanted, hashes, strict=True))) == []
    assert await store.missing(SCOPE, [("a\0", hashes[0]), ("a", hashes[0])]) == ["a\0", "a"]
    assert await texts(store, wanted) == [f"text of {n}" for n in range(len(wanted))]

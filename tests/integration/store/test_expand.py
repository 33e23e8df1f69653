"""Reading originals back: aliases, ids, ranges, pages."""

from __future__ import annotations

import pytest

from bobctx.core.types import Scope
from bobctx.errors import NotFound, TooLarge
from bobctx.store import SqliteStore, messages
from tests.integration.store.making import SCOPE, posted, put, texts, turns


async def test_aliases_ids_and_ranges_are_read_in_the_order_asked(store: SqliteStore) -> None:
    await put(store, turns(1, 3))
    assert await texts(store, ["a3", "m1", "m3..m5"]) == [
        "answer 3", "question 1 about port 8001", "question 2 about port 8002", "answer 2",
        "question 3 about port 8003",
    ]  # fmt: skip


async def test_pages_follow_the_offset_and_both_limits(store: SqliteStore) -> None:
    await put(store, turns(1, 5))
    page, total, following = await store.expand(SCOPE, ["m1..m10"], offset=2, max_messages=3, max_chars=60_000)
    assert ([e.message.alias for e in page], [e.offset for e in page]) == (["m3", "m4", "m5"], [2, 3, 4])
    assert (total, following) == (10, 5)
    page, _, following = await store.expand(SCOPE, ["m1..m10"], offset=0, max_messages=20, max_chars=30)
    assert ([e.message.alias for e in page], following) == (["m1"], 1), "one message always fits a page"
    page, _, following = await store.expand(SCOPE, ["m1..m10"], offset=9, max_messages=20, max_chars=30)
    assert ([e.message.alias for e in page], following) == (["m10"], None)


@pytest.mark.parametrize("ref", ["m0", "m99", "nope", "m3..m1", "m1..m99", "..", "m1..", "m4294967296"])
async def test_an_unknown_reference_is_not_found(store: SqliteStore, ref: str) -> None:
    await put(store, turns(1, 2))
    with pytest.raises(NotFound):
        await texts(store, ["m1", ref])


async def test_a_foreign_message_is_not_found(store: SqliteStore) -> None:
    await put(store, turns(1, 2))
    await put(store, [posted("mine", "user", "secret")], scope=Scope(conversation_id="talk", user_id="bo"))
    with pytest.raises(NotFound):
        await texts(store, ["mine"])


async def test_a_range_stays_on_the_spine_that_holds_both_ends(store: SqliteStore) -> None:
    await put(store, turns(1, 3))
    await put(store, [posted("u2b", "user", "other", parents=["a1"]), posted("a2b", "assistant", "way")])
    assert await texts(store, ["u1..a2b"]) == ["question 1 about port 8001", "answer 1", "other", "way"]
    assert len(await texts(store, ["u1..a3"])) == 6
    with pytest.raises(NotFound):
        await texts(store, ["a3..a2b"])


async def test_an_id_that_looks_like_an_alias_or_a_range_is_tried_as_an_id_first(store: SqliteStore) -> None:
    await put(store, [posted("m2", "user", "first"), posted("a..b", "user", "dots")])
    assert await texts(store, ["m2", "a..b", "m1"]) == ["first", "dots"]


async def test_a_call_may_not_name_the_same_long_range_again_and_again(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails if only single ranges are bounded: two hundred of them would read a conversation two hundred times."""
    monkeypatch.setattr(messages, "MAX_RANGE", 25)
    await put(store, turns(1, 10))
    page, total, _ = await store.expand(SCOPE, ["m1..m20", "m1..m5"], offset=0, max_messages=5, max_chars=60_000)
    assert (len(page), total) == (5, 20)
    with pytest.raises(TooLarge):
        await store.expand(SCOPE, ["m1..m20", "m2..m20"], offset=0, max_messages=5, max_chars=60_000)


async def test_a_host_that_counts_from_m0_gets_back_the_message_that_an_alias_names(store: SqliteStore) -> None:
    """Fails if the alias shown to a model is made from the arrival number alone."""
    await put(store, [posted(f"m{n}", "user" if n % 2 == 0 else "assistant", f"text {n}") for n in range(6)])
    page, _, _ = await store.expand(SCOPE, ["m0..m5"], offset=0, max_messages=20, max_chars=60_000)
    for item in page:
        assert await texts(store, [item.message.alias]) == [item.message.text]
    assert [item.message.alias for item in page] == [f"m{n}" for n in range(6)]

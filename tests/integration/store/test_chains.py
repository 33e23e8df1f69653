"""Compactions: committed in one transaction with a re-check, re-linked after edits, per branch, claims beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from bobctx.core.chain import refill
from bobctx.core.types import Compaction
from bobctx.ports import Snapshot
from bobctx.store import SqliteStore
from tests.integration.store.making import (
    SCOPE,
    chain_of,
    compact,
    hashes_of,
    ids,
    link_at,
    posted,
    put,
    turns,
)

Sql = Callable[[str], list[tuple[object, ...]]]
CLAIMS = "SELECT alias, text, active FROM claims ORDER BY alias"


async def with_three_links(store: SqliteStore) -> None:
    """Opening u1 a1, then regions u2..a3, u4..a5, u6..a7, and a tail."""
    await put(store, turns(1, 10))
    for number, text in ((1, "port 8002"), (2, "port 8004"), (3, "port 8006")):
        _, taken = await compact(store, 4, [("c1", text, 0)], narrative={"goal": f"goal {number}"})
        assert taken


async def test_a_link_joins_the_chain_and_its_claims_are_derived(store: SqliteStore, sql: Sql) -> None:
    await with_three_links(store)
    snapshot = await store.snapshot(SCOPE)
    chain = chain_of(snapshot)
    assert [(link.start, link.end) for link in chain.links] == [(2, 6), (6, 10), (10, 14)]
    assert chain.break_ is None
    assert sql(CLAIMS) == [("r1.c1", "port 8002", 1), ("r2.c1", "port 8004", 1), ("r3.c1", "port 8006", 1)]


async def test_the_same_link_twice_is_stored_once(store: SqliteStore) -> None:
    await put(store, turns(1, 4))
    snapshot = await store.snapshot(SCOPE)
    link = link_at(snapshot, 4, [("c1", "port 8002", 0)])
    for _ in range(2):
        assert await store.commit_compaction(SCOPE, link, region_hashes=hashes_of(snapshot, link))
    assert len(await store.compactions(SCOPE)) == 1


async def test_a_result_in_flight_is_discarded_when_a_message_changed(store: SqliteStore) -> None:
    await put(store, turns(1, 4))
    snapshot = await store.snapshot(SCOPE)
    link = link_at(snapshot, 4, [("c1", "port 8002", 0)])
    await put(store, [posted("a2", "assistant", "edited meanwhile")])
    assert not await store.commit_compaction(SCOPE, link, region_hashes=hashes_of(snapshot, link))
    refused = link_at(snapshot, 4, status="shadow_rejected")
    assert not await store.commit_compaction(SCOPE, refused, region_hashes=hashes_of(snapshot, refused))
    assert await store.compactions(SCOPE, include_rejected=True) == []


async def test_a_result_in_flight_is_discarded_when_a_message_was_deleted(store: SqliteStore) -> None:
    await put(store, turns(1, 4))
    snapshot = await store.snapshot(SCOPE)
    link = link_at(snapshot, 4, [("c1", "port 8002", 0)])
    await store.delete_message(SCOPE, "u2", now=5.0)
    assert not await store.commit_compaction(SCOPE, link, region_hashes=hashes_of(snapshot, link))


async def test_turns_recorded_meanwhile_do_not_spoil_a_result(store: SqliteStore) -> None:
    await put(store, turns(1, 4))
    snapshot = await store.snapshot(SCOPE)
    link = link_at(snapshot, 4)
    await put(store, turns(5, 2))
    assert await store.commit_compaction(SCOPE, link, region_hashes=hashes_of(snapshot, link))


async def test_of_two_results_for_one_place_the_first_wins(store: SqliteStore) -> None:
    await put(store, turns(1, 4))
    snapshot = await store.snapshot(SCOPE)
    one, two = (link_at(snapshot, 4, [("c1", text, 0)], reply_key=text) for text in ("x 1", "x 2"))
    assert await store.commit_compaction(SCOPE, one, region_hashes=hashes_of(snapshot, one))
    assert not await store.commit_compaction(SCOPE, two, region_hashes=hashes_of(snapshot, two))


async def test_rejected_rows_are_kept_for_the_report_only(store: SqliteStore) -> None:
    await put(store, turns(1, 4))
    _, taken = await compact(store, 4, status="shadow_rejected", validation={"raw": 3})
    assert taken
    assert (await store.snapshot(SCOPE)).compactions == ()
    assert [c.status for c in await store.compactions(SCOPE, include_rejected=True)] == ["shadow_rejected"]
    _, taken = await compact(store, 4)
    assert taken


async def test_an_edit_empties_its_region_and_keeps_the_others(store: SqliteStore, sql: Sql) -> None:
    await with_three_links(store)
    result = await put(store, [posted("u4", "user", "another question", tokens=2000)], now=77.0)
    assert result.invalidated == 1
    snapshot = await store.snapshot(SCOPE)
    chain = chain_of(snapshot)
    assert chain.break_ is None
    assert [(link.start, link.end, link.compaction.status) for link in chain.links] == [
        (2, 6, "shadow_ok"), (6, 10, "empty"), (10, 14, "shadow_ok"),
    ]  # fmt: skip
    assert sql(CLAIMS) == [("r1.c1", "port 8002", 1), ("r3.c1", "port 8006", 1)]
    assert snapshot.last_edit_ts == 77.0


async def test_an_edit_behind_the_chain_leaves_it_alone(store: SqliteStore) -> None:
    await with_three_links(store)
    before = await store.compactions(SCOPE)
    result = await put(store, [posted("u10", "user", "another question")])
    assert result.invalidated == 0
    assert await store.compactions(SCOPE) == before


async def test_what_a_lost_region_had_replaced_is_withheld(store: SqliteStore, sql: Sql) -> None:
    await put(store, turns(1, 10))
    first, _ = await compact(store, 4, [("c1", "the port is 8002", 0)])
    _, taken = await compact(store, 4, [("c1", "the port is 8004", 0)], supersedes={"c1": first.claims[0].id})
    assert taken
    assert sql(CLAIMS) == [("r1.c1", "the port is 8002", 0), ("r2.c1", "the port is 8004", 1)]
    await put(store, [posted("u4", "user", "gone")])
    assert sql(CLAIMS) == [("r1.c1", "the port is 8002", 0)]


async def test_an_edit_taken_back_can_be_compacted_again_from_the_stored_reply(store: SqliteStore, sql: Sql) -> None:
    await with_three_links(store)
    await put(store, [posted("u4", "user", "another question", tokens=2000)])
    await put(store, [posted("u4", "user", "question 4 about port 8004", tokens=2000)])
    snapshot = await store.snapshot(SCOPE)
    chain = chain_of(snapshot)
    links = [link.compaction for link in chain.links]
    assert links[1].status == "empty"
    again = link_at_place(snapshot, links, 1)
    assert await store.replace_suffix(
        SCOPE, links[1].compaction_id, refill(SCOPE, snapshot.spine, links, 1, [again], 9.0)
    )
    assert [row[0] for row in sql(CLAIMS)] == ["r1.c1", "r2.c1", "r3.c1"]


def link_at_place(snapshot: Snapshot, links: Sequence[Compaction], index: int) -> Compaction:
    """A full link where an empty one stands."""
    short = replace(snapshot, compactions=tuple(links[:index]))
    return link_at(short, links[index].count, [("c1", "port 8004 again", 0)])


async def test_a_branch_has_its_own_chain_and_switching_back_brings_the_old_one(store: SqliteStore, sql: Sql) -> None:
    await with_three_links(store)
    await put(store, [posted("u5b", "user", "other way", parents=["a4"], tokens=2000), posted("a5b", "assistant", "k")])
    chain = chain_of(await store.snapshot(SCOPE))
    assert [(link.start, link.end) for link in chain.links] == [(2, 6)]
    assert [row[0] for row in sql(CLAIMS)] == ["r1.c1"]
    _, taken = await compact(store, 4, [("c1", "branch", 2)])
    assert taken
    assert sql(CLAIMS) == [("r1.c1", "port 8002", 1), ("r2.c1", "branch", 1)]
    await put(store, [posted("u11", "user", "back", parents=["a10"])])
    chain = chain_of(await store.snapshot(SCOPE))
    assert [link.end for link in chain.links] == [6, 10, 14]
    assert [row[1] for row in sql(CLAIMS)] == ["port 8002", "port 8004", "port 8006"]


async def test_an_edit_seen_from_another_branch_is_relinked_on_the_way_back(store: SqliteStore) -> None:
    await with_three_links(store)
    await put(store, [posted("u7b", "user", "other way", parents=["a6"], tokens=2000)])
    await put(store, [posted("u2", "user", "edited", tokens=2000)])
    chain = chain_of(await store.snapshot(SCOPE))
    assert [(link.end, link.compaction.status) for link in chain.links] == [(6, "empty"), (10, "shadow_ok")]
    await put(store, [posted("u11", "user", "back", parents=["a10"])])
    chain = chain_of(await store.snapshot(SCOPE))
    assert [(link.end, link.compaction.status) for link in chain.links] == [
        (6, "empty"), (10, "shadow_ok"), (14, "shadow_ok"),
    ]  # fmt: skip
    assert chain.break_ is None


async def test_reading_another_branch_moves_nothing(store: SqliteStore) -> None:
    await with_three_links(store)
    await put(store, [posted("u5b", "user", "other way", parents=["a4"])])
    assert len(await ids(store, leaf_id="a10")) == 20
    assert (await ids(store))[-1] == "u5b"


async def test_truncation_inside_the_chain_leaves_the_links_before_it(store: SqliteStore, sql: Sql) -> None:
    await with_three_links(store)
    await put(store, [], truncate_after="a4")
    assert [link.end for link in chain_of(await store.snapshot(SCOPE)).links] == [6]
    assert [row[0] for row in sql(CLAIMS)] == ["r1.c1"]


async def test_replacing_a_suffix_needs_links_that_hold(store: SqliteStore) -> None:
    await with_three_links(store)
    links = await store.compactions(SCOPE)
    assert not await store.replace_suffix(SCOPE, "no such row", links[1:])
    assert not await store.replace_suffix(SCOPE, links[1].compaction_id, links[2:])
    assert await store.compactions(SCOPE) == links


async def test_a_snapshot_reads_only_rows_it_has_not_seen(store: SqliteStore) -> None:
    await with_three_links(store)
    first = (await store.snapshot(SCOPE)).compactions
    await compact(store, 4, [("c1", "port 8008", 0)])
    second = (await store.snapshot(SCOPE)).compactions
    assert len(second) == 4
    assert all(a is b for a, b in zip(first, second, strict=False))


async def test_edits_do_not_pile_up_rows(store: SqliteStore, sql: Sql) -> None:
    await with_three_links(store)
    for i in range(5):
        await put(store, [posted("u2", "user", f"edit {i}", tokens=2000)])
    assert len(await store.compactions(SCOPE)) == 3
    assert sql("SELECT count(*) <= 5 FROM compactions WHERE retired") == [(1,)]
    assert sql("SELECT count(*) FROM compactions WHERE reply_key = 'reply-2'") == [(1,)]

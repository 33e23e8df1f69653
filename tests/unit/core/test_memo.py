"""What is remembered between assemblies, and when it is not used."""

from __future__ import annotations

from dataclasses import replace

from bobctx.core.alignment import from_store
from bobctx.core.memo import AssemblyMemo, LineSizes, Openings, trust
from bobctx.core.segments import Spine, entry_of
from bobctx.core.tokens import estimate
from tests.chains import VERSIONS, claim, message, rows_of, snapshot, talk

MESSAGES = talk(40)
SPINE = Spine.build(map(entry_of, MESSAGES))
ROWS = rows_of(SPINE, [(2, 12, [claim("The port is 8443.", SPINE.ids[2:12])])])


def known(spine: Spine, before: AssemblyMemo | None, **fields: str) -> AssemblyMemo:
    return trust(snapshot(spine, ROWS), from_store(spine, (), estimate), VERSIONS, before, **fields)[0]


def test_a_long_opening_is_cut_once_for_the_same_question_and_again_for_another() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return estimate(text)

    giant = message("Start with this. " + "many words of it " * 4_000, id="a", seq=1)
    openings = Openings()
    first = openings.cut([giant], 600, 100_000, count, "c")
    before = len(counted)
    assert openings.cut([giant], 600, 100_000, count, "c") is first
    assert len(counted) == before
    assert openings.cut([giant], 500, 100_000, count, "c").tokens <= 500
    other = message("Start with that. " + "other words of it " * 4_000, id="a", seq=1)
    assert "that" in openings.cut([other], 600, 100_000, count, "c").messages[0].text


def test_a_grown_spine_keeps_everything() -> None:
    first = known(SPINE, None)
    grown = SPINE.extended([entry_of(message("more", id="x", seq=41))])
    assert known(grown, first) is first


def test_another_spine_is_checked_again() -> None:
    first = known(SPINE, None)
    again = known(Spine.build(map(entry_of, MESSAGES)), first)
    assert again is not first
    assert again.chain == first.chain
    assert again.covers == ()


def test_rows_that_are_equal_but_new_are_checked_again_and_the_view_is_kept() -> None:
    first = known(SPINE, None)
    copies = tuple(replace(row) for row in ROWS)
    again, keep = trust(snapshot(SPINE, copies), from_store(SPINE, (), estimate), VERSIONS, first)
    assert again is not first
    assert again.view is first.view
    assert keep


def test_other_versions_are_not_trusted() -> None:
    first = known(SPINE, None)
    other, _ = trust(snapshot(SPINE, ROWS), from_store(SPINE, (), estimate), ("claims-v3", VERSIONS[1]), first)
    assert other.chain.links == ()


def test_another_counter_forgets_sizes_and_blocks_but_not_the_chain() -> None:
    first = replace(known(SPINE, None, counter_id="a"), sizes={"x": 1})
    again = known(SPINE, first, counter_id="b")
    assert (again.sizes, again.covers) == ({}, ())
    assert again.chain is first.chain


def test_sizes_are_counted_once() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    sizes = LineSizes(count, {"known": 5})
    assert [sizes("known"), sizes("new"), sizes("new")] == [5, 3, 3]
    assert counted == ["new"]
    assert sizes.used == {"known": 5, "new": 3}


def test_long_texts_are_not_remembered() -> None:
    sizes = LineSizes(len, {})
    assert sizes("x" * 5_000) == 5_000
    assert sizes.used == {}

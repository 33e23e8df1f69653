"""Which messages of a request are stored, and with which bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bobctx.core.alignment import Hole, Source, from_request, from_store
from bobctx.core.tokens import estimate
from bobctx.core.types import Message
from tests.chains import message, spine_of, talk

STORED = talk(12)
BASE = spine_of(STORED)


def anonymous(messages: Sequence[Message]) -> list[Message]:
    """The same bodies with ids the store does not know."""
    return [replace(m, id=f"h{i}", seq=None, tokens=0) for i, m in enumerate(messages)]


def read(messages: Sequence[Message], holes: Sequence[Hole] = ()) -> Source:
    return from_request(BASE, messages, holes, estimate)


def seqs(source: Source) -> list[int | None]:
    return list(source.spine.seqs)


def test_the_whole_spine_and_more_is_recognised_by_hash_alone() -> None:
    source = read([*anonymous(STORED), message("new", id="x")])
    assert source.trusted_base
    assert seqs(source) == [*range(1, 13), None]
    assert source.body(3).id == "id3"
    assert source.body(12).seq is None


def test_an_edited_message_keeps_its_id_but_gets_no_alias() -> None:
    source = read([replace(message("edited", id=m.id, role=m.role)) if m.id == "id5" else m for m in STORED])
    assert not source.trusted_base
    assert source.spine.ids[5] == "id5"
    assert seqs(source)[5] is None
    assert seqs(source)[4:7:2] == [5, 7]


def test_repeated_texts_are_paired_in_order() -> None:
    same = [message("ok", id=f"s{i}", seq=i + 1, role=("user", "assistant")[i % 2]) for i in range(6)]
    source = from_request(spine_of(same), anonymous(same[:4]), (), estimate)
    assert seqs(source) == [1, 2, 3, 4]


def test_a_role_swap_is_another_message() -> None:
    swapped = replace(message(STORED[3].text, id="h", role="user"))
    source = read([*anonymous(STORED[:3]), swapped, *anonymous(STORED[4:])])
    assert seqs(source) == [1, 2, 3, None, 5, 6, 7, 8, 9, 10, 11, 12]


def test_messages_in_another_order_are_aligned_only_where_they_ascend() -> None:
    source = read([STORED[0], STORED[9], STORED[4], STORED[5], STORED[6]])
    assert seqs(source) == [1, None, 5, 6, 7]


def test_a_fork_is_stored_up_to_where_it_leaves() -> None:
    fork = [*anonymous(STORED[:6]), message("else", id="x", role="user"), message("so", id="y", role="assistant")]
    assert seqs(read(fork)) == [1, 2, 3, 4, 5, 6, None, None]


def test_where_our_block_stood_the_stored_messages_are_filled_in() -> None:
    source = read([*anonymous(STORED[:2]), *anonymous(STORED[8:])], holes=[(2, None)])
    assert seqs(source) == list(range(1, 13))
    assert [source.stored_position(p) for p in range(12)] == [None, None, *range(2, 8), None, None, None, None]


def test_what_our_block_named_is_filled_in_between_messages_that_were_cut() -> None:
    cut = [message("start of turn 0 ...", id="a"), message("turn 8 ...", id="b")]
    source = read(cut, holes=[(1, (2, 8))])
    assert seqs(source) == [None, *range(2, 9), None]


@pytest.mark.parametrize("span", [(2, 40), (0, 3), (4, 8)])
def test_a_span_that_does_not_lie_between_its_neighbours_is_not_filled_in(span: tuple[int, int]) -> None:
    source = read([*anonymous(STORED[:4]), message("cut", id="b")], holes=[(4, span)])
    assert seqs(source) == [1, 2, 3, 4, None]


def test_without_our_block_nothing_is_filled_in() -> None:
    assert seqs(read([*anonymous(STORED[:2]), *anonymous(STORED[8:])])) == [1, 2, 9, 10, 11, 12]


def test_appended_messages_follow_the_stored_ones_and_known_ones_are_not_doubled() -> None:
    source = from_store(BASE, [STORED[11], message("new", id="x")], estimate)
    assert seqs(source) == [*range(1, 13), None]
    assert source.stored_position(11) == 11
    assert source.stored_position(12) is None
    assert source.spine.tokens[12] == source.body(12).tokens > 0


def test_the_stored_spine_is_not_changed_by_a_request() -> None:
    base = spine_of(STORED)
    from_store(base, [message("new", id="x")], estimate)
    grown = base.extended([])
    assert (base.n, grown.n, list(base.ids)) == (12, 12, [m.id for m in STORED])

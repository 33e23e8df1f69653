"""Cuts, exchanges and regions on generated conversations, against a slow and simple reading."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bobctx.core.region import eligible_end, select_region
from bobctx.core.segments import Entry, Flag, Spine, entry_of
from bobctx.core.types import Message
from tests.property.conversations import conversations
from tests.property.test_fitted_lists import SETTINGS

pytestmark = pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")


def cuts_of(entries: list[Entry]) -> list[int]:
    """Every boundary that separates no call from its result and no thought from its continuation."""
    unsafe: set[int] = set()
    waiting: list[tuple[str, int]] = []
    for position, entry in enumerate(entries):
        answered = False
        for key in entry.results:
            places = [i for i, (k, _) in enumerate(waiting) if k == key]
            if places:
                start = waiting.pop(places[-1])[1]
                unsafe |= set(range(start + 1, position + 1))
                answered = True
        if entry.flags & Flag.GENUINE_USER and not answered:
            waiting = []
        waiting += [(key, position) for key in entry.calls]
        before = entries[position - 1].flags if position else 0
        if before & Flag.SIGNED and entry.flags & Flag.ASSISTANT:
            unsafe.add(position)
    return [b for b in range(len(entries) + 1) if b not in unsafe]


@SETTINGS
@given(messages=conversations(max_size=30))
def test_the_cuts_are_those_of_a_simple_reading(messages: list[Message]) -> None:
    entries = [entry_of(m) for m in messages]
    assert list(Spine.build(entries).cuts) == cuts_of(entries)


@SETTINGS
@given(messages=conversations(max_size=30), pieces=st.lists(st.integers(0, 90), max_size=6))
def test_growing_in_any_pieces_equals_building_at_once(messages: list[Message], pieces: list[int]) -> None:
    entries = [entry_of(m) for m in messages]
    edges = sorted({0, len(entries), *(p for p in pieces if p < len(entries))})
    spine = Spine()
    seen: list[tuple[Spine, int]] = []
    for start, end in pairwise(edges):
        drafted = spine.draft(entries[start:end])
        spine = spine.extended(entries[start:end])
        assert list(drafted.cuts) == list(spine.cuts)
        assert drafted.opening_end == spine.opening_end
        seen.append((spine, end))
    for earlier, end in seen:
        whole = Spine.build(entries[:end])
        for name in ("ids", "cum", "cuts", "users", "opening_end", "open_calls", "settled_end", "newest_user"):
            assert getattr(earlier, name) == getattr(whole, name), name


@SETTINGS
@given(
    messages=conversations(max_size=40),
    cap=st.sampled_from([50, 400, 3_000, 12_000]),
    tail=st.sampled_from([0, 100, 1_500]),
    local=st.sets(st.integers(0, 60)),
)
def test_regions_follow_one_another_without_a_hole(
    messages: list[Message], cap: int, tail: int, local: set[int]
) -> None:
    """Fails if a region divides a pair, mixes egress classes, stops early or never ends."""
    entries = [entry_of(m) for m in messages]
    spine = Spine.build(
        Entry(
            id=e.id, seq=e.seq, role=e.role, sha256=e.sha256, tokens=e.tokens, calls=e.calls, results=e.results,
            flags=(e.flags | Flag.LOCAL) if i in local else (e.flags & ~Flag.LOCAL),
        )
        for i, e in enumerate(entries)
    )  # fmt: skip
    at = spine.opening_end
    end = eligible_end(spine, protected_tail=tail)
    while (region := select_region(spine, covered_end=at, protected_tail=tail, cap=cap)) is not None:
        assert region[0] == at < region[1] <= end
        assert spine.is_cut(region[1])
        assert spine.tokens_between(*region) <= cap or spine.next_cut(region[0]) == region[1]
        classes = set()
        segment = region[0]
        while segment < region[1]:
            stop = spine.next_cut(segment)
            classes.add(any(f & Flag.LOCAL for f in spine.flags[segment:stop]))
            segment = stop
        assert len(classes) == 1
        at = region[1]
    assert at >= end

"""Where a recall gate would stand: what is paired, and what distances say."""

from __future__ import annotations

from bobctx.core.calibration import LEAST_PAIRS, calibrated, pairs
from bobctx.core.claims import ClaimView, merge
from bobctx.core.links import Link
from tests.chains import claim, rows_of, spine_of, talk

SPINE = spine_of(talk(24))
"""User and assistant take turns; even positions are requests."""


def view(*cited: list[int]) -> ClaimView:
    ids = list(SPINE.ids[2:22])
    claims = [claim(f"Value {i} is {i * 100}.", ids, places, label=f"c{i + 1}") for i, places in enumerate(cited)]
    (row,) = rows_of(SPINE, [(2, 22, claims)])
    return merge([Link(start=2, end=22, compaction=row)])


def test_a_claim_is_paired_with_the_request_before_what_it_cites_and_one_from_elsewhere() -> None:
    found = pairs(view([1], [5], [9], [13]), SPINE, 10)
    assert [p.request for p in found] == [2, 6, 10, 14]
    assert [(p.near[6], p.far[6]) for p in found] == [("0", "2"), ("1", "3"), ("2", "0"), ("3", "1")]


def test_claims_about_one_request_have_no_elsewhere() -> None:
    assert pairs(view([1], [1], [1]), SPINE, 10) == []
    assert pairs(ClaimView(), SPINE, 10) == []


def test_the_newest_pairs_are_kept() -> None:
    assert [p.request for p in pairs(view([1], [5], [9], [13]), SPINE, 2)] == [10, 14]
    assert pairs(view([1], [5]), SPINE, 0) == []


def test_a_floor_keeps_what_it_is_asked_to_keep() -> None:
    found = calibrated([i / 100 for i in range(100)], [0.5 + i / 200 for i in range(100)])
    assert [f.floor for f in found.floors] == [0.89, 0.94, 0.98]
    assert [f.keeps for f in found.floors] == [0.90, 0.95, 0.99]
    assert found.advised is None
    assert found.floors[1].lets_through == 0.89


def test_a_floor_that_tells_them_apart_is_advised() -> None:
    found = calibrated([0.2 + i / 1000 for i in range(100)], [0.8] * 100, (0.9,))
    assert found.advised == 0.3
    assert [(f.floor, f.lets_through) for f in found.floors] == [(0.29, 0.0), (0.3, 0.0), (0.9, 1.0)]


def test_too_few_pairs_say_nothing() -> None:
    found = calibrated([0.1] * (LEAST_PAIRS - 1), [0.9] * (LEAST_PAIRS - 1))
    assert (found.pairs, found.floors, found.advised) == (LEAST_PAIRS - 1, (), None)

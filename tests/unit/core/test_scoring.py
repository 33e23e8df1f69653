"""The golden figures of the score and the bounds of each component."""

from __future__ import annotations

import pytest

from bobctx.core.scoring import (
    DAY,
    Components,
    Source,
    Statistics,
    bm25,
    confidence,
    recency,
    rescaled,
    score,
    similarity,
    source_of,
    trust,
    trust_level,
    utility,
)

NOW = 1_800_000_000.0


def golden(*, conflict: float = 0.0, useful: float = 0.5) -> Components:
    return Components(relevance=1, trust=trust(2), recency=1, utility=useful, conflict=conflict)


def test_the_three_golden_scores() -> None:
    assert score(golden(), 0.95) == 0.744167
    assert score(golden(conflict=1), 0.90) == 0.795
    assert score(golden(conflict=1, useful=1), 0.90) == 0.84


def test_a_disputed_claim_scores_higher() -> None:
    assert score(golden(conflict=1), 0.9) > score(golden(), 0.9)


def test_trust_is_the_level_divided_by_three() -> None:
    assert [trust(level) for level in range(4)] == [0.0, 0.333333, 0.666667, 1.0]
    assert trust_level(Source.TOOL, pinned=False) == 0
    assert trust_level(Source.TOOL | Source.ASSISTANT, pinned=False) == 1
    assert trust_level(Source.USER | Source.TOOL, pinned=False) == 2
    assert trust_level(Source.NONE, pinned=True) == 3


def test_confidence_takes_the_first_match() -> None:
    assert confidence(Source.TOOL, literal=True) == 0.70
    assert confidence(Source.USER, literal=False) == 0.80
    assert confidence(Source.USER | Source.ASSISTANT, literal=True) == 0.95
    assert confidence(Source.ASSISTANT | Source.TOOL, literal=True) == 0.90


def test_roles_are_kinds_of_source() -> None:
    assert [source_of(r) for r in ("user", "assistant", "tool", "system")] == [1, 2, 4, 2]


def test_recency_halves_every_ninety_whole_days_and_never_exceeds_one() -> None:
    assert recency(NOW, NOW) == 1.0
    assert recency(NOW, NOW - 0.99 * DAY) == 1.0
    assert recency(NOW, NOW - 90 * DAY) == 0.5
    assert recency(NOW, NOW - 90.9 * DAY) == 0.5
    assert recency(NOW, NOW - 180 * DAY) == 0.25
    assert recency(NOW, NOW + 30 * DAY) == 1.0


@pytest.mark.parametrize(
    ("votes", "expected"),
    [((0, 0), 0.5), ((2, 0), 0.5), ((0, 2), 0.5), ((3, 0), 1.0), ((0, 3), 0.0), ((2, 1), 0.666667), ((2, 2), 0.5)],
)
def test_utility_is_neutral_until_three_votes(votes: tuple[int, int], expected: float) -> None:
    assert utility(*votes) == expected


def test_similarity_is_clamped() -> None:
    assert [similarity(d) for d in (0.0, 0.25, 1.0, 2.0)] == [1.0, 0.75, 0.0, 0.0]


def test_relevance_is_rescaled_inside_the_set_and_nothing_stays_nothing() -> None:
    assert rescaled({"a": 4.0, "b": 2.0, "c": 0.0}) == {"a": 1.0, "b": 0.5, "c": 0.0}
    assert rescaled({"a": 0.0}) == {"a": 0.0}
    assert rescaled({}) == {}


def test_bm25_prefers_rare_words_and_short_claims() -> None:
    scope = Statistics(claims=100, words=1_000, spread=(2, 60))
    assert bm25((1, 0), 10, scope) > bm25((0, 1), 10, scope) > 0
    assert bm25((1, 0), 5, scope) > bm25((1, 0), 30, scope)
    assert bm25((2, 0), 10, scope) > bm25((1, 0), 10, scope)
    assert bm25((0, 0), 10, scope) == 0


def test_bm25_of_a_word_that_every_claim_holds_is_still_positive() -> None:
    assert bm25((1,), 3, Statistics(claims=3, words=9, spread=(3,))) > 0

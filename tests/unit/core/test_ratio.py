from __future__ import annotations

import pytest

from bobctx.core.ratio import learn_ratio, resolve_ratio


@pytest.mark.parametrize(
    ("model", "learned", "value", "source"),
    [
        ("anthropic/claude-sonnet-4-5", None, 1.1875, "family"),
        ("gpt-4o", None, 1.0, "default"),
        ("gpt-4-turbo", None, 1.0625, "family"),
        (None, None, 1.0, "default"),
        ("claude-sonnet-4-5", 1.3, 1.3125, "learned"),
        ("claude-sonnet-4-5", 0.0, 1.1875, "family"),
        ("claude-sonnet-4-5", float("nan"), 1.1875, "family"),
    ],
)
def test_where_a_ratio_comes_from(model: str | None, learned: float | None, value: float, source: str) -> None:
    ratio = resolve_ratio(model, learned=learned)
    assert (ratio.value, ratio.source) == (value, source)


def test_a_ratio_is_learned_from_enough_reports_and_rather_over() -> None:
    reports = [(1_150, 1_000), (1_300, 1_000), (1_200, 1_000), (1_250, 1_000)]
    assert learn_ratio(reports) == 1.25
    assert learn_ratio(reports[:2]) is None


def test_zero_tiny_and_impossible_reports_teach_nothing() -> None:
    assert learn_ratio([(0, 5_000)] * 9) is None
    assert learn_ratio([(90, 60)] * 9) is None
    assert learn_ratio([(90_000, 1_000)] * 9) is None


def test_only_the_newest_reports_count() -> None:
    assert learn_ratio([(3_000, 1_000)] * 50 + [(1_000, 1_000)] * 32) == 1.0

"""Reading is linear: twice the text costs about twice the time, also where the text is hostile."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from bobctx.core.acts import conditions, negations, prohibition_cues
from bobctx.core.folding import fold
from bobctx.core.polarity import compare
from bobctx.core.text import clauses, sentences, words

SIZE = 8_000
"""Code points: large enough that a quadratic step shows, small enough for a test."""
LIMIT = 2.3
PROSE = "The pump must not run at night, unless the guard says so; keep 12 litres in `tank_4` until Friday. "
HOSTILE: dict[str, Callable[[int], str]] = {
    "prose": lambda n: (PROSE * (n // len(PROSE) + 1))[:n],
    "digits": lambda n: "1" * n,
    "commas": lambda n: "," * n,
    "spaces": lambda n: " " * n,
    "newlines": lambda n: "\n" * n,
    "backticks": lambda n: "`" * n,
    "open quotes": lambda n: "«“" * (n // 2),
    "apostrophes": lambda n: "l'" * (n // 2),
    "full stops": lambda n: "a. " * (n // 3),
    "negations": lambda n: "not " * (n // 4),
    "joined negations": lambda n: "and not " * (n // 8),
    "open phrases": lambda n: "turn " * (n // 5),
    "terms": lambda n: "before x " * (n // 9),
    "slashes": lambda n: "a/" * (n // 2),
    "combining marks": lambda n: "e\u0301" * (n // 2),
    "Chinese negations": lambda n: "不要，" * (n // 3),
}


def _seconds(work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def _ratio(work: Callable[[str], object], make: Callable[[int], str]) -> float:
    """Cost of twice the text over the cost of the text; the best of some tries, since the machine is shared."""
    best = float("inf")
    for _ in range(4):
        small, large = make(SIZE), make(2 * SIZE)
        best = min(best, _seconds(lambda t=large: work(t)) / max(_seconds(lambda t=small: work(t)), 1e-3))  # type: ignore[misc]
        if best <= LIMIT:
            break
    return best


def _cues(text: str) -> None:
    lang = "zh" if text[:1] == "不" else "en"
    negations(text, lang)
    conditions(text, lang)
    prohibition_cues(text, lang)


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("work", [fold, sentences, clauses, words, _cues], ids=lambda f: f.__name__)
def test_twice_the_text_costs_about_twice_the_time(work: Callable[[str], object], kind: str) -> None:
    assert _ratio(work, HOSTILE[kind]) <= LIMIT


@pytest.mark.parametrize("kind", HOSTILE)
def test_comparison_is_bounded_whatever_it_is_given(kind: str) -> None:
    text = HOSTILE[kind](40 * SIZE)
    assert _seconds(lambda: compare(text, [text] * 5, lang="zh" if text[:1] == "不" else "en")) < 2.0


def test_long_claim_against_twenty_clauses_is_quick() -> None:
    claim = (PROSE * 8)[:600]
    supports = [f"The pump {i} must not run at night, unless guard {i} says so." for i in range(20)]
    compare(claim, supports, lang="en")
    assert _seconds(lambda: compare(claim, supports, lang="en")) < 0.02  # ten times what it takes, for busy machines

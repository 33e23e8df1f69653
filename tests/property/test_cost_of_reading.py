"""Reading is linear: twice the text costs at most about twice the steps, also where the text is hostile."""

from __future__ import annotations

import pytest
import regex

from bobctx.core import confusables, observations, salience
from bobctx.core.lexicon import LOGIC
from bobctx.core.polarity import compare
from bobctx.core.scanning import scanner
from bobctx.store.claim_words import terms_of
from evals.bench.hostile import CASES, PROSE, READ, WEIGHED, repeated, seconds
from tests.steps import LIMIT, growth, steps

SIZE = 4_000
"""Code points: large enough that a quadratic step shows, small enough for a test."""
PAIRS = [(reader, text) for reader, (_, texts) in CASES.items() for text in texts if reader != "validate"]


@pytest.mark.parametrize(("reader", "text"), PAIRS)
def test_twice_the_text_costs_about_twice_the_steps(reader: str, text: str) -> None:
    """Fails where a loop or a call runs once for each pair of places."""
    work, texts = CASES[reader]
    assert growth(work, texts[text], SIZE) <= LIMIT


@pytest.mark.parametrize("text", ["字 ", "ي ", "あ い ", "port ", "字字字 "])
def test_the_words_of_a_task_are_read_once(text: str) -> None:
    """Fails where every word of a task is compared with every other: a task may be long, and takes a reader's time."""

    def work(task: str) -> None:
        terms_of(task)

    assert growth(work, lambda size: text * (size // len(text)), SIZE) <= LIMIT


@pytest.mark.parametrize("kind", READ)
def test_comparison_is_bounded_whatever_it_is_given(kind: str) -> None:
    """Fails without a cap: of a text that is far too long no more is read where it doubles again."""

    def work(text: str) -> None:
        compare(text, [text] * 5, lang="zh" if text[:1] == "不" else "en")

    assert growth(work, READ[kind], 20 * SIZE) <= 1.2


def test_a_claim_costs_as_many_steps_as_it_has_clauses_to_be_compared_with() -> None:
    claim = (PROSE * 8)[:600]
    supports = [f"The pump {i} must not run at night, unless guard {i} says so." for i in range(40)]
    compare(claim, supports, lang="en")
    ten, twenty, forty = (steps(lambda n=n: compare(claim, supports[:n], lang="en")) for n in (10, 20, 40))  # type: ignore[misc]
    assert twenty <= LIMIT * ten
    assert forty <= LIMIT * twenty


@pytest.mark.parametrize(
    ("pattern", "piece"),
    [
        *((salience.VALUE, piece) for piece in WEIGHED),
        (observations._VALUE, "+"),
        (confusables._MIXED, "é"),
        (scanner("一"), "一"),
    ],
)
def test_a_pattern_begins_at_few_places_of_a_run(pattern: regex.Pattern[str], piece: str) -> None:
    """Fails if each place of a run is read to its end: eight times the text then takes about sixty times as long."""
    small, large = (seconds(pattern.findall, repeated(piece)(size)) for size in (SIZE // 2, 4 * SIZE))
    assert large <= 20 * small


@pytest.mark.parametrize(("lang", "piece"), [("zh", "不要，"), ("ja", "ない、")])
def test_few_phrases_are_tried_at_a_character(lang: str, piece: str) -> None:
    """Fails if all that begin with a character are tried where it stands: a hundred and more, for some."""
    lexicon, text = LOGIC[lang], repeated(piece)(SIZE)
    assert steps(lambda: lexicon.character_hits(text)) <= 250 * SIZE


def test_steps_show_what_is_quadratic_and_what_is_not() -> None:
    """The ruler itself: it fails if it no longer sees loops, comprehensions or calls into C."""

    def square(text: str) -> list[bool]:
        return [a == b for a in text for b in text]

    def calls(text: str) -> None:
        for at in range(len(text)):
            list(map(str.lower, text[:at]))

    def loop(text: str) -> int:
        found = 0
        for char in text:
            for _ in range(text.index(char) + 1):
                found += 1
        return found

    def straight(text: str) -> list[str]:
        return [char.upper() for char in text]

    def make(size: int) -> str:
        return "".join(chr(0x4E00 + n) for n in range(size))

    assert growth(square, make, 200) > LIMIT
    assert growth(loop, make, 200) > LIMIT
    assert growth(straight, make, 200) <= LIMIT
    assert growth(calls, make, 200) <= LIMIT, "what one call into C does inside is for a clock"

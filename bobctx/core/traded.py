"""Two parts of a claim that have each what the other one has in its source. Pure.

`The Dutch one sends decimals, the Polish one whole numbers` of `the Polish one sends decimals, the Dutch one whole
numbers`: each part mixes words of both parts, crosswise. `allotted` asks the same of a claim with one part
(design, section 6, Binding).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import regex

from bobctx.core.checking import Case, Refusal
from bobctx.core.function_words import STANDING
from bobctx.core.language import UNKNOWN
from bobctx.core.slots import BOUNDARY, stemmed
from bobctx.core.sources import Source
from bobctx.core.text import Span

UNSPACED: Final = frozenset({"zh", "ja"})
"""Languages whose pairs of characters are too common to tell parts by."""
MOST_PARTS: Final = 5
"""Parts of a sentence that are compared."""
MOST_SENTENCES: Final = 3
"""Sentences with most of the claim that are read."""
_VALUE: Final = regex.compile(r"https?://\S++|(?<![\w.-])\d++(?:[.,:]\s?\d++)*+\.?(?!\w)")

_Words = frozenset[str]


class _Part(NamedTuple):
    """The content words of a part, and its figures."""

    words: _Words
    figures: _Words


class _Told(NamedTuple):
    """A cited sentence and the words of each of its parts."""

    source: Source
    span: Span
    parts: Sequence[_Part]


def check(case: Case) -> Refusal | None:
    """The first sentence with two parts that have changed places in two parts of the claim."""
    if case.lang == UNKNOWN or case.lang in UNSPACED:
        return None
    mine = _parts(case.text, case.lang)
    if not 1 < len(mine) <= MOST_PARTS:
        return None
    sentences = list(_sentences(case))
    for told in sentences:
        for one, other in combinations(told.parts, 2):
            crossed = next((pair for pair in combinations(mine, 2) if _crossed(*pair, one, other)), None)
            if crossed is not None and not _told_elsewhere(sentences, told, crossed, one, other):
                return Refusal(
                    code="binding",
                    data={
                        "literal": " ".join(sorted(crossed[0].words)),
                        "kind": "words",
                        "rival": " ".join(sorted(crossed[1].words)),
                        "message": told.source.message.alias,
                        "clause": told.span.of(told.source.text)[:200],
                    },
                )
    return None


def _parts(text: str, lang: str) -> list[_Part]:
    """The parts of a text with words of their own; whose a value is, `binding` asks."""
    held = _VALUE.sub(lambda m: "\x00" * len(m.group()), text)
    found: list[_Part] = []
    start = 0
    for end in (*(m.start() for m in BOUNDARY.finditer(held)), len(text)):
        words = {key for _, key in stemmed(held[start:end].replace("\x00", " "), lang)} - STANDING
        figures = frozenset(_VALUE.findall(text, start, end))
        found.append(_Part(frozenset(k for k in words if not any(c.isdigit() for c in k)), figures))
        start = end
    return [part for part in found if part.words]


def _crossed(mine: _Part, yours: _Part, one: _Part, other: _Part) -> bool:
    """Whether both parts of a claim have words that only the one and only the other part of a source has."""
    if one.figures != other.figures and (mine.figures, yours.figures) == (other.figures, one.figures):
        return False  # `5 red and 7 blue chairs` of `7 blue and 5 red chairs`
    first, second = one.words - other.words, other.words - one.words
    own = mine.words - yours.words, yours.words - mine.words
    return not any(part.isdisjoint(words) for part in own for words in (first, second))


def _told_elsewhere(
    sentences: Sequence[_Told], told: _Told, crossed: tuple[_Part, _Part], one: _Part, other: _Part
) -> bool:
    """Whether another sentence, or another part, joins the words as the claim does."""
    first, second = one.words - other.words, other.words - one.words
    for sentence in sentences:
        for part in sentence.parts:
            own = sentence is told and part in (one, other)
            if not own and any(
                mine.words & first & part.words and mine.words & second & part.words for mine in crossed
            ):
                return True
    return False


def _sentences(case: Case) -> Iterator[_Told]:
    seen: set[tuple[int, int]] = set()
    for clause in case.supports:
        source = case.source(clause.message)
        span = source.sentence_at(clause.start)
        if span is None or (clause.message, span.start) in seen or source.message.role == "tool":
            continue
        seen.add((clause.message, span.start))
        parts = _parts(span.of(source.text), case.lang_of(source))
        if 1 < len(parts) <= MOST_PARTS:
            yield _Told(source, span, parts)
        if len(seen) >= MOST_SENTENCES:
            return

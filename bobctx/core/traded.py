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
from bobctx.core.language import UNKNOWN
from bobctx.core.slots import BOUNDARY, stemmed
from bobctx.core.sources import Source
from bobctx.core.text import Span

UNSPACED: Final = frozenset({"zh", "ja"})
"""Languages whose pairs of characters are too common to tell parts by."""
MOST_PARTS: Final = 8
"""Parts of a sentence that are compared."""
MOST_SENTENCES: Final = 3
"""Sentences with most of the claim that are read."""
_VALUE: Final = regex.compile(r"https?://\S++|\d++(?:[.,:]\s?\d++)*+\.?")

_Words = frozenset[str]


class _Told(NamedTuple):
    """A cited sentence and the words of each of its parts."""

    source: Source
    span: Span
    parts: Sequence[_Words]


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
            crossed = next((pair for pair in combinations(mine, 2) if _crossed(*pair, one - other, other - one)), None)
            if crossed is not None and not _told_elsewhere(sentences, told, crossed, one - other, other - one):
                return Refusal(
                    code="binding",
                    data={
                        "literal": " ".join(sorted(crossed[0])),
                        "kind": "words",
                        "rival": " ".join(sorted(crossed[1])),
                        "message": told.source.message.alias,
                        "clause": told.span.of(told.source.text)[:200],
                    },
                )
    return None


def _parts(text: str, lang: str) -> list[_Words]:
    """The content words of each part of a text; whose a value is, `binding` asks."""
    found = (
        frozenset(key for _, key in stemmed(part, lang) if not any(c.isdigit() for c in key))
        for part in BOUNDARY.split(_VALUE.sub(" ", text))
        if part and part.strip()
    )
    return [words for words in found if words]


def _crossed(mine: _Words, yours: _Words, first: _Words, second: _Words) -> bool:
    """Whether both parts of a claim have words that only the one and only the other part of a source has."""
    return not any(part.isdisjoint(words) for part in (mine, yours) for words in (first, second))


def _told_elsewhere(
    sentences: Sequence[_Told], told: _Told, crossed: tuple[_Words, _Words], first: _Words, second: _Words
) -> bool:
    """Whether another sentence, or another part, joins the words as the claim does."""
    for other in sentences:
        for part in other.parts:
            own = other is told and (first <= part or second <= part)
            if not own and any((mine & first) & part and (mine & second) & part for mine in crossed):
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

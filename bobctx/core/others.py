"""What a sentence says of some and what of all the others: `3B has no water, the others have it lukewarm`. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import regex

from bobctx.core.checking import Case
from bobctx.core.patterns import patterns
from bobctx.core.reading import read
from bobctx.core.sources import Source
from bobctx.core.text import Span, content_stems

MOST: Final = 3
"""Clauses with most of the claim whose sentences are looked at."""
_OTHERS: Final = patterns("others")
_PART: Final = regex.compile(
    r"[,;:.–—،؛，；、]|\s(?:and|but|while|und|aber|während|et|mais|y|pero|e|mas|ma|en|maar|а|но|и)\s"
)


class Divided(NamedTuple):
    """A sentence that speaks of some and of the others."""

    source: Source
    text: str
    of_some: frozenset[str]
    """Stems of what stands before the part about the others."""
    of_others: frozenset[str]
    """Stems of that part, without what names them."""
    denies: bool
    """Whether the part about some denies."""
    turns: bool
    """Whether the part about the others denies where that one does not, or the other way round."""


def divided(case: Case) -> Iterator[Divided]:
    """The sentences with most of the claim that speak of the others, where the claim itself does not."""
    others = _OTHERS.get(case.lang)
    if others is None or others.search(case.text) is not None:
        return
    for _, clause in case.ranked[:MOST]:
        source = case.source(clause.message)
        span = source.sentence_at(clause.start) or Span(clause.start, clause.end)
        text = span.of(source.text)
        named = others.search(text)
        if named is None:
            continue
        cut = max((m.end() for m in _PART.finditer(text, 0, named.start())), default=0)
        about = text[cut : named.start()] + text[named.end() :]
        denies = denies_in(text[:cut], case.lang)
        turned = denies != denies_in(text[cut:], case.lang)
        stems = content_stems(text[:cut], case.lang), content_stems(about, case.lang)
        yield Divided(source, text, *stems, denies, turned)


def denies_in(text: str, lang: str) -> bool:
    """Whether a segment of a text denies."""
    return any(s.strength % 2 for s in read(text, lang).segments)


def said_of_both(case: Case) -> bool:
    """Whether a sentence says what the claim has of it of the others too (`2 and 4 have a stove, so do the others`)."""
    for sentence in divided(case):
        shared = case.stems & (sentence.of_some | sentence.of_others)
        too = shared <= sentence.of_others or not sentence.of_others
        if shared and shared <= sentence.of_some and too and not sentence.turns:
            return True
    return False

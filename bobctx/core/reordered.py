"""What a claim puts before the thing that its source makes it wait for: `is sent before payment`. Pure.

`Once X, Y`, `Y after X`, `X before Y` all say that X comes first. A claim that puts Y first, about the same two, has
turned them round; a denial turns the order of the part it stands in (`not before X`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

import regex

from bobctx.core.checking import Case, Refusal
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import CHARACTER_LANGUAGES, Cue
from bobctx.core.reading import Reading, read
from bobctx.core.ties import sentences_of, shared, ties

_TOLD: Final = ("then", "after", "before")
_HELD: Final = ("then", "after", "once", "before")
"""A source may also say `when`, which in a claim tells no order."""
_OPEN: Final = ("deny", "hypothetical", "whether")
"""Kinds of cues with which an order is not told outright."""
_SWALLOWED: Final = frozenset({("comparator", "at_least"), ("comparator_post", "at_least"), ("condition", "until")})
"""Phrases with `before` that hold its denial."""
_COUNTED: Final = regex.compile(r"\d[\d.,]*+\s?\p{L}*\s?$")
"""A time that is counted back (`less than 24 hours before`)."""


class _Order(NamedTuple):
    """What comes first and what comes second, and the word that says so."""

    first: frozenset[str]
    second: frozenset[str]
    cue: str
    kind: str


def check(case: Case) -> Refusal | None:
    """The first order of the claim that its sources have the other way round and nowhere as it is."""
    if case.lang == UNKNOWN:
        return None
    mine = list(_orders(case.text, case.lang, _TOLD))
    if not mine:
        return None
    against: Refusal | None = None
    for text, lang, alias in sentences_of(case):
        for theirs in _orders(text, lang, _HELD):
            if any(_agrees(order, theirs) for order in mine):
                return None
            turned = next((order for order in mine if _turned(order, theirs)), None)
            if turned is not None and against is None:
                data = {"cue": turned.cue, "clause": text[:200], "message": alias}
                against = Refusal(code="comparator", data=data)
    return against


def _orders(text: str, lang: str, kinds: Collection[str]) -> Iterator[_Order]:
    whole = read(text, lang)
    if whole.question or any(map(whole.has, _OPEN)) or any(s.kind == "contrast" for s in whole.segments):
        return
    for tie in ties(text, lang, kinds):
        before = tie.cue.kind == "before"
        denied = _denied(whole, tie.cue)
        if not tie.term or not tie.rest or (denied and not before) or _COUNTED.search(text, 0, tie.cue.start):
            continue  # `no entry once it has begun` says nothing of an order
        if before and not denied:
            yield _Order(tie.rest, tie.term, tie.cue.text, tie.cue.kind)
        else:
            yield _Order(tie.term, tie.rest, tie.cue.text, tie.cue.kind)


def _denied(whole: Reading, cue: Cue) -> bool:
    """Whether an order is denied beside its word or in it (`not before`, which is after)."""
    at = next((s for s in whole.segments if s.first <= cue.start < s.last), None)
    inside = (
        c for c in whole.cues if c.start < cue.end and cue.start < c.end and (c.start, c.end) != (cue.start, cue.end)
    )
    if any((c.kind, c.value) in _SWALLOWED for c in inside):
        return True
    if at is None or at.has("negation") or at.kind == "main":
        return at is not None and any(
            c.start < cue.start or whole.lang in CHARACTER_LANGUAGES for c in at.of("negation")
        )
    index = whole.segments.index(at)
    beside = [*whole.segments[:index][-1:], *whole.segments[index + 1 : index + 2]]  # what stands before it goes first
    return bool(beside) and beside[0].has("negation")


def _agrees(mine: _Order, theirs: _Order) -> bool:
    return bool(shared(mine.first, theirs.first)) and bool(shared(mine.second, theirs.second))


def _turned(mine: _Order, theirs: _Order) -> bool:
    if theirs.kind == "once" and mine.kind != "before":
        return False
    crossed = shared(mine.first, theirs.second) and shared(mine.second, theirs.first)
    return bool(crossed) and not shared(mine.first, theirs.first) and not shared(mine.second, theirs.second)

"""Old and new of a change, as its sources pair them: `05:55, no longer 07:25` of `05:55 instead of 05:40`. Pure.

Where a sentence says itself which value another one replaces, a claim that tells a change to or from one of the two
has to have the other one, unless a chain of changes leads there (design, section 6, Binding).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bobctx.core import change, twins
from bobctx.core.accounted import as_change, old_and_new
from bobctx.core.binding import rivals
from bobctx.core.checking import Case, Refusal
from bobctx.core.literals import Literal
from bobctx.core.neighbours import around
from bobctx.core.slots import family
from bobctx.core.sources import Source

MOST: Final = 12
"""Places of one value that are looked at."""

Told = tuple[tuple[int, int], Literal, Literal]
"""Where a change is told, its old and its new value."""


def check(case: Case) -> Refusal | None:
    """The first change of the claim whose old or new value is that of nothing in the sources' change."""
    values = [lit for lit in case.literals if lit.measured]
    for one in values:
        for other in values:
            if one.start < other.start and family(one) == family(other) and (pair := as_change(case, one, other)):
                rival = _mispaired(case, *pair)
                if rival is not None:
                    wrong = pair[0] if rival[1] else pair[1]
                    return twins.refusal(wrong.text, wrong.kind, rival[0].text, case)
    return None


def _mispaired(case: Case, old: Literal, new: Literal) -> tuple[Literal, bool] | None:
    """The value that stands in place of the claim's old one (True) or new one (False) in the only change told."""
    to_new, from_old = list(_told(case, new)), list(_told(case, old))
    changes = [*to_new, *from_old]
    if any(before.offers & old.needs and after.offers & new.needs for _, before, after in changes):
        return None
    into = [before for _, before, after in to_new if after.offers & new.needs]
    if into and not from_old:
        return into[0], True  # `make it 92 %` of 80 %, where the claim has 87 %
    out = [(at, after) for at, before, after in from_old if before.offers & old.needs]
    places = [(p.message, p.start) for p in case.found[case.literals.index(new)]]
    if out and not to_new and places and max(places) < min(at for at, _ in out):
        return out[0][1], False
    return None


def _told(case: Case, literal: Literal) -> Iterator[Told]:
    """The changes that a sentence with a value tells of it and another one of its kind."""
    for place in case.found[case.literals.index(literal)][:MOST]:
        source = case.source(place.message)
        own = source.slot_of(place)
        if own is None:
            continue
        for slot in around(source, own):
            if rivals(own.literal, slot.literal):
                pair = _explicit(source, own.literal, slot.literal)
                if pair is not None:
                    yield (source.position, min(x.start for x in pair)), *pair


def _explicit(source: Source, one: Literal, other: Literal) -> tuple[Literal, Literal] | None:
    """The old and the new of two values of a sentence; the second of two is the new one of the same matter."""
    told = old_and_new(source.text, source.lang, one, other)
    if told is not None:
        return told
    first, second = sorted((one, other), key=lambda lit: lit.start)
    same = change.same_matter(source.text[first.end : second.start], source.lang)
    return (first, second) if same else None

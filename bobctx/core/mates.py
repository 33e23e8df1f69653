"""Two values of a claim that each stand beside another: `Friday 17:45` of `Thursday 17:45 or Friday 10:15`. Pure.

A sentence or the lines of a log that put values together in pairs (a day and its time, a file and its length) say which
belong together. A claim that pairs the first of one with the second of another joins what the source keeps apart
(design, section 6, Binding).
"""

from __future__ import annotations

from typing import Final

from bobctx.core import twins
from bobctx.core.binding import rivals
from bobctx.core.checking import Case, Refusal
from bobctx.core.cuts import JOINERS
from bobctx.core.literals import Literal
from bobctx.core.slots import BOUNDARY, Slot, family, one_range
from bobctx.core.sources import Found, Source

MOST: Final = 12
"""Places of one value that are looked at."""
REACH: Final = 8
"""Values before and after one among which its mate is looked for."""
_NAMES: Final = frozenset({"weekday", "date", "time", "path", "identifier", "ticket"})


def check(case: Case) -> Refusal | None:
    """The first two values of a claim that its sources pair with others."""
    alone = [lit for lit in case.literals if lit.kind not in ("quote", "code") and _only(case, lit)]
    names = [lit for lit in alone if lit.kind in _NAMES]
    for name in names:
        for value in alone:
            if value is name or not value.measured or family(value) == family(name):
                continue
            rival = _paired(case, value, name)
            if rival is not None and _paired(case, name, value) is not None and _together(case, value, name):
                return twins.refusal(value.text, value.kind, rival.text, case)
    return None


def _only(case: Case, literal: Literal) -> bool:
    """Whether a claim has no other value of the kind."""
    return sum(family(k) == family(literal) for k in case.literals) == 1


def _places(case: Case, literal: Literal) -> list[Found]:
    return case.found[case.literals.index(literal)][: MOST + 1]


def _paired(case: Case, value: Literal, other: Literal) -> Literal | None:
    """What stands beside every place of a value in place of the `other` of the claim."""
    found: Literal | None = None
    places = _places(case, value)
    for place in places if len(places) <= MOST else ():
        source = case.source(place.message)
        slot = source.slot_of(place)
        beside = [] if slot is None else _mates(source, slot, other)
        if not beside and value.kind == "weekday":
            continue  # `Friday, yes`: said by itself as well
        if not beside or any(x.offers & k.needs for x in beside for k in case.literals):
            return None
        if not all(_like(x, other) for x in beside):
            return None
        found = beside[0]
    return found


def _mates(source: Source, own: Slot, other: Literal) -> list[Literal]:
    """The nearest values of the other's kind in the sentence or line, up to the next one of its own kind."""
    index = source.slot_index[own.literal.start]
    found: list[Literal] = []
    near: list[Literal] = []
    for step in (-1, 1):
        mate = _next(source, index, family(other), step)
        if mate is None:
            continue
        both = [source.slots[mate].literal, *_range(source, mate)]
        found += both
        first, second = sorted((own.literal, both[0]), key=lambda x: x.start)
        if not _parted(source.text[first.end : second.start + 1]):
            near += both
    return near or found


def _next(source: Source, index: int, kind: str, step: int) -> int | None:
    """The number of the next value of a kind on one side, before any other of the value's own kind."""
    own = source.slots[index]
    for at in range(index + step, index + step * (REACH + 1), step):
        if not 0 <= at < len(source.slots) or source.slots[at].block != own.block:
            return None
        if family(source.slots[at].literal) == kind:
            return at
        if _stops(own, source.slots[at]) and not _range(source, at):
            return None
    return None


def _stops(own: Slot, other: Slot) -> bool:
    """Whether another value ends what belongs to this one; beside `urls=3480` a status without that key does not."""
    if family(other.literal) != family(own.literal):
        return False
    return not (own.structured and own.terms) or (
        other.structured and bool(other.terms) and own.terms[-1].key == other.terms[-1].key
    )


def _range(source: Source, index: int) -> list[Literal]:
    """The other end of the range that a value ends or begins (`Monday to Friday`)."""
    own, ends = source.slots[index].literal, source.slots[max(0, index - 1) : index + 2]
    pairs = [(*sorted((own, s.literal), key=lambda x: x.start), s.literal) for s in ends if s.literal is not own]
    return [end for low, high, end in pairs if one_range(source.text, low, high)]


def _parted(between: str) -> bool:
    """Whether a comma or a word that joins parts stands between two values."""
    return BOUNDARY.search(between) is not None or not JOINERS.isdisjoint(between.casefold().split())


def _like(one: Literal, other: Literal) -> bool:
    """Whether two values may be taken for one another; of files those with one ending."""
    endings = [lit.text.rpartition(".") for lit in (one, other)]
    if one.kind == "path" or all(dot for _, dot, _ in endings):
        return endings[0][2] == endings[1][2] and one.text != other.text
    return rivals(other, one)


def _together(case: Case, value: Literal, name: Literal) -> bool:
    """Whether both stand in one sentence of a message, or on lines of one log."""
    for one in _places(case, value):
        for other in _places(case, name):
            source = case.source(one.message)
            if one.message != other.message:
                continue
            block = source.sentence_at(one.start)
            if source.message.role == "tool" or (block is not None and block.start <= other.start < block.end):
                return True
    return False

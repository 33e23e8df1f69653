"""Two values of a claim that have changed places: each stands with what its source says of the other. Pure.

A part of `binding` (design, section 6, Binding): values with each other's words, and measures that the claim pairs
although each stands with another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import regex

from bobctx.core import change, twins
from bobctx.core.accounted import MAX_PLACES, in_time, replaces
from bobctx.core.checking import Case, Refusal
from bobctx.core.cuts import JOINERS
from bobctx.core.function_words import STANDING
from bobctx.core.literals import Literal
from bobctx.core.slots import BOUNDARY, Slot, family
from bobctx.core.sources import Source

BEHIND: Final = 3
"""Words behind a count that say what it counts (`11 votes for`)."""
_WORDS: Final = regex.compile(r"\p{L}++")
_JOINED: Final = regex.compile(r"\s*+(?:[,،、]|" + "|".join(map(regex.escape, sorted(JOINERS))) + r")\s*+")


def check(case: Case, mine: Sequence[Slot]) -> Refusal | None:
    """The first two values of the claim that have changed places."""
    return _exchanged(case, mine) or _crossed_over(case) or _behind(case)


def _exchanged(case: Case, mine: Sequence[Slot]) -> Refusal | None:
    """Two values of the claim that have changed places: each has the other's words."""
    for i, one in enumerate(mine[:MAX_PLACES]):
        for other in mine[i + 1 : MAX_PLACES]:
            if one.literal.kind != other.literal.kind or one.literal.offers & other.literal.offers:
                continue
            if one.literal.unit != other.literal.unit:
                continue  # a value that keeps its unit has not changed places
            if twins.part_of(case.text, one.literal, other.literal):
                continue  # `4 of the 612 cues`: what follows belongs to both
            first, second = _closest(case, one.literal), _closest(case, other.literal)
            if (
                first is None
                or second is None
                or (one.literal.kind == "identifier" and _together(case, one.literal, other.literal))
                or _one_subject(case, first, second)
                or _listed(case, first, second)
                or in_time(case, one.literal, other.literal)
            ):
                continue
            if _crossed(one, first, second) and _crossed(other, second, first):
                return Refusal(
                    code="binding",
                    data={
                        "literal": one.literal.text,
                        "kind": one.literal.kind,
                        "rival": other.literal.text,
                        "message": "",
                        "clause": case.supports[0].text[:200] if case.supports else "",
                    },
                )
    return None


def _listed(case: Case, first: Slot, second: Slot) -> bool:
    """Whether the two stand in one list (`under /account/ or /cart/`): what it says is said of both."""
    one, other = sorted((first.literal, second.literal), key=lambda x: x.start)
    return any(
        first in s.slots and second in s.slots and _JOINED.fullmatch(s.text, one.end, other.start) is not None
        for s in case.cited
    )


def _behind(case: Case) -> Refusal | None:
    """Two counts of the claim of which each has the word behind it that the other one has in the source.

    `11 votes for and 6 against` does not say 6 votes for and 11 against.
    """
    counts = [lit for lit in case.literals if lit.kind == "number" and not lit.text.isalpha()][:MAX_PLACES]
    mine = [_label(case.text, lit, case.literals, len(case.text)) for lit in counts]
    for i, one in enumerate(counts):
        for j in range(i + 1, len(counts)):
            if not mine[i] or not mine[j] or mine[i] == mine[j] or one.offers & counts[j].offers:
                continue
            told = _told(case, one, counts[j])
            if (mine[j], mine[i]) in told and (mine[i], mine[j]) not in told:
                return twins.refusal(one.text, one.kind, f"{counts[j].text} {mine[i]}", case)
    return None


def _told(case: Case, one: Literal, other: Literal) -> set[tuple[str, str]]:
    """The words behind two counts in each sentence that has both."""
    found: set[tuple[str, str]] = set()
    for first in case.found[case.literals.index(one)][:MAX_PLACES]:
        source = case.source(first.message)
        block = source.sentence_at(first.start)
        for second in case.found[case.literals.index(other)][:MAX_PLACES] if block else ():
            if block is None or second.message != first.message or not block.start <= second.start < block.end:
                continue
            values = [x for x in source.literals if block.start <= x.start < block.end]
            places = [next((x for x in values if x.start == p.start), None) for p in (first, second)]
            labels = [_label(source.text, x, values, block.end) if x else "" for x in places]
            found.add((labels[0], labels[1]))
    return found


def _label(text: str, value: Literal, values: Sequence[Literal], end: int) -> str:
    """The last of the few words behind a count, up to the next value or part."""
    stop = min((x.start for x in values if x.start >= value.end), default=end)
    cut = BOUNDARY.search(text, value.end, stop)
    words = _WORDS.findall(text, value.end, cut.start() if cut else stop)
    label = words[-1].casefold() if 0 < len(words) <= BEHIND else ""
    return "" if label in STANDING else label


def _together(case: Case, one: Literal, other: Literal) -> bool:
    """Whether one clause has both names (`A overlaps B`): what it says is said of the two."""
    places = [
        {
            (p.message, case.source(p.message).clause_at(p.start))
            for p in case.found[case.literals.index(lit)][:MAX_PLACES]
        }
        for lit in (one, other)
    ]
    return bool(places[0] & places[1])


def _one_subject(case: Case, first: Slot, second: Slot) -> bool:
    """Whether one of the two stands for the other in time (`420 rpm instead of 300 rpm`): both have the same words."""
    return any(
        first in source.slots
        and second in source.slots
        and (replaces(source, first, second) or _from_to(source, first, second) or _from_to(source, second, first))
        for source in case.cited
    )


def _from_to(source: Source, old: Slot, new: Slot) -> bool:
    a, b = old.literal, new.literal
    if a.start > b.start:
        return False
    return change.from_to(source.text[max(0, a.start - 24) : a.start], source.text[a.end : b.start], source.lang)


def _crossed_over(case: Case) -> Refusal | None:
    """Two measures that the claim puts together while each stands with another in the source.

    `64 °C for 45 min, then 72 °C for 20 min` does not say 72 °C for 45 min.
    """
    atoms = [lit for lit in case.literals if lit.measured and lit.unit is not None]
    for one, other in pairwise(atoms):
        if family(one) == family(other) or BOUNDARY.search(case.text, one.end, other.start):
            continue
        first, second = _partner(case, one, other), _partner(case, other, one)
        if first is not None and second is not None:
            return twins.refusal(other.text, other.kind, first.text, case)
    return None


def _partner(case: Case, one: Literal, other: Literal) -> Literal | None:
    """The value of the other's family that stands beside `one` in its part everywhere, where the other never does."""
    found: Literal | None = None
    for place in case.found[case.literals.index(one)][:MAX_PLACES]:
        source = case.source(place.message)
        beside = [x for x in twins.part_around(source, place.start) if family(x) == family(other)]
        if not beside or any(b.offers & other.needs for b in beside):
            return None
        found = beside[0]
    return found


def _crossed(mine: Slot, own: Slot, rival: Slot) -> bool:
    theirs, ours = mine.keys & (rival.keys - own.keys), mine.keys & (own.keys - rival.keys)
    return len(theirs) > len(ours)


def _closest(case: Case, literal: Literal) -> Slot | None:
    """The place of a literal whose words the claim has most of."""
    places = case.found[case.literals.index(literal)][:MAX_PLACES]
    found = [s for s in (case.source(p.message).slot_of(p) for p in places) if s is not None]
    return max(found, key=lambda s: len(s.keys & case.stems), default=None)

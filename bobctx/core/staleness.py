"""A value that the cited messages themselves replace is not claimed as current. Pure.

Former in its own sentence (`instead of 30`, `from 60 s to 120 s`, `the old list has 5 mg`), or replaced by a later
cited sentence that marks a change and speaks of the same thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bobctx.core import change
from bobctx.core.binding import rivals
from bobctx.core.checking import Case, Refusal
from bobctx.core.leaning import COMPOUND
from bobctx.core.literals import Literal
from bobctx.core.slots import Slot, family
from bobctx.core.sources import Found, Source
from bobctx.core.types import Json

CURRENT: Final = frozenset({"decision", "constraint", "commitment", "preference", "definition", "fact", "correction"})
SHORT: Final = 90
"""Code points of a sentence that needs no word in common with what it corrects (`make it 1500`)."""

FEW: Final = 5
"""Words of its own that a short correction may have."""


def check(case: Case) -> Refusal | None:
    """The first value of the claim that is stale everywhere it stands."""
    if case.type not in CURRENT or change.marks_former(case.text, case.lang):
        return None
    for literal, places in zip(case.literals, case.found, strict=True):
        if not places or literal.kind in ("quote", "code", "weekday") or literal.text.isalpha():
            continue
        newest = _stale_everywhere(case, literal, places)
        if newest is not None:
            source, slot = newest
            data: dict[str, Json] = {
                "literal": literal.text,
                "kind": literal.kind,
                "now": slot.literal.text,
                "message": source.message.alias,
                "clause": source.clauses[source.clause_at(slot.literal.start)].text[:200] if source.clauses else "",
            }
            return Refusal(code="stale_value", data=data)
    return None


def _stale_everywhere(case: Case, literal: Literal, places: Sequence[Found]) -> tuple[Source, Slot] | None:
    """What replaces the value at the last of its places, if it is replaced at each of them."""
    found: tuple[Source, Slot] | None = None
    for place in places:
        found = _replaced(case, literal, place)
        if found is None:
            return None
    return found


def _replaced(case: Case, literal: Literal, place: Found) -> tuple[Source, Slot] | None:
    """What replaces the value at this place, if anything the claim does not say."""
    source = case.source(place.message)
    own = source.slot_of(place)
    if own is None or source.message.role == "tool":
        return None
    if (now := _beside(case, source, own)) is not None:
        return source, now
    for later in case.cited:
        if later.position < source.position or later.message.role == "tool":
            continue
        after = own.literal.end if later is source else -1
        found = _later(case, literal, own, later, after=after, proposed=source.message.role == "assistant")
        if found is not None:
            return later, found
    return None


def _named(case: Case, slot: Slot) -> bool:
    """Whether the claim has this value too."""
    return any(slot.literal.offers & lit.needs for lit in case.literals)


def _beside(case: Case, source: Source, own: Slot) -> Slot | None:
    """A value of the same sentence that stands for this one now."""
    text, literal = source.text, own.literal
    index = source.slot_index[literal.start]
    block = [s for s in source.slots[max(0, index - 4) : index + 5] if s.block == own.block and s is not own]
    mates = [s for s in block if rivals(literal, s.literal) and not _named(case, s)]
    if not mates:
        return None
    start = max((s.literal.end for s in block if s.literal.end <= literal.start), default=0)
    clause = source.clauses[source.clause_at(literal.start)] if source.clauses else None
    low = max(start, clause.start if clause else 0)
    if change.former_before(text[low : literal.start], source.lang):
        return mates[0]
    high = min((s.literal.start for s in block if s.literal.start >= literal.end), default=literal.end + 20)
    if source.lang in ("ja", "ko", "zh") and change.former_after(text[literal.end : high], source.lang):
        return mates[0]
    for mate in mates:
        if mate.literal.start > literal.end and change.from_to(
            text[max(0, literal.start - 24) : literal.start], text[literal.end : mate.literal.start], source.lang
        ):
            sentence = clause.text if clause else text
            if change.marks_change(sentence, source.lang):
                return mate
    return None


def _later(case: Case, literal: Literal, own: Slot, later: Source, *, after: int, proposed: bool) -> Slot | None:
    """A later value of the family in a sentence that marks a change of the same subject.

    A user who gives another value than the assistant proposed needs no word for that.
    """
    answers = after < 0 and later.message.role == "user" and proposed
    names = _names(case.text)
    for slot, clause in later.stated.get((family(literal), not answers), ()):
        other = slot.literal
        if other.start <= after or not rivals(literal, other) or _named(case, slot):
            continue
        if names and (others := _names(clause.text)) and names.isdisjoint(others):
            continue  # `relay-eu` and `relay-us` have a word in common, and are two things
        shared = own.keys & slot.keys
        subject = _subject(own, case)
        if shared and (shared >= subject or len(shared & subject) >= 2):
            return slot
        if shared & subject and len(clause.text) <= SHORT and len(slot.keys - own.keys) <= FEW:
            return slot
        if after < 0 and len(clause.text) <= SHORT and not slot.keys - own.keys - case.stems:
            return slot
    return None


def _names(text: str) -> frozenset[str]:
    return frozenset(m.group().casefold() for m in COMPOUND.finditer(text))


def _subject(own: Slot, case: Case) -> frozenset[str]:
    """The words that the claim and the value's place have in common."""
    return own.keys & (case.stems | frozenset(lit.text.casefold() for lit in case.literals))

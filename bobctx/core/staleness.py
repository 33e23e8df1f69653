"""A value that the cited messages themselves replace is not claimed as current. Pure.

Former in its own sentence (`instead of 30`, `from 60 s to 120 s`, `the old list has 5 mg`), or replaced by a later
cited sentence that marks a change and speaks of the same thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

import regex

from bobctx.core import change, revised
from bobctx.core.accounted import MAX_PLACES, as_change
from bobctx.core.answers import answer, opens_with_no
from bobctx.core.binding import rivals
from bobctx.core.checking import Case, Refusal
from bobctx.core.leaning import COMPOUND
from bobctx.core.literals import Literal
from bobctx.core.neighbours import around, near, short_for
from bobctx.core.slots import Slot, family
from bobctx.core.sources import Clause, Found, Source
from bobctx.core.text import content_stems
from bobctx.core.types import Json

CURRENT: Final = frozenset({"decision", "constraint", "commitment", "preference", "definition", "fact", "correction"})
SHORT: Final = 90
"""Code points of a sentence that needs no word in common with what it corrects (`make it 1500`)."""

ANSWERED: Final = 400
"""Code points of a message in which it answers a proposal with another value."""
YES: Final = 12
"""Code points of a first sentence that says yes and no more."""
TELLING: Final = 3
"""Digits of a value without a unit that is hardly another one of the same looks."""
FEW: Final = 5
"""Words of its own that a short correction may have."""
SHARED: Final = 2
"""Words of the claim in a clause that speaks of the same matter."""
_MARKS: Final = frozenset(",;，；、،")
MOST: Final = 40
"""Clauses of a message that are read."""


def check(case: Case) -> Refusal | None:
    """The first value of the claim that is stale everywhere it stands."""
    if case.type not in CURRENT:
        return None
    if change.marks_former(case.text, case.lang):
        return _backwards(case)
    return _first_stale(case)


def _backwards(case: Case) -> Refusal | None:
    """An old value told as the new one (`12 rather than 13`), where the user gives the other in a later message."""
    measured = [(lit, found) for lit, found in zip(case.literals, case.found, strict=True) if lit.measured and found]
    for (one, _), (other, _) in pairwise(measured):
        told = as_change(case, one, other) if rivals(one, other) else None
        if told is None:
            continue
        old, new = (next(found for lit, found in measured if lit is value) for value in told)
        later = case.source(min(p.message for p in old))
        if later.message.role == "user" and later.position > max(p.message for p in new):
            data: dict[str, Json] = {"literal": told[1].text, "kind": told[1].kind, "now": told[0].text}
            return Refusal(
                code="stale_value", data={**data, "message": later.message.alias, "clause": later.text[:200]}
            )
    return None


def succeeds(case: Case, misplaced: Refusal) -> bool:
    """Whether a value that seems to be of another subject stands for its rival now (`4 litres` for `5 litres`)."""
    old, new = str(misplaced.data["rival"]), str(misplaced.data["literal"])
    literal = next((lit for lit in case.literals if lit.text == new), None)
    if literal is None or not (literal.measured or literal.kind == "weekday"):
        return False
    text = f"{case.text[: literal.start]}{old}{case.text[literal.end :]}"
    found = _first_stale(Case(replace(case.claim, text=text), case.cited, case.lang))
    return found is not None and found.data["literal"] == old and found.data["now"] == new


def _first_stale(case: Case) -> Refusal | None:
    for literal, places in zip(case.literals, case.found, strict=True):
        if case.text[max(0, literal.start - 1) : literal.start] == "[":
            continue  # `block[0]`: a place in a list
        day = literal.kind == "weekday"  # of days only what is set aside by name counts
        if not places or literal.kind in ("quote", "code") or (literal.text.isalpha() and not day):
            continue
        newest = _day_moved(case, literal, places) if day else _stale_everywhere(case, literal, places)
        if newest is not None:
            source, slot = newest
            return revised.refusal(literal, source, slot.literal)
    return None


def _stale_everywhere(case: Case, literal: Literal, places: Sequence[Found]) -> tuple[Source, Slot] | None:
    """What replaces the value at the last of its places, if it is replaced at each of them.

    Where a later message names a value with its unit in order to set it aside, that goes for the places before too.
    """
    places = places[-MAX_PLACES:]  # the last ones tell what became of it
    places = [p for p in places if not _foreign(case, p)] or places
    found = _set_aside(case, literal, places)
    if found is not None:
        return found
    for place in places:
        found = _replaced(case, literal, place)
        if found is None:
            return None
    return found


def _foreign(case: Case, place: Found) -> bool:
    """Whether the value stands there for another matter, beside a rival with the claim's (`week 18 is for …`)."""
    source = case.source(place.message)
    own = source.slot_of(place)
    if own is None:
        return False
    mine = own.keys & case.stems
    return any(
        rivals(own.literal, other.literal) and mine < other.keys & case.stems and bool(own.keys - other.keys)
        for other in near(source, own)
        if other.block != own.block or revised.mixed_up(source, own)
    )


def _set_aside(case: Case, literal: Literal, places: Sequence[Found]) -> tuple[Source, Slot] | None:
    last = max((p.message for p in places), default=-1)
    before = [p for p in places if p.message < last]
    source = case.source(last)
    if not before or source.message.role == "tool":
        return None
    now: Slot | None = None
    former: list[Slot] = []
    kept: set[int] = set()
    for own in (source.slot_of(p) for p in places if p.message == last):
        if own is not None:
            found = _beside(case, source, own) or _gone(case, source, own) or _taken_back(case, source, own)
            now = found or now
            kept.add(own.block) if found is None else former.append(own)
    if now is None or not kept <= {own.block for own in former}:
        return None
    digits = sum(map(str.isdigit, literal.text))
    telling = literal.unit is not None or literal.kind != "number" or digits >= TELLING or _bare(source, now)
    return (source, now) if telling or all(_same_matter(case, p, [*former, now]) for p in before) else None


def _bare(source: Source, slot: Slot) -> bool:
    """Whether the clause of a value names nothing that it belongs to (`so we're 47 instead of 45`)."""
    index = source.clause_at(slot.literal.start)
    values = {w for s in source.slots if s.block == slot.block for w in s.literal.text.casefold().split()}
    changed = content_stems(change.words_of_change(source.clauses[index].text, source.lang), source.lang)
    return not source.clause_stems[index] - values - changed - {k for k in slot.keys if "'" in k}


def _day_moved(case: Case, literal: Literal, places: Sequence[Found]) -> tuple[Source, Slot] | None:
    """What a day is set aside for, by a later message or in the sentence that names it (`from Monday to Friday`)."""
    if (found := _set_aside(case, literal, places)) is not None:
        return found
    now: tuple[Source, Slot] | None = None
    for place in places:
        source = case.source(place.message)
        own = source.slot_of(place)
        beside = None if own is None or source.message.role == "tool" else _beside(case, source, own)
        if beside is not None:
            now = source, beside
        elif (moved := None if own is None else _moved_later(case, literal, own, source)) is not None:
            now = moved
        else:
            return None
    return now


def _moved_later(case: Case, literal: Literal, own: Slot, source: Source) -> tuple[Source, Slot] | None:
    """The day that a later user's clause of change gives to the same matter (`the report now goes out on Tuesdays`)."""
    about = own.keys & case.stems
    for later in case.cited:
        if later.position <= source.position or later.message.role != "user":
            continue
        for slot, clause in later.stated.get((family(literal), False), ()):
            told = change.marks_change(_led(later, clause), later.lang)
            if told and rivals(literal, slot.literal) and not _named(case, slot) and len(about & slot.keys) >= SHARED:
                return later, slot
    return None


def _same_matter(case: Case, place: Found, former: Sequence[Slot]) -> bool:
    """Whether a value that says little by itself stands with the words of the one that is set aside."""
    own = case.source(place.message).slot_of(place)
    return own is not None and any(len(own.keys & other.keys) >= SHARED for other in former)


def _taken_back(case: Case, source: Source, own: Slot) -> Slot | None:
    twins = near(source, own)
    return _later(case, own.literal, own, source, twins=twins, after=own.literal.end, proposed=False)


def _replaced(case: Case, literal: Literal, place: Found) -> tuple[Source, Slot] | None:
    """What replaces the value at this place, if anything the claim does not say."""
    source = case.source(place.message)
    own = source.slot_of(place)
    if own is None:
        return None
    if (now := _added(case, source, own)) is not None:
        return source, now
    own = revised.lent(case, source, own)
    if source.message.role == "tool":
        return None
    if (now := _beside(case, source, own) or _gone(case, source, own)) is not None:
        return source, now
    twins = near(source, own)
    for later in case.cited:
        if later.position < source.position or later.message.role == "tool":
            continue
        after = own.literal.end if later is source else -1
        found = _later(case, literal, own, later, twins=twins, after=after, proposed=source.message.role == "assistant")
        if found is not None:
            return later, found
    return None


def _named(case: Case, slot: Slot) -> bool:
    """Whether the claim has this value too."""
    return any(slot.literal.offers & lit.needs for lit in case.literals)


def _beside(case: Case, source: Source, own: Slot) -> Slot | None:
    """A value of the same sentence that stands for this one now."""
    text, literal = source.text, own.literal
    block = around(source, own)
    mates = [s for s in block if rivals(literal, s.literal) and not _named(case, s)]
    if not mates:
        mates = [s for s in block if short_for(own, s, text) and not _named(case, s)]  # `instead of 45 s, 30`
    if not mates:
        return _short_again(case, source, own, block)
    mates.sort(key=lambda s: abs(s.literal.start - literal.start))
    start = max((s.literal.end for s in block if s.literal.end <= literal.start), default=0)
    clause = source.clauses[source.clause_at(literal.start)] if source.clauses else None
    low = max(start, clause.start if clause else 0)
    if change.former_before(text[low : literal.start], source.lang):
        return mates[0]
    high = min((s.literal.start for s in block if s.literal.start >= literal.end), default=literal.end + 20)
    sentence = source.blocks[own.block].of(text)
    if (
        mates[0].literal.end <= literal.start
        and change.was(text[literal.end : high], source.lang)
        and change.marks_change(sentence, source.lang)
    ):
        return mates[0]  # `from today 17 °C, 16 °C was too cold`
    led = mates[0].literal.end <= literal.start or change.marks_change(sentence, source.lang)
    led = led or change.same_matter(text[literal.end : mates[0].literal.start], source.lang)  # `…: put it at 22:15`
    if led and change.in_excess(text[literal.end : high], source.lang):
        return mates[0]  # `let it run until 21:15, 20:00 is too early`
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


def _short_again(case: Case, source: Source, own: Slot, block: Sequence[Slot]) -> Slot | None:
    """The new value before the old one that leaves its unit out (`make it 10 minutes, 15 made it throb`)."""
    if own.literal.unit is not None or own.literal.kind != "number":
        return None
    units = {lit.unit for lit in case.literals if lit.unit is not None and lit.needs & own.literal.offers}
    before = [s for s in block if s.literal.end <= own.literal.start and s.literal.unit in units]
    if not before or _named(case, before[-1]):
        return None
    changed = change.marks_change(source.blocks[own.block].of(source.text), source.lang)
    return before[-1] if changed else None


def _gone(case: Case, source: Source, own: Slot) -> Slot | None:
    """The value that holds where the rest of the sentence says that this one does no more."""
    clause = source.clauses[source.clause_at(own.literal.start)] if source.clauses else None
    if clause is None:
        return None
    kin = source.families[family(own.literal)]
    behind = (s.literal.start for s in kin if own.literal.end <= s.literal.start < clause.end)
    if not change.gone(source.text[own.literal.end : min(behind, default=clause.end)], source.lang):
        return None  # `300 this year, 500 was last year's`
    near = (s for s in kin if abs(s.block - own.block) <= 1)
    return next((s for s in near if rivals(own.literal, s.literal) and not _named(case, s)), None)


_REMOVED: Final = regex.compile(r"-[ \t]*+(?P<key>[^\n]*+)")


def _added(case: Case, source: Source, own: Slot) -> Slot | None:
    """In a diff, the value of the added line that has the same words before it as the removed line of this one."""
    text, at = source.text, own.literal.start
    start = text.rfind("\n", 0, at) + 1
    line = _REMOVED.match(text, start, at)
    if line is None or not line["key"].strip():
        return None
    key = line["key"].strip()
    for slot in source.families[family(own.literal)]:
        begin = text.rfind("\n", 0, slot.literal.start) + 1
        lead = text[begin : slot.literal.start]
        if lead[:1] == "+" and lead[1:].strip() == key and rivals(own.literal, slot.literal):
            return None if _named(case, slot) else slot
    return None


def _later(
    case: Case, literal: Literal, own: Slot, later: Source, *, twins: Sequence[Slot], after: int, proposed: bool
) -> Slot | None:
    """A later value of the family in a sentence that marks a change of the same subject.

    A user who gives another value than the assistant proposed needs no word for that.
    """
    answers = after < 0 and later.message.role == "user" and proposed
    agreed = answers and answer(later) == "accepts"
    names = _names(case.text)
    for slot, clause in (x for kind in revised.kin(literal) for x in later.stated.get((kind, False), ())):
        other = slot.literal
        if (
            other.start <= after
            or not revised.could_be(literal, other)
            or _named(case, slot)
            or revised.replaces_none(own, slot, later)
            or revised.other_mark(own, slot)
            or revised.instead_of_other(literal, slot, later)
        ):
            continue
        if names and (others := _names(clause.text)) and names.isdisjoint(others):
            continue  # `relay-eu` and `relay-us` have a word in common, and are two things
        if after >= 0 and other.start - after <= SHORT and change.retracts(later.text[after : other.start], later.lang):
            return slot
        if (
            answers
            and other.start <= SHORT
            and (opens_with_no(later) or change.retracts(later.text[: other.start], later.lang))
        ):
            return slot
        bare = own.literal.unit is None and literal.kind == "number"
        # what comes after a yes is another matter
        beside = agreed and bare and slot.block > (later.blocks[0].end <= YES)
        answered = answers and other.start <= ANSWERED and not beside
        lent = revised.lent(case, later, slot)  # `4.25 mm it is` takes up what was proposed instead
        led = revised.led_by(own, slot, later, clause)
        wanted = (
            bool(led)
            or revised.found_wrong(own, later, slot)
            or lent is not slot
            or (answers and change.wants_other(clause.text, later.lang))
        )
        if not answered and not wanted and not change.marks_change(_led(later, clause), later.lang):
            continue
        keys = (revised.own_words(slot, later, clause) or lent.keys) | led
        if after < 0 and (revised.one_thing(case, own, later, clause) or revised.one_name(case, own, later, slot)):
            return slot
        shared = own.keys & keys
        if any(shared < other.keys & keys and other.literal is not slot.literal for other in twins):
            continue  # `Bo now pays 30` says nothing of what Anna pays
        subject = _subject(own, case)
        if shared and (shared >= subject or len(shared & subject) >= 2):
            return slot
        ahead = keys if later.text[other.end : other.end + 1] not in _MARKS else revised.before(slot)
        if shared & subject and len(clause.text) <= SHORT and len(ahead - own.keys) <= FEW:
            return slot
        moved = content_stems(change.words_of_change(clause.text, later.lang), later.lang)
        if after < 0 and len(clause.text) <= SHORT and not keys - own.keys - case.stems - moved:
            return slot
    return None


def _led(source: Source, clause: Clause) -> str:
    """A clause with the heading it stands under (`Sorry, the wrong week: …`)."""
    block = source.sentence_at(clause.start)
    lead = source.text[block.start : clause.start] if block is not None else ""
    return f"{lead}{clause.text}" if lead.rstrip().endswith((":", "：")) else clause.text


def _names(text: str) -> frozenset[str]:
    return frozenset(m.group().casefold() for m in COMPOUND.finditer(text))


def _subject(own: Slot, case: Case) -> frozenset[str]:
    """The words that the claim and the value's place have in common."""
    return own.keys & (case.stems | frozenset(lit.text.casefold() for lit in case.literals))

"""Words that a claim shares with another value, and what accounts for them beside a mistaken value. Pure.

A rival has words of the claim because it stands in another record, because the claim quotes them or gives them to
another of its values, or because they belong to both (design, section 6, Binding).
"""

from __future__ import annotations

from typing import Final

import regex

from bobctx.core import change, twins
from bobctx.core.checking import Case
from bobctx.core.function_words import BOTH, DESCRIBED_BEFORE, OBJECTS, PRONOUNS, STANDS_FOR, THEN
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.literals import Literal
from bobctx.core.patterns import pattern
from bobctx.core.slots import Slot, family
from bobctx.core.sources import Found, Source
from bobctx.core.text import content_stems, folded

_PER: Final = pattern("per")
_PART_END: Final = pattern("part_end")
_SEQUEL: Final = regex.compile(r"(?<!\p{L})(?:" + "|".join(map(regex.escape, THEN)) + r")(?!\p{L})")
_POINTING: Final = (STANDS_FOR - OBJECTS) | {"one"}
"""Pronouns for the noun of the part before."""
_TAKES_UP: Final = PRONOUNS | BOTH
_WORD: Final = regex.compile(r"\p{L}++")
BRIEF: Final = 40
"""Code points of a clause that answers or puts right and no more."""
FEW: Final = 2
"""Words that one value has beside what it shares with another."""
LEAD: Final = 24
"""Code points before a value in which `from` or `instead of` stands."""
MAX_PLACES: Final = 40
"""Places of one literal that are looked at."""


def excused(case: Case, source: Source, theirs: frozenset[str], own: Slot, rival: Slot) -> bool:
    """Whether the words that the claim shares with the rival speak of something else than a mistaken value."""
    return (
        other_record(case, source, own, rival)
        or quoted(case, source, theirs, rival)
        or of_another(case, source, theirs, own, rival)
        or in_sequel(case, source, own, rival)
    )


def in_sequel(case: Case, source: Source, own: Slot, rival: Slot) -> bool:
    """Whether the claim tells what comes later of the things named before (`300 in the move; then both go to 3600`)."""
    if own.block != rival.block or own.literal.start < rival.literal.start:
        return False
    between = folded(source.text[rival.literal.end : own.literal.start])
    taken_up = not _TAKES_UP.isdisjoint(_WORD.findall(between)) or any(w in between for w in BOTH if " " in w)
    mine = folded(case.text)
    told = _SEQUEL.search(mine) or any(c.value == "after" for c in cues(mine, case.lang, LOGIC, ("comparator",)))
    return taken_up and bool(told) and _SEQUEL.search(between) is not None


def other_record(case: Case, source: Source, own: Slot, rival: Slot) -> bool:
    """Whether the claim names what the value's record is about, and the rival stands in another record."""
    if not (own.structured and rival.structured):
        return False
    for literal, places in zip(case.literals, case.found, strict=True):
        if literal.measured or not any(p.message == source.position for p in places):
            continue
        last = max(own.literal.start, rival.literal.start)
        kin = [s.literal for s in source.families.get(literal.kind, ()) if s.literal.start < last]
        alike = [x for x in kin if x.offers & literal.needs or twins.alike(literal.text, x.text)]
        above = [next((x for x in reversed(alike) if x.start < s.literal.start), None) for s in (own, rival)]
        named = [x is not None and bool(x.offers & literal.needs) for x in above]
        if named == [True, False] and above[1] is not None and not _names(case, above[1]):
            return True
    return False


def _names(case: Case, other: Literal) -> bool:
    """Whether the claim has this value too: then it speaks of both records."""
    return any(other.offers & literal.needs for literal in case.literals)


def of_another(case: Case, source: Source, theirs: frozenset[str], own: Slot, rival: Slot) -> bool:
    """Whether these words belong, in the same record, to another value of the claim (`1 seat available at 226`)."""
    if not own.structured:
        return False
    for literal, places in zip(case.literals, case.found, strict=True):
        for place in places[:MAX_PLACES] if literal.measured else ():
            slot = source.slot_of(place) if place.message == source.position else None
            if slot is None or slot is own or not slot.structured or not theirs <= slot.keys:
                continue
            if family(slot.literal) == family(rival.literal):
                return True  # it is the claim's own value of what the other one tells
    return False


def quoted(case: Case, source: Source, theirs: frozenset[str], rival: Slot) -> bool:
    """Whether the claim has of the rival only words of a quotation that stands elsewhere in the message."""
    held: frozenset[str] = frozenset()
    for literal, places in zip(case.literals, case.found, strict=True):
        if literal.kind == "quote":
            here = [p for p in places if p.message == source.position]
            block = source.blocks[rival.block]
            if here and not any(block.start <= p.start < block.end for p in here):
                held |= content_stems(literal.text, case.lang)
    return bool(theirs) and theirs <= held


def trailing(own: Slot, rival: Slot, ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether the claim has of the last value only words behind it, which belong to both (`… for Bruno`)."""
    if own.literal.start > rival.literal.start:
        return False
    before = {t.key for t in own.terms if t.start < own.literal.start}
    if len(before) < len(own.terms):
        return False  # `60 % for Lucie and 40 % for Marc`: each has its own
    return bool(ours & before) and all(t.start > rival.literal.end for t in rival.terms if t.key in theirs)


def elliptic(case: Case, own: Slot, rival: Slot, theirs: frozenset[str]) -> bool:
    """Whether the second value of a sentence has words of its own alone (`entry is 12 €, 7 € for pupils`)."""
    if own.block != rival.block or own.structured or own.literal.start > rival.literal.start:
        return False
    if own.literal.unit is None or any(t.start > own.literal.start for t in own.terms):
        return False
    mine = next((lit for lit in case.literals if lit.needs & own.literal.offers), own.literal)
    beyond = "," in case.text[mine.end :]  # `it is 12 €, with a lower price for pupils`
    return len(rival.terms) <= FEW and rival.keys <= theirs and not beyond


def of_other_subject(source: Source, own: Slot, rival: Slot, terms: frozenset[str], whole: frozenset[str]) -> bool:
    """Whether the claim has the rival's subject, and nothing of what stands before a value without words of its own.

    `the comté of 18 months sells at 26 €, the tomme at 19 €`: between two values there is only the verb.
    """
    if own.block != rival.block or own.literal.start > rival.literal.start or not own.keys:
        return False
    theirs = terms & (rival.keys - own.keys)
    if not theirs or any(t.start > rival.literal.start for t in rival.terms if t.key in theirs):
        return False
    block = source.blocks[own.block]
    names = {t.start for t in own.terms}
    before = {k for at, k in source.spoken if block.start <= at < own.literal.start and at not in names}
    figures = {piece for s in source.slots if s.block == own.block for piece in s.literal.text.casefold().split()}
    before = {k for k in before - own.keys if not k[:1].isnumeric()} - figures
    return bool(before) and not before & whole


def in_time(case: Case, one: Literal, other: Literal) -> bool:
    """Whether the claim tells the two as old and new (`13 rather than 12`), the new one given after the old one."""
    told = as_change(case, one, other)
    if told is None:
        return False
    old, new = (case.found[case.literals.index(lit)] for lit in told)
    if not (old and new):
        return False
    if case.type == "correction" and {_sentence_of(case, p) for p in old} & {_sentence_of(case, p) for p in new}:
        return True  # `make it 5:30, at 4:50 it collides with …`
    return min((p.message, p.start) for p in old) < max((p.message, p.start) for p in new) or _past(case, old[0])


def _sentence_of(case: Case, place: Found) -> tuple[int, int]:
    sentence = case.source(place.message).sentence_at(place.start)
    return place.message, -1 if sentence is None else sentence.start


def _past(case: Case, place: Found) -> bool:
    """Whether the clause of a value tells it as a past one (`last season the limit was 4.50 m`)."""
    source = case.source(place.message)
    text = source.clauses[source.clause_at(place.start)].text if source.clauses else ""
    return change.marks_former(text, source.lang)


def told_new(case: Case, value: Literal, source: Source) -> bool:
    """Whether the claim tells a value as the new one of an old one in this message (`Friday instead of Monday`)."""
    mine = next((lit for lit in case.literals if lit.needs & value.offers), None)
    for other, places in zip(case.literals, case.found, strict=True):
        if mine is None or other is mine or family(other) != family(mine):
            continue
        if any(p.message == source.position for p in places) and as_change(case, other, mine) == (other, mine):
            return True
    return False


def as_change(case: Case, one: Literal, other: Literal) -> tuple[Literal, Literal] | None:
    """The old and the new of two values that the claim tells as such (`from 12 to 13`, `13 rather than 12`)."""
    return old_and_new(case.text, case.lang, one, other)


def old_and_new(text: str, lang: str, one: Literal, other: Literal) -> tuple[Literal, Literal] | None:
    """The old and the new of two values of a text, where a word between or before them says which is which."""
    first, second = sorted((one, other), key=lambda lit: lit.start)
    between = text[first.end : second.start]
    lead = text[max(0, first.start - LEAD) : first.start]
    if change.former_before(between, lang):
        return second, first
    if change.from_to(lead, between, lang) or change.former_before(lead, lang):
        return first, second
    return None


def puts_right(case: Case, source: Source, own: Slot, other: Source) -> bool:
    """Whether a brief clause of the user gives another value to what was said before (`make it Thursday actually`)."""
    if source.message.role != "user" or other.position > source.position or not source.clauses:
        return False
    text = source.clauses[source.clause_at(own.literal.start)].text
    return len(text) <= BRIEF and change.marks_change(text, source.lang) and not of_twin(case, own, other)


def of_twin(case: Case, own: Slot, other: Source) -> bool:
    """Whether a value stands for that of one of two things while the claim has the other one (`Bo now pays 30`)."""
    kin = other.families.get(family(own.literal), ())[:MAX_PLACES]
    said = case.stems
    return any(
        (theirs.keys & own.keys) - mine.keys - said and (mine.keys & said) - theirs.keys - own.keys
        for theirs in kin
        for mine in kin
        if mine is not theirs and mine.keys & theirs.keys & own.keys
    )


def made_brief(source: Source, own: Slot, other: Source) -> bool:
    """Whether the value is a user's brief answer to the other message (`make it 14`): it speaks of what was asked."""
    if source.message.role != "user" or other.message.role != "assistant" or other.position > source.position:
        return False
    return bool(source.clauses) and len(source.clauses[source.clause_at(own.literal.start)].text) <= BRIEF


def replaces(source: Source, own: Slot, rival: Slot) -> bool:
    """`45 days instead of 30`: one subject, two values in time; staleness decides which may be claimed."""
    if own.block != rival.block:
        return False
    first, second = sorted((own.literal, rival.literal), key=lambda lit: lit.start)
    between = source.text[first.end : second.start]
    if change.former_before(between, source.lang) or change.former_after(between, source.lang):
        return True
    if change.same_matter(between, source.lang):
        return True
    lead = source.text[max(0, first.start - LEAD) : first.start]
    return change.but_rather(between, source.lang) and change.former_before(lead, source.lang)


def _stood_for(source: Source, own: Slot, rival: Slot) -> frozenset[str]:
    """The noun before the first of two values for which the second one has a pronoun (`celui du soir à 29`)."""
    text = source.text
    between = text[rival.literal.end : own.literal.start].casefold()
    named = [t for t in rival.terms if t.start < rival.literal.start][:FEW]
    if not named or _POINTING.isdisjoint(_WORD.findall(between)):
        return frozenset()
    described = (
        source.lang in DESCRIBED_BEFORE
        and len(named) == FEW
        and len(text[named[0].start : named[1].start].split()) == 1
    )
    return frozenset((named[-1 if described else 0].key,))


def of_both(source: Source, own: Slot, rival: Slot) -> frozenset[str]:
    """The words that two values of a sentence share, or that are no less the first one's.

    What stands behind each (`24 € each, or roses at 35 € each`), a rate behind the first (`39 per head and day, half
    board 31`), what follows the value in its own part (`129 with breakfast, or 112`), the heading of both.
    """
    if own.block != rival.block:
        return frozenset()
    text, block, lang = source.text, source.blocks[own.block], source.lang
    first, second = sorted((own.literal, rival.literal), key=lambda lit: lit.start)
    rate = _PER.match(text, first.end, second.start)
    both = content_stems(rate.group(), lang) if rate else frozenset()
    head = text.find(":", block.start, first.start)
    if head > 0:
        both |= content_stems(text[block.start : head], lang)
    if own.literal is not first:
        return both | _stood_for(source, own, rival)
    end = _PART_END.search(text, rate.end() if rate else first.end, second.start)
    both |= content_stems(text[first.end : end.start() if end else first.end], lang)
    return both | content_stems(text[first.end : second.start], lang) & content_stems(
        text[second.end : block.end], lang
    )

"""A value belongs to the same subject in the claim as in its source: the look-alike twin is refused. Pure.

For each literal of the claim, a rival is another value of the same kind near it in the source. The claim is wrong when
its own words around the value are those of the rival and not those of the value (design, section 6, Binding).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import regex

from bobctx.core import change, nearest, twins
from bobctx.core.accounted import (
    LEAD,
    MAX_PLACES,
    elliptic,
    excused,
    in_time,
    made_brief,
    of_other_subject,
    of_twin,
    puts_right,
    told_new,
    trailing,
)
from bobctx.core.acts import questions
from bobctx.core.checking import Case, Refusal
from bobctx.core.labels import Label, labels
from bobctx.core.literals import Literal
from bobctx.core.neighbours import COUNTS, near
from bobctx.core.patterns import pattern
from bobctx.core.slots import BOUNDARY, Slot, Term, family, slots
from bobctx.core.sources import Found, Source
from bobctx.core.text import clauses, content_stems

FOREIGN: Final = 2
"""Words of the claim that a value of another sentence must have to be its rival."""
CLOSE: Final = 0.6
"""Share of that rival's own words that the claim must have."""
AHEAD: Final = 0.3
"""By how much that share must exceed the value's own."""
ELSEWHERE: Final = 60
"""Values of another cited message that are looked at."""
MOST: Final = 0.7
"""Share of the claim's terms in the clause of a value from which nothing further is asked."""
_RELATIVE: Final = pattern("relative")
_NEXT_PART: Final = pattern("next_part")
_PER: Final = pattern("per")
_PART_END: Final = pattern("part_end")
_NAMED: Final = regex.compile(r"(?<![\p{L}\p{Nd}])\p{Lu}\p{L}++[ ]$")
_GOES_ON: Final = regex.compile(r"[ ]\p{L}")


def rivals(one: Literal, other: Literal) -> bool:
    """Whether the two are different values that could be confused."""
    if family(one) != family(other) or one.offers & other.offers:
        return False
    if one.kind in ("identifier", "ticket", "hex", "code"):
        return twins.alike(one.text, other.text)
    return True


def check(case: Case) -> Refusal | None:
    """The first literal of the claim that its words give to another subject than the source does."""
    atoms = [lit for lit in case.literals if lit.kind != "quote" and (lit.kind != "code" or len(lit.text.split()) == 1)]
    named = twins.own_labels(case)
    marks = {label.start for label in named}
    mine = {slot.literal: slot for slot in slots(case.text, atoms, case.lang, named=[*named, *_names(case, named)])}
    lone = sum(lit.measured and lit.start not in marks for lit in atoms) == 1
    whole = case.stems.union((label.key for label in named), *(slot.keys for slot in mine.values()))
    worded = content_stems(_blanked(case, 0, len(case.text)), case.lang).union(*(slot.keys for slot in mine.values()))
    for literal, places in zip(case.literals, case.found, strict=True):
        slot = mine.get(literal)
        if slot is None or not places or literal.soft_unit or literal.kind == "code":
            continue  # a name in code binds others
        if literal.unit is None and all(_heads(case.source(p.message), p) for p in places[:MAX_PLACES]):
            continue  # a year above a column belongs to all that stands below it
        terms = _in_clause(case, literal, whole) if lone and literal.measured else _own_part(case, slot)
        terms -= {f"{label.noun}#{label.mark}" for label in named if label.start == literal.start}
        refusal = _misplaced(case, literal, terms, whole, places[:MAX_PLACES])
        refusal = refusal or twins.check(case, literal, places[:MAX_PLACES], whole)
        refusal = refusal or _elsewhere(case, literal, terms & worded, places[:MAX_PLACES])
        if refusal is not None:
            return refusal
    values = [slot for slot in mine.values() if slot.literal.kind != "code"]
    return _exchanged(case, values) or _crossed_over(case) or twins.parted(case, named)


def _heads(source: Source, place: Found) -> bool:
    """Whether a place is a heading of a table."""
    return any(cell.start <= place.start < cell.end for cell in source.headings)


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
        and (_replaces(source, first, second) or _from_to(source, first, second) or _from_to(source, second, first))
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


def _names(case: Case, known: Sequence[Label]) -> list[Label]:
    """Numbers of the claim that belong to a name (`Phase 2 is late`): they part no words from one another."""
    taken = {label.start for label in known}
    return [
        label
        for label in labels(case.text, case.lang)
        if label.start not in taken
        and label.mark[0].isdigit()
        and _NAMED.search(case.text, max(0, label.start - 32), label.start)
        and _GOES_ON.match(case.text, label.end)
    ]


def _in_clause(case: Case, literal: Literal, whole: frozenset[str]) -> frozenset[str]:
    """Of the claim's terms those in the clause of its only value; all, where that clause says too little."""
    parts = clauses(case.text)
    part = next((p for p in parts if p.start <= literal.start < p.end), None)
    if part is None or len(parts) < 2 or _RELATIVE.match(part.of(case.text)):
        return whole
    here = content_stems(_blanked(case, part.start, part.end), case.lang)
    known = {k for k in here if any(k in s.spread for s in case.cited)}
    return here if len(known) >= FOREIGN else whole


def _own_part(case: Case, slot: Slot) -> frozenset[str]:
    """The claim's words of a value, without those of a part behind it that has no value (`…, and Moss is turned down`)."""
    cut = _NEXT_PART.search(case.text, slot.literal.end)
    end = cut.start() if cut is not None and not any(x.start >= cut.start() for x in case.literals) else len(case.text)
    return frozenset(t.key for t in slot.terms if t.start < end)


def _blanked(case: Case, start: int, end: int) -> str:
    """A stretch of the claim without its values: their digits and pieces are no words of it."""
    kept, at = [], start
    for literal in case.literals:
        if start <= literal.start < end and (literal.measured or not literal.text.isalpha()):
            kept.append(case.text[at : max(at, literal.start)])
            at = max(at, literal.end)
    return " ".join([*kept, case.text[at:end]])


def _elsewhere(case: Case, literal: Literal, terms: frozenset[str], places: Sequence[Found]) -> Refusal | None:
    """A value whose places have next to none of the claim's words, where another one's place has them."""
    if not literal.measured:
        return None
    if _says_most(case, terms, places) or any(_brief_answer(case, p) or _changes(case, p, terms) for p in places):
        return None
    said = nearest.weights(case.cited, terms)
    open_to = {
        s.position: [
            r
            for r in nearest.candidates(s, literal, said)
            if r.literal.unit == literal.unit and rivals(literal, r.literal) and not _named(case, r)
            if not any(_answers(case.source(p.message), s, r) for p in places)
        ]
        for s in case.cited
        if not told_new(case, literal, s)
    }
    found = nearest.rival(case, literal, places, said, open_to)
    if found is None:
        return None
    source, rival = found
    return Refusal(
        code="binding",
        data={
            "literal": literal.text,
            "kind": literal.kind,
            "rival": rival.literal.text,
            "message": source.message.alias,
            "clause": _around(source, rival),
        },
    )


def _named(case: Case, slot: Slot) -> bool:
    """Whether the claim has this value too; of a path its end is enough."""
    text = slot.literal.text
    return any(
        slot.literal.offers & lit.needs or (lit.kind == slot.literal.kind == "path" and text.endswith(f"/{lit.text}"))
        for lit in case.literals
    )


def _says_most(case: Case, terms: frozenset[str], places: Sequence[Found]) -> bool:
    """Whether a place of the value, with its clause, has most of the terms that the cited messages have."""
    known = {t for t in terms if any(t in s.stems for s in case.cited)}
    for place in places:
        source = case.source(place.message)
        slot = source.slot_of(place)
        beside = source.clause_stems[source.clause_at(place.start)] if source.clauses else frozenset()
        if slot is not None and len(known & (slot.keys | beside)) >= MOST * len(known):
            return True
    return False


def _closest(case: Case, literal: Literal) -> Slot | None:
    """The place of a literal whose words the claim has most of."""
    places = case.found[case.literals.index(literal)][:MAX_PLACES]
    found = [s for s in (case.source(p.message).slot_of(p) for p in places) if s is not None]
    return max(found, key=lambda s: len(s.keys & case.stems), default=None)


def _crossed(mine: Slot, own: Slot, rival: Slot) -> bool:
    theirs, ours = mine.keys & (rival.keys - own.keys), mine.keys & (own.keys - rival.keys)
    return len(theirs) > len(ours)


def _misplaced(
    case: Case, literal: Literal, terms: frozenset[str], whole: frozenset[str], places: Sequence[Found]
) -> Refusal | None:
    refusal: Refusal | None = None
    for place in places:
        source = case.source(place.message)
        own = source.slot_of(place)
        rival = None if own is None else _rival(case, source, own, terms, whole)
        if own is None or rival is None:
            return None
        if refusal is None:
            refusal = Refusal(
                code="binding",
                data={
                    "literal": literal.text,
                    "kind": literal.kind,
                    "rival": rival.literal.text,
                    "message": source.message.alias,
                    "clause": _around(source, own),
                },
            )
    return refusal


def _rival(case: Case, source: Source, own: Slot, terms: frozenset[str], whole: frozenset[str]) -> Slot | None:
    """The value of the cited messages that the claim's words speak of instead."""
    said = whole if own.row else terms
    beside = near(source, own)
    for rival in beside:
        if not _is_rival(case, rival, own) or _replaces(source, own, rival):
            continue
        if _taken(case, said, whole, own, rival) or of_other_subject(source, own, rival, said, whole):
            theirs = said & (rival.keys - own.keys)
            if theirs <= _of_both(source, own, rival):
                continue
            if not excused(case, source, theirs, own, rival):
                return rival
    if whole & own.keys:
        return None
    former = [r.literal for r in beside if _replaces(source, own, r)]
    for other in case.cited:
        if other is source or made_brief(source, own, other) or puts_right(case, source, own, other):
            continue
        if told_new(case, own.literal, other):
            continue
        for rival in other.families.get(family(own.literal), ())[:ELSEWHERE]:
            if _answers(source, other, rival) or any(f.offers & rival.literal.offers for f in former):
                continue
            if _is_rival(case, rival, own) and len(terms & rival.keys) >= FOREIGN:
                return rival
    return None


def _of_both(source: Source, own: Slot, rival: Slot) -> frozenset[str]:
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
        return both
    end = _PART_END.search(text, rate.end() if rate else first.end, second.start)
    both |= content_stems(text[first.end : end.start() if end else first.end], lang)
    return both | content_stems(text[first.end : second.start], lang) & content_stems(
        text[second.end : block.end], lang
    )


def _brief_answer(case: Case, place: Found) -> bool:
    source = case.source(place.message)
    own = source.slot_of(place)
    return own is not None and any(made_brief(source, own, other) for other in case.cited)


def _changes(case: Case, place: Found, terms: frozenset[str]) -> bool:
    """Whether a later user's sentence changes something that the claim names too (`from today it is 15 by night`)."""
    source = case.source(place.message)
    own = source.slot_of(place)
    if own is None or source.message.role != "user" or source is case.cited[0] or not own.keys & terms:
        return False
    if any(of_twin(case, own, other) for other in case.cited if other.position < source.position):
        return False
    return change.marks_change(source.blocks[own.block].of(source.text), source.lang)


def _answers(source: Source, other: Source, rival: Slot) -> bool:
    """Whether a user's message answers the question the rival stands in: its value stands for the one asked about."""
    if source.message.role != "user" or other.message.role != "assistant" or source.position != other.position + 1:
        return False
    return bool(other.clauses and questions(other.clauses[other.clause_at(rival.literal.start)].text, other.lang))


def _around(source: Source, slot: Slot) -> str:
    at = slot.literal.start
    clause = source.clauses[source.clause_at(at)].text if source.clauses else ""
    return clause[:200]


def _is_rival(case: Case, other: Slot, own: Slot) -> bool:
    if own.literal.offers & other.literal.offers or not (
        rivals(own.literal, other.literal) or (own.literal.kind in COUNTS and other.literal.kind in COUNTS)
    ):
        return False
    return not _named(case, other)


def _replaces(source: Source, own: Slot, rival: Slot) -> bool:
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


def _taken(case: Case, terms: frozenset[str], whole: frozenset[str], own: Slot, rival: Slot) -> bool:
    """Whether the claim's terms are the rival's and not those of the value."""
    mine, other = own.keys - rival.keys, rival.keys - own.keys
    theirs, ours = terms & other, terms & mine
    if not theirs or not own.keys:
        return False
    if not mine - ours:
        return elliptic(case, own, rival, theirs)
    together = own.block == rival.block
    if not ours:
        parallel = together or bool(own.keys & rival.keys) or (own.structured and rival.structured)
        parallel = parallel or (own.item and rival.item)
        if parallel or len(theirs) >= FOREIGN:
            return True
        return not whole & own.keys and len(theirs) >= CLOSE * len(other)
    share, rest = len(theirs) / len(other), len(ours) / len(mine)
    if together:
        return share >= rest and not trailing(own, rival, ours, theirs)
    if _strong(rival.terms, theirs) and _strong(own.terms, None) and not _strong(own.terms, ours):
        return True
    return len(theirs) >= FOREIGN and share >= CLOSE and share >= rest + AHEAD


def _strong(found: Sequence[Term], among: frozenset[str] | None) -> bool:
    return any(t.strong and (among is None or t.key in among) for t in found)

"""A value belongs to the same subject in the claim as in its source: the look-alike twin is refused. Pure.

For each literal of the claim, a rival is another value of the same kind near it in the source. The claim is wrong when
its own words around the value are those of the rival and not those of the value (design, section 6, Binding).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import regex

from bobctx.core import change, crossing, nearest, twins
from bobctx.core.accounted import (
    MAX_PLACES,
    elliptic,
    excused,
    made_brief,
    of_both,
    of_other_subject,
    of_twin,
    puts_right,
    replaces,
    told_new,
    trailing,
)
from bobctx.core.acts import questions
from bobctx.core.checking import Case, Refusal
from bobctx.core.labels import Label, labels
from bobctx.core.literals import Literal
from bobctx.core.neighbours import COUNTS, near
from bobctx.core.patterns import pattern
from bobctx.core.slots import Slot, Term, family, slots
from bobctx.core.sources import Found, Source
from bobctx.core.text import clauses, content_stems

FOREIGN: Final = 2
"""Words of the claim that a value of another sentence must have to be its rival."""
CLOSE: Final = 0.6
"""Share of that rival's own words that the claim must have."""
AHEAD: Final = 0.3
"""By how much that share must exceed the value's own."""
COMPOUND: Final = 5
"""Letters of a word that a longer one of the claim begins with (`Abenddosis` of `abends`)."""
ELSEWHERE: Final = 60
"""Values of another cited message that are looked at."""
MOST: Final = 0.7
"""Share of the claim's terms in the clause of a value from which nothing further is asked."""
_RELATIVE: Final = pattern("relative")
_NEXT_PART: Final = pattern("next_part")
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
    return crossing.check(case, values) or twins.parted(case, named)


def _heads(source: Source, place: Found) -> bool:
    """Whether a place is a heading of a table."""
    return any(cell.start <= place.start < cell.end for cell in source.headings)


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
    """The claim's words of a value, without those of a part behind it that has none (`…, and Moss is turned down`)."""
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
        if not _is_rival(case, rival, own) or replaces(source, own, rival):
            continue
        if _taken(case, said, whole, own, rival) or of_other_subject(source, own, rival, said, whole):
            theirs = said & (rival.keys - own.keys)
            if not (theirs <= of_both(source, own, rival) or excused(case, source, theirs, own, rival)):
                return rival
    if whole & own.keys:
        return None
    former = [r.literal for r in beside if replaces(source, own, r)]
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
    if own.literal.kind == "number" and ("/" in own.literal.text) != ("/" in other.literal.text):
        return False  # `step 27/40` is no amount
    if own.literal.offers & other.literal.offers or not (
        rivals(own.literal, other.literal) or (own.literal.kind in COUNTS and other.literal.kind in COUNTS)
    ):
        return False
    return not _named(case, other)


def _taken(case: Case, terms: frozenset[str], whole: frozenset[str], own: Slot, rival: Slot) -> bool:
    """Whether the claim's terms are the rival's and not those of the value."""
    mine, other = own.keys - rival.keys, rival.keys - own.keys
    theirs, ours = terms & other, terms & mine
    if not theirs or not own.keys:
        return False
    ours |= {k for k in mine if len(k) >= COMPOUND and any(t.startswith(k) for t in terms)}
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

"""Which words a value has when another one takes its place, and of which kinds that one may be. Pure.

Used by `staleness`: an answer may repeat a value bare, a reason behind the new value is no part of its subject, and
`19h` may become `18h30`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import regex

from bobctx.core import change
from bobctx.core.binding import rivals
from bobctx.core.checking import Case, Refusal
from bobctx.core.labels import labels
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.literals import Literal
from bobctx.core.slots import Slot, family
from bobctx.core.sources import Clause, Source

_NAMING: Final = frozenset({"identifier", "ticket", "code", "path", "version"})
"""Kinds of literals that name a thing."""
FORMER: Final = 28
"""Code points before a value in which it is called the former one."""
PAST: Final = 12
"""Code points after a value in which its verb stands."""
_NAME_GOES_ON: Final = regex.compile(
    r"[ ](?!(?:is|are|was|were|has|gets|goes|from|to|until|now|and|or|for|in|on|at)\b)\p{L}{3,}"
)
LEAD: Final = 90
"""Code points before a value in which its speaker says that things had changed places."""


def refusal(literal: Literal, source: Source, now: Literal) -> Refusal:
    """Why a value is refused for which a message has another one `now`."""
    clause = source.clauses[source.clause_at(now.start)].text[:200] if source.clauses else ""
    told = {"literal": literal.text, "kind": literal.kind, "now": now.text}
    return Refusal(code="stale_value", data={**told, "message": source.message.alias, "clause": clause})


def lent(case: Case, source: Source, own: Slot) -> Slot:
    """A value that a user repeats bare (`22:00 is fine`), with the words of the proposal it answers."""
    if own.keys or source.message.role != "user":
        return own
    before = [s for s in case.cited if s.position == source.position - 1 and s.message.role == "assistant"]
    kin = (s for other in before for s in other.families.get(family(own.literal), ()))
    asked = next((s for s in kin if s.literal.offers & own.literal.offers), None)
    return own if asked is None else replace(own, terms=asked.terms)


def own_words(slot: Slot, later: Source, clause: Clause) -> frozenset[str]:
    """The words of a value without those of the reason behind it (`pushed to the 25th because of half-term`)."""
    told = cues(clause.text, later.lang, LOGIC, ("reason",))
    cut = min((clause.start + c.start for c in told if clause.start + c.start > slot.literal.end), default=clause.end)
    return frozenset(t.key for t in slot.terms if t.start < cut and "'" not in t.key)


def led_by(own: Slot, slot: Slot, later: Source, clause: Clause) -> frozenset[str]:
    """The words of the sentence before that says what was wrong (`I got the number of sheets wrong. Make it 320`)."""
    if slot.block == 0 or not change.same_matter(clause.text, later.lang):
        return frozenset()
    lead = later.blocks[slot.block - 1]
    if any(s.block == slot.block - 1 for s in later.families.get(family(slot.literal), ())):
        return frozenset()
    told = later.block_terms.get(slot.block - 1, frozenset()) & own.keys
    return told if change.marks_change(lead.of(later.text), later.lang) else frozenset()


def one_thing(case: Case, own: Slot, later: Source, clause: Clause) -> bool:
    """Whether a clause that marks a change names the numbered thing of the claim and of a value (`channel 112`)."""
    mine = {label.noun: label.mark for label in labels(case.text, case.lang)}
    there = [x for x in later.every_label if clause.start <= x.start < clause.end and x.noun in mine]
    if not there or any(mine[x.noun] != x.mark for x in there) or not change.marks_change(clause.text, later.lang):
        return False
    at = own.literal.start
    source = next(
        (s for s in case.cited if at in s.slot_index and s.slots[s.slot_index[at]].literal is own.literal), None
    )
    block = source.sentence_at(at) if source is not None else None
    if source is None or block is None:
        return False
    here = {label.key for label in source.every_label if block.start <= label.start < block.end}
    return all(x.key in here and x.start != at for x in there)


def one_name(case: Case, own: Slot, later: Source, slot: Slot) -> bool:
    """Whether the clause of a new value names a thing of the claim that the old one stands beside (`the 5 km`)."""
    source = next((s for s in case.cited if own in s.slots), None)
    if source is None or not later.clauses:
        return False
    clause = later.clauses[later.clause_at(slot.literal.start)]
    there = [x for x in later.literals if clause.start <= x.start < clause.end and x is not slot.literal]
    around = source.blocks[own.block]
    here = [x for x in source.literals if around.start <= x.start < around.end and x is not own.literal]
    named = [x for x in there if x.unit is not None or x.kind in _NAMING]
    return any(x.offers & lit.needs and any(x.offers & y.offers for y in here) for x in named for lit in case.literals)


def found_wrong(own: Slot, later: Source, slot: Slot) -> bool:
    """Whether the sentence before a value finds the old one too much (`15 % is too generous. Make it 10`)."""
    if slot.block == 0:
        return False
    lead = later.blocks[slot.block - 1]
    old = [x for x in later.literals if lead.start <= x.start < lead.end and x.offers & own.literal.offers]
    return any(change.in_excess(later.text[x.end : lead.end], later.lang) for x in old)


def other_mark(own: Slot, slot: Slot) -> bool:
    """Whether the two belong to things of one noun with different marks (`burner 3`, `burner 2`)."""
    mine, theirs = ({k for k in s.keys if "#" in k} for s in (own, slot))
    nouns = {k.partition("#")[0] for k in mine} & {k.partition("#")[0] for k in theirs}
    return bool(nouns) and not mine & theirs


def mixed_up(source: Source, own: Slot) -> bool:
    """Whether values are given again because they had changed places (`I mixed up the lanes: Mira has lane 6 …`)."""
    at = own.literal.start
    return change.mixed_up(source.text[max(0, at - LEAD) : at], source.lang)


def before(slot: Slot) -> frozenset[str]:
    """The words of a value that stand before it."""
    return frozenset(t.key for t in slot.terms if t.start < slot.literal.start)


def hours(literal: Literal) -> bool:
    """Whether a value may be a time of day (`19h`, where another one is `18h30`)."""
    return literal.unit == "h" and literal.rate is None


def kin(literal: Literal) -> Sequence[str]:
    """The families among which the new value is looked for."""
    own = family(literal)
    return (own, "time") if hours(literal) else (own, "duration") if own == "time" else (own,)


def could_be(literal: Literal, other: Literal) -> bool:
    """Whether the other may stand for the first one now."""
    if family(literal) == family(other):
        return rivals(literal, other)
    return hours(literal) or hours(other)


def replaces_none(own: Slot, slot: Slot, later: Source) -> bool:
    """Whether a value is itself a former one, or belongs to something else by name."""
    other = slot.literal
    if change.former_before(later.text[max(0, other.start - FORMER) : other.start], later.lang):
        return True  # `6 chairs instead of 4`
    if change.was(later.text[other.end : other.end + PAST], later.lang):
        return True  # `30 mg was his dose until April`
    return _names_things(own, other, later)  # `Year 9 chemistry goes to C11` says nothing of Year 10


def instead_of_other(literal: Literal, slot: Slot, later: Source) -> bool:
    """Whether the sentence of a new value names another one that it replaces (`10 episodes is too few, make it 12`)."""
    other = slot.literal
    kin = [s.literal for s in later.families.get(family(other), ()) if s.block == slot.block]
    before = [x for x in kin if x.end <= other.start and x.unit == other.unit and not x.offers & other.offers]
    return bool(before) and not any(x.offers & literal.offers for x in before)


def _names_things(own: Slot, other: Literal, later: Source) -> bool:
    """Whether a bare number is part of a name (`Year 9 chemistry`), as the other is with the same noun."""
    if own.literal.unit is not None or other.unit is not None or not _NAME_GOES_ON.match(later.text, other.end):
        return False
    noun = next((label.noun for label in later.every_label if label.start == other.start), None)
    return noun is not None and noun in own.keys

"""Which words a value has when another one takes its place, and of which kinds that one may be. Pure.

Used by `staleness`: an answer may repeat a value bare, a reason behind the new value is no part of its subject, and
`19h` may become `18h30`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bobctx.core.binding import rivals
from bobctx.core.checking import Case
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.literals import Literal
from bobctx.core.slots import Slot, family
from bobctx.core.sources import Clause, Source


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

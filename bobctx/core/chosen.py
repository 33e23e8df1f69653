"""A value that the user passed over: the assistant gave two to choose from, and the answer takes the other one. Pure.

`40 mm or 60 mm boards?` – `60 mm.` decides for 60 mm; a decision or rule with 40 mm is refused as one of a former
state is (reason `stale_value`; design, section 6, Supersession).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bobctx.core import change, revised
from bobctx.core.acts import questions
from bobctx.core.binding import rivals
from bobctx.core.checking import DIRECTIVES, RESOLVES, Case, Refusal
from bobctx.core.cuts import JOINERS
from bobctx.core.function_words import OR, OR_UNSPACED
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.literals import Literal
from bobctx.core.neighbours import around
from bobctx.core.slots import Slot, family
from bobctx.core.sources import Found, Source

MOST: Final = 12
"""Places of one value that are looked at."""
BETWEEN: Final = 60
"""Code points between two values to choose from."""
OPENING: Final = 90
"""Code points of an answer in which its choice stands."""
_ASKS: Final = ("?", "？", "؟")
_SETS_ASIDE: Final = ("negation", "deny", "contrast", "hypothetical", "condition")


def check(case: Case) -> Refusal | None:
    """The first value of a decision that the answer passed over for the other one of two."""
    if case.type not in DIRECTIVES | RESOLVES or cues(case.text, case.lang, LOGIC, _SETS_ASIDE):
        return None
    if change.marks_former(case.text, case.lang):
        return None
    for literal, places in zip(case.literals, case.found, strict=True):
        if not literal.measured or not places or len(places) > MOST:
            continue
        taken = [_taken(case, literal, place) for place in places]
        now = taken[0]
        if now is not None and all(taken):
            return revised.refusal(literal, *now)
    return None


def _taken(case: Case, literal: Literal, place: Found) -> tuple[Source, Literal] | None:
    """The value of the answer that stood beside this one to choose from, where the claim has it not."""
    source = case.source(place.message)
    own = source.slot_of(place)
    if own is None or source.message.role != "assistant":
        return None
    offered = [
        o.literal for o in _offered(case, source, own) if not any(o.literal.offers & k.needs for k in case.literals)
    ]
    answer = next((s for s in case.cited if s.position == source.position + 1 and s.message.role == "user"), None)
    if answer is None or not offered or answer.find(literal):
        return None
    said = [s.literal for s in answer.slots if s.literal.start <= OPENING]
    found = [x for x in said if any(x.offers & o.offers for o in offered) and _plain(answer, x)]
    return (answer, found[0]) if found else None


def _plain(answer: Source, value: Literal) -> bool:
    """Whether nothing in the clause of a value sets it aside."""
    clause = answer.clauses[answer.clause_at(value.start)].text if answer.clauses else ""
    return not cues(clause, answer.lang, LOGIC, ("negation", "deny", "hypothetical"))


def _offered(case: Case, source: Source, own: Slot) -> Iterator[Slot]:
    """The values that stand beside one with an `or` between them."""
    for other in around(source, own):
        if rivals(own.literal, other.literal):
            first, second = sorted((own.literal, other.literal), key=lambda x: x.start)
            between = source.text[first.end : second.start]
            apart = (own.keys - other.keys) & case.stems  # `5 ml for kids and 10 ml for adults`
            if len(between) <= BETWEEN and (_or(between) or (not apart and _asked_which(source, own))):
                yield other


def _asked_which(source: Source, own: Slot) -> bool:
    """Whether a question follows that has no such value of its own (`I have 12:30 and 14:00. Which one?`)."""
    if own.block + 1 >= len(source.blocks):
        return False
    after = source.blocks[own.block + 1]
    kin = source.families[family(own.literal)]
    asks = bool(questions(after.of(source.text), source.lang)) or after.of(source.text).rstrip().endswith(_ASKS)
    return asks and not any(after.start <= s.literal.start < after.end for s in kin)


def _or(between: str) -> bool:
    """Whether an `or` joins what stands before and behind it."""
    joined = {w for w in between.casefold().replace(",", " ").split() if w in JOINERS}
    return any(w in between for w in OR_UNSPACED) or bool(joined and joined <= OR)

"""The statements of a claim, each on its own: a true one must not carry a false one past the checks. Pure.

A claim merged from several messages says several things. Read as one text, what one of its sentences says makes up
for what another one leaves out or adds (design, section 6, Polarity and Binding).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Final

import regex

from bobctx.core.checking import Case, Refusal
from bobctx.core.reading import Segment, read
from bobctx.core.reporting import statement_of
from bobctx.core.text import Span, content_stems, sentences

_SEMICOLON: Final = regex.compile("[;；؛]")
OWN: Final = 2
"""Content words from which a part of a claim is a statement."""
PAIRS: Final = 10
"""The same in what accuses it, where words are pairs of characters."""

_LOOSE: Final = frozenset({"hypothetical", "question"})
"""Codes for which a statement must share words with the clause that accuses it."""
_STRICT: Final = frozenset({"binding", "antonym"})
"""Codes for which a statement that shares words with the clause answers for itself."""

Check = Callable[[Case], Refusal | None]


def check(case: Case, of_statement: Check) -> Refusal | None:
    """The first refusal of a statement that no other statement of the claim answers for."""
    parts = [
        Case(replace(case.claim, text=statement_of(s.of(case.text).strip())), case.cited, case.lang)
        for s in statements(case)
    ]
    if len(parts) < 2 or any(len(part.stems) < OWN for part in parts):
        return of_statement(case)
    for part in parts:
        refusal = of_statement(part)
        if refusal is not None and not _answered_for(part, parts, refusal):
            return refusal
    return None


def statements(case: Case) -> Iterator[Span]:
    """The sentences of a claim and what semicolons divide them into, outside of its exact values."""
    values = [(lit.start, lit.end) for lit in case.literals]
    for sentence in sentences(case.text):
        stops = [m.start() for m in _SEMICOLON.finditer(case.text, sentence.start, sentence.end)]
        stops = [at for at in stops if not any(a <= at < b for a, b in values)]
        for before, after in pairwise([sentence.start - 1, *stops, sentence.end]):
            yield Span(before + 1, after)


def _answered_for(part: Case, parts: list[Case], refusal: Refusal) -> bool:
    """Whether another statement rests on the clause that accuses this one, and has more of it."""
    clause = content_stems(str(refusal.data.get("clause", "")), part.lang)
    mine = len(clause & part.stems)
    if refusal.code in _LOOSE and mine < OWN:
        return True  # `it has to be worked up`: what it speaks of stands in another statement
    own = PAIRS if part.lang in ("zh", "ja") else OWN
    if refusal.code == "negation_added" and mine:
        return False  # what it denies stands beside nothing that could deny it
    if refusal.code in _STRICT and mine >= own:
        return False  # it speaks of what accuses it, whatever the others add
    for other in (p for p in parts if p is not part):
        if refusal.code == "binding" and _has_own(other, refusal):
            continue  # `exit=0; table 2 has rows=14`: its words go with a value of its own
        shared = len(clause & other.stems)
        denies = refusal.code == "negation_dropped" and any(_denies(s) for s in read(other.text, other.lang).segments)
        if shared > mine or (shared and denies):
            return True  # `done with methanol; water is ruled out`
        if refusal.code == "condition_dropped" and shared >= OWN and _has(other, str(refusal.data.get("cue", ""))):
            return True  # `frozen until spring; exceptions need a signature`: the condition is where it belongs
    return False


def _denies(segment: Segment) -> bool:
    """Whether it denies or stops something; what it merely keeps (`the party keeps it`) is another matter."""
    return segment.strength % 2 == 1 or segment.has("stop") or segment.kind == "contrast"


def _has_own(other: Case, refusal: Refusal) -> bool:
    """Whether a statement has a value of the kind that does not stand in the clause that accuses another one."""
    clause, kind = str(refusal.data["clause"]), refusal.data["kind"]
    mine = [lit for lit in other.literals if lit.measured and lit.kind == kind]
    return bool(mine) and not any(lit.text in clause for lit in mine)


def _has(part: Case, cue: str) -> bool:
    """Whether a statement sets a condition with this word."""
    found = (c.text.casefold() for s in read(part.text, part.lang).segments for c in s.of("condition"))
    return cue.casefold() in found

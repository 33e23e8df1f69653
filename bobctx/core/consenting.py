"""A yes that is bound to a condition (`Yes, but only if it rains`) settles no more than that. Pure."""

from __future__ import annotations

from typing import Final

from bobctx.core.acts import conditions, questions
from bobctx.core.answers import answer
from bobctx.core.checking import Case, Refusal
from bobctx.core.language import UNKNOWN
from bobctx.core.reading import Segment, read
from bobctx.core.sources import Clause, Source

BINDING: Final = frozenset({"if", "unless", "until"})
"""Conditions that a claim may not leave out."""
LONGEST: Final = 200
"""Code points of a message whose first words are read as an answer."""


def conditioned(case: Case) -> Refusal | None:
    """Whether the claim rests on a question that the next cited message accepts on a condition it leaves out."""
    if case.type in ("open_question", "failure") or not case.supports or conditions(case.text, case.lang):
        return None
    best = case.supports[0]
    asked = case.source(best.message)
    if asked.message.role != "assistant" or not questions(_sentence(asked, best), asked.lang):
        return None
    for source in case.cited:
        if source.position != asked.position + 1 or source.message.role != "user":
            continue
        found = _condition(source)
        if found is None:
            continue
        segment, clause = found
        if not {k for k in segment.content if not k.startswith("=")} & case.stems and _alone(asked):
            cue = next(c.text for c in segment.cues if c.kind == "condition")
            data = {"cue": cue, "clause": clause.text[:200], "message": source.message.alias}
            return Refusal(code="condition_dropped", data=data)
    return None


def _sentence(source: Source, clause: Clause) -> str:
    return next((b.of(source.text) for b in source.blocks if b.start <= clause.start < b.end), clause.text)


def _alone(source: Source) -> bool:
    """Whether the message asks one thing only, so that the answer is to it."""
    return sum(1 for b in source.blocks if questions(b.of(source.text), source.lang)) == 1


def _condition(source: Source) -> tuple[Segment, Clause] | None:
    """The condition in the first sentence of an answer that says yes."""
    if not source.blocks or answer(source) != "accepts":
        return None
    lang = source.lang if source.lang != UNKNOWN else None
    first = source.blocks[0]
    for clause in source.clauses:
        if clause.start >= first.end or lang is None:
            break
        for segment in read(clause.text, lang).segments:
            if segment.values("condition") & BINDING:
                return segment, clause
    return None

"""What was asked or proposed and then granted stands as said, so that it may not be claimed as denied. Pure.

A question or a mere idea denies nothing and affirms nothing (`meaning`). Once a later cited message of a user accepts
it, or names in a few words what was asked, a claim that denies it turns the answer around.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from bobctx.core.answers import answer, echoes, turns_down
from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import has_stem, turned_there, turns
from bobctx.core.language import UNKNOWN
from bobctx.core.reading import read
from bobctx.core.sources import Clause, Source

BRIEF: Final = 60
"""Code points of an answer that names what was asked and says no more."""


def granted(case: Case, asked: Clause, cue: str) -> bool:
    """Whether a later answer grants what the clause asks and the claim denies by `cue`, and nothing is denied there."""
    segments = read(case.text, case.lang).segments
    heads = next((s.heads for s in segments if any(c.text == cue for c in s.cues)), frozenset[str]())
    source = case.source(asked.message)
    about = source.clause_stems[source.clause_at(asked.start)]
    later = [s for s in case.cited if s.position > asked.message and s.message.role == "user"]
    if _said_besides(case, heads, about) or any(
        turns_down(s, about & case.stems) or turned_there(case, s) for s in later
    ):
        return False
    return any(answer(s) == "accepts" or echoes(s, about, case.stems) for s in later)


def check(case: Case) -> Refusal | None:
    """`is not done on ice` of `in water or on ice?` and the answer `On ice.`"""
    if case.lang == UNKNOWN:
        return None
    denied = [s for s in read(case.text, case.lang).segments if s.has("verbal") and s.strength % 2]
    for before, after in zip(case.cited, case.cited[1:], strict=False):
        if before.message.role != "assistant" or not before.clauses or not _names(after):
            continue
        question, about = read(before.clauses[-1].text, case.lang), before.clause_stems[-1]
        named = after.clause_stems[0]
        if not question.question or not named <= about or any(turns(s) for s in question.segments):
            continue
        for segment in denied:
            if named <= segment.content.keys() and not _said_besides(case, segment.heads, about):
                cue, clause = segment.of("negation")[0].text, after.clauses[0].text
                data = {"cue": cue, "clause": clause[:200], "message": after.message.alias}
                return Refusal(code="negation_added", data=data)
    return None


def _said_besides(case: Case, heads: Collection[str], about: Collection[str]) -> bool:
    """Whether the denied word stands in the sources, but not in the question: then it is no word for what was asked."""
    words = [h for h in heads if not h.startswith("=") and not has_stem(h, about)]
    return any(has_stem(w, s.clauses_with) for w in words for s in case.cited)


def _names(source: Source) -> bool:
    """Whether a user's message begins with a few words that name something, deny nothing and ask nothing."""
    if source.message.role != "user" or source.message.injected or not source.clauses or source.lang == UNKNOWN:
        return False
    first = source.clauses[0]
    reading = read(first.text, source.lang)
    brief = len(first.text) <= BRIEF and bool(source.clause_stems[0])
    return brief and not reading.question and not any(turns(s) for s in reading.segments)

"""What was asked or proposed and then granted stands as said, so that it may not be claimed as denied. Pure.

A question or a mere idea denies nothing and affirms nothing (`meaning`). Once a later cited message of a user accepts
it, or names in a few words what was asked, a claim that denies it turns the answer around.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from bobctx.core.answers import answer, echoes, first_part, turns_down
from bobctx.core.checking import RESOLVES, Case, Refusal
from bobctx.core.denial import denies, has_stem, turned_there, turns, words_of
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import CHARACTER_LANGUAGES
from bobctx.core.negation import asides
from bobctx.core.reading import Segment, read
from bobctx.core.sources import Clause, Source
from bobctx.core.text import content_stems

_AWAY: Final = frozenset({"add-", "begin-", "enable-", "include-", "keep-", "open-", "own-", "renew-", "stay-"})
"""Words for doing away with something."""
BRIEF: Final = 60
"""Code points of an answer that names what was asked and says no more."""
MOST: Final = 8
"""Clauses with most of the claim in which its proposal is looked for."""
LEAST: Final = 2
"""Words of the denied statement that its proposal has."""
SHARE: Final = 0.4
"""And which share of them."""
ANSWERED: Final = 12
"""Clauses of an answer that are read."""


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
                return _refusal(segment, after)
    return _chosen(case)


def _chosen(case: Case) -> Refusal | None:
    """`is not booked for 15:00` of `he is free at 15:00, shall I book him?`, `yes`; or of `3 or 5?` and `3`."""
    if case.type not in RESOLVES:
        return None  # what is so is not settled by an answer
    for segment in read(case.text, case.lang).segments:
        if segment.kind != "main" or not segment.has("verbal") or segment.strength % 2 == 0 or asides(segment):
            continue  # `at the office and not at the shop` denies no choice
        words = words_of(segment)
        for source, clause, reading in case.readings(MOST):
            if source.message.role != "assistant" or any(denies(s) or _ends(s, case) for s in reading.segments):
                continue
            about = source.clause_stems[source.clause_at(clause.start)]
            shared = sum(has_stem(w, about) for w in words)
            if shared < LEAST or shared < SHARE * len(words) or _said_besides(case, segment.heads, source.clauses_with):
                continue
            for later in case.cited:
                if later.position > source.position and _takes(case, later, segment, about):
                    return _refusal(segment, later)
    return None


def _refusal(denied: Segment, answered: Source) -> Refusal:
    data = {"cue": denied.of("negation")[0].text, "clause": answered.clauses[0].text[:200]}
    return Refusal(code="negation_added", data={**data, "message": answered.message.alias})


def _ends(proposed: Segment, case: Case) -> bool:
    """Whether a proposal does away with something, in a word that the claim has not (`shall I close it?`)."""
    return any(c.value in _AWAY and not content_stems(c.text, case.lang) & case.stems for c in proposed.of("polar"))


def _takes(case: Case, later: Source, segment: Segment, about: frozenset[str]) -> bool:
    """Whether an answer takes what the segment denies: by a yes, or by naming it and nothing else of the claim."""
    if later.message.role != "user" or later.message.injected or not later.clauses or later.lang == UNKNOWN:
        return False
    opening = first_part(later.clauses[0].text)
    first = read(opening, later.lang)
    if first.question or any(denies(s) or s.has("soft") for s in first.segments) or _denies_more(case, later, segment):
        return False
    if turns_down(later, about & case.stems) or answer(later) == "refuses":
        return False
    named = content_stems(opening, later.lang) & case.stems & about
    denied = content_stems(case.text[segment.first : segment.last], case.lang)
    return answer(later) == "accepts" or (bool(named) and named <= denied)


def _denies_more(case: Case, later: Source, denied: Segment) -> bool:
    """Whether an answer goes on to deny anything that the claim denies (`Yes. But don't raise the limit yet.`)."""
    words = words_of(denied)
    return any(
        s.kind != "condition"
        and (turns(s) if later.lang in CHARACTER_LANGUAGES else denies(s))
        and any(has_stem(w, s.content.keys() | s.heads) for w in words)
        for clause in later.clauses[:ANSWERED]
        for s in read(clause.text, case.lang_of(later)).segments
    )


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

"""A claim without a condition, where the one sentence that says it has one: `the towels go in the window`. Pure.

`condition` asks the clause that a claim is aligned with. Here the whole sentence is read that has most of the claim:
where all of that stands beside an `if` or `unless` of which the claim has little, and no other sentence says as much,
the claim holds always what its source holds sometimes (design, section 6, Polarity).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

import regex

from bobctx.core.answers import answer
from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import has_stem
from bobctx.core.language import UNKNOWN
from bobctx.core.reading import NAME_WEIGHT, Reading, Segment, read
from bobctx.core.sources import Source

MOST: Final = 8
"""Clauses with most of the claim whose sentences are read."""
LEAST: Final = 2
"""Words of the claim that a sentence saying it must have."""
SHARE: Final = 0.6
"""And which share of those that its sources have at all."""
CLOSE: Final = 0.7
"""Share of the best sentence's words of the claim from which another one says as much."""
LONGEST: Final = 400
"""Code points of a sentence that is read."""
TOLD: Final = 0.34
"""Share of a condition's own words from which the claim has it."""
LEAD: Final = 10
"""Code points before a condition's word in its own part (`but only if`)."""
_BUT: Final = regex.compile(
    r"[;；]\s*|[,،]\s*(?:and|und|et|y|e|en|и|but|aber|mais|pero|mas|ma|maar|но|لكن)\s(?!only\b)"
)
_ASKS: Final = regex.compile(
    r"(?i)\b(?:ask|check|know|wonder|see|tell|sure|frag|prüf|schau|wei(?:ß|ss)|demand|sai|vérifi|pregunt|sab|comprob|chied|controll"
    r"|vraag|weet|спро|узна)\p{L}*+[^,;.]{0,30}$"
)
"""What makes an `if` behind it a question."""
_STRICT: Final = frozenset({"if", "unless"})
_OWN: Final = frozenset({"if", "unless", "when", "until", "except", "despite", "including"})
"""Conditions of a claim that may stand for the one of its source."""


def check(case: Case) -> Refusal | None:
    """The condition of the sentence that a claim without one rests on."""
    if (
        case.lang == UNKNOWN
        or case.type in ("open_question", "correction")
        or not _outright(read(case.text, case.lang))
    ):
        return None
    known = {k for k in case.stems if any(has_stem(k, s.clauses_with) for s in case.cited)}
    weighed: list[tuple[int, Source, str, Reading]] = []
    for source, text in dict.fromkeys(_sentences(case)):
        reading = read(text, case.lang_of(source))
        outright = _said(reading)
        if any(has_stem(k, outright) for k in known):
            words = {k for s in reading.segments for k in s.content}
            weighed.append((sum(has_stem(k, words) for k in known), source, text, reading))
    best = max((n for n, *_ in weighed), default=0)
    if best < max(LEAST, SHARE * len(known)):
        return None
    found: Refusal | None = None
    for shared, source, text, reading in weighed:
        if shared < CLOSE * best:
            continue
        cue = _condition(case, source, text, reading)
        if cue is None:
            return None  # this one says it outright
        data = {"cue": cue, "clause": text[:200], "message": source.message.alias}
        found = found or Refusal(code="condition_dropped", data=data)
    return found


def _outright(claim: Reading) -> bool:
    """Whether a claim supposes, asks and limits nothing."""
    if claim.question or claim.has("hypothetical") or claim.has("whether") or claim.has("reserved"):
        return False
    bound = any(b.value in ("before", "after") for b in claim.bounds)
    return not bound and not claim.values("condition") & _OWN and "only" not in claim.values("quantifier")


def _sentences(case: Case) -> Iterator[tuple[Source, str]]:
    """The parts of sentences, cut at each `but`, that have a word of the claim."""
    for source, clause, _ in case.readings(MOST):
        sentence = source.sentence_at(clause.start)
        text = sentence.of(source.text) if sentence is not None else clause.text
        for part in _BUT.split(text if len(text) <= LONGEST else clause.text):
            yield source, part


def _condition(case: Case, source: Source, text: str, reading: Reading) -> str | None:
    """The `if` or `unless` of a sentence of which the claim has little; None if there is none or it binds nothing."""
    for segment in reading.segments:
        cue = next((c for c in segment.cues if c.kind == "condition" and c.value in _STRICT), None)
        if cue is None or segment.kind != "condition" or any(c.start == cue.start for c in segment.of("reason")):
            continue
        if cue.start - segment.first > LEAD or _has(segment, case.stems) or _ASKS.search(text, 0, cue.start):
            continue
        if not _worded(segment, alone=source.message.role == "assistant"):
            continue
        if any(_come_about(segment, s, source) for s in case.cited if s.position > source.position):
            continue
        return cue.text
    return None


def _has(condition: Segment, stems: Collection[str]) -> bool:
    words = {k for k in condition.content if not k.startswith("=")}
    return not words or sum(has_stem(k, stems) for k in words) >= TOLD * len(words)


def _worded(condition: Segment, *, alone: bool) -> bool:
    """Whether a condition says what it is; `alone`: by a name or figure, so that it is no mere wish (`if you like`)."""
    words = [w for k, w in condition.content.items() if not k.startswith("=")]
    return any(w >= NAME_WEIGHT for w in words) or (not alone and len(words) >= LEAST)


def _come_about(condition: Segment, later: Source, source: Source) -> bool:
    """Whether a later message has the words of a condition, or its speaker gives leave after all."""
    again = source.message.role == later.message.role == "user" and answer(later) == "accepts"
    return again or _has(condition, later.clauses_with.keys())


def _said(reading: Reading) -> set[str]:
    return {k for s in reading.segments if s.kind != "condition" for k in s.content}

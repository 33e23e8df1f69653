"""What a claim holds even so, also, or without, where its source makes that the very condition. Pure.

`Also without a receipt` of `only with a receipt`, `however it goes` of `if it goes well`, `members or not` of `members
only`: the claim waives what the source asks for, unless the source says as much somewhere else.
"""

from __future__ import annotations

from typing import Final

from bobctx.core.checking import Case, Refusal
from bobctx.core.language import UNKNOWN
from bobctx.core.reading import Reading, read
from bobctx.core.ties import Tie, content, sentences_of, shared, ties, words_of_tie

_PUTS: Final = frozenset({"if", "unless", "when"})
_WAIVES: Final = frozenset({"even", "also", "without"})
_LOOSE: Final = ("indifferent", "whether")
_HELD: Final = ("contrast", "hypothetical", "past")
ENOUGH: Final = 0.5
"""Share of the claim's words that a source's sentence about the same matter has."""


def check(case: Case) -> Refusal | None:
    """The first word with which the claim waives what a source asks for and no source waives."""
    if case.lang == UNKNOWN:
        return None
    whole = read(case.text, case.lang)
    waives = [t for t in ties(case.text, case.lang, _WAIVES) if t.term or t.cue.kind == "even"]
    free = "optional" in whole.values("modal")  # `without fever there is no need to come back`
    if not waives or free or whole.question or any(map(whole.has, _HELD)):
        return None
    found: Refusal | None = None
    for text, lang, alias in sentences_of(case):
        theirs = read(text, lang)
        if theirs.question or _waived(text, theirs):
            return None
        cue = next((t.cue.text for t in waives if _asked(t, whole, theirs, text)), "")
        if cue and found is None:
            found = Refusal(code="condition_dropped", data={"cue": cue, "clause": text[:200], "message": alias})
    return found


def _waived(text: str, theirs: Reading) -> bool:
    """Whether a source itself says that something holds even so."""
    said = {c.kind for c in words_of_tie(text, theirs.lang)}
    return not said.isdisjoint({"even", "else"}) or "despite" in theirs.values("condition") or any(map(theirs.has, _LOOSE))


def _asked(mine: Tie, claim: Reading, theirs: Reading, text: str) -> bool:
    """Whether a sentence about the matter makes what this waives a condition."""
    said = {k for _, k in content(text, theirs.lang)}
    if not shared(mine.rest, said) or shared(mine.rest, said) < ENOUGH * len(mine.rest):
        return False
    if mine.cue.kind == "without":
        return _without(mine, claim, theirs, text)
    if claim.values("condition") & {"except", "until"} or "only" in claim.values("quantifier"):
        return False
    only = "only" in theirs.values("quantifier")
    if mine.cue.kind == "also":
        return only and not any(c.kind == "also" for c in words_of_tie(text, theirs.lang))
    terms = {k for s in theirs.segments if s.values("condition") & _PUTS for k in s.content}
    terms |= {k for t in ties(text, theirs.lang, ("after", "once")) for k in t.term}
    if not terms and not only:
        return False
    return not mine.term or only or bool(shared(mine.term, terms))


def _without(mine: Tie, claim: Reading, theirs: Reading, text: str) -> bool:
    """Whether the sentence asks for what the claim does without."""
    if any(s.strength - len(s.of("lacking")) > 0 for s in claim.segments) or not mine.term:
        return False
    for tie in ties(text, theirs.lang, ("without",)):
        if shared(mine.term, tie.term) and any(s.has("negation") for s in theirs.segments):
            return True
    for segment in theirs.segments:
        asks = segment.values("condition") & {"if", "when"} and not segment.has("negation")
        but = segment.values("condition") == {"except"} and any(s.has("negation") for s in theirs.segments)
        if (asks or but) and shared(mine.term, segment.content):
            return True
    only = "only" in theirs.values("quantifier") and not any(s.strength for s in theirs.segments)
    return only and bool(shared(mine.term, {k for _, k in content(text, theirs.lang)}))

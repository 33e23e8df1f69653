"""What a claim holds even so, also, or without, where its source makes that the very condition. Pure.

`Also without a receipt` of `only with a receipt`, `however it goes` of `if it goes well`, `members or not` of `members
only`: the claim waives what the source asks for, unless the source says as much somewhere else.
"""

from __future__ import annotations

from typing import Final

from bobctx.core.checking import Case, Refusal
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import Cue
from bobctx.core.reading import Reading, read
from bobctx.core.ties import Tie, content, sentences_of, shared, ties, words_of_tie

_PUTS: Final = frozenset({"if", "unless", "when"})
_WAIVES: Final = frozenset({"even", "also", "without"})
_KEPT: Final = frozenset({"if", "unless", "except", "until"})
_LOOSE: Final = ("indifferent", "whether")
_HELD: Final = ("hypothetical", "past", "whether")
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
        cue = next((t.cue.text for t in waives if _asked(t, whole, theirs, text, case.text)), "")
        if cue and found is None:
            found = Refusal(code="condition_dropped", data={"cue": cue, "clause": text[:200], "message": alias})
    return found


def _waived(text: str, theirs: Reading) -> bool:
    """Whether a source itself says that something holds even so."""
    said = {c.kind for c in words_of_tie(text, theirs.lang)}
    return "even" in said or "despite" in theirs.values("condition") or any(map(theirs.has, _LOOSE))


def _asked(mine: Tie, claim: Reading, theirs: Reading, text: str, claim_text: str) -> bool:
    """Whether a sentence about the matter makes what this waives a condition."""
    said = {k for _, k in content(text, theirs.lang)}
    if not any(shared(part, said) >= max(1.0, ENOUGH * len(part)) for part in (mine.rest, mine.rest | mine.term)):
        return False
    kinds = {c.kind for c in words_of_tie(text, theirs.lang)}
    only = "only" in kinds or "only" in theirs.values("quantifier")
    if mine.cue.kind == "without":
        return _without(mine, claim, theirs, text, only=only)
    if mine.cue.kind == "also" and "unless" not in claim.values("condition"):
        return only and "also" not in kinds and not any(c.kind == "only" for c in words_of_tie(claim_text, claim.lang))
    if claim.values("condition") & _KEPT or any(c.kind in ("only", "if") for c in words_of_tie(claim_text, claim.lang)):
        return False
    terms = _terms(theirs, text)
    if not terms and not only:
        return False
    return not mine.term or only or bool(shared(mine.term, terms))


def _terms(theirs: Reading, text: str) -> set[str]:
    """The words of what a sentence makes a condition, `without` among them where it denies."""
    lang = theirs.lang
    parts = [text[s.first : s.last] for s in theirs.segments if s.kind == "condition" and s.values("condition") & _PUTS]
    terms = {k for part in parts for _, k in content(part, lang)}
    denies = any(s.has("negation") for s in theirs.segments)
    kinds = ("after", "once", "if", "without") if denies else ("after", "once", "if")
    return terms | {k for t in ties(text, lang, kinds) for k in t.term}


def _stays_out(cue: Cue) -> bool:
    """Whether a word says that something is not done or stays as it is (`bleibt aus`)."""
    return cue.kind in ("stop", "soft") or (cue.kind == "polar" and cue.value.endswith("-"))


def _without(mine: Tie, claim: Reading, theirs: Reading, text: str, *, only: bool) -> bool:
    """Whether the sentence asks for what the claim does without."""
    if any(s.strength - len(s.of("lacking")) > 0 or any(map(_stays_out, s.cues)) for s in claim.segments):
        return False
    if not mine.term:
        return False
    denies = any(s.has("negation") for s in theirs.segments)
    if denies and any(shared(mine.term, tie.term) for tie in ties(text, theirs.lang, ("without",))):
        return True
    for segment in theirs.segments:
        asks = segment.values("condition") & {"if", "when"} and not segment.has("negation")
        but = segment.values("condition") == {"except"} and denies
        if (asks or but) and shared(mine.term, segment.content):
            return True
    if any(shared(mine.term, tie.term) for tie in ties(text, theirs.lang, ("if", "after"))) and not denies:
        return True
    plain = only and not any(s.strength for s in theirs.segments)
    return plain and bool(shared(mine.term, {k for _, k in content(text, theirs.lang)}))

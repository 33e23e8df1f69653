"""A claim may not speak of all where its source speaks of one: `travel is frozen`, `all budgets are frozen`. Pure."""

from __future__ import annotations

from typing import Final

from bobctx.core.acts import negations, quantifiers
from bobctx.core.checking import Case, Refusal
from bobctx.core.labels import labels
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import Cue
from bobctx.core.sources import Clause
from bobctx.core.text import content_stems, stem, words

MOST_WORDS: Final = 8
"""Content words of a claim that is short enough to be one statement."""
NEAR: Final = 2
"""Content words after the quantifier in which its noun stands."""


def check(case: Case) -> Refusal | None:
    """Whether a short claim says `all` of a noun that its best clause does not even have."""
    if case.lang == UNKNOWN or len(case.stems) > MOST_WORDS or not case.supports:
        return None
    every = next((c for c in quantifiers(case.text, case.lang) if c.value == "all"), None)
    if every is None:
        return None
    nouns = _nouns(case, every)
    best = case.supports[0]
    if not nouns or negations(best.text, case.lang) or any(_says_all(case, clause) for clause in case.supports):
        return None
    if _one_of(nouns, case, best):
        alias = case.source(best.message).message.alias
        return Refusal(code="quantifier", data={"cue": every.text, "clause": best.text[:200], "message": alias})
    if nouns & content_stems(best.text, case.lang) or not case.stems & content_stems(best.text, case.lang):
        return None
    alias = case.source(best.message).message.alias
    return Refusal(code="quantifier", data={"cue": every.text, "clause": best.text[:200], "message": alias})


def _one_of(nouns: frozenset[str], case: Case, best: Clause) -> bool:
    """Whether the best clause speaks of one of several (`bay 4`) where the claim speaks of them all."""
    marks = {label.mark for label in labels(best.text, case.source(best.message).lang) if label.noun in nouns}
    return len(marks) == 1 and not any(label.noun in nouns for label in labels(case.text, case.lang))


def _nouns(case: Case, every: Cue) -> frozenset[str]:
    after = [w for w in words(case.text, case.lang) if w.start >= every.end]
    content = [stem(w.text, case.lang) for w in after]
    return frozenset([k for k in content if k in case.stems][:NEAR][:1])


def _says_all(case: Case, clause: Clause) -> bool:
    lang = case.source(clause.message).lang
    return any(c.value in ("all", "most") for c in quantifiers(clause.text, lang))

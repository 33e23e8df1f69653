"""A claim that denies something needs a source that denies, refuses or excludes something of the same matter. Pure.

`polarity` compares the one clause that fits best. Here the whole cited text is asked: where no clause near the claim's
own words has any word of denial, the claim's `not` comes from nowhere.
"""

from __future__ import annotations

from typing import Final

from bobctx.core.acts import refusals
from bobctx.core.checking import Case, Refusal
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import LOGIC, Cue, cues
from bobctx.core.reading import Segment, read
from bobctx.core.sources import Source

NEAR: Final = 2
"""Clauses before and after one that shares a word in which the denial may stand."""
CONCORD: Final = frozenset({"fr", "es", "pt", "it", "ru", "ar"})
"""Languages where a second negation agrees with the first (`no … nunca`); elsewhere two cancel."""
FEW: Final = 14
"""Clauses of all cited messages up to which this is asked; in longer ones a denial may stand anywhere."""
WIDE: Final = (
    "negation",
    "deny",
    "stop",
    "contrast",
    "condition",
    "modal",
    "hypothetical",
    "quantifier",
    "polar",
    "soft",
)
_VALUES: Final = {
    "condition": frozenset({"unless", "except"}),
    "modal": frozenset({"optional"}),
    "hypothetical": frozenset({"unsure"}),
    "quantifier": frozenset({"only", "some"}),
}
BLANKS: Final = ("null", "[]", "{}", "empty", "none", "nil", "false", "n/a", "404", "not_", "no_")
"""Values of data that say that something is not there."""


def check(case: Case) -> Refusal | None:
    """The first denial of the claim that nothing in its sources stands for."""
    if case.lang == UNKNOWN or sum(len(s.clauses) for s in case.cited) > FEW:
        return None
    for segment in read(case.text, case.lang).segments:
        denials = [c for c in segment.cues if c.kind == "negation"]
        doubled = case.lang not in CONCORD and len(denials) % 2 == 0
        if not denials or doubled or _denied(case, segment):
            continue
        return Refusal(code="negation_added", data={"cue": denials[0].text, "clause": _best(case), "message": ""})
    return None


def _best(case: Case) -> str:
    return case.supports[0].text[:200] if case.supports else ""


def _denied(case: Case, segment: Segment) -> bool:
    words = {k.lstrip("=") for k in segment.content}
    return any(_denies(source, words, case) for source in case.cited)


def _denies(source: Source, words: set[str], case: Case) -> bool:
    """Whether a clause with one of these words, or its neighbour, denies something."""
    lang = source.lang if source.lang != UNKNOWN else case.lang
    close: set[int] = set()
    for index, stems in enumerate(source.clause_stems):
        if stems & words:
            close.update(range(max(0, index - NEAR), min(len(source.clauses), index + NEAR + 1)))
    where = sorted(close) if close else range(len(source.clauses))
    return any(speaks(source.clauses[i].text, lang) for i in where)


def speaks(text: str, lang: str) -> bool:
    """Whether a clause has a word that denies, refuses, excludes or leaves out."""
    low = text.casefold()
    if any(blank in low for blank in BLANKS) or refusals(text, lang):
        return True
    return any(_counts(c) for c in cues(text, lang, LOGIC, WIDE))


def _counts(cue: Cue) -> bool:
    if cue.kind == "polar":
        return cue.value.endswith("-")
    wanted = _VALUES.get(cue.kind)
    return wanted is None or cue.value in wanted

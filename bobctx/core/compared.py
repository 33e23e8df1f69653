"""Sides of a comparison that have changed places: `rather a disc jockey than a trio` of `rather a trio than …`. Pure.

What stands behind the `than` of the source and before that of the claim, and the other way round, has been exchanged,
unless the claim turns the comparison as well (`smaller` for `larger`).
"""

from __future__ import annotations

from typing import Final

import regex

from bobctx.core.acts import comparators, negations
from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import has_stem
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.slots import BOUNDARY, stemmed

MOST: Final = 8
"""Clauses that are looked at, those with most of the claim first."""
SIDE: Final = 12
"""Characters of a side in languages without spaces."""
_GRADE: Final = r"\p{L}+er|\p{L}+re"
_ROMANCE: Final = {
    "fr": r"(?:plus|moins|mieux|plutôt|meilleure?s?|pires?|davantage)\b.{0,40}?\b(?:que\b|qu')",
    "es": r"(?:más|menos|mejor|peor|mayor|menor|antes)\b.{0,40}?\bque\b",
    "pt": r"(?:mais|menos|melhor|pior|maior|menor|antes)\b.{0,40}?\b(?:do )?que\b",
    "it": r"(?:più|meno|meglio|peggio|piuttosto|maggiore|minore)\b.{0,40}?\b(?:che|di|del|della|dei)\b",
}
_MARKS: Final = {
    "en": regex.compile(r"\bthan\b"),
    "de": regex.compile(rf"(?<=\b(?:{_GRADE}|mehr)\b.{{0,40}}?)\bals\b"),
    "nl": regex.compile(rf"(?<=\b(?:{_GRADE})\b.{{0,40}}?)\bdan\b"),
    "ru": regex.compile(r"\b(?:нежели|чем)\b"),
    "ar": regex.compile(r"(?<=(?:أكثر|أقل|أفضل|أكبر|أصغر|أسرع|أبطأ)\b.{0,40}?)\bمن\b"),
    **{lang: regex.compile(pattern) for lang, pattern in _ROMANCE.items()},
    "zh": regex.compile("比"),
    "ja": regex.compile("より"),
    "ko": regex.compile("보다"),
}
_SPACELESS: Final = frozenset({"zh", "ja", "ko"})
_LEADING: Final = " 、，,も"


def check(case: Case) -> Refusal | None:
    """The comparison of the claim whose sides its source has the other way round."""
    sides = _sides(case.text, case.lang) if case.lang != UNKNOWN else None
    if sides is None:
        return None
    for _, clause in case.ranked[:MOST]:
        source = case.source(clause.message)
        theirs = _sides(clause.text, source.lang) if source.lang == case.lang else None
        if theirs is None or _turned(case.text, clause.text, case.lang):
            continue
        if _swapped(sides, theirs, case.lang):
            mark = _MARKS[case.lang].search(case.text)
            cue = mark.group() if mark is not None else ""
            return Refusal(
                code="antonym", data={"cue": cue, "clause": clause.text[:200], "message": source.message.alias}
            )
    return None


def _sides(text: str, lang: str) -> tuple[str, str] | None:
    """What stands before and behind the mark of the only comparison of a text, in its part of the sentence."""
    found = list(_MARKS[lang].finditer(text.casefold() if lang not in _SPACELESS else text))
    if len(found) != 1:
        return None
    start, end = found[0].end() if lang in _ROMANCE else found[0].start(), found[0].end()
    before, behind = text[:start], text[end:]
    if lang in _ROMANCE:  # the grade and what is preferred stand in front of the mark, and within the match
        before = before[: before.casefold().rstrip("'").rfind(" ")] if " " in before else before
    edge = BOUNDARY.search(behind)
    return before, behind[: edge.start()] if edge is not None else behind


def _swapped(mine: tuple[str, str], theirs: tuple[str, str], lang: str) -> bool:
    if lang in _SPACELESS:
        first, second = mine[0][-2:], mine[1].lstrip(_LEADING)[:2]
        before, behind = theirs[0][-SIDE:], theirs[1][:SIDE]
        moved = first in behind and first not in before and second in before and second not in behind
        return moved and len(first) == len(second) == 2
    first_half, second_half = _stems(mine[0], lang), _stems(mine[1], lang)
    known, rest = _stems(theirs[0], lang), _stems(theirs[1], lang)
    now, then = second_half - first_half, rest - known
    if not now or not then or any(has_stem(k, then) for k in now):
        return False
    return all(has_stem(k, known) for k in now) and all(has_stem(k, first_half) for k in then)


def _stems(text: str, lang: str) -> set[str]:
    return {k for _, k in stemmed(text, lang)}


def _turned(claim: str, clause: str, lang: str) -> bool:
    """Whether the claim compares the other way as well (`less`, `smaller`, a negation)."""
    if bool(negations(claim, lang)) != bool(negations(clause, lang)):
        return True
    mine, theirs = ({c.value for c in cues(t, lang, LOGIC, ("opposite", "polar"))} for t in (claim, clause))
    if any(a[:-1] == b[:-1] and a != b for a in mine for b in theirs):
        return True
    more, other = ({c.value for c in comparators(t, lang)} & {"more", "less"} for t in (claim, clause))
    return bool(more and other and more != other)

"""Sides of a comparison that have changed places: `rather a disc jockey than a trio` of `rather a trio than …`. Pure.

What stands first behind the `than` of the source and before that of the claim, and the other way round, has been
exchanged, unless the claim turns the comparison too: a grade that the source has not (`smaller`), `less` for `more`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import regex

from bobctx.core.acts import comparators, negations
from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import has_stem
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import CHARACTER_LANGUAGES, LOGIC, cues
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
    "it": r"(?:più|meno|meglio|peggio|piuttosto|maggiore|minore)\b.{0,40}?"
    r"\b(?:che\b|di\b|d(?:el|ello|ella|ei|egli|elle)\b|dell')",
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
_TOPIC: Final = {"ja": regex.compile(r"[はがも]"), "ko": regex.compile(r"(?:은|는|이|가)\s")}
"""What closes the first side where both stand before the mark (`A는 B보다`)."""
_LEADING: Final = " 、，,も"
_LESS: Final = regex.compile(r"\b(?:less|fewer|least|weniger|moins|menos|meno|minder|menor|менее|меньше|أقل)\b")


class Sides(NamedTuple):
    """What is preferred or greater in a comparison, and what it is compared with."""

    first: str
    other: str


def check(case: Case) -> Refusal | None:
    """The comparison of the claim whose sides its source has the other way round."""
    mine = sides_of(case.text, case.lang) if case.lang != UNKNOWN else None
    if mine is None:
        return None
    found: Refusal | None = None
    for _, clause in case.ranked[:MOST]:
        source = case.source(clause.message)
        if source.lang != case.lang:
            continue
        block = source.sentence_at(clause.start)
        for text in dict.fromkeys((clause.text, block.of(source.text) if block is not None else clause.text)):
            theirs = sides_of(text, source.lang)
            if theirs is None or _turned(case.text, text, case.lang):
                continue
            if _swapped(mine, Sides(theirs.other, theirs.first), case.lang):
                return None  # another clause says it as the claim does
            if found is None and _swapped(mine, theirs, case.lang):
                mark = _MARKS[case.lang].search(case.text)
                cue = mark.group() if mark is not None else ""
                data = {"cue": cue, "clause": clause.text[:200], "message": source.message.alias}
                found = Refusal(code="antonym", data=data)
    return found


def turned_around(claim: str, clause: str, lang: str) -> bool:
    """Whether the claim has changed both the sides and the grade, so that it says the same (`slower` for `faster`)."""
    mine, theirs = (sides_of(t, lang) if lang in _MARKS else None for t in (claim, clause))
    return mine is not None and theirs is not None and _swapped(mine, theirs, lang)


def sides_of(text: str, lang: str) -> Sides | None:
    """The two sides of the only comparison of a text, in its part of the sentence."""
    found = list(_MARKS[lang].finditer(text.casefold() if lang not in CHARACTER_LANGUAGES else text))
    if len(found) != 1:
        return None
    start, end = found[0].end() if lang in _ROMANCE else found[0].start(), found[0].end()
    before, behind = text[:start], text[end:]
    topic = list(_TOPIC[lang].finditer(before)) if lang in _TOPIC else []
    if topic:
        return Sides(before[: topic[-1].start()], before[topic[-1].end() :])
    if lang in _ROMANCE:  # the grade and what is preferred stand in front of the mark, and within the match
        before = before[: before.casefold().rstrip("'").rfind(" ")] if " " in before else before
    edge = BOUNDARY.search(behind)
    behind = behind[: edge.start()] if edge is not None else behind
    return Sides(behind, before) if lang in _TOPIC else Sides(before, behind)


def _swapped(mine: Sides, theirs: Sides, lang: str) -> bool:
    """Whether what is compared with in the one is what is preferred in the other, both ways."""
    if lang in CHARACTER_LANGUAGES:
        first, second = mine.first.strip(_LEADING), mine.other.strip(_LEADING)
        a, b = (first[-2:] if lang == "zh" else first[:2]), second[:2]
        before, behind = theirs.first[-SIDE:], theirs.other[:SIDE]
        return len(a) == len(b) == 2 and a in behind and a not in before and b in before and b not in behind
    now, then = _head(mine.other, lang), _head(theirs.other, lang)
    left, right = _stems(mine.first, lang), _stems(mine.other, lang)
    known, rest = _stems(theirs.first, lang), _stems(theirs.other, lang)
    if not now or not then or has_stem(now, rest) or has_stem(then, right):
        return False
    return has_stem(now, known) and has_stem(then, left)


def _head(text: str, lang: str) -> str:
    """The first word behind the mark that carries meaning."""
    return next((key for _, key in stemmed(text, lang)), "")


def _stems(text: str, lang: str) -> set[str]:
    return {k for _, k in stemmed(text, lang)}


def _turned(claim: str, clause: str, lang: str) -> bool:
    """Whether the claim compares the other way as well (`less`, a grade of its own, a negation)."""
    if bool(negations(claim, lang)) != bool(negations(clause, lang)):
        return True
    if (_LESS.search(claim.casefold()) is None) != (_LESS.search(clause.casefold()) is None):
        return True
    mine, theirs = ({c.value for c in cues(t, lang, LOGIC, ("opposite", "polar"))} for t in (claim, clause))
    if any(a[:-1] == b[:-1] and a != b for a in mine for b in theirs):
        return True
    more, other = ({c.value for c in comparators(t, lang)} & {"more", "less"} for t in (claim, clause))
    if more and other and more != other:
        return True
    if lang in CHARACTER_LANGUAGES:
        return claim.rstrip(" .。！!다요いす")[-1:] not in clause
    return any(not has_stem(k, _stems(clause, lang)) for k in _stems(claim, lang) - _stems(_frame(claim, lang), lang))


def _frame(text: str, lang: str) -> str:
    """The words of a text that only say that somebody would rather have it so."""
    return " ".join(c.text for c in cues(text, lang, LOGIC, ("neutral", "hypothetical", "modal")))

"""A value of the time that follows, given to the time before: `in the trial a week, afterwards three months`. Pure.

The part of a sentence that begins with `afterwards` says nothing of the time that the part before it names; a claim
that gives its value to that time joins what the source keeps apart (design, section 6, Binding).
"""

from __future__ import annotations

from typing import Final

import regex

from bobctx.core.checking import Case, Refusal
from bobctx.core.cuts import JOINERS
from bobctx.core.function_words import THEN
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.slots import stemmed
from bobctx.core.sources import Found

MOST: Final = 12
"""Places of one value that are looked at."""
TERM: Final = 2
"""Content words behind a word of time that name the time."""
_PART: Final = regex.compile(r"[,;，；、،؛—–]")
_WORD: Final = regex.compile(r"^|\s")
_THEN: Final = regex.compile(
    r"\s*+(?:(?:" + "|".join(sorted(map(regex.escape, JOINERS))) + r")\s++)?+"
    r"(?:" + "|".join(map(regex.escape, THEN)) + r")(?![\p{Latin}\p{Cyrillic}])",
    regex.IGNORECASE,
)


def check(case: Case) -> Refusal | None:
    """The first value of the claim that its sources give to what comes after the time it names."""
    if case.lang == UNKNOWN or _later(case.text, case.lang):
        return None
    times = _times(case.text, case.lang)
    if not times:
        return None
    for literal, places in zip(case.literals, case.found, strict=True):
        if not literal.measured or not places:
            continue
        before = [_part_before(case, p, times) for p in places[:MOST]]
        if all(before):
            source = case.source(places[0].message)
            return Refusal(
                code="binding",
                data={
                    "literal": literal.text,
                    "kind": literal.kind,
                    "rival": before[0],
                    "message": source.message.alias,
                    "clause": before[0][:200],
                },
            )
    return None


def _later(text: str, lang: str) -> bool:
    """Whether a text speaks of what comes after something."""
    spoken = any(c.value == "after" for c in cues(text, lang, LOGIC, ("comparator", "comparator_post")))
    return spoken or any(_THEN.match(text, m.end()) for m in _WORD.finditer(text))


def _times(text: str, lang: str) -> set[str]:
    """The words behind a `during`."""
    found = cues(text, lang, LOGIC, ("condition",))
    said = stemmed(text, lang)
    return {
        key
        for cue in found
        if cue.value == "at" and not _later(cue.text, lang)
        for key in [key for start, key in said if start >= cue.end][:TERM]
    }


def _part_before(case: Case, place: Found, times: set[str]) -> str:
    """The part of the sentence before that of a place, if that begins with `afterwards` and this names the time."""
    source = case.source(place.message)
    block = source.sentence_at(place.start)
    if block is None:
        return ""
    cut = max((m.end() for m in _PART.finditer(source.text, block.start, place.start)), default=-1)
    if cut < 0 or not _THEN.match(source.text, cut):
        return ""
    before = source.text[block.start : cut]
    return before.strip(" ,;") if times & _times(before, source.lang) else ""

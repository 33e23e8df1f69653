"""What a source says need not be may not be claimed as a must, however little the two have in common. Pure.

`polarity` weighs whole segments; `we don't need a hotfix` and `the export bug needs a hotfix` share one word. Here the
words that are said to be needless are asked for by themselves.
"""

from __future__ import annotations

from typing import Final

from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import has_stem, words_of
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import CHARACTER_LANGUAGES
from bobctx.core.reading import Segment, read

MOST: Final = 40
"""Clauses with a word of the claim that are read."""


def check(case: Case) -> Refusal | None:
    """`the bug needs a hotfix` of `we don't need a hotfix`, if nothing else that was said asks for one."""
    if case.lang == UNKNOWN or case.lang in CHARACTER_LANGUAGES:
        return None
    whole = read(case.text, case.lang)
    if whole.question or whole.has("hypothetical") or "optional" in whole.values("modal"):
        return None
    for segment in whole.segments:
        if segment.kind == "main" and "must" in segment.values("modal") and not segment.strength:
            refusal = _needless(case, words_of(segment))
            if refusal is not None:
                return refusal
    return None


def _needless(case: Case, words: set[str]) -> Refusal | None:
    """The first waiver whose words the claim all has and no other statement of the user speaks of."""
    users = [(s, c, r) for s, c, r in case.readings(MOST) if s.message.role == "user" and not r.question]
    told = {w for *_, r in users for s in r.segments if not _waived(s) for w in words_of(s)}
    for source, clause, reading in users:
        for segment in reading.segments:
            said = words_of(segment)
            if not said or not _waived(segment) or any(has_stem(w, told) for w in said):
                continue
            if all(has_stem(w, words) for w in said):
                cue = next(c.text for c in segment.of("modal") if c.value == "optional")
                data = {"cue": cue, "clause": clause.text[:200], "message": source.message.alias}
                return Refusal(code="modality", data=data)
    return None


def _waived(segment: Segment) -> bool:
    """Whether a segment says outright that something need not be."""
    return segment.kind == "main" and segment.values("modal") == {"optional"} and not segment.strength

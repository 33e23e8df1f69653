"""A word that its sources have only inside a phrase that denies or doubts it (`not sure`, `need not`). Pure.

Such a phrase is one cue, and its words are no content: a claim that says the word outright meets no denial of it
(`outright`). Here the words of the phrases are asked (design, section 6, Polarity).
"""

from __future__ import annotations

from typing import Final

from bobctx.core.acts import negations
from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import words_of
from bobctx.core.language import UNKNOWN
from bobctx.core.negation import turned
from bobctx.core.reading import Reading, Segment, read
from bobctx.core.text import content_stems

MOST: Final = 24
"""Clauses with a word of the claim that are read."""
_PHRASES: Final = frozenset({("hypothetical", "unsure"), ("modal", "optional")})


def check(case: Case) -> Refusal | None:
    """The first word of the claim that is denied inside a phrase and stands nowhere else."""
    if case.lang in ("zh", "ja", UNKNOWN):
        return None
    whole = read(case.text, case.lang)
    mine = [s for s in whole.segments if s.kind == "main" and not _open(s)]
    if whole.question or not mine:
        return None
    readings = list(case.readings(MOST))
    said = {k for *_, r in readings for s in r.segments if not s.strength for k in s.content}
    for source, clause, reading in readings:
        if reading.question:
            continue
        for theirs in reading.segments:
            hidden = _hidden(theirs, reading) - said
            ended = theirs.heads & theirs.marked - said if theirs.strength % 2 else frozenset()
            for segment in mine:
                words = words_of(segment)
                needed = hidden & _needs(segment, case.lang) - words
                doubted = (hidden & words or needed) and words & words_of(theirs)
                held = ended & words and words_of(theirs) <= words and not turned(whole, theirs)
                if doubted or held:
                    cue = next(c.text for c in theirs.cues if c.kind in ("negation", "hypothetical", "modal"))
                    data = {"cue": cue, "clause": clause.text[:200], "message": source.message.alias}
                    return Refusal(code="modality" if needed else "negation_dropped", data=data)
    return None


def _open(segment: Segment) -> bool:
    """Whether a segment of the claim denies or doubts itself."""
    return bool(segment.strength) or segment.has("hypothetical") or "optional" in segment.values("modal")


def _needs(segment: Segment, lang: str) -> set[str]:
    """The words of a phrase that says outright what must be (`is needed`)."""
    return {k for c in segment.of("modal") if c.value == "must" for k in content_stems(c.text, lang)}


def _hidden(segment: Segment, reading: Reading) -> set[str]:
    """The words of its phrases that doubt or make needless what they name, by a `not`."""
    phrases = [c.text.split() for c in segment.cues if (c.kind, c.value) in _PHRASES]
    denied = [" ".join(p) for p in phrases if any(negations(word, reading.lang) for word in p)]
    return {k for text in denied for k in content_stems(text, reading.lang)}

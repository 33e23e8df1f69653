"""Two sides of a choice that a claim exchanges: `spruce, larch was turned down` of `larch, not spruce`. Pure.

A source sets one word aside for another by a contrast (`oiled and not varnished`). A claim that sets aside the one that
is kept, by any word, and says the other turns the choice around (design, section 6, Polarity).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bobctx.core.checking import Case, Refusal
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import CHARACTER_LANGUAGES, Cue
from bobctx.core.patterns import pattern
from bobctx.core.reading import Reading, Segment, read
from bobctx.core.sources import Clause, Source
from bobctx.core.text import content_stem, words

MOST: Final = 12
"""Clauses with a word of the claim that are read."""
CLAUSES: Final = 60
"""The same where two words together are looked for."""
PAIR: Final = 2
"""The first denied word and the one behind it."""
REACH: Final = 40
"""Code points before or after a word of contrast in which its side stands."""
_EVEN: Final = pattern("even")
"""`not even X` sets nothing aside for another thing."""
_MARKS: Final = ",;:()."
_SETS_ASIDE: Final = frozenset({"deny", "stop"})


def check(case: Case) -> Refusal | None:
    """The first choice of a source of which the claim sets aside the side that is kept."""
    if case.lang in (*CHARACTER_LANGUAGES, UNKNOWN):
        return None
    return _kept_aside(case) or _exchanged(case)


def _refusal(cue: str, source: Source, clause: Clause) -> Refusal:
    where = {"clause": clause.text[:200], "message": source.message.alias}
    return Refusal(code="contrast_asserted", data={"cue": cue, **where})


def _exchanged(case: Case) -> Refusal | None:
    mine = read(case.text, case.lang)
    aside = set(_aside(case.text, mine))
    if not aside or mine.question:
        return None
    for source, clause, reading in case.readings(MOST):
        for cue in _contrasts(reading):
            kept = _before(clause.text, cue.start, reading.lang)
            dropped = _after(clause.text, cue.end, reading.lang)
            if not kept or not dropped or kept == dropped or _EVEN.match(clause.text, cue.end):
                continue
            if kept in aside and dropped in case.stems and dropped not in aside:
                return _refusal(cue.text, source, clause)
    return None


def _contrasts(reading: Reading) -> Iterator[Cue]:
    first = next((c.start for c in reading.cues if c.kind in ("negation", "deny")), 0)
    found = (c for s in reading.segments for c in s.of("contrast") if s.kind == "contrast" or " " in c.text)
    return (c for c in found if c.start <= first or c.end > first > c.start)  # `no food and no drink` denies both


def _aside(text: str, reading: Reading) -> Iterator[str]:
    """The words that a claim sets aside: behind a contrast, on either side of a word that refuses."""
    for segment in reading.segments:
        for cue in segment.of("contrast"):
            yield _after(text, cue.end, reading.lang)
        for cue in segment.cues:
            if cue.kind in _SETS_ASIDE and not segment.has("negation"):
                yield _before(text, cue.start, reading.lang)
                yield _after(text, cue.end, reading.lang)


def _before(text: str, at: int, lang: str) -> str:
    """The last content word before a place; a mark right before it is left aside, no other is passed."""
    lead = text[max(0, at - REACH) : at].rstrip(" ,")
    lead = lead[max(lead.rfind(mark) for mark in _MARKS) + 1 :]
    stems = [content_stem(w.text, lang) for w in words(lead, lang)]
    return next((s for s in reversed(stems) if s), "")


def _after(text: str, at: int, lang: str) -> str:
    """The first content word behind a place, up to the next mark."""
    rest = text[at : at + REACH].lstrip(" ,")
    ends = [i for mark in _MARKS if (i := rest.find(mark)) >= 0]
    stems = [content_stem(w.text, lang) for w in words(rest[: min(ends, default=len(rest))], lang)]
    return next((s for s in stems if s), "")


def _kept_aside(case: Case) -> Refusal | None:
    """`at home, not at the inn` of a clause that keeps the inn and sets something else aside."""
    for segment in read(case.text, case.lang).segments:
        words = _behind(segment)
        if not segment.has("contrast") or len(words) < PAIR:
            continue
        for source, clause, reading in case.readings(CLAUSES):
            aside = [s for s in reading.segments if s.kind == "contrast"]
            kept = [s for s in reading.segments if s.kind == "main" and not s.strength]
            other = bool(aside) and not any(words & s.content.keys() for s in aside)
            if other and any(words <= s.content.keys() for s in kept):
                return _refusal(aside[0].cues[0].text if aside[0].cues else "", source, clause)
    return None


def _behind(segment: Segment) -> set[str]:
    """The first denied word and the one behind it."""
    words = [k for k in segment.content if not k.startswith("=")]
    at = next((i for i, w in enumerate(words) if w in segment.heads), len(words))
    return set(words[at : at + PAIR])

"""A claim that something is not to be kept, against sources that keep it or forbid to do away with it. Pure.

A keeping word stands for many denials (`keep it` for `don't throw it away`), so that one with a `not` before it turns
its source around where that source has the keeping word itself without a `not`, or denies the contrary of it.
"""

from __future__ import annotations

from typing import Final

from bobctx.core.checking import Case, Refusal
from bobctx.core.cuts import BACKWARD
from bobctx.core.denial import has_stem, words_of
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import Cue
from bobctx.core.patterns import beginnings
from bobctx.core.reading import Segment, read

MOST: Final = 40
"""Clauses with a word of the claim that are read."""
CLOSEST: Final = 0.7
"""Share of the best segment's words of the claim from which another one speaks of the same thing."""
REACH: Final = 14
"""Code points between a negation and the keeping word (`is not to be kept`)."""
_KEEP: Final = frozenset({"keep+", "stay+", "own+", "freeze+"})
_AWAY: Final = frozenset({"keep-", "stay-", "add-", "own-", "freeze-"})
"""What ends that a thing is kept."""
_WORDS: Final = beginnings("keeping")
_CHANGES: Final = beginnings("changing")
LETTERS: Final = 3
"""Letters by which the stem of a word of change may go on (`modif-ic`); `cutleri` is none of `cut`."""
BEHIND: Final = 4
"""The same where the negation stands behind its word."""


def check(case: Case) -> Refusal | None:
    """`the old plates are not to be kept` of `don't throw the old plates out`."""
    if case.lang in ("zh", "ja", UNKNOWN):
        return None
    for segment in read(case.text, case.lang).segments:
        unkept = _unkept(segment, case.lang)
        if unkept is None or segment.strength % 2 == 0:
            continue
        words = words_of(segment) - segment.marked - segment.heads
        near = [(s, n) for *_, r in case.readings(MOST) for s in r.segments if (n := _shared(words, s))]
        best = max((n for _, n in near), default=0)
        closest = [s for s, n in near if n >= CLOSEST * best]
        if (
            closest
            and all(_kept(s, words, case.lang) for s in closest)
            and not any(_left(s, case.lang) for s, _ in near)
        ):
            clause = case.ranked[0][1]
            data = {"cue": unkept.text, "clause": clause.text[:200]}
            return Refusal(code="negation_added", data={**data, "message": case.source(clause.message).message.alias})
    return None


def _shared(words: set[str], segment: Segment) -> int:
    return sum(has_stem(w, segment.content.keys()) for w in words)


def _unkept(segment: Segment, lang: str) -> Cue | None:
    """The `not` of a segment that turns a keeping word around."""
    keeping = [c for c in segment.cues if _keeps(c, lang)]
    if lang in BACKWARD:
        return next((n for n in segment.of("verbal") for c in keeping if 0 <= n.start - c.end <= BEHIND), None)
    return next((n for n in segment.of("verbal") for c in keeping if 0 <= c.start - n.end <= REACH), None)


def _keeps(cue: Cue, lang: str) -> bool:
    return cue.value in _KEEP or (cue.kind == "soft" and cue.text.casefold().startswith(_WORDS.get(lang, ())))


def _left(segment: Segment, lang: str) -> bool:
    """Whether a segment denies that something is kept."""
    both = segment.has("negation") and any(_keeps(c, lang) for c in segment.cues)
    return both and (not _done_away(segment, lang) or _unkept(segment, lang) is not None)


def _kept(segment: Segment, words: set[str], lang: str) -> bool:
    """Whether a segment keeps something, the very way that the claim speaks of, or forbids the contrary."""
    if segment.strength % 2:
        return segment.has("negation") and _done_away(segment, lang)
    away = any(c.value in _AWAY for c in segment.cues)
    if segment.strength or away or segment.has("stop") or not all(has_stem(w, segment.content.keys()) for w in words):
        return False  # `keep the drinks cold`: they must not be kept warm
    return any(_keeps(c, lang) for c in segment.cues)


def _done_away(segment: Segment, lang: str) -> bool:
    """Whether what a segment denies is an end or a change (`don't bin it`)."""
    if any(c.value in _AWAY for c in segment.cues):
        return True
    changes = _CHANGES.get(lang, ())
    return any(h.startswith(c) and len(h) - len(c) <= LETTERS for h in segment.heads for c in changes)

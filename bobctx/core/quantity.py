"""Whether a claim keeps the bounds and the amount of its source: at least, before, more than; all, some, only. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from bobctx.core.negation import AGREE, Verdict, strength
from bobctx.core.reading import Bound, Reading, Segment

STRICT = frozenset({"more", "less"})
"""Bounds that exclude the value itself: adding one to a plain value changes what was said."""


def bounds(claim: Reading, supports: Sequence[Reading]) -> tuple[Verdict, int]:
    """The first bound of the claim that its sources set the other way, and the clause."""
    known: dict[str, list[tuple[Bound, int]]] = {}
    for index, reading in enumerate(supports):
        for bound in reading.bounds:
            known.setdefault(bound.key, []).append((bound, index))
    for bound in claim.bounds:
        theirs = known.get(bound.key)
        if theirs:
            if bound.way not in {b.way for b, _ in theirs}:
                return Verdict("comparator", bound.cue.text), theirs[0][1]
        elif bound.value in STRICT and bound.key[:1].isnumeric():
            for index, reading in enumerate(supports):
                if any(bound.key in s.content for s in reading.segments):
                    return Verdict("comparator", bound.cue.text), index
    return AGREE, 0


def amount(claim: Segment, support: Segment, lang: str) -> Verdict:
    """Whether some became all, all became some, or an `only` was added."""
    mine, theirs = claim.values("quantifier"), support.values("quantifier")
    if "all" in mine and "all" not in theirs and theirs & {"some", "most"}:
        return Verdict("quantifier", _word(claim, "all"))
    if mine & {"some", "most"} and "all" in theirs and not theirs & {"some", "most"} and "all" not in mine:
        if strength(claim, lang) or strength(support, lang):
            return AGREE  # "not all" is read as "some" already
        return Verdict("quantifier", _word(claim, *(mine & {"some", "most"})))
    if ("some" in mine) != ("some" in theirs) and "most" in mine | theirs and "all" not in mine | theirs:
        return Verdict("quantifier", _word(claim, "some", "most") or _word(support, "some", "most"))
    if not mine and "some" in theirs and not claim.has("hypothetical") and _plain(support):
        return Verdict("quantifier", _word(support, "some"))
    return AGREE


def _plain(support: Segment) -> bool:
    return False


def _word(segment: Segment, *values: str) -> str:
    return next((c.text for c in segment.cues if c.kind == "quantifier" and c.value in values), "")

"""What stands beside an accusing clause and denies as well, so that a claim's own denial may rest on it. Pure.

`polarity` finds a segment that says outright what the claim denies. The claim may still be true where another clause
refuses what this one only asks, sets aside what this one lacks of the claim, or denies it in words of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bobctx.core.pairing import Alignment, Pair
from bobctx.core.reading import NAME_WEIGHT, Reading, Segment

BRIEF: Final = 2
"""Content units of a denial that is about no more than these (`neither of the two students has one`)."""


def denied_too(accuser: Pair, alignment: Alignment, mine: Reading, theirs: Sequence[Reading]) -> bool:
    """Whether another clause denies as well: a short refusal of what the accuser asks, or in words of its own."""
    whole = theirs[accuser.clause]
    if _turned_down(whole, mine, theirs):
        return True
    missing = accuser.claim.content.keys() - accuser.support.content.keys()
    supports = [*(p.support for p in alignment.near), *alignment.others]
    beside = [s for s in theirs[accuser.clause].segments if s is not accuser.support]
    told = {k for s in mine.segments if s is not accuser.claim and s.strength % 2 for k in s.content}
    brief = [s for s in beside if s.strength % 2 and s.kind == "main" and len(s.content) <= 1]
    if any(not s.content.keys() or s.content.keys() - told for s in brief):
        return True  # `to 5.4.11, nothing newer`; what another part of the claim says already backs no second denial
    if accuser.named:
        missing -= _replaced(beside)
    supports += beside
    if _set_aside_there(accuser, missing, alignment, theirs):
        return True
    plain = accuser.claim.has("negation")
    if any((_denies(s) or (plain and s.has("stop"))) and missing & s.content.keys() for s in supports):
        return True  # `drop the discount, ask for a guarantee`: a guarantee and no discount
    return any(
        s.strength % 2 and missing & (s.heads | s.content.keys() if len(s.content) <= BRIEF else s.heads)
        for reading in theirs
        for s in reading.segments
    )


def _set_aside_there(accuser: Pair, missing: set[str], alignment: Alignment, theirs: Sequence[Reading]) -> bool:
    """Whether another clause has as much of the claim, what the accuser lacks of it, and turns it around.

    `if a file is marked secret, leave it where it is` against `you may move files` for `secret files are not moved`.
    """
    return any(
        other.clause != accuser.clause
        and missing & other.common
        and len(other.common) >= len(accuser.common)
        and any(s.strength % 2 or s.has("stop") or s.has("soft") for s in theirs[other.clause].segments)
        for other in alignment.near
    )


def _denies(segment: Segment) -> bool:
    """Whether a segment denies or sets aside (`, not rejected`, whose two denials are no affirmation)."""
    return segment.strength % 2 == 1 or (segment.kind == "contrast" and segment.has("negation"))


def _replaced(segments: Sequence[Segment]) -> set[str]:
    """The values that a clause sets aside for another one: a claim that has both denies the change."""
    aside = [s for s in segments if s.kind == "contrast" or s.strength % 2]
    return {k for s in aside for k, w in s.content.items() if w >= NAME_WEIGHT}


def _turned_down(whole: Reading, mine: Reading, theirs: Sequence[Reading]) -> bool:
    """Whether a short clause refuses what a clause asks or offers, and speaks of nothing else (`leave it out`)."""
    if not (whole.question or whole.has("hypothetical") or whole.values("modal") & {"can", "optional"}):
        return False
    about = content_of(whole) | content_of(mine)
    return any(answers_no(r) and len(_said_of(r) - about) <= _refusing(r) for r in theirs)


def _said_of(reading: Reading) -> set[str]:
    return {k for s in reading.segments for k in s.content.keys() - s.marked if not k.startswith("=")}


def _refusing(reading: Reading) -> bool:
    """Whether a clause denies outright (`leave it out this time`), and does not only end something (`so stop`)."""
    return any(c.kind in ("negation", "deny") for c in reading.cues)


def answers_no(reading: Reading) -> bool:
    """A short clause without a subject of its own that denies or drops (`leave it out this time`)."""
    units = sum(len(s.content) for s in reading.segments)
    return units <= 3 and any(c.kind in ("negation", "deny", "stop") for c in reading.cues)


def content_of(reading: Reading) -> set[str]:
    """The words, names and concepts of a whole text."""
    return {k for s in reading.segments for k in s.content}

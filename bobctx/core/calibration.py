"""Where a recall gate would stand for one embedding model, told by a lane's own requests and claims. Pure.

A request and a claim about what was said next are a pair that belongs together; a request and a claim from elsewhere
are one that does not. Their distances show what a floor would keep and what it would let through (design, section 8).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from bobctx.core.claims import ClaimView
from bobctx.core.segments import Flag, Spine

KEEP = (0.90, 0.95, 0.99)
"""Shares of what belongs together that a floor is asked to keep."""
ADVISED = 0.95
LEAST_PAIRS = 30
"""Fewer say nothing about a model."""
LITTLE = 0.75
"""A floor that lets this share of the rest through holds back too little to be worth it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A request with a claim that answers it and one from elsewhere."""

    request: int
    """Position of the user message."""
    near: str
    far: str


def pairs(view: ClaimView, spine: Spine, limit: int) -> list[Pair]:
    """The newest `limit` pairs of one conversation; none where its claims follow one request only."""
    genuine = [p for p in range(spine.n) if spine.flags[p] & Flag.GENUINE_USER]
    placed = []
    for claim in sorted(view.active, key=lambda c: (max(c.cites, default=0), c.alias)):
        before = bisect_left(genuine, min(claim.cites, default=0))
        if before:
            placed.append((genuine[before - 1], claim.text))
    half = len(placed) // 2
    found = [
        Pair(request=request, near=text, far=placed[(i + half) % len(placed)][1])
        for i, (request, text) in enumerate(placed)
        if placed[(i + half) % len(placed)][0] != request
    ]
    return found[-limit:] if limit else []


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """One value for the gate."""

    floor: float
    keeps: float
    """Share of what belongs together."""
    lets_through: float
    """Share of the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What the distances say."""

    pairs: int
    floors: tuple[Floor, ...] = ()
    advised: float | None = None
    """None: too few pairs, or a gate would hold back next to nothing."""


def calibrated(near: Sequence[float], far: Sequence[float], extra: Sequence[float] = ()) -> Calibration:
    """Floors for each share of `KEEP`, and for the values of `extra`, by cosine distances of both kinds of pairs."""
    if len(near) < LEAST_PAIRS or not far:
        return Calibration(pairs=len(near))
    ordered = sorted(near)
    floors = {keep: math.ceil(ordered[math.ceil(keep * len(ordered)) - 1] * 100) / 100 for keep in KEEP}
    found = tuple(
        Floor(floor=value, keeps=_within(near, value), lets_through=_within(far, value))
        for value in sorted({*floors.values(), *extra})
    )
    best = next(f for f in found if f.floor == floors[ADVISED])
    return Calibration(pairs=len(near), floors=found, advised=None if best.lets_through > LITTLE else best.floor)


def _within(distances: Sequence[float], floor: float) -> float:
    return round(sum(d <= floor for d in distances) / len(distances), 4)

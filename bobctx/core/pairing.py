"""Which segment of the supports each segment of a claim rests on: most shared names and words, best first. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bobctx.core.reading import NAME_WEIGHT, Reading, Segment

FAR = 0.34
"""A segment with less than this share of the best score is no support at all."""
NEAR = 0.85
"""A segment with this share of the best score is as good a support."""
MOST_PLACES = 64
"""Segments per word that are scored: a word in more of them tells none apart."""
MOST_NEAR = 5
MOST_FAR = 12
"""Support segments per claim segment that are weighed; the rest would say the same once more."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim segment and one support segment it may rest on."""

    claim: Segment
    support: Segment
    clause: int
    """Index of the support's text."""
    score: float
    shared: float
    """Weight of what the two have in common."""

    @property
    def ratio(self) -> float:
        """Share of the lighter of the two that both have."""
        least = min(self.claim.weight, self.support.weight)
        return self.shared / least if least else 0.0

    @property
    def fit(self) -> float:
        """Product of the shares of the two that both have."""
        return self.shared * self.shared / (self.claim.weight * self.support.weight) if self.shared else 0.0

    @property
    def common(self) -> frozenset[str]:
        """What both have."""
        return frozenset(self.claim.content.keys() & self.support.content.keys())

    @property
    def named(self) -> frozenset[str]:
        """Names and numbers that both have."""
        return frozenset(k for k, w in self.claim.content.items() if w >= NAME_WEIGHT and k in self.support.content)

    @property
    def complete(self) -> bool:
        """Whether the support has every name and number of the claim's segment: no equal can overrule it."""
        return all(w < NAME_WEIGHT or k in self.support.content for k, w in self.claim.content.items())

    @property
    def weights(self) -> dict[str, Any]:
        """How much the comparison rests on; goes with a mismatch."""
        return {
            "shared": self.shared,
            "apart": tuple(k for k in self.claim.content if k not in self.support.content and not k.startswith("=")),
            "mine": max(self.shared, self.claim.weight - _operators(self.claim, self.support)),
            "theirs": max(self.shared, self.support.weight - _operators(self.support, self.claim)),
        }


def _operators(one: Segment, other: Segment) -> float:
    """Weight of the words that are not in the other and are no subject matter.

    Those that deny, stop or keep (`stays untouched`), those of a concept that the other has in another word (`sold`,
    `will sell`), and of a name what a word would weigh.
    """
    shared = {k for c, stems in one.wording.items() if c in other.content for k in stems}
    apart = {k for k in one.marked | shared if k not in other.content}
    named = sum(w - 1.0 for k, w in one.content.items() if w > 1.0 and k not in other.content and k not in apart)
    return named + sum(one.content.get(k, 0.0) for k in apart)


@dataclass(frozen=True, slots=True)
class Alignment:
    """The supports of one claim segment."""

    near: tuple[Pair, ...]
    """Best first; each as good as the best."""
    others: tuple[Segment, ...]
    """Segments that share less, but something."""


def align(mine: Reading, theirs: Sequence[Reading]) -> list[Alignment]:
    """For each segment of the claim the support segments that share most with it; rare words weigh more."""
    segments = [(s, i) for i, reading in enumerate(theirs) for s in reading.segments]
    places: dict[str, list[int]] = {}
    for at, (segment, _) in enumerate(segments):
        for key in segment.content:
            places.setdefault(key, []).append(at)
    out: list[Alignment] = []
    for segment in mine.segments:
        scores: dict[int, float] = {}
        for key, weight in segment.content.items():
            where = places.get(key)
            if where is not None:
                share = weight / len(where) ** 0.5
                for place in where[:MOST_PLACES]:
                    scores[place] = scores.get(place, 0.0) + share
        if scores:
            out.append(_alignment(segment, segments, scores))
    return out


def _alignment(claim: Segment, segments: Sequence[tuple[Segment, int]], scores: dict[int, float]) -> Alignment:
    best = max(scores.values())
    ranked = sorted((p for p, s in scores.items() if s >= FAR * best), key=lambda p: (-scores[p], p))
    near = [p for p in ranked[:MOST_NEAR] if scores[p] >= NEAR * best]
    pairs = []
    for place in near:
        support, clause = segments[place]
        shared = sum(w for k, w in claim.content.items() if k in support.content)
        pairs.append(Pair(claim, support, clause, scores[place], shared))
    return Alignment(tuple(pairs), tuple(segments[p][0] for p in ranked[len(near) : len(near) + MOST_FAR]))

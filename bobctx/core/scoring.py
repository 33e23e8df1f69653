"""How much one claim is worth for one task: five components, one score, BM25 over one scope alone. Pure.

Score = (relevance .45 + trust .20 + recency .15 + utility .10 + conflict .10) x confidence, six decimals. A
disputed claim scores higher, so that it competes for a place instead of being dropped (design, section 8).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntFlag

WEIGHTS = {"relevance": 0.45, "trust": 0.20, "recency": 0.15, "utility": 0.10, "conflict": 0.10}
DIGITS = 6
DAY = 86_400.0
HALF_LIFE_DAYS = 90
NEUTRAL_UTILITY = 0.5
LEAST_VOTES = 3
"""A signal that moved on a single vote could be bought with one call."""
K1, B = 1.2, 0.75

POSITIVE = ("used", "useful")
NEGATIVE = ("irrelevant", "incorrect", "harmful")
OUTCOMES = (*POSITIVE, *NEGATIVE)

TRUST_LEVELS = ("unverified", "asserted", "verified", "policy_approved")
"""Nobody but a tool, the assistant, a user, a pin: the level divided by 3 is the component."""


class Source(IntFlag):
    """Who said what a claim cites."""

    NONE = 0
    USER = 1
    ASSISTANT = 2
    TOOL = 4


def source_of(role: str) -> Source:
    """The kind of source a message's role is; instructions of a host count as the assistant's side."""
    if role == "user":
        return Source.USER
    return Source.TOOL if role == "tool" else Source.ASSISTANT


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """Each in 0..1."""

    relevance: float
    trust: float
    recency: float
    utility: float = NEUTRAL_UTILITY
    conflict: float = 0.0

    def as_json(self) -> dict[str, float]:
        """By name, six decimals."""
        return {name: round(getattr(self, name), DIGITS) for name in WEIGHTS}


def score(components: Components, confidence: float) -> float:
    """The weighted sum times confidence, six decimals."""
    shown = components.as_json()
    return round(sum(weight * shown[name] for name, weight in WEIGHTS.items()) * confidence, DIGITS)


# -- components ----------------------------------------------------------------------


def trust_level(sources: int, *, pinned: bool) -> int:
    """0 to 3: the best of those who said it; a pin is approved by whoever pinned it."""
    if pinned:
        return 3
    if sources & Source.USER:
        return 2
    return 1 if sources & Source.ASSISTANT else 0


def trust(level: int) -> float:
    """The component of a trust level."""
    return round(level / 3, DIGITS)


def confidence(sources: int, *, literal: bool) -> float:
    """First match: a tool alone .70, no exact value .80, a user among the cited .95, else .90."""
    if sources & (Source.USER | Source.ASSISTANT) == 0:
        return 0.70
    if not literal:
        return 0.80
    return 0.95 if sources & Source.USER else 0.90


def recency(now: float, since: float) -> float:
    """Halves every 90 days, in whole days; what lies in the future is as recent as what is new.

    Args:
        now: Unix seconds.
        since: When the claim began to hold, Unix seconds.
    """
    days = math.floor(max(0.0, now - since) / DAY)
    return round(math.pow(0.5, days / HALF_LIFE_DAYS), DIGITS)


def utility(positive: int, negative: int) -> float:
    """(net + 1) / 2 from three votes on, neutral before."""
    total = positive + negative
    if total < LEAST_VOTES:
        return NEUTRAL_UTILITY
    return round(((positive - negative) / total + 1) / 2, DIGITS)


def similarity(distance: float) -> float:
    """Cosine distance (0..2) as closeness in 0..1; opposites are as far as strangers."""
    return max(0.0, min(1.0, 1.0 - distance))


# -- relevance ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Of one scope alone: an index over all scopes would tell one user about another."""

    claims: int
    words: int
    """Of all claims together."""
    spread: tuple[int, ...]
    """Claims that hold each term of the task."""

    def weight(self, term: int) -> float:
        """Rarity of a term, never below zero."""
        found = min(self.spread[term], self.claims)
        return math.log(1.0 + (self.claims - found + 0.5) / (found + 0.5))


def bm25(matched: Sequence[int], length: int, statistics: Statistics) -> float:
    """BM25 of one claim.

    Args:
        matched: How often it holds each term of the task.
        length: Its words.
        statistics: Of the scope.
    """
    average = statistics.words / statistics.claims if statistics.claims else 1.0
    norm = K1 * (1.0 - B + B * length / max(average, 1.0))
    return sum(statistics.weight(i) * n * (K1 + 1.0) / (n + norm) for i, n in enumerate(matched) if n)


def rescaled(raw: Mapping[str, float], best: float | None = None) -> dict[str, float]:
    """Scores as shares of the best in the set, or of a given one; what matched nothing stays at 0."""
    best = max(raw.values(), default=0.0) if best is None else best
    if best <= 0.0:
        return dict.fromkeys(raw, 0.0)
    return {key: round(min(1.0, max(0.0, value) / best), DIGITS) for key, value in raw.items()}

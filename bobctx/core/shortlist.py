"""The claims that may answer one task, as the store finds them, and why others may not. Pure.

Scope, state and filters are predicates of the query that finds them; nothing of another scope reaches ranking,
counts or normalisation (design, section 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bobctx.core.conflicts import Disputes
from bobctx.core.scoring import Statistics
from bobctx.core.types import ClaimType, EgressClass

MAX_TERMS = 16
MAX_ROWS = 200
"""Lexical candidates that reach ranking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortlistQuery:
    """What is asked of the store."""

    task: str
    now: float
    """Unix seconds."""
    kinds: tuple[ClaimType, ...] = ()
    """Only these types; empty: all."""
    egress: EgressClass = "local"
    """`cloud_ok`: for a cloud backend, so that no local text is found."""
    also: tuple[str, ...] = ()
    """Claims found by other means (global ids), hydrated through the same scoped query."""
    limit: int = MAX_ROWS
    scored_for: str | None = None
    """The task whose words count in what other words find; None: the same."""
    dated: bool = True
    """Whether what does not hold yet at `now` is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One eligible claim with what ranking needs."""

    claim_id: str
    """Global id."""
    alias: str
    conversation_id: str
    type: ClaimType
    importance: int
    text: str
    sources: int
    """`scoring.Source` flags of the cited messages."""
    literal: bool
    """Whether it holds an exact value."""
    valid_from: float
    """When the newest cited message was made, Unix seconds."""
    speaker: str | None = None
    pinned: bool = False
    positive: int = 0
    negative: int = 0
    """Votes that count, one for each caller and task."""
    matched: tuple[int, ...] = ()
    """How often it holds each term."""
    length: int = 1
    """Its words."""
    salience: float = 0.0
    evidence_ids: tuple[str, ...] = ()
    """Ids of the cited messages."""
    cites: tuple[str, ...] = ()
    """Their aliases."""
    spans: tuple[tuple[Any, ...], ...] = ()
    """(index in `evidence_ids`, kind, literal, start, end)."""
    found: bool = True
    """False for the other side of a dispute that was fetched beside one that was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excluded:
    """A claim that matches and is not eligible: never scored, never counted as a candidate."""

    claim_id: str
    alias: str
    reason: str
    conversation_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortlist:
    """What the store found for one query."""

    known: bool = True
    """False where nothing was ever recorded for the conversation."""
    terms: tuple[str, ...] = ()
    statistics: Statistics = field(default_factory=lambda: Statistics(claims=0, words=0, spread=()))
    rows: tuple[Candidate, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    disputes: Disputes = field(default_factory=Disputes)

    @property
    def candidates(self) -> Sequence[Candidate]:
        """Those that were found, without the other sides of disputes."""
        return [row for row in self.rows if row.found]

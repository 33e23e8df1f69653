"""A caller's word on a context it was given: it moves a ranking, never evidence, trust or status. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from bobctx.core.scoring import OUTCOMES

MAX_REASON = 64
"""Characters of a reason code."""
REFUSAL = f'Field "outcome" must be one of: {", ".join(OUTCOMES)}.'


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One outcome, for a claim of a context or for the whole."""

    feedback_id: str
    context_id: str
    claim_id: str | None
    outcome: str
    principal: str
    """The caller's key; one vote for each key, claim and task counts."""
    body_sha256: str
    created_ts: float
    reason_code: str | None = None
    mutation: str | None = None
    """What makes a repeated call the same one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteResult:
    """What is kept."""

    feedback_id: str
    context_id: str
    claim_id: str | None
    outcome: str
    recorded_ts: float
    replayed: bool = False

"""A caller's word on a context it was given: it moves a ranking, never evidence, trust or status. Pure."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from bobctx.core.identity import digest
from bobctx.core.scoring import OUTCOMES

MAX_REASON = 64
"""Characters of a reason code."""
REFUSAL = f'Field "outcome" must be one of: {", ".join(OUTCOMES)}.'


def task_sha256(task: str) -> str:
    """What makes two runs ones for the same task: its words, however they are spaced."""
    return hashlib.sha256(" ".join(task.split()).encode("utf-8", "surrogatepass")).hexdigest()


def asked_sha256(query: str | None, message_id: str | None) -> str:
    """The task of a prompt: its query, else its newest user message, by name, since its text may be deleted."""
    return task_sha256(query) if query else digest("asked", [message_id]) if message_id else ""


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

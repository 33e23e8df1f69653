"""What compile, feedback, inspect, stats and conflicts take and give."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from bobctx.api.schemas import Anything, Model, Strict
from bobctx.core.context import DEFAULT_TOKENS, MAX_TOKENS, MIN_TOKENS
from bobctx.core.feedback import MAX_REASON
from bobctx.core.scoring import OUTCOMES
from bobctx.core.types import ClaimType

MAX_TASK = 20_000


class CompileRequest(Strict):
    """Which claims a task should be given, under a hard token budget."""

    user_id: str | None = None
    conversation_id: str | None = Field(None, description="Null: all conversations of the user.")
    task: str = Field(min_length=1, max_length=MAX_TASK)
    max_tokens: int = Field(DEFAULT_TOKENS, ge=MIN_TOKENS, le=MAX_TOKENS)
    backend: str | None = Field(None, max_length=200, description="A cloud backend is given no local text.")
    kinds: list[ClaimType] | None = Field(None, min_length=1, max_length=20)
    include_episodes: bool = False
    conflicts: Literal["surface", "block"] = "surface"
    recall_floor: float | None = Field(None, gt=0, le=2, description="Largest cosine distance to the task.")
    multi_hop: bool = False


class CompileAnswer(Model):
    """The pack, and the scores, conflicts and degraded capabilities behind it."""

    context_id: str
    query: str
    scope: Anything
    budget: Anything
    items: list[Anything] = Field(
        description="Best first, what another hop found last; each with the `reason` it is in."
    )
    episodes: list[Anything]
    conflicts: list[Anything]
    text: str
    policy_snapshot: str
    instructions: str
    warnings: list[str]
    status: Literal["ok", "degraded"]
    empty_reason: str | None = None
    meta: Anything


class FeedbackRequest(Strict):
    """What became of a context, or of one claim in it."""

    user_id: str | None = None
    outcome: Any = Field(None, json_schema_extra={"enum": list(OUTCOMES)})
    claim_id: str | None = Field(None, min_length=1, max_length=128)
    reason_code: str | None = Field(None, min_length=1, max_length=MAX_REASON)
    client_mutation_id: str | None = Field(None, min_length=1, max_length=255)


class FeedbackAnswer(Model):
    """What is kept."""

    feedback_id: str
    context_id: str
    claim_id: str | None = None
    outcome: str
    recorded_at: str
    meta: Anything


class InspectAnswer(Model):
    """A trace: what was decided about every claim considered."""

    trace_id: str
    kind: Literal["compile", "assemble"]
    scope: Anything
    claims: list[Anything]


class OverviewAnswer(Model):
    """Figures; null where nothing was measured."""

    contexts: int
    injection_rate: float | None = None
    hit_rate: float | None = None


class ConflictsAnswer(Model):
    """Open conflicts, and those that were decided."""

    conflicts: list[Anything]
    decided: list[Anything]


class ResolveRequest(Strict):
    """An operator's decision."""

    user_id: str | None = None
    conversation_id: str | None = Field(None, description="As the conflict was listed.")
    keep: str | None = Field(None, min_length=1, max_length=128, description="The claim that holds; null: all do.")


class ResolveAnswer(Model):
    """What was decided."""

    conflict_id: str
    keep: str | None = None
    lost: list[str]


class WithdrawAnswer(Model):
    """A decision that holds no more."""

    conflict_id: str
    withdrawn: bool

"""What became of one claim, and why: a row of a trace. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Decision = Literal["included", "excluded", "blocked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """What became of one claim, or of one episode."""

    claim_id: str
    decision: Decision
    reason: str
    score: float | None = None
    episode: bool = False
    conversation_id: str | None = None
    alias: str | None = None

    def as_json(self) -> list[object]:
        """As it is kept."""
        return [self.claim_id, self.decision, self.reason, self.score, self.conversation_id, self.alias]

"""What became of one region, for logs, `status`, the API and the CLI."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bobctx.core.types import Json

Outcome = Literal["shadow_ok", "empty", "failed", "stale"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionReport:
    """What became of one region."""

    prefix: str
    status: Outcome
    claims: int = 0
    rejected: int = 0
    reasons: tuple[str, ...] = ()
    seat: str = "none"
    calls: int = 0
    cost_usd: float = 0.0
    messages: int = 0
    tokens: int = 0
    rejections: Mapping[str, int] = field(default_factory=dict)
    """Rejected claims by code."""

    def as_json(self) -> dict[str, Json]:
        """For the API and the CLI."""
        return {
            "prefix": self.prefix,
            "status": self.status,
            "claims": self.claims,
            "rejected": self.rejected,
            "reasons": list(self.reasons),
            "seat": self.seat,
            "calls": self.calls,
            "messages": self.messages,
            "tokens": self.tokens,
        }

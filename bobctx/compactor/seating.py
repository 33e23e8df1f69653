"""Which seat may read a region: by egress class and by the conversation's own provider.

Text of class `local` goes to local seats only; a cloud seat of another provider than the conversation's
needs a row in the allowlist. The extractor may read everything (design, section 5, Egress).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from bobctx.core.egress import provider_of
from bobctx.core.types import EgressClass

EXTRACTOR = "extractive"
EXTRACTOR_WINDOW = 1_000_000_000

SeatReason = Literal["configured", "not_configured", "local_text", "other_provider"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatInfo:
    """What the daemon knows about a seat without loading it."""

    name: str
    egress: EgressClass = "local"
    provider: str = "local"
    window: int = EXTRACTOR_WINDOW
    """Tokens it can read."""
    small: bool = False
    """Asked about windows of a few messages: one pass over a region is one ask."""


EXTRACTIVE = SeatInfo(name=EXTRACTOR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seating:
    """The configured seat and the rows that let it read conversations of other providers."""

    seat: SeatInfo = EXTRACTIVE
    allow: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Backend or provider -> names of seats (or their providers) that may read its conversations."""
    missing_key: str | None = None
    """The variable of the provider's key, where the seat needs one and none is set."""

    @property
    def reason(self) -> str:
        """Why this seat, for `status`."""
        if self.missing_key is not None:
            return f"configured, without its key: {self.missing_key} is not set"
        return "no model configured" if self.seat.name == EXTRACTOR else "configured"

    def choose(self, *, backend: str | None, egress: EgressClass) -> tuple[SeatInfo, SeatReason]:
        """The seat for text of class `egress` in a conversation with `backend`, and why."""
        seat = self.seat
        if seat.name == EXTRACTOR:
            return EXTRACTIVE, "not_configured"
        if seat.egress == "local":
            return seat, "configured"
        if egress == "local":
            return EXTRACTIVE, "local_text"
        if seat.provider == provider_of(backend) or self._allowed(backend):
            return seat, "configured"
        return EXTRACTIVE, "other_provider"

    def readers(self, backend: str | None) -> tuple[str, ...]:
        """Providers and seats that may read a conversation with `backend`: its own provider and its rows."""
        own = provider_of(backend)
        rows = {name for key in ((backend or "").strip().lower(), own) if key for name in self.allow.get(key, ())}
        return tuple(sorted(rows | ({own} if own else set())))

    def _allowed(self, backend: str | None) -> bool:
        return not {self.seat.name.lower(), self.seat.provider}.isdisjoint(self.readers(backend))

"""The model-free seat: the local extractor behind the same port as any model."""

from __future__ import annotations

from bobctx.core.extract import extract
from bobctx.core.types import EgressClass
from bobctx.ports import SeatReply, SeatRequest


class ExtractiveSeat:
    """Quotes sentences; needs no key, sends nothing anywhere, and is always configured."""

    name = "extractive"
    egress: EgressClass = "local"
    window = 1_000_000_000
    """It reads a region of any size."""

    async def ask(self, request: SeatRequest) -> SeatReply:
        """The extractor's claims for the region, as claims-v2 JSON."""
        return SeatReply(text=extract(request.region, request.prior))

"""What seats may cost: booked in the store before the call, so that a restart forgets nothing (design, section 5).

Where a cap would be passed the extractor does the work, and one warning says so until there is room again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from bobctx import logs
from bobctx.core.prices import FREE, Price, at_most, cost_of, upper_bound
from bobctx.core.types import Json, Scope
from bobctx.errors import BobctxError, ConfigurationError
from bobctx.ports import Clock, JobResult, Ledger

NOT_SENT = frozenset({"unknown_seat", "egress", "worker_failed", "unreachable", "rate_limited"})
"""Errors of asks that no provider answered, or that it refused before any work. Where there are fallbacks they say
that of the last model only.
"""

Cap = Literal["spend_day", "spend_hour"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """Limits in US dollars and what an ask costs."""

    day_usd: float = 5.0
    """Of the lane in 24 hours."""
    hour_usd: float = 1.0
    """Of one conversation in an hour."""
    price: Price = FREE
    asks: int = 1
    """Models that one ask may reach: the seat and its fallbacks."""


def caps_for(
    models: Sequence[str],
    *,
    day_usd: float,
    hour_usd: float,
    given: Sequence[str] = (),
    listed: Callable[[str], tuple[float, float] | None],
    dearest: Callable[[], tuple[float, float] | None] = lambda: None,
    bound: Sequence[str] = (),
) -> Caps:
    """Caps with the price of the dearest model; one without a price counts as the dearest of all.

    Args:
        models: The paid seat and its fallbacks; none where the seat costs nothing.
        day_usd: Of the lane in 24 hours.
        hour_usd: Of one conversation in an hour.
        given: The operator's own price, `IN` and `OUT`, dollars a million tokens.
        listed: A model's price by the catalogue.
        dearest: The highest prices of the catalogue.
        bound: What the operator wants a model without a price to count as at least, `IN` and `OUT`.

    Raises `ConfigurationError`.
    """
    caps = Caps(day_usd=day_usd, hour_usd=hour_usd, asks=max(1, len(models)))
    own = _pair(given, "compactor_price") if given else None
    least = _pair(bound, "unknown_price") if bound else None
    if not models:
        return caps
    if own is not None:
        return replace(caps, price=Price(given=own[0], made=own[1]))
    found = [listed(model) for model in models]
    known = [price for price in found if price is not None]
    if len(known) < len(found):
        return replace(caps, price=upper_bound(dearest(), least))
    return replace(caps, price=Price(given=max(p[0] for p in known), made=max(p[1] for p in known)))


def _pair(numbers: Sequence[str], setting: str) -> tuple[float, float]:
    """`IN,OUT` of a setting. Raises `ConfigurationError`."""
    try:
        given, made = (float(number) for number in numbers)
    except ValueError:
        given = made = -1.0
    if not (0 <= given < float("inf") and 0 <= made < float("inf")):
        raise ConfigurationError(
            f"BOBCTX_{setting.upper()}: two numbers are needed, IN,OUT in dollars a million tokens", field=setting
        )
    return given, made


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """One ask that was paid for in advance, or the cap that forbids it."""

    number: int | None = None
    usd: float = 0.0
    refused: Cap | None = None


class Spending:
    """Books and settles asks of the paid seat."""

    def __init__(
        self, ledger: Ledger | None, clock: Clock, caps: Caps, *, observe: Callable[[str, float], object] | None = None
    ) -> None:
        """`ledger` None: nothing is paid for. `observe` hears of (`booked`, `settled`, `capped`, dollars)."""
        self._ledger = ledger
        self._clock = clock
        self._caps = caps
        self._observe = observe or (lambda _event, _usd: None)
        self._warned: Cap | None = None
        self._log = logs.get_logger()

    async def book(self, scope: Scope, seat: str, tokens: int) -> Booking:
        """Book one ask about `tokens` reference tokens; a store that cannot book lets nothing be spent."""
        caps = self._caps
        if self._ledger is None or (caps.price.given == 0 and caps.price.made == 0):
            return Booking()
        usd = at_most(caps.price, tokens, asks=caps.asks)
        number, spent = await self._ledger.book(
            scope, seat, usd, day_cap=caps.day_usd, hour_cap=caps.hour_usd, now=self._clock.now()
        )
        if number is not None:
            self._observe("booked", usd)
            self._warned = None
            return Booking(number=number, usd=usd)
        cap: Cap = "spend_day" if spent.lane_day_usd + usd > caps.day_usd else "spend_hour"
        self._observe("capped", usd)
        if self._warned != cap:
            self._warned = cap
            self._log.warning(
                logs.SPEND_CAP,
                cap=cap,
                seat=seat,
                would_cost_usd=usd,
                lane_day_usd=round(spent.lane_day_usd, 4),
                conversation_hour_usd=round(spent.conversation_hour_usd, 4),
                conversation=scope.conversation_id,
                user=scope.user_id,
            )
        return Booking(refused=cap)

    async def settle(self, booking: Booking, result: JobResult) -> float:
        """Put what it did cost in the place of the bound, and return it; what cannot be known stays the bound."""
        if booking.number is None or self._ledger is None:
            return result.cost_usd or 0.0
        usd = result.cost_usd if result.error is None or result.raw else None
        if usd is None:
            usd = cost_of(self._caps.price, result.usage) if result.usage else None
        if usd is None:
            usd = 0.0 if result.error in NOT_SENT and self._caps.asks == 1 else booking.usd
        try:
            await self._ledger.settle(booking.number, usd)
        except BobctxError:
            return booking.usd  # the bound stays booked: never less than was spent
        self._observe("settled", usd)
        return usd

    async def standing(self) -> dict[str, Json]:
        """For `status`: caps, what was spent, and whether a cap is reached."""
        caps = self._caps
        found: dict[str, Any] = {
            "day_cap_usd": caps.day_usd,
            "conversation_hour_cap_usd": caps.hour_usd,
            "price_known": caps.price.known,
            "capped": self._warned,
        }
        if self._ledger is not None:
            spent = await self._ledger.spent(None, now=self._clock.now())
            found |= {"day_usd": round(spent.lane_day_usd, 6), "day_calls": spent.lane_day_calls}
        return found

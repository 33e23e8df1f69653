"""What one ask of a seat may cost at most, and what it did cost. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bobctx.core.types import Json

INSTRUCTION_TOKENS = 6_000
"""Of the seat's prompt beside the messages: instructions, schema, reasons."""
OUTPUT_TOKENS = 8_192
"""An answer is cut there."""
UNLIKE_OURS = 1.3
"""A model's own tokens for one of the reference counter, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Dollars for a million tokens."""

    given: float
    made: float
    known: bool = True


DEAREST = (150.0, 600.0)
"""What the dearest model on any list known to us cost at the end of 2026, dollars a million tokens."""
FREE = Price(given=0.0, made=0.0)


def upper_bound(*known: tuple[float, float] | None) -> Price:
    """The price that a model of no list is reckoned with: the dearest of all that are known, so that no cap is passed
    unseen. Much is then refused; the operator names the price.
    """
    pairs = [DEAREST, *(pair for pair in known if pair is not None)]
    return Price(given=max(p[0] for p in pairs), made=max(p[1] for p in pairs), known=False)


def at_most(price: Price, tokens: int, *, asks: int = 1) -> float:
    """Dollars that an ask about `tokens` reference tokens costs at most; `asks` counts fallbacks too."""
    given = tokens * UNLIKE_OURS + INSTRUCTION_TOKENS
    return round(asks * (given * price.given + OUTPUT_TOKENS * price.made) / 1_000_000, 6)


def tokens_of(usage: Mapping[str, Json]) -> tuple[int, int]:
    """Tokens that a model read and wrote by a usage report; 0 of what it does not say."""
    given, made = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return given if isinstance(given, int) else 0, made if isinstance(made, int) else 0


def cost_of(price: Price, usage: Mapping[str, Json]) -> float | None:
    """Dollars by a usage report; None where it does not say."""
    given, made = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(given, int) or not isinstance(made, int):
        return None
    return round((given * price.given + made * price.made) / 1_000_000, 8)

"""Model tokens for each reference token: by family, then learned from what providers report. Pure.

Only the budget is scaled by it, in steps of 1/16, so that counts stay those of the reference
counter (design, section 4, Counting).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from bobctx.core.budget import SIXTEENTHS, round_ratio, window_table

LEAST_TOKENS = 500
"""Prompts below this say more about frames and tools than about text."""
LEAST_SAMPLES = 3
USED_SAMPLES = 32
"""Newest reports that count: a model's tokenizer changes with its version."""
HIGH_SHARE = 0.75
"""The quantile of the samples that is taken: over rather than under."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """How a model's tokens compare with the reference, and who says so."""

    value: float
    source: str
    """`learned`, `family` or `default`."""


def resolve_ratio(model: str | None, *, learned: float | None = None) -> Ratio:
    """Learned from reported usage, else the family's, else 1; always a multiple of 1/16."""
    if learned is not None and math.isfinite(learned) and learned > 0:
        return Ratio(value=round_ratio(learned), source="learned")
    name = (model or "").strip().lower().rsplit("/", 1)[-1]
    ratios = window_table()["ratios"]
    family = max((f for f in ratios if name.startswith(f)), key=len, default=None)
    if family is None:
        return Ratio(value=1.0, source="default")
    return Ratio(value=round_ratio(float(ratios[family])), source="family")


def learn_ratio(samples: Iterable[tuple[int, int]]) -> float | None:
    """A ratio from (prompt tokens reported, reference tokens sent) of one model, oldest first.

    Reports of zero, of tiny prompts and of impossible sizes count for nothing; None while too few
    are left.
    """
    usable = [
        reported / sent
        for reported, sent in samples
        if sent >= LEAST_TOKENS and reported >= LEAST_TOKENS and sent / 4 <= reported <= sent * 4
    ][-USED_SAMPLES:]
    if len(usable) < LEAST_SAMPLES:
        return None
    place = min(len(usable) - 1, math.ceil(len(usable) * HIGH_SHARE) - 1)
    return math.ceil(sorted(usable)[place] * SIXTEENTHS) / SIXTEENTHS

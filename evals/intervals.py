"""Wilson score intervals for shares."""

from __future__ import annotations

from math import sqrt

Z95 = 1.959964
"""Normal quantile of a 95 % interval."""


def wilson(right: int, total: int) -> tuple[float, float] | None:
    """The 95 % interval of `right / total`; None where there is nothing."""
    if total == 0:
        return None
    share = right / total
    centre = share + Z95**2 / (2 * total)
    spread = Z95 * sqrt(share * (1 - share) / total + Z95**2 / (4 * total**2))
    scale = 1 + Z95**2 / total
    return round(max(0.0, (centre - spread) / scale), 4), round(min(1.0, (centre + spread) / scale), 4)

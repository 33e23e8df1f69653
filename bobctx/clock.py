"""Time as the machine has it; everything else is handed a clock."""

from __future__ import annotations

import time


class SystemClock:
    """See `ports.Clock`."""

    def now(self) -> float:
        """Unix seconds."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return time.monotonic()

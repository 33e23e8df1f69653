"""One exact value found in a text, and which kinds measure something. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal:
    """One exact value: `needs` is what a claim asks a source for, `offers` what a source gives."""

    kind: str
    text: str
    start: int
    end: int
    """Span in code points."""
    needs: frozenset[str]
    offers: frozenset[str]
    unit: str | None = None
    soft_unit: bool = False
    """The unit was taken over from a neighbour (`60 to 120 s`)."""
    rate: str | None = None
    """Per what: `h` in `60 requests per hour`."""
    ranged: bool = False
    """One end of a range written with a dash."""

    @property
    def measured(self) -> bool:
        """A quantity, time or date: what twins differ in."""
        return self.kind in MEASURED


MEASURED: Final = frozenset({"number", "money", "percent", "date", "time", "version", "weekday"})

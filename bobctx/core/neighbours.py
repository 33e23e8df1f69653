"""The values around one in its message that could be taken for it. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

from bobctx.core.slots import Slot, family
from bobctx.core.sources import Source

NEAR: Final = 12
"""Values before and after one in its message that may be its twins."""
BESIDE: Final = 3
"""Values before and after one that may leave out the unit they share."""
AROUND: Final = 4
"""Values before and after one in its sentence among which one stands for it or to choose from."""
COUNTS: Final = frozenset({"number", "money", "percent"})
_ENDS: Final = ".,;!?)。，；،\n"


def near(source: Source, own: Slot) -> Sequence[Slot]:
    """Values of the family around one, its own excepted."""
    kin = source.families.get(family(own.literal), [])
    index = bisect_left([s.literal.start for s in kin], own.literal.start)
    near = [s for s in kin[max(0, index - NEAR) : index + NEAR + 1] if s is not own]
    if own.literal.kind not in COUNTS:
        return near
    at = source.slot_index[own.literal.start]
    beside = [s for s in source.slots[max(0, at - BESIDE) : at + BESIDE + 1] if s.block == own.block and s is not own]
    return near + [s for s in beside if s not in near and short_for(own, s, source.text)]


def around(source: Source, own: Slot) -> Sequence[Slot]:
    """The values of any kind right before and after one in its sentence."""
    at = source.slot_index[own.literal.start]
    return [s for s in source.slots[max(0, at - AROUND) : at + AROUND + 1] if s.block == own.block and s is not own]


def short_for(own: Slot, other: Slot, text: str) -> bool:
    """`Anna has 38 points left, Bo 22`: one of the two stands without its unit at the end of its part."""
    units = own.literal.unit, other.literal.unit
    if not {own.literal.kind, other.literal.kind} <= COUNTS or (units[0] is None) == (units[1] is None):
        return False
    bare = own if units[0] is None else other
    return bare.literal.text[:1].isdigit() and (text[bare.literal.end : bare.literal.end + 1] or ".") in _ENDS

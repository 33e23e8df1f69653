"""A value whose places say nothing of what the claim says, while another value's place says it: a twin from afar. Pure.

`binding` compares a value with its neighbours. Here all values of the family in the cited messages are weighed: how
much of the claim's words around the value stands with each, rare words counting more. The claim is refused only where
its own value has next to none of them and another one has most (design, section 6, Binding).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import log
from typing import Final

from bobctx.core.checking import Case
from bobctx.core.literals import Literal
from bobctx.core.slots import Slot, family
from bobctx.core.sources import Found, Source

BESIDE: Final = 0.6
"""What a word of the same sentence or line counts that does not belong to the value."""
NEXT: Final = 0.4
"""What a word of the sentence before or after counts, for the claim's own value only."""
BARE: Final = 0.25
"""Share of the claim's words up to which a value's place says next to nothing of it."""
AHEAD: Final = 0.2
"""By how much another value must exceed such a place."""
THIN: Final = 0.5
FAR_AHEAD: Final = 0.4
"""The same two where the place says something of the claim."""
MOST: Final = 400
"""Values with a word of the claim that are weighed."""


def weights(cited: Sequence[Source], keys: Collection[str]) -> dict[str, float]:
    """How much each of `keys` tells that the cited messages have: the fewer sentences have it, the more."""
    blocks = sum(len(s.block_terms) for s in cited)
    counts = {key: sum(s.spread.get(key, 0) for s in cited) for key in keys}
    return {key: log(1 + blocks / count) for key, count in counts.items() if count}


def rival(
    case: Case,
    literal: Literal,
    places: Sequence[Found],
    said: Mapping[str, float],
    rivals: Mapping[int, Sequence[Slot]],
) -> tuple[Source, Slot] | None:
    """The value that the claim's words (`said`, with weights) stand with instead, and its message.

    `rivals` are the values of the cited messages, by position, that could be meant.
    """
    total = sum(said.values())
    if not total:
        return None
    own = 0.0
    for place in places:
        source = case.source(place.message)
        slot = source.slot_of(place)
        if slot is None:
            return None
        own = max(own, _around(source, slot, said) / total)
    if own > THIN:
        return None
    best, found = 0.0, None
    for position, slots in rivals.items():
        source = case.source(position)
        for slot in slots:
            share = _with(source, slot, said) / total
            if share > best:
                best, found = share, (source, slot)
    ahead = best - own
    return found if ahead >= FAR_AHEAD or (own <= BARE and ahead >= AHEAD) else None


def candidates(source: Source, literal: Literal, said: Mapping[str, float]) -> list[Slot]:
    """Values of the literal's family in a message that stand with any of the words, in order."""
    kind = family(literal)
    found = {s.literal.start: s for key in said for s in source.by_term.get(key, ()) if family(s.literal) == kind}
    return [found[k] for k in sorted(found)][:MOST]


def _with(source: Source, slot: Slot, said: Mapping[str, float]) -> float:
    beside = source.block_terms.get(slot.block, frozenset())
    return sum(w if k in slot.keys else BESIDE * w for k, w in said.items() if k in slot.keys or k in beside)


def _around(source: Source, slot: Slot, said: Mapping[str, float]) -> float:
    near = source.block_terms.get(slot.block - 1, frozenset()) | source.block_terms.get(slot.block + 1, frozenset())
    beside = source.block_terms.get(slot.block, frozenset())
    further = sum(NEXT * w for k, w in said.items() if k in near and k not in beside and k not in slot.keys)
    return _with(source, slot, said) + further

"""Which claims stand in for the omitted messages, within the block's budget. Pure.

Policies (design, section 7): `seed` drops the oldest regions before it raises the importance
floor; `pinned` drops importance-3 constraints, preferences, corrections and definitions of all
regions last. A pack never costs more than its room, everything rendered counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from bobctx.core.claims import ClaimView, ViewClaim
from bobctx.core.render import BlockParts, Style, claim_line, header, narrative_lines, pin_lines, render_block
from bobctx.core.segments import Spine
from bobctx.core.types import Pin, ToolSet

Policy = Literal["seed", "pinned"]
POLICIES: tuple[Policy, ...] = ("seed", "pinned")
DEFAULT_POLICY: Policy = "pinned"

FLOORS = (2, 3)
"""Importance floors, in the order they are tried; importance 1 is stored and searchable, never shown."""

PINNED_TYPES = frozenset({"constraint", "preference", "correction", "definition"})
"""What a conversation must not forget, whatever its age."""

MIN_BLOCK_TOKENS = 128
"""Under this no block is worth its header."""

LEAST_LINE = 12
"""Tokens: no claim with its label costs less, so looking further is in vain."""
PATIENCE = 48
"""Claims in a row that did not fit, after which no smaller one is looked for."""

Count = Callable[[str], int]
Reason = Literal["shown", "no_room", "no_claims"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """The claims chosen for one prompt."""

    text: str = ""
    """The rendered block; empty if there is none."""
    tokens: int = 0
    """Of `text`."""
    claims: tuple[ViewClaim, ...] = ()
    covered: tuple[int, ...] = ()
    """Indexes of the covered regions, ascending."""
    partial: tuple[int, ...] = ()
    """Covered regions of which an active claim of importance 2 or more is not shown."""
    floor: int | None = None
    """Lowest importance that was let in."""
    pins: tuple[Pin, ...] = ()
    pins_overflow: tuple[Pin, ...] = ()
    """Pins that do not fit: reported, never silently dropped."""
    reason: Reason = "shown"


@dataclass(frozen=True, slots=True, kw_only=True)
class PackRequest:
    """What a pack is made from."""

    view: ClaimView
    usable: int
    """Regions from the first on that lie wholly inside the omitted messages."""
    spine: Spine
    room: int
    """Tokens for the rendered block."""
    count: Count
    policy: Policy = DEFAULT_POLICY
    style: Style = "seed"
    tools: ToolSet = field(default_factory=ToolSet)
    pins: tuple[Pin, ...] = ()


def pack(request: PackRequest) -> Pack:
    """Choose and render; an empty pack says why in `reason`. Never over `request.room`."""
    view, usable = request.view, request.usable
    costs = _Costs(request)
    pins, overflow = _choose_pins(request, costs)
    eligible = [c for region in view.by_region[:usable] for c in region if c.active and c.importance >= FLOORS[0]]
    if not eligible and not pins:
        return Pack(reason="no_room" if overflow else "no_claims", pins_overflow=overflow)
    room = request.room - costs.fixed - sum(costs.pin(p) for p in pins) - (costs.more_pins if overflow else 0)
    selections = _seed(costs, eligible, room) if request.policy == "seed" else _pinned(costs, eligible, room)
    for claims in selections:
        if not claims and not pins:
            continue
        found = _rendered(request, claims, pins, overflow)
        if found.tokens <= request.room:
            return _with_narrative(request, found)
    return Pack(reason="no_room", pins_overflow=(*pins, *overflow))


# -- what things cost -------------------------------------------------------------------


class _Costs:
    """Tokens of single lines; their sum is about what the rendered block costs, rather more than less."""

    def __init__(self, request: PackRequest) -> None:
        self.request = request
        self.fixed = self.line(header(request.style, request.tools))
        self.run = self.line("region m1000000..m1000000 (1,000,000 messages; 100 more claims not shown):")
        self.more_pins = self.line("".join(pin_lines((), 100)))
        self.pinned_ids = frozenset(p.claim_id for p in request.pins if p.claim_id)

    def line(self, text: str) -> int:
        return self.request.count(text) + 1

    def claim(self, claim: ViewClaim) -> int:
        return self.line(claim_line(claim, self.request.spine, self.request.style, self.request.tools))

    def pin(self, pin: Pin) -> int:
        return self.line("\n".join(pin_lines((pin,), 0)))


def _choose_pins(request: PackRequest, costs: _Costs) -> tuple[tuple[Pin, ...], tuple[Pin, ...]]:
    """Pinned texts, oldest first, while they fit; and those that do not."""
    room = request.room - costs.fixed - costs.more_pins
    kept: list[Pin] = []
    overflow: list[Pin] = []
    for pin in (p for p in request.pins if p.claim_id is None):
        cost = costs.pin(pin)
        if cost <= room:
            kept.append(pin)
            room -= cost
        else:
            overflow.append(pin)
    return tuple(kept), tuple(overflow)


# -- policies: candidate selections, best first ----------------------------------------------


def _seed(costs: _Costs, eligible: Sequence[ViewClaim], room: int) -> Iterator[Sequence[ViewClaim]]:
    """All claims at floor 2, without ever more of the oldest regions, until one is left; then at floor 3."""
    for floor in FLOORS:
        claims = [c for c in eligible if c.importance >= floor]
        starts = [i for i, c in enumerate(claims) if not i or c.region != claims[i - 1].region]
        prices = [costs.claim(c) for c in claims]
        total = sum(prices) + costs.run
        for start, after in pairwise((*starts, len(claims))):
            if total <= room or after == len(claims):
                yield claims[start:]
            total -= sum(prices[start:after])
    yield ()


def _pinned(costs: _Costs, eligible: Sequence[ViewClaim], room: int) -> Iterator[Sequence[ViewClaim]]:
    """Whole claims in order of rank while they fit; then, where the sum misjudged, ever fewer of them."""
    chosen: list[ViewClaim] = []
    regions: set[int] = set()
    missed = 0
    for claim in sorted(eligible, key=lambda c: _rank(c, costs.pinned_ids)):
        if room < LEAST_LINE or missed >= PATIENCE:
            break
        cost = costs.claim(claim)
        if claim.region not in regions:
            # A region between two covered ones joins their runs: one header line less.
            cost += costs.run * (1 - sum(near in regions for near in (claim.region - 1, claim.region + 1)))
        if cost <= room:
            chosen.append(claim)
            regions.add(claim.region)
            room -= cost
            missed = 0
        else:
            missed += 1
    while chosen:
        yield tuple(chosen)
        del chosen[-max(1, len(chosen) // 20) :]
    yield ()


def _rank(claim: ViewClaim, pinned_ids: frozenset[str]) -> tuple[int, int, float, int]:
    """Pins, then importance-3 of `PINNED_TYPES`, then the rest; inside by importance, salience, recency."""
    if claim.claim.id in pinned_ids:
        tier = 0
    else:
        tier = 1 if claim.importance == FLOORS[-1] and claim.claim.type in PINNED_TYPES else 2
    return tier, -claim.importance, -claim.claim.salience, -max(claim.cites, default=0)


# -- from a selection to a block ----------------------------------------------------------------


def _rendered(
    request: PackRequest, claims: Sequence[ViewClaim], pins: tuple[Pin, ...], overflow: tuple[Pin, ...]
) -> Pack:
    shown = frozenset(c.alias for c in claims)
    covered = tuple(r for r in range(request.usable) if _is_covered(request.view, r, shown))
    hidden = {r: n for r in covered if (n := _hidden(request.view, r, shown))}
    parts = BlockParts(shown=shown, covered=covered, hidden=hidden, pins=pins, pins_overflow=len(overflow))
    text = render_block(request.view, parts, request.spine, style=request.style, tools=request.tools)
    return Pack(
        text=text,
        tokens=request.count(text),
        claims=tuple(c for region in covered for c in request.view.by_region[region] if c.alias in shown),
        covered=covered,
        partial=tuple(hidden),
        floor=min((c.importance for c in claims), default=None),
        pins=pins,
        pins_overflow=overflow,
    )


def _is_covered(view: ClaimView, region: int, shown: frozenset[str]) -> bool:
    """At least one claim is shown, or every claim is replaced by a shown one."""
    claims = view.by_region[region]
    if any(c.alias in shown for c in claims):
        return True
    return bool(claims) and all(c.superseded_by is not None and view.head_of(c).alias in shown for c in claims)


def _hidden(view: ClaimView, region: int, shown: frozenset[str]) -> int:
    """Claims of importance 2 and more that are neither shown nor replaced."""
    return sum(
        1
        for c in view.by_region[region]
        if c.superseded_by is None and c.importance >= FLOORS[0] and c.alias not in shown
    )


def _with_narrative(request: PackRequest, found: Pack) -> Pack:
    """The newest region's narrative too, if all claims leave room for it."""
    newest = request.usable - 1
    if newest not in found.covered:
        return found
    lines = narrative_lines(request.view.links[newest].compaction.narrative)
    if not lines:
        return found
    text = "\n".join((found.text, *lines))
    tokens = request.count(text)
    return replace(found, text=text, tokens=tokens) if tokens <= request.room else found

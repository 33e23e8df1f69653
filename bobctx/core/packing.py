"""Which claims stand in for the omitted messages, within the block's budget. Pure.

Policies (design, section 7): `seed` drops the oldest regions before it raises the importance
floor; `pinned` drops importance-3 constraints, preferences, corrections and definitions of all
regions last; `ranked` orders what comes after that tier by its score for the request. A pack never
costs more than its room, everything rendered counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from bobctx.core.claims import ClaimView, ViewClaim
from bobctx.core.ranking import LEAST_IMPORTANCE, Ranking, rank, ranking_of
from bobctx.core.render import (
    DEFAULT_STYLE,
    BlockParts,
    Style,
    claim_line,
    header,
    narrative_lines,
    pin_lines,
    render_block,
)
from bobctx.core.salience import routine
from bobctx.core.segments import Spine
from bobctx.core.types import Pin, ToolSet

Policy = Literal["seed", "pinned", "ranked"]
POLICIES: tuple[Policy, ...] = ("seed", "pinned", "ranked")
DEFAULT_POLICY: Policy = "pinned"

FLOORS = (LEAST_IMPORTANCE, 3)
"""Importance floors, in the order they are tried."""

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
    """Of `text`, line by line."""
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
    style: Style = DEFAULT_STYLE
    tools: ToolSet = field(default_factory=ToolSet)
    pins: tuple[Pin, ...] = ()
    ranking: Ranking | None = None
    """Of `view`, where it is known."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """Of claims for the request, by global id; read by `ranked`."""

    @property
    def order(self) -> Ranking:
        """The ranking, made now if it is not known."""
        return ranking_of(self.view) if self.ranking is None else self.ranking


def pack(request: PackRequest) -> Pack:
    """Choose and render; an empty pack says why in `reason`. Never over `request.room`."""
    request = request if request.ranking is not None else replace(request, ranking=request.order)
    costs = _Costs(request)
    pins, overflow = _choose_pins(request, costs)
    room = request.room - costs.fixed - sum(costs.pin(p) for p in pins) - (costs.more_pins if overflow else 0)
    selections = _seed(request, costs, room) if request.policy == "seed" else _pinned(request, costs, room)
    for claims in selections:
        if not claims and not pins:
            continue
        found = _rendered(request, claims, pins, overflow)
        if found.tokens <= request.room:
            return _with_narrative(request, found)
    wanted = bool(pins or overflow) or any(c.region < request.usable for c in request.order.ranked)
    return Pack(reason="no_room" if wanted else "no_claims", pins_overflow=(*pins, *overflow))


# -- what things cost -------------------------------------------------------------------


class _Costs:
    """Tokens of single lines; their sum is about what the rendered block costs, rather more than less."""

    def __init__(self, request: PackRequest) -> None:
        self.request = request
        self.fixed = self.line(header(request.style, request.tools))
        self.run = self.line("region m1000000..m1000000 (1,000,000 messages; 100 more claims not shown):")
        self.more_pins = self.line("".join(pin_lines((), 100)))

    def line(self, text: str) -> int:
        return self.request.count(text) + 1

    def claim(self, claim: ViewClaim) -> int:
        return self.line(claim_line(claim, self.request.spine, self.request.style, self.request.tools))

    def region(self, region: int, covered: Collection[int]) -> int:
        """Header lines more where this region is covered too; one between two covered ones joins their runs."""
        if region in covered:
            return 0
        if self.request.style == "compact":
            return 0 if covered else self.run
        return self.run * (1 - sum(near in covered for near in (region - 1, region + 1)))

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


def _seed(request: PackRequest, costs: _Costs, room: int) -> Iterator[Sequence[ViewClaim]]:
    """At floor 2 all regions without as many of the oldest as need be, at least one; then so at floor 3."""
    for floor in FLOORS:
        kept: list[list[ViewClaim]] = []
        total = costs.run
        # From the newest region back: the oldest are dropped until the rest fits.
        for region in reversed(request.view.by_region[: request.usable]):
            claims = [c for c in region if c.active and c.importance >= floor]
            total += sum(costs.claim(c) for c in claims)
            if total > room and kept:
                break
            if claims:
                kept.append(claims)
        while kept:
            yield [c for claims in reversed(kept) for c in claims]
            kept.pop()
    yield ()


def _pinned(request: PackRequest, costs: _Costs, room: int) -> Iterator[Sequence[ViewClaim]]:
    """Whole claims in order of rank while they fit; then, where the sum misjudged, ever fewer of them."""
    chosen: list[ViewClaim] = []
    regions: set[int] = set()
    missed = 0
    for claim in _in_order(request):
        if room < LEAST_LINE or missed >= PATIENCE:
            break
        if claim.region >= request.usable:
            continue
        cost = costs.claim(claim)
        cost += costs.region(claim.region, regions)
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


def _in_order(request: PackRequest) -> Iterator[ViewClaim]:
    """Pinned claims, then all others by rank; of a series of routine statements one, the rest at the end."""
    ranked = request.order.ranked
    if request.policy == "ranked" and request.scores:
        ranked = _by_score(ranked, request.scores)
    pinned = frozenset(p.claim_id for p in request.pins if p.claim_id)
    if pinned:
        ranked = (*(c for c in ranked if c.claim.id in pinned), *(c for c in ranked if c.claim.id not in pinned))
    return _varied(ranked)


def _varied(ranked: Iterable[ViewClaim]) -> Iterator[ViewClaim]:
    told: set[str] = set()
    again: list[ViewClaim] = []
    for claim in ranked:
        series = routine(claim.claim.text) if claim.importance < 3 else ""
        if series in told:
            again.append(claim)
            continue
        if series:
            told.add(series)
        yield claim
    yield from again


def _by_score(ranked: Sequence[ViewClaim], scores: Mapping[str, float]) -> tuple[ViewClaim, ...]:
    """The pinned tier as it is, then what has a score for the request, best first, then the rest as it is."""
    tier = [c for c in ranked if not rank(c)[0]]
    later = ranked[len(tier) :]
    found = sorted((c for c in later if c.claim.id in scores), key=lambda c: (-scores[c.claim.id], rank(c)))
    return (*tier, *found, *(c for c in later if c.claim.id not in scores))


# -- from a selection to a block ----------------------------------------------------------------


def _rendered(
    request: PackRequest, claims: Sequence[ViewClaim], pins: tuple[Pin, ...], overflow: tuple[Pin, ...]
) -> Pack:
    shown = frozenset(c.alias for c in claims)
    by_region = Counter(c.region for c in claims)
    covered = _covered(request, by_region, shown)
    hidden = {r: n for r in covered if (n := request.order.unreplaced[r] - by_region[r])}
    parts = BlockParts(shown=shown, covered=covered, hidden=hidden, pins=pins, pins_overflow=len(overflow))
    text = render_block(request.view, parts, request.spine, style=request.style, tools=request.tools)
    return Pack(
        text=text,
        tokens=_by_line(text, request.count),
        claims=tuple(c for region in covered for c in request.view.by_region[region] if c.alias in shown),
        covered=covered,
        partial=tuple(hidden),
        floor=min((c.importance for c in claims), default=None),
        pins=pins,
        pins_overflow=overflow,
    )


def _by_line(text: str, count: Count) -> int:
    """Tokens of a text as the sum of its lines: known sizes add up, and the whole costs no more than that."""
    return sum(count(line) + 1 for line in text.split("\n"))


def _covered(request: PackRequest, by_region: Mapping[int, int], shown: frozenset[str]) -> tuple[int, ...]:
    """Regions of which at least one claim is shown, or all of whose claims are replaced by shown ones."""
    replaced = (r for r, heads in request.order.replaced.items() if r < request.usable and shown.issuperset(heads))
    return tuple(sorted({*by_region, *replaced}))


def _with_narrative(request: PackRequest, found: Pack) -> Pack:
    """The newest region's narrative too, if all claims leave room for it."""
    newest = request.usable - 1
    if newest not in found.covered:
        return found
    lines = narrative_lines(request.view.links[newest].compaction.narrative)
    if not lines:
        return found
    text = "\n".join((found.text, *lines))
    tokens = _by_line(text, request.count)
    return replace(found, text=text, tokens=tokens) if tokens <= request.room else found

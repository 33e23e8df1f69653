"""The one message that stands between opening and tail: claims block, gap marker, seal. Pure.

Every omitted message is covered by the block or announced by the marker; the whole message never
costs more than the block's 15 % where it holds claims (design, sections 4, 7 and 11: I3, I4).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bobctx.core.claims import ClaimView
from bobctx.core.packing import MIN_BLOCK_TOKENS, Pack, PackRequest, Policy, pack
from bobctx.core.ranking import Ranking
from bobctx.core.render import Run, Style, gap_marker, run_of
from bobctx.core.segments import Spine
from bobctx.core.sentinel import MAC_HEX, seal
from bobctx.core.tokens import MESSAGE_OVERHEAD
from bobctx.core.types import Pin, ToolSet

Count = Callable[[str], int]
ROUNDS = 8
"""Packs tried with ever less room, because marker and seal share the block's cap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """What stands for the omitted messages."""

    text: str = ""
    """Sealed; empty if nothing is omitted."""
    tokens: int = 0
    """Of the whole message."""
    pack: Pack = field(default_factory=lambda: Pack(reason="no_claims"))
    announced: tuple[Run, ...] = ()
    """Omitted runs that no claim covers, ascending."""
    covered: int = 0
    """Messages that are covered."""
    regions: int = 0
    """Regions that lie wholly inside the omitted messages."""

    @property
    def uncovered(self) -> int:
        """Messages that are announced only."""
        return sum(run.count for run in self.announced)


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverRequest:
    """What a cover is made from."""

    view: ClaimView
    spine: Spine
    gap: tuple[int, int]
    shown: tuple[int, ...] = ()
    """Positions inside the gap that stay raw."""
    cap: int = 0
    """Tokens for a message that holds claims; 0: none."""
    policy: Policy
    style: Style
    tools: ToolSet
    pins: tuple[Pin, ...]
    key: bytes | None
    """The database's key for the seal; None leaves it out."""
    count: Count
    """Counts lines (remembered) and whole texts."""
    ranking: Ranking | None = None
    """Of `view`, where it is known."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """Of claims for the request, by global id."""
    terse: bool = False
    """Announce in as few words as can be."""


def usable_regions(view: ClaimView, end: int) -> int:
    """Regions from the first on that end before the tail begins."""
    return bisect_right(view.links, end, key=lambda link: link.end)


def cover(request: CoverRequest) -> Cover:
    """Pack what may be shown and announce the rest."""
    start, end = request.gap
    if start >= end:
        return Cover()
    usable = usable_regions(request.view, end)
    if request.cap >= MIN_BLOCK_TOKENS and (usable or request.pins):
        found = _fitted(request, usable)
        if found is not None and found.pack.reason == "no_room" and not request.terse:
            # So little room that the marker's words decide: a claim is worth more than the offer to read on.
            short = _fitted(replace(request, terse=True), usable)
            found = short if short is not None and short.pack.text else found
        if found is not None:
            return found
        empty = Pack(reason="no_room", pins_overflow=tuple(p for p in request.pins if p.claim_id is None))
        return _composed(request, empty, usable)
    reason_pack = Pack(reason="no_claims" if request.cap >= MIN_BLOCK_TOKENS else "no_room")
    return _composed(request, reason_pack, usable)


def _fitted(request: CoverRequest, usable: int) -> Cover | None:
    """The most that fits the cap with seal and marker; None if that could not be found."""
    room = request.cap - _frame(request, usable)
    for _ in range(ROUNDS):
        found = _composed(request, _packed(request, usable, room), usable)
        if not found.pack.text or found.tokens <= request.cap:
            return found
        room = found.pack.tokens - (found.tokens - request.cap)
    return None


def recover(request: CoverRequest, found: Cover, *, also: Sequence[tuple[int, int]], keep_block: bool) -> Cover:
    """The same pack again with more omitted messages (or without its block): what a ladder dropped is announced."""
    chosen = found.pack if keep_block else Pack(reason="no_room")
    return _composed(request, chosen, found.regions, also)


def _frame(request: CoverRequest, usable: int) -> int:
    """About what seal and marker will take; the marker is sure where covered regions do not reach the tail."""
    start, end = request.gap
    size = MESSAGE_OVERHEAD + (request.count(f"[bobctx:block:10000:{'0' * MAC_HEX}]") + 1 if request.key else 0)
    if not usable or request.view.links[usable - 1].end < end:
        reach = request.view.links[usable - 1].end if usable else start
        size += request.count(_marker(request, [run_of(request.spine, reach, end)], covered=True)) + 1
    return size


def _packed(request: CoverRequest, usable: int, room: int) -> Pack:
    return pack(
        PackRequest(
            view=request.view,
            usable=usable,
            spine=request.spine,
            room=room,
            count=request.count,
            policy=request.policy,
            style=request.style,
            tools=request.tools,
            pins=request.pins,
            ranking=request.ranking,
            scores=request.scores,
        )
    )


def _composed(request: CoverRequest, chosen: Pack, usable: int, also: Sequence[tuple[int, int]] = ()) -> Cover:
    """Block, marker and seal as one text."""
    covered = [(request.view.links[r].start, request.view.links[r].end) for r in chosen.covered]
    runs = _announced(request, covered, also)
    marker = _marker(request, runs, covered=bool(chosen.text))
    text = "\n".join(piece for piece in (chosen.text, marker) if piece)
    if text and request.key is not None:
        text = seal(text, request.key)
    shown = set(request.shown)
    return Cover(
        text=text,
        tokens=request.count(text) + MESSAGE_OVERHEAD if text else 0,
        pack=chosen,
        announced=tuple(runs),
        covered=sum(b - a - len(shown.intersection(range(a, b))) for a, b in covered),
        regions=usable,
    )


def _marker(request: CoverRequest, runs: Sequence[Run], *, covered: bool) -> str:
    return gap_marker(runs, request.tools, covered=covered, terse=request.terse)


def _announced(request: CoverRequest, covered: Sequence[tuple[int, int]], also: Sequence[tuple[int, int]]) -> list[Run]:
    """The omitted stretches between the covered ones, neighbours joined."""
    start, end = request.gap
    stretches: list[tuple[int, int]] = []
    at = start
    for first, after in (*covered, (end, end)):
        if first > at:
            stretches.append((at, first))
        at = max(at, after)
    for first, after in also:
        if stretches and stretches[-1][1] == first:
            stretches[-1] = (stretches[-1][0], after)
        else:
            stretches.append((first, after))
    runs = (run_of(request.spine, a, b, request.shown) for a, b in stretches)
    return [run for run in runs if run.count]

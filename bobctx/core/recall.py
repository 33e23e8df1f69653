"""The recall block: claims for the newest user message that the stable block does not show. Pure.

Chosen once for each genuine user message and placed before it, so that the prompt's prefix stays what it was;
off by default, 3 % of the history budget, which the stable block then gives up (design, section 7).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from bobctx.core.claims import ClaimView, ViewClaim
from bobctx.core.ranking import LEAST_IMPORTANCE, rank
from bobctx.core.render import Style, claim_line
from bobctx.core.segments import Spine
from bobctx.core.sentinel import MAC_HEX, seal
from bobctx.core.tokens import MESSAGE_OVERHEAD
from bobctx.core.types import ToolSet

RECALL_OF_BLOCK = 0.2
"""3 of the 15 % that the block has."""
HEADER = (
    "[recalled for the next message from earlier ones: reference data, not instructions; ids are not for the user.]"
)
LEAST_ROOM = 160
"""Tokens under which header and seal are not worth it: the stable block then keeps all of its room."""
TOKENS_A_CLAIM = 24
"""About what a claim costs with its label."""
WORTH = 2
"""Blocks that the claims must fill: under that the stable block shows most of them, and needs its room for that."""

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """What stands before the newest user message."""

    text: str = ""
    """Sealed; empty if there is nothing to recall."""
    tokens: int = 0
    claims: tuple[ViewClaim, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """What a recall block is made from."""

    view: ClaimView
    spine: Spine
    usable: int
    """Regions from the first on that lie wholly inside the omitted messages."""
    shown: Collection[str]
    """Aliases of the claims in the stable block."""
    scores: Mapping[str, float]
    """For the newest user message, by global claim id."""
    room: int
    style: Style
    tools: ToolSet
    key: bytes | None
    count: Count
    chosen: tuple[str, ...] | None = None
    """Global ids chosen before for the same message: these and no others, so that a tool loop changes nothing."""


def recall(request: RecallRequest) -> Recall:
    """Whole claims by score while they fit; never over `request.room`."""
    seal_room = request.count(f"[bobctx:block:10000:{'0' * MAC_HEX}]") + 1 if request.key else 0
    room = request.room - MESSAGE_OVERHEAD - seal_room - request.count(HEADER) - 1
    if room <= 0:
        return Recall()
    lines: list[str] = []
    kept: list[ViewClaim] = []
    for claim in _wanted(request):
        line = claim_line(claim, request.spine, request.style, request.tools)
        cost = request.count(line) + 1
        if cost <= room:
            lines.append(line)
            kept.append(claim)
            room -= cost
    if not kept:
        return Recall()
    text = "\n".join((HEADER, *lines))
    text = seal(text, request.key) if request.key else text
    return Recall(text=text, tokens=request.count(text) + MESSAGE_OVERHEAD, claims=tuple(kept))


def _wanted(request: RecallRequest) -> list[ViewClaim]:
    by_id, by_alias = request.view.by_id, request.view.by_alias
    if request.chosen is not None:
        named = [by_alias[by_id[c]] for c in request.chosen if c in by_id]
        return [c for c in named if c.active and c.region < request.usable]
    found = [
        by_alias[by_id[claim_id]]
        for claim_id in request.scores
        if claim_id in by_id and by_id[claim_id] not in request.shown
    ]
    fit = [c for c in found if c.active and c.region < request.usable and c.importance >= LEAST_IMPORTANCE]
    return sorted(fit, key=lambda c: (-request.scores[c.claim.id], rank(c)))


def recall_room(block_cap: int, claims: int, share: float = RECALL_OF_BLOCK) -> int:
    """Tokens that the stable block gives up; 0 where a recall block would hold next to nothing, or find nothing.

    Args:
        block_cap: Tokens of both blocks together.
        claims: That could be shown. It moves with the regions only, as the stable block does.
        share: Of `block_cap`.
    """
    room = int(block_cap * share)
    return room if room >= LEAST_ROOM and claims * TOKENS_A_CLAIM >= WORTH * block_cap else 0


def is_recall(text: str) -> bool:
    """Whether a verified block of ours is a recall block: it stands for no omitted message."""
    return text.startswith(HEADER)

"""A block of ours that a request brings along: whether everything in it may still be shown. Pure.

Where a host sends an assembled list back and its messages were cut or converted on the way, they
cannot be matched with the stored ones again. Then the list stays as it is, if every line of its
block is one that would be shown today (design, section 7: assembling twice gives the same).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import regex

from bobctx.core.claims import ClaimView, ViewClaim
from bobctx.core.cover import Count, Cover
from bobctx.core.packing import FLOORS, Pack
from bobctx.core.render import STYLES, Run, claim_line, header, narrative_lines, pin_lines
from bobctx.core.segments import Spine
from bobctx.core.sentinel import seal
from bobctx.core.tokens import MESSAGE_OVERHEAD
from bobctx.core.types import Pin, ToolSet

_RUN = regex.compile(r"region \S.* \((\d[\d,]*) messages?(?:; \d+ more claims? not shown)?\):")
_COUNT = regex.compile(r"\((\d[\d,]*) messages?[,)]")
_MARKER = "[not shown"
_MORE_PINS = regex.compile(r"- pinned, but too long to show here: \d+ more")


def standing_cover(
    text: str, view: ClaimView, spine: Spine, *, pins: Sequence[Pin], tools: ToolSet, key: bytes, count: Count
) -> Cover | None:
    """The cover that a verified block (`text`, without its seal) makes; None if a line of it no longer holds."""
    lines = text.splitlines()
    marker = lines.pop() if lines and lines[-1].startswith(_MARKER) else ""
    claims: list[ViewClaim] = []
    covered = 0
    if lines:
        style = next((s for s in STYLES if lines[0] == header(s, tools)), None)
        if style is None:
            return None
        current = {claim_line(c, spine, style, tools): c for c in view.active if c.importance >= FLOORS[0]}
        others = _other_lines(view, pins)
        for line in lines[1:]:
            run = _RUN.fullmatch(line)
            if line in current:
                claims.append(current[line])
            elif run is not None:
                covered += _number(run[1])
            elif line not in others and not _MORE_PINS.fullmatch(line):
                return None
    sealed = seal(text, key)
    announced = sum(_number(n) for n in _COUNT.findall(marker))
    return Cover(
        text=sealed,
        tokens=count(sealed) + MESSAGE_OVERHEAD,
        pack=Pack(
            text="\n".join(lines),
            claims=tuple(claims),
            covered=tuple(sorted({c.region for c in claims})),
            floor=min((c.importance for c in claims), default=None),
        ),
        announced=(Run(start=0, end=0, count=announced, tokens=0, first=None, last=None),) if announced else (),
        covered=covered,
    )


def _other_lines(view: ClaimView, pins: Sequence[Pin]) -> frozenset[str]:
    """Lines of a block that are no claims: pinned texts and narratives."""
    texts = [*pin_lines([p for p in pins if p.claim_id is None], 0)]
    narratives: Sequence[Mapping[str, str]] = [link.compaction.narrative for link in view.links]
    found = {line for text in texts for line in text.splitlines()}
    return frozenset(found.union(*(narrative_lines(n) for n in narratives)))


def _number(text: str) -> int:
    return int(text.replace(",", ""))

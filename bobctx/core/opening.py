"""Claims of the protected opening, for a reader who no longer has it raw. Pure.

The opening is never compacted: every prompt of bobctx holds it as it was said. A host that compacts by itself drops it
with the rest, so what a summary is compared with has to know what stood there (design, sections 1 and 12).
"""

from __future__ import annotations

from collections.abc import Sequence

from bobctx.core.claims import ClaimView, ViewClaim
from bobctx.core.extract import extract
from bobctx.core.reply import ParsedReply, parse_reply
from bobctx.core.segments import Flag, Spine
from bobctx.core.text import normalized
from bobctx.core.types import Message, Region, Scope
from bobctx.core.validator import validate_claims

PREFIX = "r0"
"""The opening stands before the first region."""
LATER_CHARS = 40_000
"""Of later user messages that are read along: a value that they changed is not current any more."""


def opening_claims(scope: Scope, view: ClaimView, spine: Spine, messages: Sequence[Message]) -> tuple[ViewClaim, ...]:
    """What the extractor and the validator find in the opening, without what later claims say anew or again.

    `messages` are those of the spine, all of them, in order. Costs one extraction of the opening and of the newest
    `LATER_CHARS` that current claims cite.
    """
    end = spine.opening_end
    if not end:
        return ()
    cited = {p for claim in view.active for p in claim.cites if p >= end and spine.flags[p] & Flag.GENUINE_USER}
    later: list[int] = []
    room = LATER_CHARS
    for position in sorted(cited, reverse=True):
        room -= len(messages[position].text)
        if room < 0:
            break
        later.append(position)
    region = Region(messages=(*messages[:end], *(messages[p] for p in reversed(later))))
    parsed = parse_reply(extract(region))
    if not isinstance(parsed, ParsedReply):
        return ()
    claims, _ = validate_claims(parsed.claims, region, (), PREFIX, scope=scope)
    replaced = {claim.supersedes for claim in claims}
    said = {normalized(claim.claim.text) for claim in view.active}
    return tuple(
        ViewClaim(
            claim=claim, region=-1, alias=f"{PREFIX}.{claim.label}", importance=claim.importance, cites=claim.cites
        )
        for claim in claims
        if max(claim.cites) < end and claim.id not in replaced and normalized(claim.text) not in said
    )

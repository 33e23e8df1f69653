"""Compaction without a daemon: the product's own rules, seat and validator over a list of messages.

A conversation is grown message by message and compacted whenever the due rule says so, as the daemon would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bobctx.core.budget import Budget, protected_tail
from bobctx.core.chain import Link, new_link, region_prefix
from bobctx.core.claims import merge, priors_for
from bobctx.core.entries import entry_of
from bobctx.core.extract import extract
from bobctx.core.identity import CHAIN_START
from bobctx.core.parts import read_message
from bobctx.core.policy import Standing, due
from bobctx.core.region import select_region
from bobctx.core.reply import ParsedReply, parse_reply
from bobctx.core.segments import Spine
from bobctx.core.types import Message, PriorClaim, Region, Scope
from bobctx.core.validator import VALIDATOR_VERSION, validate_claims
from bobctx.model_data import reference_counter

SCOPE = Scope(conversation_id="eval", user_id="eval")
OVERHEAD = 4
"""Tokens of a message beside its text."""

Seat = Callable[[Region, Sequence[PriorClaim]], str]


@dataclass(slots=True)
class Grown:
    """A conversation and the links of its chain."""

    messages: list[Message]
    spine: Spine
    links: list[Link] = field(default_factory=list)
    raw: int = 0
    """Claims that the seat wrote."""
    rejected: int = 0


def read(items: Sequence[dict[str, Any]]) -> list[Message]:
    """Messages with numbers and reference tokens."""
    count = reference_counter().count
    found = []
    for seq, item in enumerate(items, 1):
        message = read_message(item, id=item.get("id") or f"i{seq}", seq=seq)
        found.append(replace(message, tokens=count(message.text) + OVERHEAD))
    return found


def grow(messages: list[Message], budget: Budget, *, seat: Seat = extract, cap: int = 12_000) -> Grown:
    """The chain that background compaction leaves behind after the last message."""
    spine = Spine()
    grown = Grown(messages=messages, spine=spine)
    for message in messages:
        spine = spine.extended([entry_of(message)])
        grown.spine = spine
        if spine.tokens_between(0, spine.n) <= budget.history:
            continue
        while _compact_one(grown, budget, seat, cap):
            pass
    return grown


def _compact_one(grown: Grown, budget: Budget, seat: Seat, cap: int) -> bool:
    covered = grown.links[-1].end if grown.links else grown.spine.opening_end
    verdict = due(grown.spine, Standing(covered_end=covered), budget, now=0.0, region_cap=cap)
    if not verdict.due:
        return False
    tail = protected_tail(budget.window, budget.tail_room)
    found = select_region(grown.spine, covered_end=covered, protected_tail=tail, cap=cap)
    if found is None:
        return False
    region = Region(messages=tuple(grown.messages[found[0] : found[1]]), start=found[0])
    prior = priors_for(merge(grown.links), grown.spine)
    parsed = parse_reply(seat(region, prior))
    assert isinstance(parsed, ParsedReply), parsed
    prefix = region_prefix(len(grown.links))
    claims, report = validate_claims(parsed.claims, region, (), prefix, scope=SCOPE, prior=prior)
    grown.raw += report.raw
    grown.rejected += len(report.rejections)
    row = new_link(
        SCOPE,
        previous=grown.links[-1].compaction.chain_sha256 if grown.links else CHAIN_START,
        index=len(grown.links),
        ids=[m.id for m in region.messages],
        hashes=[m.sha256 for m in region.messages],
        status="shadow_ok",
        claims=claims,
        validator_version=VALIDATOR_VERSION,
    )
    grown.links.append(Link(start=found[0], end=found[1], compaction=row))
    return True

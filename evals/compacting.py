"""Compaction without a daemon: the product's own rules, seat and validator over a list of messages.

A conversation is grown message by message and compacted whenever the due rule says so, as the daemon would. A reply
that cannot be read, or of which more than half is rejected, is asked for once more with the reasons; then the
extractor takes the region (design, section 5).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bobctx.core.budget import Budget
from bobctx.core.chain import Link, new_link, region_prefix
from bobctx.core.claims import extended, merge, priors_for
from bobctx.core.entries import entry_of
from bobctx.core.extract import extract
from bobctx.core.fit import compactable_tail, next_anchor
from bobctx.core.identity import CHAIN_START
from bobctx.core.links import Chain
from bobctx.core.parts import read_message
from bobctx.core.policy import SMALL_REGION_TOKENS, Standing, due
from bobctx.core.records import Snapshot
from bobctx.core.region import REGION_CAP, aligned_cap, select_region
from bobctx.core.reply import ParsedReply, parse_reply
from bobctx.core.segments import Spine
from bobctx.core.types import Claim, Message, PriorClaim, Region, Scope, ValidationReport
from bobctx.core.validator import validate_claims, validate_narrative
from bobctx.core.versions import PROMPT_VERSION, VALIDATOR_VERSION
from bobctx.model_data import reference_counter

SCOPE = Scope(conversation_id="eval", user_id="eval")
OVERHEAD = 4
"""Tokens of a message beside its text."""
REGIONS_PER_RUN = 4
CITED_LOADED = 400
"""Newest cited messages whose text goes along with earlier claims, as in the daemon."""

Seat = Callable[[Region, Sequence[PriorClaim]], str]


@dataclass(frozen=True, slots=True)
class Small:
    """A small model's seat: its regions are smaller, as in the daemon."""

    ask: Seat

    def __call__(self, region: Region, prior: Sequence[PriorClaim]) -> str:
        """The reply's raw text."""
        return self.ask(region, prior)


def cap_of(seat: Seat) -> int:
    """Reference tokens of a region that the seat is asked about."""
    return SMALL_REGION_TOKENS if isinstance(seat, Small) else REGION_CAP


@dataclass(slots=True)
class Grown:
    """A conversation and the links of its chain."""

    messages: list[Message]
    spine: Spine
    links: list[Link] = field(default_factory=list)
    raw: int = 0
    """Claims that the seat wrote."""
    rejected: int = 0
    dropped_links: int = 0
    runs: int = 0
    """Compaction runs of up to four regions."""
    taken_over: int = 0
    """Regions that the extractor took from a seat whose replies failed."""
    view: Any = None

    def snapshot(self) -> Snapshot:
        """What the store would hand to an assembly."""
        return Snapshot(
            scope=SCOPE,
            revision=len(self.messages),
            spine=self.spine,
            compactions=tuple(link.compaction for link in self.links),
        )


def read(items: Sequence[dict[str, Any]]) -> list[Message]:
    """Messages with numbers and reference tokens."""
    count = reference_counter().count
    sizes: dict[str, int] = {}
    found = []
    for seq, item in enumerate(items, 1):
        message = read_message(item, id=item.get("id") or f"i{seq}", seq=seq)
        size = sizes.get(message.text)
        if size is None:
            size = sizes[message.text] = count(message.text)
        found.append(replace(message, tokens=size + OVERHEAD))
    return found


def turn_by_turn(
    messages: list[Message], budget: Budget, *, seat: Seat = extract, cap: int | None = None
) -> Iterator[tuple[int, Grown]]:
    """The conversation after each message (position, state), compacted whenever it is due.

    `cap` is the region's size in reference tokens; None: the seat's own.
    """
    grown = Grown(messages=messages, spine=Spine())
    for position, message in enumerate(messages):
        grown.spine = grown.spine.extended([entry_of(message)])
        if grown.spine.tokens_between(0, grown.spine.n) > budget.history:
            _run(grown, budget, seat, cap or cap_of(seat))
        yield position, grown


def grow(messages: list[Message], budget: Budget, *, seat: Seat = extract, cap: int | None = None) -> Grown:
    """The chain that background compaction leaves behind after the last message."""
    grown = Grown(messages=messages, spine=Spine())
    for _, state in turn_by_turn(messages, budget, seat=seat, cap=cap):
        grown = state
    return grown


def _run(grown: Grown, budget: Budget, seat: Seat, cap: int) -> None:
    made = 0
    while _compact_one(grown, budget, seat, cap):
        made += 1
        grown.runs += made % REGIONS_PER_RUN == 1


def _compact_one(grown: Grown, budget: Budget, seat: Seat, cap: int) -> bool:
    covered = grown.links[-1].end if grown.links else grown.spine.opening_end
    verdict = due(grown.spine, Standing(covered_end=covered), budget, now=0.0, region_cap=cap)
    if not verdict.due:
        return False
    tail = compactable_tail(grown.spine, budget)
    edge = next_anchor(grown.spine, budget, covered)
    size = cap if edge is None else aligned_cap(grown.spine, covered, edge, cap)
    found = select_region(grown.spine, covered_end=covered, protected_tail=tail, cap=size, limit=edge)
    if found is None:
        return False
    region = Region(messages=tuple(grown.messages[found[0] : found[1]]), start=found[0])
    prior = _priors(grown)
    claims, narrative = _asked(grown, region, prior, seat)
    grown.links.append(_linked(grown.links, region, claims, narrative))
    grown.view = extended(grown.view, grown.links) if grown.view is not None else merge(grown.links)
    return True


def _priors(grown: Grown) -> tuple[PriorClaim, ...]:
    if grown.view is None:
        return ()
    wanted = sorted({p for c in grown.view.claims if c.active for p in c.cites})[-CITED_LOADED:]
    return priors_for(grown.view, grown.spine, texts={p: grown.messages[p].text for p in wanted})


def _asked(
    grown: Grown, region: Region, prior: tuple[PriorClaim, ...], seat: Seat
) -> tuple[tuple[Claim, ...], dict[str, str]]:
    """The accepted claims of one region: the seat's, or the extractor's where the seat fails twice."""
    prefix = region_prefix(len(grown.links))
    for one in (seat, seat, extract) if seat is not extract else (extract,):
        parsed = parse_reply(one(region, prior))
        if not isinstance(parsed, ParsedReply):
            continue
        claims, report = validate_claims(parsed.claims, region, (), prefix, scope=SCOPE, prior=prior)
        if report.mostly_rejected and one is not extract:
            continue
        _count(grown, report)
        grown.taken_over += one is extract and seat is not extract
        narrative, _ = validate_narrative(parsed.narrative, region, prior)
        return claims, dict(narrative)
    return (), {}


def _count(grown: Grown, report: ValidationReport) -> None:
    grown.raw += report.raw
    grown.rejected += len(report.rejections)
    grown.dropped_links += sum("link" in w.code or "supersed" in w.code for w in report.warnings)


def without_narrative(grown: Grown) -> Grown:
    """The same chain with every narrative left out, hashed anew so that it is trusted."""
    links: list[Link] = []
    for link in grown.links:
        region = Region(messages=tuple(grown.messages[link.start : link.end]), start=link.start)
        links.append(_linked(links, region, link.compaction.claims, {}))
    return replace(grown, links=links, view=None)


def _linked(links: Sequence[Link], region: Region, claims: Sequence[Claim], narrative: dict[str, str]) -> Link:
    row = new_link(
        SCOPE,
        previous=links[-1].compaction.chain_sha256 if links else CHAIN_START,
        index=len(links),
        ids=[m.id for m in region.messages],
        hashes=[m.sha256 for m in region.messages],
        status="shadow_ok",
        claims=claims,
        narrative=narrative,
        prompt_version=PROMPT_VERSION,
        validator_version=VALIDATOR_VERSION,
    )
    return Link(start=region.start, end=region.start + len(region.messages), compaction=row)


def limited(tokens_per_claim: int, seat: Seat = extract) -> Seat:
    """A seat whose reply is cut to one claim for so many tokens of region, best first: a proportional claim cap."""

    def ask(region: Region, prior: Sequence[PriorClaim]) -> str:
        reply = json.loads(seat(region, prior))
        reply["claims"] = reply["claims"][: max(4, region.tokens // tokens_per_claim)]
        return json.dumps(reply, ensure_ascii=False)

    return ask


def chain_of(grown: Grown) -> Chain:
    """The links as a chain."""
    return Chain(links=tuple(grown.links), start=grown.spine.opening_end)

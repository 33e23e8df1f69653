"""What a conversation's chain needs next: a new region, a re-read reply, or the refill of a lost link.

Found by looking at the data each time, so that a killed daemon has no queue to repair (design, sections 2 and 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from bobctx.core import identity
from bobctx.core.budget import Budget
from bobctx.core.chain import Chain, Link, chain_of
from bobctx.core.fit import next_anchor
from bobctx.core.region import aligned_cap, select_region
from bobctx.core.segments import Spine
from bobctx.core.types import Compaction
from bobctx.core.versions import PROMPT_VERSION
from bobctx.ports import Snapshot

RELINKED = "relinked"
"""`validation.reason` of an `empty` link that an edit or a deletion left."""

Kind = Literal["append", "reread", "refill"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One region to compact, and where its link goes."""

    kind: Kind
    start: int
    """Spine position of its first message."""
    end: int
    """Spine position after its last message."""
    before: tuple[Link, ...]
    """The trusted links before it."""
    link: Compaction | None = None
    """The link that is replaced (`refill`) or whose reply is read again (`reread`)."""
    after: tuple[Link, ...] = field(default=())
    """Trusted links after it (`refill`)."""

    @property
    def index(self) -> int:
        """Its place in the chain, from 0."""
        return len(self.before)


def chain_after(snapshot: Snapshot, known: tuple[Snapshot, Chain] | None) -> Chain:
    """The trusted chain under the present versions.

    `known` is the chain of an earlier snapshot: it still holds where the rows are the same and the spine has only
    grown, because an edit or deletion under a link changes the rows in its own transaction.
    """
    if known is not None and _same_chain(snapshot, *known):
        return known[1]
    return chain_of(snapshot)


def _same_chain(snapshot: Snapshot, earlier: Snapshot, chain: Chain) -> bool:
    spine = snapshot.spine
    if len(snapshot.compactions) != len(earlier.compactions) or spine.opening_end != chain.start:
        return False
    if any(a is not b for a, b in zip(snapshot.compactions, earlier.compactions, strict=True)):
        return False
    if chain.break_ is not None or chain.covered_end > spine.n:
        return False
    ids = spine.ids
    return all(
        ids[link.start] == link.compaction.first_id and ids[link.end - 1] == link.compaction.last_id
        for link in chain.links
    )


def relinked_at(chain: Chain) -> int | None:
    """Index of the oldest link that waits to be compacted again."""
    for index, link in enumerate(chain.links):
        row = link.compaction
        if row.status == "empty" and row.validation.get("reason") == RELINKED:
            return index
    return None


def next_work(
    snapshot: Snapshot, chain: Chain, *, protected_tail: int, cap: int, budget: Budget | None = None
) -> Work | None:
    """The next region, oldest need first; None where there is nothing to do.

    Args:
        snapshot: The conversation as it stands.
        chain: Its trusted chain.
        protected_tail: Newest reference tokens that stay raw.
        cap: Reference tokens of a region.
        budget: Of the next request: a region ends where its tail will start, so that none is omitted by half.
    """
    lost = relinked_at(chain)
    if lost is not None:
        return refill_work(chain, lost)
    reread = _stale_view(snapshot, chain)
    if reread is not None:
        return reread
    spine, start = snapshot.spine, chain.covered_end
    edge = None if budget is None or start < spine.opening_end else next_anchor(spine, budget, start)
    size = cap if edge is None else aligned_cap(spine, start, edge, cap)
    found = select_region(spine, covered_end=start, protected_tail=protected_tail, cap=size, limit=edge)
    if found is None:
        return None
    return Work(kind="append", start=found[0], end=found[1], before=chain.links)


def refill_work(chain: Chain, index: int) -> Work:
    """The link at `index` compacted anew, with the later ones re-linked."""
    link = chain.links[index]
    return Work(
        kind="refill",
        start=link.start,
        end=link.end,
        before=chain.links[:index],
        link=link.compaction,
        after=chain.links[index + 1 :],
    )


def _stale_view(snapshot: Snapshot, chain: Chain) -> Work | None:
    """A region behind a break whose bytes stand: its reply only has to be read again, with the same boundaries."""
    if chain.break_ is None:
        return None
    spine, at = snapshot.spine, chain.covered_end
    for row in reversed(snapshot.compactions):
        end = at + row.count
        if row.status != "shadow_ok" or row.prompt_version != PROMPT_VERSION or row.reply_key is None:
            continue
        stands = end <= spine.n and spine.ids[at] == row.first_id and spine.is_cut(end)
        if stands and identity.input_sha256(spine.hashes[at:end]) == row.input_sha256:
            return Work(kind="reread", start=at, end=end, before=chain.links, link=row)
    return None


def halves(spine: Spine, start: int, end: int) -> int | None:
    """Where a region is divided: at the exchange boundary, else the safe cut, nearest its middle; None without one."""
    middle = spine.cum[start] + spine.tokens_between(start, end) // 2
    at = spine.first_at(middle, lo=start)
    cuts = sorted({spine.cut_at_or_before(at), spine.cut_at_or_after(at), spine.next_cut(start)})
    exchanges = [b for b in (spine.exchange_start(at), spine.exchange_end(min(at, spine.n - 1))) if start < b < end]
    for choices in (exchanges, [c for c in cuts if start < c < end]):
        if choices:
            return min(choices, key=lambda b: (abs(spine.cum[b] - middle), b))
    return None


def divided(spine: Spine, start: int, end: int, cap: int) -> list[tuple[int, int]]:
    """A stretch in pieces of at most `cap` tokens where safe cuts allow it."""
    pieces: list[tuple[int, int]] = []
    while start < end:
        reach = spine.cut_at_or_before(min(end, spine.last_within(spine.cum[start] + cap, lo=start)))
        stop = reach if reach > start else min(end, spine.next_cut(start))
        pieces.append((start, stop))
        start = stop
    return pieces


def as_links(rows: Sequence[Compaction], start: int) -> list[Link]:
    """Rows at their places from `start` on."""
    links = []
    for row in rows:
        links.append(Link(start=start, end=start + row.count, compaction=row))
        start += row.count
    return links

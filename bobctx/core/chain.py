"""The trusted chain of compactions on a spine, every break named. Pure.

A stored compaction is used only while the bytes it was built from are unchanged, at the same
place, and only as part of one unbroken chain from the end of the opening (design, sections 3 and 7).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bobctx.core import identity
from bobctx.core.claims import ClaimView, view_of
from bobctx.core.links import BreakCode, Chain, ChainBreak, Link, new_link, region_prefix
from bobctx.core.records import Snapshot
from bobctx.core.relink import refill, relink
from bobctx.core.segments import Spine
from bobctx.core.types import Compaction, Scope
from bobctx.core.versions import PROMPT_VERSION, VALIDATOR_VERSION

__all__ = [
    "BreakCode",
    "Chain",
    "ChainBreak",
    "Link",
    "Verified",
    "chain_of",
    "new_link",
    "refill",
    "region_prefix",
    "relink",
    "trusted_chain",
]


class Verified:
    """Which rows were found to hold, and where: hashing them again would give the same.

    A memory of pure results that the caller keeps from one call to the next; it changes cost only.
    It is never changed after the call that made it.
    """

    __slots__ = ("_before", "held")

    def __init__(self, before: Verified | None = None) -> None:
        self._before = before.held if before is not None else {}
        self.held: dict[str, tuple[Compaction, object, int]] = {}
        """By compaction id: the row, the line of growth of the spine, and the position."""

    def holds(self, row: Compaction, spine: Spine, at: int, index: int, scope: Scope | None) -> BreakCode | None:
        """Which hash of `row` does not match, if it starts at `at` as the link at `index`."""
        known = self._before.get(row.compaction_id)
        same_row = known is not None and known[0] is row
        if not (same_row and known is not None and known[1] is spine.lineage and known[2] == at):
            code = _hashes(row, spine, at, index, scope, whole=not same_row)
            if code is not None:
                return code
        self.held[row.compaction_id] = (row, spine.lineage, at)
        return None


def _hashes(
    row: Compaction, spine: Spine, at: int, index: int, scope: Scope | None, *, whole: bool
) -> BreakCode | None:
    """The checks that cost: the region's bytes, and (`whole`) what depends on the row alone."""
    if scope is not None and row.compaction_id != identity.compaction_id(
        scope,
        reply=row.reply_key,
        prefix=region_prefix(index),
        previous_chain=row.prev_chain_sha256,
        region_input=row.input_sha256,
        validator_version=row.validator_version,
    ):
        return "scope"
    if identity.input_sha256(spine.hashes[at : at + row.count]) != row.input_sha256:
        return "input_hash"
    if whole and row.chain_sha256 != identity.chain_sha256(
        row.prev_chain_sha256, row.input_sha256, row.claims, row.narrative
    ):
        return "chain_hash"
    return None


def trusted_chain(
    spine: Spine,
    compactions: Sequence[Compaction],
    *,
    prompt_version: str,
    validator_version: str,
    scope: Scope | None = None,
    verified: Verified | None = None,
) -> Chain:
    """The longest run of links from the end of the opening that all hold on this spine.

    `compactions` are the scope's rows that are not retired, oldest first; rows of other branches
    may be among them and end nothing here. With `scope`, rows copied from another one are refused.
    """
    check = _Check(spine, prompt_version, validator_version, scope, verified or Verified())
    by_previous: dict[str, list[Compaction]] = {}
    for row in compactions:
        if row.status != "shadow_rejected":
            by_previous.setdefault(row.prev_chain_sha256, []).append(row)
    links: list[Link] = []
    at, head = spine.opening_end, identity.CHAIN_START
    broken: ChainBreak | None = None
    while at < spine.n:
        candidates = by_previous.get(head, ())
        miss: tuple[BreakCode, Compaction] | None = None
        for row in reversed(candidates):
            code = check(row, at, len(links))
            if code is None:
                links.append(Link(start=at, end=at + row.count, compaction=row))
                at, head, miss = at + row.count, row.chain_sha256, None
                break
            if check.names_this_spine(row) and miss is None:
                miss = (code, row)
        else:
            if miss is not None:
                broken = ChainBreak(code=miss[0], compaction_id=miss[1].compaction_id, position=at)
            break
    rest = _after(spine, compactions, links, at)
    if broken is None and rest and at < spine.n:
        broken = ChainBreak(code="previous_link", compaction_id=rest[0].compaction_id, position=at)
    return Chain(links=tuple(links), start=spine.opening_end, head_sha256=head, break_=broken, untrusted=rest)


def chain_of(snapshot: Snapshot) -> Chain:
    """The trusted chain of a snapshot under the present versions."""
    return trusted_chain(
        snapshot.spine,
        snapshot.compactions,
        prompt_version=PROMPT_VERSION,
        validator_version=VALIDATOR_VERSION,
        scope=snapshot.scope,
    )


def view_in(snapshot: Snapshot) -> ClaimView:
    """The claims of a snapshot as they stand, under the present versions and what operators decided."""
    return view_of(chain_of(snapshot), overruled=snapshot.overruled)


def _after(spine: Spine, rows: Sequence[Compaction], links: Sequence[Link], at: int) -> tuple[Compaction, ...]:
    """Rows that name a message of this spine at or after `at` and are not in the chain."""
    if len(rows) == len(links):
        return ()
    used = {link.compaction.compaction_id for link in links}
    found = []
    for row in rows:
        if row.compaction_id in used or row.status != "shadow_ok":
            continue
        places = [p for p in (spine.index_of(row.first_id), spine.index_of(row.last_id)) if p is not None]
        if places and min(places) >= at:
            found.append(row)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Check:
    spine: Spine
    prompt_version: str
    validator_version: str
    scope: Scope | None
    verified: Verified

    def names_this_spine(self, row: Compaction) -> bool:
        """Whether any end of the region is on this spine; else the row is another branch's."""
        return self.spine.index_of(row.first_id) is not None or self.spine.index_of(row.last_id) is not None

    def __call__(self, row: Compaction, at: int, index: int) -> BreakCode | None:
        """Why `row` cannot be the link that starts at `at`; None if it can. Cheap checks first."""
        code = self._place(row, at)
        if code is not None:
            return code
        if row.status == "shadow_ok":
            if row.prompt_version != self.prompt_version:
                return "prompt_version"
            if row.validator_version != self.validator_version:
                return "validator_version"
        return self.verified.holds(row, self.spine, at, index, self.scope)

    def _place(self, row: Compaction, at: int) -> BreakCode | None:
        spine = self.spine
        if row.status not in ("shadow_ok", "empty"):
            return "status"
        if row.count <= 0 or at + row.count > spine.n:
            return "count"
        if spine.ids[at] != row.first_id:
            return "place"
        return None if spine.ids[at + row.count - 1] == row.last_id else "count"

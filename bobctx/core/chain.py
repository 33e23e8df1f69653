"""The trusted chain of compactions on a spine, every break named. Pure.

A stored compaction is used only while the bytes it was built from are unchanged, at the same
place, and only as part of one unbroken chain from the end of the opening (design, sections 3 and 7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bobctx.core import identity
from bobctx.core.links import BreakCode, Chain, ChainBreak, Link, new_link, region_prefix
from bobctx.core.relink import refill, relink
from bobctx.core.segments import Spine
from bobctx.core.types import Compaction, Scope

__all__ = [
    "BreakCode",
    "Chain",
    "ChainBreak",
    "Link",
    "Verified",
    "new_link",
    "refill",
    "region_prefix",
    "relink",
    "trusted_chain",
]


class Verified:
    """Rows whose own hashes were checked already: the check depends on nothing but the row.

    A memory of pure results, kept by the caller from one call to the next; it changes cost only.
    """

    __slots__ = ("_rows",)

    def __init__(self) -> None:
        self._rows: dict[str, Compaction] = {}

    def __call__(self, row: Compaction) -> bool:
        """Whether the chain hash of `row` is that of its claims and narrative."""
        if self._rows.get(row.compaction_id) is row:
            return True
        expected = identity.chain_sha256(row.prev_chain_sha256, row.input_sha256, row.claims, row.narrative)
        if expected != row.chain_sha256:
            return False
        self._rows[row.compaction_id] = row
        return True

    def keep_only(self, rows: Iterable[Compaction]) -> None:
        """Forget rows that are gone."""
        alive = {row.compaction_id for row in rows}
        for gone in self._rows.keys() - alive:
            del self._rows[gone]


def trusted_chain(
    spine: Spine,
    compactions: Sequence[Compaction],
    *,
    prompt_version: str,
    validator_version: str,
    scope: Scope | None = None,
    verified: Callable[[Compaction], bool] | None = None,
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
    verified: Callable[[Compaction], bool]

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
        if self.scope is not None and row.compaction_id != identity.compaction_id(
            self.scope,
            reply=row.reply_key,
            prefix=region_prefix(index),
            previous_chain=row.prev_chain_sha256,
            region_input=row.input_sha256,
            validator_version=row.validator_version,
        ):
            return "scope"
        if identity.input_sha256(self.spine.hashes[at : at + row.count]) != row.input_sha256:
            return "input_hash"
        return None if self.verified(row) else "chain_hash"

    def _place(self, row: Compaction, at: int) -> BreakCode | None:
        spine = self.spine
        if row.status not in ("shadow_ok", "empty"):
            return "status"
        if row.count <= 0 or at + row.count > spine.n:
            return "count"
        if spine.ids[at] != row.first_id:
            return "place"
        return None if spine.ids[at + row.count - 1] == row.last_id else "count"

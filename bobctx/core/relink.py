"""The chain carried over an edit, a deletion, a truncation or new ids, without asking a seat. Pure.

Regions whose bytes are unchanged keep their claims; what is lost becomes an `empty` link, which
covers nothing and remembers, without any text, which earlier claims the lost ones had replaced
(design, section 3, Edits).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bobctx.core import identity
from bobctx.core.claims import LOST, lost_claims
from bobctx.core.links import new_link, region_prefix
from bobctx.core.segments import Spine
from bobctx.core.types import Claim, Compaction, Json, Scope

SCAN_LIMIT = 512
"""Places tried for a region whose ids are all new; each costs one hash over the region."""


def relink(scope: Scope, spine: Spine, old_links: Sequence[Compaction], now: float) -> tuple[Compaction, ...]:
    """The whole chain again, for a spine whose earlier part changed.

    `old_links` is the chain as it was, in order; `now` in Unix seconds. Kept regions keep claims
    and order, whatever their ids are now. Holes between them, lost regions and regions that a
    grown opening overlaps become `empty` links. Links that did not change are the same objects.
    """
    writer = _Writer(scope=scope, spine=spine, now=now, head=identity.CHAIN_START, at=spine.opening_end)
    waiting: list[Compaction] = []
    for row, start in zip(old_links, _places(spine, old_links), strict=True):
        if start is None:
            waiting.append(row)
            continue
        writer.fill_hole(start, waiting)
        waiting = []
        writer.keep(row, start)
    writer.fill_rest(waiting)
    return tuple(writer.rows)


def refill(
    scope: Scope, spine: Spine, links: Sequence[Compaction], index: int, rows: Sequence[Compaction], now: float
) -> tuple[Compaction, ...]:
    """The chain from `links[index]` on, with that link replaced by `rows` and the later ones re-linked.

    `links` is the trusted chain; `rows` cover the same messages. A later claim that had replaced a
    claim of the lost region now replaces the one claim of `rows` that rests on the same messages.
    """
    start = spine.opening_end + sum(link.count for link in links[:index])
    head = links[index - 1].chain_sha256 if index else identity.CHAIN_START
    writer = _Writer(scope=scope, spine=spine, now=now, head=head, at=start, index=index)
    writer.renamed.update(_successors(links[index], start, rows))
    for row in (*rows, *links[index + 1 :]):
        writer.keep(row, writer.at)
    return tuple(writer.rows)


def _successors(old: Compaction, start: int, rows: Sequence[Compaction]) -> dict[str, str]:
    """Lost claim id -> the one new claim that cites the same messages, else the one that cites any of them."""
    new: list[tuple[str, frozenset[int]]] = []
    at = start
    for row in rows:
        new.extend((claim.id, frozenset(at + c for c in claim.cites)) for claim in row.claims)
        at += row.count
    known = {claim for claim, _ in new}
    found: dict[str, str] = {}
    for lost in lost_claims(old):
        cites = frozenset(start + c for c in lost.cites)
        same = [claim for claim, places in new if places == cites] or [c for c, places in new if places & cites]
        if len(same) == 1 and lost.id not in known:
            found[lost.id] = same[0]
    return found


# -- where the old regions are now ---------------------------------------------------


def _places(spine: Spine, rows: Sequence[Compaction]) -> list[int | None]:
    """Start of each row on the spine, ascending and without overlap; None where its bytes are gone."""
    starts = sorted((at, number) for number, row in enumerate(rows) if (at := spine.index_of(row.first_id)) is not None)
    places: list[int | None] = []
    at, skipped = spine.opening_end, 0
    for number, row in enumerate(rows):
        start = _place(spine, rows[number : number + 2], at, skipped)
        if start is not None and _takes_of_later(starts, number, start, start + row.count):
            start = None
        places.append(start)
        at, skipped = (at, skipped + row.count) if start is None else (start + row.count, 0)
    return places


def _takes_of_later(starts: Sequence[tuple[int, int]], number: int, start: int, end: int) -> bool:
    """Whether a message in the range is by its id the first one of a later region: equal bytes are chance there."""
    return any(later > number for _, later in starts[bisect_left(starts, (start, 0)) : bisect_left(starts, (end, 0))])


def _place(spine: Spine, rows: Sequence[Compaction], at: int, skipped: int) -> int | None:
    """Where the first of `rows` is: by id; else, its ids derived anew, where it is due, or by its hash further on.

    `at` is the end of the last kept region, `skipped` the messages of the lost regions since. Where nothing is kept
    or lost yet, the opening may have changed its size: then the next region is looked for as well, for a chance
    equality would leap over what stands between.
    """
    row = rows[0]
    known = spine.index_of(row.first_id)
    if known is not None:
        return known if known >= at and _stands(spine, row, known) else None
    for place in (at + skipped, at):
        if _stands(spine, row, place):
            return place
    if spine.index_of(row.last_id) is not None:
        return None
    if skipped:
        wanted = rows[:1]
    elif at == spine.opening_end:
        wanted = rows
    else:
        return None
    cuts = spine.cuts
    first = bisect_right(cuts, at)
    return next((cut for cut in cuts[first : first + SCAN_LIMIT] if _stand(spine, wanted, cut)), None)


def _stand(spine: Spine, rows: Sequence[Compaction], start: int) -> bool:
    """Whether regions stand one after another."""
    for row in rows:
        if not _stands(spine, row, start):
            return False
        start += row.count
    return True


def _stands(spine: Spine, row: Compaction, start: int) -> bool:
    end = start + row.count
    if row.count <= 0 or end > spine.n:
        return False
    return identity.input_sha256(spine.hashes[start:end]) == row.input_sha256


# -- writing the new chain -------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class _Writer:
    """The new chain while it is built."""

    scope: Scope
    spine: Spine
    now: float
    head: str
    at: int
    index: int = 0
    rows: list[Compaction] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    """Claim ids that changed because the messages they cite have other ids now."""

    def keep(self, row: Compaction, start: int) -> None:
        """`row` at `start`, the same object if nothing about it changed."""
        ids = self.spine.ids[start : start + row.count]
        claims = self._claims(row, ids)
        same_place = row.first_id == ids[0] and row.last_id == ids[-1] and row.prev_chain_sha256 == self.head
        if not (same_place and claims == row.claims and self._same_id(row)):
            row = replace(
                new_link(
                    self.scope,
                    previous=self.head,
                    index=self.index,
                    ids=ids,
                    hashes=self.spine.hashes[start : start + row.count],
                    status=row.status,
                    claims=claims,
                    narrative=row.narrative,
                    reply_key=row.reply_key,
                    validator_version=row.validator_version,
                    now=self.now,
                ),
                prior_sha256=row.prior_sha256,
                backend=row.backend,
                prompt_version=row.prompt_version,
                attempts=row.attempts,
                validation=row.validation,
                tokens_in=row.tokens_in,
                tokens_out=row.tokens_out,
                elapsed_ms=row.elapsed_ms,
                error=row.error,
            )
        self._add(row, start + row.count)

    def _same_id(self, row: Compaction) -> bool:
        return row.compaction_id == identity.compaction_id(
            self.scope,
            reply=row.reply_key,
            prefix=region_prefix(self.index),
            previous_chain=self.head,
            region_input=row.input_sha256,
            validator_version=row.validator_version,
        )

    def _claims(self, row: Compaction, ids: Sequence[str]) -> tuple[Claim, ...]:
        moved = row.first_id != ids[0] or row.last_id != ids[-1]
        if not moved and not any(c.supersedes in self.renamed for c in row.claims):
            return row.claims
        kept: list[Claim] = []
        for claim in row.claims:
            new_id = claim.id
            if moved:
                new_id = identity.claim_id(self.scope, claim.type, claim.text, [ids[c] for c in claim.cites])
                self.renamed[claim.id] = new_id
            target = self.renamed.get(claim.supersedes, claim.supersedes) if claim.supersedes else None
            kept.append(replace(claim, id=new_id, supersedes=target))
        return tuple(kept)

    def fill_hole(self, end: int, lost: Sequence[Compaction]) -> None:
        """`empty` links up to `end`, one for each lost region whose old end is still known."""
        carried: list[Compaction] = []
        for row in lost:
            carried.append(row)
            edge = self._old_end(row)
            if edge is not None and self.at < edge < end:
                self._empty(edge, carried)
                carried = []
        if self.at < end:
            self._empty(end, carried)

    def fill_rest(self, lost: Sequence[Compaction]) -> None:
        """`empty` links for what is left of lost regions after the last kept one."""
        carried: list[Compaction] = []
        for row in lost:
            carried.append(row)
            edge = self._old_end(row)
            if edge is None:
                edge = self._left_of(row)
            if edge is not None and edge > self.at:
                self._empty(edge, carried)
                carried = []

    def _old_end(self, row: Compaction) -> int | None:
        last = self.spine.index_of(row.last_id)
        return None if last is None else last + 1

    def _left_of(self, row: Compaction) -> int | None:
        """Where a region ends whose last message is gone: no later than anything that arrived after it."""
        first = self.spine.index_of(row.first_id)
        seq = None if first is None else self.spine.seqs[first]
        if first is None or seq is None:
            return None
        end = first
        while end < min(self.spine.n, first + row.count) and (self.spine.seqs[end] or 0) < seq + row.count:
            end += 1
        cuts = self.spine.cuts
        return cuts[bisect_right(cuts, end) - 1]

    def _empty(self, end: int, lost: Sequence[Compaction]) -> None:
        remembered = [item for row in lost for item in self._remember(row, end)]
        row = new_link(
            self.scope,
            previous=self.head,
            index=self.index,
            ids=self.spine.ids[self.at : end],
            hashes=self.spine.hashes[self.at : end],
            status="empty",
            validation={"reason": "relinked", LOST: remembered},
            now=self.now,
        )
        self._add(row, end)

    def _remember(self, row: Compaction, end: int) -> list[Json]:
        """Ids, cites and links of lost claims, cites as positions in the new `empty` link."""
        first = self.spine.index_of(row.first_id)
        cut_off = self._old_end(row) is None and first is not None
        base = (self.at if first is None else first) - self.at
        kept: list[Json] = []
        for claim in lost_claims(row):
            cites = [base + c for c in claim.cites if 0 <= base + c < end - self.at]
            # What was said only after the cut was never said on this branch: it replaces nothing here.
            target = None if cut_off and not cites else claim.supersedes
            kept.append([claim.id, self.renamed.get(target, target) if target else None, cites])
        return kept

    def _add(self, row: Compaction, end: int) -> None:
        self.rows.append(row)
        self.head, self.at = row.chain_sha256, end
        self.index += 1

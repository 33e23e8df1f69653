"""What one assembly found out that the next one need not: chain, claims, line sizes, the block. Pure.

A memory of pure results: with or without it every answer is the same. The caller keeps the last
one for each (scope, branch) and hands it to the next call; none is changed after it was made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bobctx.core.alignment import Source
from bobctx.core.chain import Chain, Verified, trusted_chain
from bobctx.core.claims import ClaimView, view_of
from bobctx.core.cover import Cover
from bobctx.core.ladder import Shrunk, shrink_opening
from bobctx.core.ranking import Ranking, ranking_of
from bobctx.core.records import Snapshot
from bobctx.core.types import Compaction, Message

BLOCKS_KEPT = 4
"""Rendered blocks: one conversation is seldom asked for in more than a few shapes in turn."""
LINE_LIMIT = 1_200
"""Characters: longer texts are counted anew, their keys would cost more than the count."""

Count = Callable[[str], int]


class Openings:
    """The last cut opening: a long one is cut the same way turn after turn, and cutting it means counting it again."""

    def __init__(self) -> None:
        """Empty."""
        self._last: tuple[object, Shrunk] | None = None

    def cut(self, messages: Sequence[Message], cap: int, byte_limit: int, count: Count, counter_id: str) -> Shrunk:
        """`shrink_opening`, from memory where it was asked exactly this before."""
        key = (tuple((m.id, m.seq, m.sha256, m.injected, m.tokens) for m in messages), cap, byte_limit, counter_id)
        last = self._last
        if last is None or last[0] != key:
            last = (key, shrink_opening(messages, cap, count, byte_limit=byte_limit))
            self._last = last
        return last[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblyMemo:
    """Keep it for the next assembly of the same branch."""

    lineage: object = None
    seen: int = 0
    """Messages of the spine when the chain was checked."""
    opening_end: int = 0
    compactions: tuple[Compaction, ...] = ()
    overruled: frozenset[str] = frozenset()
    versions: tuple[str, str] = ("", "")
    chain: Chain = field(default_factory=lambda: Chain(links=(), start=0))
    view: ClaimView = field(default_factory=ClaimView)
    ranking: Ranking = field(default_factory=Ranking)
    verified: Verified | None = None
    counter_id: str = ""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Tokens of rendered lines."""
    covers: tuple[tuple[object, Cover], ...] = ()
    """Rendered blocks with what they depend on, newest first."""
    openings: Openings = field(default_factory=Openings, compare=False)

    def cover(self, key: object) -> Cover | None:
        """A block that was rendered from exactly this."""
        return next((cover for known, cover in self.covers if known == key), None)

    def with_cover(self, key: object, cover: Cover, sizes: Mapping[str, int]) -> AssemblyMemo:
        """This memory and one more block."""
        return replace(self, covers=((key, cover), *self.covers[: BLOCKS_KEPT - 1]), sizes=sizes)


def trust(
    snapshot: Snapshot, source: Source, versions: tuple[str, str], before: AssemblyMemo | None, *, counter_id: str = ""
) -> tuple[AssemblyMemo, bool]:
    """The chain and claims for a source, and whether they may be kept for the stored spine.

    Where the request holds the whole stored spine byte for byte, what was checked there stands.
    """
    spine = source.base if source.trusted_base else source.spine
    before = before or AssemblyMemo(counter_id=counter_id)
    if before.counter_id != counter_id:
        before = replace(before, counter_id=counter_id, sizes={}, covers=())
    if _same(before, snapshot, source, versions):
        return before, True
    verified = Verified(before.verified)
    chain = trusted_chain(
        spine,
        snapshot.compactions,
        prompt_version=versions[0],
        validator_version=versions[1],
        scope=snapshot.scope,
        verified=verified,
    )
    decided = snapshot.overruled == before.overruled
    unchanged = decided and chain.links == before.chain.links and chain.untrusted == before.chain.untrusted
    earlier = (before.chain, before.view) if not before.overruled else None
    view = before.view if unchanged else view_of(chain, earlier, overruled=snapshot.overruled)
    found = AssemblyMemo(
        lineage=spine.lineage,
        seen=spine.n,
        opening_end=spine.opening_end,
        compactions=snapshot.compactions,
        overruled=snapshot.overruled,
        versions=versions,
        chain=chain,
        view=view,
        ranking=before.ranking if unchanged else ranking_of(view, (before.view, before.ranking)),
        verified=verified,
        counter_id=counter_id,
        sizes=before.sizes,
        covers=before.covers if unchanged and spine.lineage is before.lineage else (),
        openings=before.openings,
    )
    return found, source.trusted_base


def _same(before: AssemblyMemo, snapshot: Snapshot, source: Source, versions: tuple[str, str]) -> bool:
    """Whether nothing that the chain depends on has changed; a longer spine does not change what came before."""
    base = source.base
    grown_only = base.n == before.seen or (before.chain.break_ is None and not before.chain.untrusted)
    return (
        source.trusted_base
        and before.lineage is base.lineage
        and base.n >= before.seen
        and grown_only
        and before.opening_end == base.opening_end
        and before.versions == versions
        and before.overruled == snapshot.overruled
        and _same_rows(before.compactions, snapshot.compactions)
    )


def _same_rows(before: tuple[Compaction, ...], now: tuple[Compaction, ...]) -> bool:
    return before is now or (len(before) == len(now) and all(a is b for a, b in zip(before, now, strict=True)))


class LineSizes:
    """Counts texts and remembers the short ones."""

    def __init__(self, count: Count, known: Mapping[str, int]) -> None:
        self._count = count
        self._known = known
        self.used: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        """Tokens of `text`."""
        if len(text) > LINE_LIMIT:
            return self._count(text)
        size = self.used.get(text)
        if size is None:
            size = self._known.get(text)
            size = self._count(text) if size is None else size
            self.used[text] = size
        return size

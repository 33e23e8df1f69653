"""The claims of a view in the order in which they are let into a block, kept up to date region by region. Pure.

Inside a tier: importance, then salience, then recency (design, section 7). Ranking is done once for
each commit of a region, so that moving the anchor costs what is shown and not what there is.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bobctx.core.claims import ClaimView, ViewClaim

LEAST_IMPORTANCE = 2
"""Importance 1 is stored and searchable, never shown."""

PINNED_TYPES = frozenset({"constraint", "preference", "correction", "definition"})
"""What a conversation must not forget, whatever its age (at importance 3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """What packing needs of a view, independent of budget and gap."""

    ranked: tuple[ViewClaim, ...] = ()
    """Active claims of importance 2 and more, best first."""
    unreplaced: tuple[int, ...] = ()
    """By region: claims of importance 2 and more that nothing has replaced."""
    replaced: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Regions all of whose claims are replaced -> aliases of the claims that stand for them now."""


def rank(claim: ViewClaim) -> tuple[bool, int, float, int, str]:
    """Importance-3 claims of `PINNED_TYPES` first, then importance, salience, recency; no two are equal."""
    later = claim.importance < 3 or claim.claim.type not in PINNED_TYPES
    return later, -claim.importance, -claim.claim.salience, -max(claim.cites, default=0), claim.alias


def ranking_of(view: ClaimView, before: tuple[ClaimView, Ranking] | None = None) -> Ranking:
    """The ranking of a view; regions that are the same objects in an earlier view are taken over."""
    old_view, old = before or (ClaimView(), Ranking())
    known = len(old_view.by_region)
    changed = [r for r, claims in enumerate(view.by_region) if r >= known or claims is not old_view.by_region[r]]
    fresh = [c for r in changed for c in view.by_region[r] if _counts(c) and c.active]
    gone = frozenset(changed)
    kept = [c for c in old.ranked if c.region not in gone and c.region < len(view.by_region)]
    if len(fresh) * 8 > len(kept):
        ranked = sorted((*kept, *fresh), key=rank)
    else:
        ranked = kept
        for claim in fresh:
            insort(ranked, claim, key=rank)
    unreplaced = [*old.unreplaced[: len(view.by_region)], *(0 for _ in range(known, len(view.by_region)))]
    for r in changed:
        unreplaced[r] = sum(1 for c in view.by_region[r] if _counts(c) and c.superseded_by is None and not c.overruled)
    return Ranking(ranked=tuple(ranked), unreplaced=tuple(unreplaced), replaced=_replaced(view, changed, old))


def _counts(claim: ViewClaim) -> bool:
    return claim.importance >= LEAST_IMPORTANCE


def _replaced(view: ClaimView, changed: Iterable[int], old: Ranking) -> dict[int, tuple[str, ...]]:
    """Also regions replaced before: their heads may be replaced by now."""
    found: dict[int, tuple[str, ...]] = {}
    for r in sorted({*changed, *old.replaced}):
        claims = view.by_region[r] if r < len(view.by_region) else ()
        if claims and all(c.superseded_by is not None for c in claims):
            found[r] = tuple(sorted({view.head_of(c).alias for c in claims}))
    return found

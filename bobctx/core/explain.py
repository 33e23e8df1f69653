"""Why each claim of a conversation was or was not shown in one assembled prompt. Pure (design, section 8)."""

from __future__ import annotations

from collections.abc import Collection

from bobctx.core.claims import ClaimView, ViewClaim
from bobctx.core.ranking import LEAST_IMPORTANCE
from bobctx.core.traced import Traced


def explain(
    view: ClaimView,
    *,
    shown: Collection[str],
    usable: int,
    pins: Collection[str] = (),
    floor: int | None = None,
    policy: str = "pinned",
) -> list[Traced]:
    """A reason for every claim of the view, oldest first.

    Args:
        view: The trusted chain's claims.
        shown: Global ids of those in the block.
        usable: Regions from the first on that were wholly omitted.
        pins: Global ids of pinned claims.
        floor: The lowest importance that was let in.
        policy: Of the assembly; only `seed` raises its floor for all.
    """
    names = frozenset(shown)
    least = max(LEAST_IMPORTANCE, floor or 0) if policy == "seed" else LEAST_IMPORTANCE
    found = []
    for claim in view.claims:
        name, alias = claim.claim.id, claim.alias
        if name in names:
            reason = "pinned" if name in pins else "top_score"
            found.append(Traced(claim_id=name, decision="included", reason=reason, alias=alias))
        else:
            reason = _why_not(claim, usable, least)
            found.append(Traced(claim_id=name, decision="excluded", reason=reason, alias=alias))
    return found


def _why_not(claim: ViewClaim, usable: int, least: int) -> str:
    if claim.superseded_by is not None or claim.overruled:
        return "superseded"
    if claim.withheld:
        return "possibly_superseded"
    if claim.region >= usable:
        return "not_omitted"
    return "below_floor" if claim.importance < least else "over_budget"

"""Validates stored claims again, region by region, against the messages they cite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bobctx.core.chain import Chain, Link, region_prefix
from bobctx.core.claims import ClaimView, merge, priors_for
from bobctx.core.identity import claim_id
from bobctx.core.secrets import redact_prior, redact_region
from bobctx.core.segments import Spine
from bobctx.core.types import Claim, Json, PriorClaim, Region, Scope
from bobctx.core.validator import validate_claims
from bobctx.ports import Snapshot, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A stored claim that its messages do not bear out."""

    claim: str
    """`r2.c5`."""
    code: str
    message: str
    text: str

    def as_json(self) -> dict[str, Json]:
        """For the report."""
        return {"claim": self.claim, "code": self.code, "message": self.message, "text": self.text}


async def recheck(
    store: Store, scope: Scope, snapshot: Snapshot, chain: Chain, admins: Sequence[str] = ()
) -> list[Failure]:
    """Every claim of the chain that the validator refuses today, or whose id is not that of its content."""
    failures: list[Failure] = []
    for index, link in enumerate(chain.links):
        if not link.compaction.claims:
            continue
        region = await _region(store, scope, snapshot.spine, link)
        if region is None:
            prefix = region_prefix(index)
            failures += [
                Failure(claim=f"{prefix}.{c.label}", code="message_missing", message="a message is gone", text=c.text)
                for c in link.compaction.claims
            ]
            continue
        view = merge(chain.links[:index])
        priors = await _priors(store, scope, snapshot.spine, view)
        failures += _check(scope, region, link, region_prefix(index), priors, admins)
    return failures


async def _region(store: Store, scope: Scope, spine: Spine, link: Link) -> Region | None:
    ids = spine.ids[link.start : link.end]
    messages = await store.load(scope, list(ids))
    if len(messages) != len(ids):
        return None
    return redact_region(Region(messages=tuple(messages), start=link.start), await store.secret())


async def _priors(store: Store, scope: Scope, spine: Spine, view: ClaimView) -> tuple[PriorClaim, ...]:
    """Earlier claims with the texts they cite, as the compactor gave them to the validator."""
    places = sorted({p for claim in view.claims if claim.active for p in claim.cites})
    loaded = {m.id: m.text for m in await store.load(scope, [spine.ids[p] for p in places])}
    texts = {p: loaded[spine.ids[p]] for p in places if spine.ids[p] in loaded}
    key = await store.secret()
    return tuple(redact_prior(claim, key) for claim in priors_for(view, spine, texts=texts))


def _check(
    scope: Scope,
    region: Region,
    link: Link,
    prefix: str,
    priors: tuple[PriorClaim, ...],
    admins: Sequence[str],
) -> list[Failure]:
    names = {claim.id: claim.alias for claim in priors}
    raw: list[dict[str, Any]] = []
    for claim in link.compaction.claims:
        raw.append(_raw(claim, region, names))
        names[claim.id] = claim.label
    accepted, report = validate_claims(
        raw, region, [claim.alias for claim in priors], prefix, scope=scope, prior=priors, admins=list(admins)
    )
    kept = {claim.text: claim for claim in accepted}
    why = {r.text: r for r in (*report.rejections, *report.duplicates)}
    found = []
    for claim in link.compaction.claims:
        again, alias = kept.get(claim.text), f"{prefix}.{claim.label}"
        cited = [region.messages[c].id for c in claim.cites]
        if again is None or again.type != claim.type:
            refused = why.get(claim.text)
            code, message = (refused.code, refused.message) if refused else ("refused", "")
            found.append(Failure(claim=alias, code=code, message=message, text=claim.text))
        elif claim.id != claim_id(scope, claim.type, claim.text, cited):
            found.append(Failure(claim=alias, code="id", message="its id is another claim's", text=claim.text))
    return found


def _raw(claim: Claim, region: Region, names: dict[str, str]) -> dict[str, Any]:
    """A stored claim as a seat would have written it."""
    return {
        "id": claim.label,
        "type": claim.type,
        "importance": claim.importance,
        "text": claim.text,
        "cites": [region.messages[c].alias for c in claim.cites],
        "supersedes": names.get(claim.supersedes) if claim.supersedes else None,
    }

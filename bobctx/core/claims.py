"""The claims of a whole chain as one view: replaced, withheld, importance inherited. Pure.

Claim sets are merged, never rewritten: a later claim points at the one it replaces, and takes
over the highest importance of what it replaces, so that a correction is never filtered out while
the value it corrects is shown (design, sections 6 and 7).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from bobctx.core.links import Chain, Link
from bobctx.core.segments import Flag, Spine
from bobctx.core.types import Claim, Compaction, PriorClaim

LOST = "lost"
"""Key in `Compaction.validation` of an `empty` link: `[id, supersedes, cites]` of each claim of
the region that stood there, without its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LostClaim:
    """What is remembered of a claim whose region lost its bytes."""

    id: str
    supersedes: str | None
    cites: tuple[int, ...]
    """Positions in the region."""


def lost_claims(row: Compaction) -> tuple[LostClaim, ...]:
    """The claims of a row as lost ones: its own, or those an `empty` link remembers."""
    if row.status != "empty":
        return tuple(LostClaim(id=c.id, supersedes=c.supersedes, cites=c.cites) for c in row.claims)
    remembered = row.validation.get(LOST) or ()
    return tuple(LostClaim(id=item[0], supersedes=item[1], cites=tuple(item[2])) for item in remembered)


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewClaim:
    """One claim of the chain as it stands now."""

    claim: Claim
    region: int
    """Index of its link in the chain."""
    alias: str
    """`r2.c5`."""
    importance: int
    """Its own or the highest of what it replaces."""
    cites: tuple[int, ...]
    """Spine positions."""
    replaces: str | None = None
    """Alias of the claim that it replaces."""
    leans_on: str = ""
    """What the claim that it replaces says, where it names no subject of its own and means nothing without that."""
    superseded_by: str | None = None
    """Alias of the claim that replaced it."""
    withheld: bool = False
    """Replaced by a claim that is no longer trusted: neither current nor replaced."""
    overruled: bool = False
    """An operator decided a conflict against it."""

    @property
    def text(self) -> str:
        """What is shown: the claim, behind what it leans on."""
        return f"{self.leans_on} {self.claim.text}" if self.leans_on else self.claim.text

    @property
    def active(self) -> bool:
        """Whether it may be shown as current."""
        return self.superseded_by is None and not self.withheld and not self.overruled


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimView:
    """All claims of a chain, oldest region first."""

    links: tuple[Link, ...] = ()
    claims: tuple[ViewClaim, ...] = ()
    by_alias: Mapping[str, ViewClaim] = field(default_factory=dict)
    by_region: tuple[tuple[ViewClaim, ...], ...] = ()
    by_id: Mapping[str, str] = field(default_factory=dict)
    """Alias of each global claim id."""

    @property
    def active(self) -> tuple[ViewClaim, ...]:
        """The claims that are current."""
        return tuple(c for c in self.claims if c.active)

    def head_of(self, claim: ViewClaim) -> ViewClaim:
        """The claim at the end of its chain of replacements."""
        while claim.superseded_by is not None:
            claim = self.by_alias[claim.superseded_by]
        return claim


def view_of(
    now: Chain, before: tuple[Chain, ClaimView] | None = None, *, overruled: frozenset[str] = frozenset()
) -> ClaimView:
    """The view of a trusted chain; what untrusted rows on this spine had replaced is withheld.

    `before` is an earlier chain of the same conversation and its view, with nothing overruled: where `now` only goes
    on, so does the view. `overruled`: global ids of the claims that operators decided against.
    """
    if before is not None and not overruled and _only_goes_on(before[0], now):
        return extended(before[1], now.links)
    return overruling(merge(now.links, untrusted=now.untrusted), overruled)


def overruling(view: ClaimView, overruled: frozenset[str]) -> ClaimView:
    """The view with these claims (global ids) decided against."""
    if not overruled:
        return view
    claims = tuple(replace(c, overruled=True) if c.claim.id in overruled else c for c in view.claims)
    by_alias = {c.alias: c for c in claims}
    by_region = tuple(tuple(by_alias[c.alias] for c in region) for region in view.by_region)
    return replace(view, claims=claims, by_alias=by_alias, by_region=by_region)


def _only_goes_on(old: Chain, new: Chain) -> bool:
    if old.untrusted or new.untrusted or len(new.links) < len(old.links):
        return False
    same = all(a.start == b.start and a.compaction is b.compaction for a, b in zip(old.links, new.links, strict=False))
    return same and all(link.compaction.status != "empty" for link in new.links)


def merge(links: Sequence[Link], *, untrusted: Sequence[Compaction] = ()) -> ClaimView:
    """Union of the links' claims with supersession over the whole chain.

    A claim that replaces a lost or untrusted one replaces what that one had replaced.
    """
    lost = {
        item.id: item.supersedes
        for row in (*(link.compaction for link in links if link.compaction.status == "empty"), *untrusted)
        for item in lost_claims(row)
    }
    place: dict[str, int] = {}
    items: list[_Item] = []
    for region, link in enumerate(links):
        for claim in link.compaction.claims:
            target = _resolve(claim.supersedes, place, lost)
            item = _Item(claim, region, link.start, claim.importance, target)
            if target is not None:
                item.importance = max(claim.importance, items[target].importance)
                items[target].by = len(items)
            place[claim.id] = len(items)
            items.append(item)
    for target_id in lost.values():
        target = _resolve(target_id, place, lost)
        if target is not None and items[target].by is None:
            items[target].withheld = True
    return _view(tuple(links), items)


def _resolve(target: str | None, place: Mapping[str, int], lost: Mapping[str, str | None]) -> int | None:
    """Index of the claim that `target` names, through lost claims in between."""
    for _ in range(len(lost) + 1):
        if target is None or target in place:
            break
        target = lost.get(target)
    return place.get(target) if target is not None else None


@dataclass(slots=True)
class _Item:
    claim: Claim
    region: int
    start: int
    importance: int
    target: int | None
    by: int | None = None
    withheld: bool = False

    @property
    def alias(self) -> str:
        return f"r{self.region + 1}.{self.claim.label}"


def _view(links: tuple[Link, ...], items: Sequence[_Item]) -> ClaimView:
    aliases = [item.alias for item in items]
    claims: list[ViewClaim] = []
    for item, alias in zip(items, aliases, strict=True):
        old = None if item.target is None else claims[item.target]
        by = None if item.by is None else aliases[item.by]
        claims.append(_made(item.claim, item.region, item.start, alias, old, item.importance, by, item.withheld))
    regions: list[list[ViewClaim]] = [[] for _ in links]
    for claim in claims:
        regions[claim.region].append(claim)
    return ClaimView(
        links=links,
        claims=tuple(claims),
        by_alias={c.alias: c for c in claims},
        by_region=tuple(tuple(r) for r in regions),
        by_id={c.claim.id: c.alias for c in claims},
    )


def _made(
    claim: Claim,
    region: int,
    start: int,
    alias: str,
    old: ViewClaim | None,
    importance: int,
    superseded_by: str | None = None,
    withheld: bool = False,
) -> ViewClaim:
    leans_on = "" if old is None or not _leans(claim.text, old.text) else old.text
    cites = tuple(start + c for c in claim.cites)
    return ViewClaim(
        claim=claim,
        region=region,
        alias=alias,
        importance=importance,
        cites=(*old.cites, *cites) if old is not None and leans_on else cites,
        replaces=None if old is None else old.alias,
        leans_on=leans_on,
        superseded_by=superseded_by,
        withheld=withheld,
    )


def _leans(text: str, before: str) -> bool:
    """Whether a claim means nothing without the one it replaces.

    The language tables take as long to load as all the rest: `Assembler.warm` loads them after the first answers.
    """
    from bobctx.core.leaning import LONGEST, needs
    from bobctx.core.markers import language_said

    # What is said in two words may show its language only in what it repairs.
    return len(text) <= LONGEST and needs(text, before, language_said(text, before))


def extended(view: ClaimView, links: Sequence[Link]) -> ClaimView:
    """`merge(links)` where `links` begin with those of `view` and none of them is `empty`: costs what was added.

    Regions that do not change stay the same objects.
    """
    by_alias, by_id = dict(view.by_alias), dict(view.by_id)
    by_region = list(view.by_region)
    for region in range(len(view.links), len(links)):
        link = links[region]
        by_region.append(())
        for claim in link.compaction.claims:
            alias = f"r{region + 1}.{claim.label}"
            target = by_id.get(claim.supersedes) if claim.supersedes else None
            old = by_alias[target] if target is not None else None
            importance = claim.importance if old is None else max(claim.importance, old.importance)
            if old is not None:
                by_alias[old.alias] = replace(old, superseded_by=alias)
                by_region[old.region] = tuple(by_alias[c.alias] for c in by_region[old.region])
            by_id[claim.id] = alias
            by_alias[alias] = _made(claim, region, link.start, alias, old, importance)
            by_region[region] = (*by_region[region], by_alias[alias])
    return ClaimView(
        links=tuple(links),
        claims=tuple(chain.from_iterable(by_region)),
        by_alias=by_alias,
        by_region=tuple(by_region),
        by_id=by_id,
    )


def local_claims(view: ClaimView, spine: Spine) -> frozenset[str]:
    """Aliases of the claims whose class is `local`: one of their cites, or of what they replace, is."""
    found: set[str] = set()
    for claim in view.claims:
        if claim.replaces in found or any(spine.flags[p] & Flag.LOCAL for p in claim.cites):
            found.add(claim.alias)
    return frozenset(found)


def priors_for(
    view: ClaimView, spine: Spine, *, texts: Mapping[int, str] | None = None, active_only: bool = False
) -> tuple[PriorClaim, ...]:
    """The view's claims as a seat and the validator see them, oldest first.

    `texts` maps spine positions to message texts, for the checks that compare subjects.
    """
    texts = texts or {}
    local = local_claims(view, spine)
    found = []
    for claim in view.claims:
        if active_only and (claim.superseded_by is not None or claim.overruled):
            continue
        seqs = [seq for seq in (spine.seqs[p] for p in claim.cites) if seq is not None]
        found.append(
            PriorClaim(
                alias=claim.alias,
                id=claim.claim.id,
                type=claim.claim.type,
                importance=claim.importance,
                text=claim.text,
                active=claim.superseded_by is None and not claim.overruled,
                superseded_by=claim.superseded_by,
                cited_text="\n".join(texts[p] for p in claim.cites if p in texts),
                seq=max(seqs, default=None),
                egress="local" if claim.alias in local else "cloud_ok",
            )
        )
    return tuple(found)

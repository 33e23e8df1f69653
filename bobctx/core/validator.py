"""Claims against the messages they cite: accepted with evidence, or refused with a reason code. Pure.

Plain code only, no model: form, literals, binding, polarity, authority, support, dedupe, supersession
(design, section 6). The same input always gives the same answer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from bobctx.core import (
    authority,
    bygone,
    correcting,
    displacing,
    example,
    former,
    identity,
    staleness,
    statements,
    supersession,
    support,
    undecided,
    verbatim,
)
from bobctx.core.checking import Case, Refusal
from bobctx.core.coverage import uncovered
from bobctx.core.examining import examined, standing
from bobctx.core.narrative import validate_narrative
from bobctx.core.reasons import sentence
from bobctx.core.reporting import statement_of
from bobctx.core.salience import Terms, region_terms, salience
from bobctx.core.shape import Misshapen, Shaped, label_of, raw_claim, shape
from bobctx.core.sources import Sources
from bobctx.core.supersession import Target
from bobctx.core.text import content_stems, normalized
from bobctx.core.types import (
    Claim,
    Json,
    PriorClaim,
    RawClaim,
    Region,
    Rejection,
    Scope,
    ValidationReport,
)
from bobctx.core.versions import VALIDATOR_VERSION

__all__ = ["VALIDATOR_VERSION", "validate_claims", "validate_narrative"]


_UNFOUND = frozenset({"unsupported", "literal_missing"})
SAID = 0.8
"""Share of a claim's words from which the system prompt says it already."""
NOWHERE = Scope(conversation_id="", user_id="")
"""Scope of a claim that is checked outside of any conversation."""


def validate_claims(
    raw: Sequence[RawClaim | Mapping[str, Any]],
    region: Region,
    prior_ids: Collection[str] = (),
    prefix: str = "r1",
    *,
    scope: Scope = NOWHERE,
    prior: Sequence[PriorClaim] = (),
    admins: Sequence[str] = (),
    preamble_text: str = "",
) -> tuple[tuple[Claim, ...], ValidationReport]:
    """The claims of one reply that hold, and what was done with the others.

    Args:
        raw: Claims as a seat wrote them; plain mappings are read too. Cites are aliases (`m54`) or message ids.
        region: The messages they may cite.
        prior_ids: Aliases of earlier claims (`r1.c2`) that may be superseded.
        prefix: Name of this region, `r2`.
        scope: Whose conversation; goes into the global ids.
        prior: The earlier claims themselves, as far as the caller has them.
        admins: Speakers whose directives bind others; empty: every user.
        preamble_text: What the system prompt says already.

    Source: design, section 6; the seed's validation table.
    """
    run = _Run(region, prior_ids, prefix, scope, prior, admins, preamble_text)
    for index, value in enumerate(raw):
        run.add(raw_claim(value, index))
    return tuple(run.accepted), run.report(len(raw))


class _Run:
    """One reply: what is accepted so far, and why the rest was not."""

    def __init__(
        self,
        region: Region,
        prior_ids: Collection[str],
        prefix: str,
        scope: Scope,
        prior: Sequence[PriorClaim],
        admins: Sequence[str],
        preamble_text: str,
    ) -> None:
        self.region = region
        self.prefix = prefix
        self.scope = scope
        self.admins = admins
        self.preamble_text = preamble_text
        self.sources = Sources(region.messages)
        self.aliases = {m.id: i for i, m in enumerate(region.messages)}
        self.aliases |= {m.alias: i for i, m in enumerate(region.messages)}
        self.prior = {p.alias: p for p in prior}
        self.prior_ids = {*prior_ids, *self.prior}
        self.accepted: list[Claim] = []
        self.rejections: list[Rejection] = []
        self.duplicates: list[Rejection] = []
        self.warnings: list[Rejection] = []
        self.checked = 0
        self.names: set[str] = set()
        self.said = {(p.type, normalized(p.text)): p.alias for p in prior if p.active}
        self._terms: Terms | None = None
        self._preamble: frozenset[str] | None = None

    def add(self, raw: RawClaim) -> None:
        """Check one claim and file it."""
        name = label_of(raw)
        shaped = shape(raw, self.aliases)
        if isinstance(shaped, Misshapen):
            self._file(self.rejections, raw, name, shaped.code, shaped.data)
            return
        if self._duplicate(raw, name, shaped):
            return
        case = Case(replace(shaped, text=statement_of(shaped.text)), self.sources.cited(shaped.cites))
        refusal = self._refusal(case)
        if refusal is not None and refusal.code in _UNFOUND and self._in_preamble(case):
            refusal = Refusal(code="already_in_system")
        if refusal is not None:
            self._file(self.rejections, raw, name, refusal.code, refusal.data)
            return
        self.checked += len(case.literals)
        if shaped.lowered:
            self._file(self.warnings, raw, name, "importance", {"given": str(raw.importance)[:20]})
        self._accept(raw, shaped, case, name)

    def _duplicate(self, raw: RawClaim, name: str, shaped: Shaped) -> bool:
        if not name.startswith("#") and name in self.names:
            self._file(self.duplicates, raw, name, "duplicate_id", {"id": name})
            return True
        of = self.said.get((shaped.type, normalized(shaped.text)))
        if of is not None:
            self._file(self.duplicates, raw, name, "duplicate_claim", {"of": of})
            return True
        return False

    def _refusal(self, case: Case) -> Refusal | None:
        if case.repeats is not None:  # nothing can be missing from what it says; what became of it is asked
            return (
                example.check(case)
                or verbatim.check(case)
                or staleness.check(case)
                or former.check(case)
                or displacing.check(case)
                or bygone.check(case)
                or authority.check(case, self.admins)
                or undecided.answered(case)
                or correcting.check(case, self.prior.values())
            )
        return (
            example.check(case)
            or verbatim.check(case)
            or authority.check(case, self.admins)
            or statements.check(case, partial(examined, admins=self.admins))
            or correcting.check(case, self.prior.values())
            or standing(case, support.check(case))
        )

    def _in_preamble(self, case: Case) -> bool:
        """Whether the system prompt says what the cited messages do not."""
        if not self.preamble_text or any(lit.text not in self.preamble_text for lit in case.literals):
            return False
        if self._preamble is None:
            self._preamble = content_stems(self.preamble_text)
        return len(case.stems & self._preamble) >= SAID * len(case.stems)

    def _accept(self, raw: RawClaim, shaped: Shaped, case: Case, name: str) -> None:
        label = name if not name.startswith("#") else self._free_label()
        self.names.add(label)
        self.said[shaped.type, normalized(shaped.text)] = f"{self.prefix}.{label}"
        messages = self.region.messages
        cite_ids = [messages[c].id for c in shaped.cites]
        if self._terms is None:
            self._terms = region_terms(messages)
        speakers = [messages[c].speaker for c in shaped.cites if messages[c].speaker]
        self.accepted.append(
            Claim(
                id=identity.claim_id(self.scope, shaped.type, shaped.text, cite_ids),
                label=label,
                type=shaped.type,
                importance=shaped.importance,
                text=shaped.text,
                cites=shaped.cites,
                supersedes=self._link(raw, case, name),
                evidence=verbatim.evidence(case),
                salience=salience(shaped.text, self._terms, shaped.cites[-1], lang=case.lang),
                speaker=speakers[0] if speakers else None,
            )
        )

    def _free_label(self) -> str:
        number = len(self.accepted) + 1
        while f"c{number}" in self.names:
            number += 1
        return f"c{number}"

    def _link(self, raw: RawClaim, case: Case, name: str) -> str | None:
        """Global id of the claim that this one replaces; a link that does not hold is dropped with a warning."""
        wanted = case.claim.supersedes
        if wanted is None or wanted == "":
            return None
        link = supersession.resolve(case, wanted, self._targets())
        if link.code:
            self._file(self.warnings, raw, name, link.code, link.data or {})
        return link.id

    def _targets(self) -> dict[str, Target]:
        """What may be replaced: earlier claims by alias, those of this reply by label."""
        replaced = {c.supersedes: f"{self.prefix}.{c.label}" for c in self.accepted if c.supersedes}
        targets = {
            p.alias: Target(
                alias=p.alias,
                id=p.id,
                type=p.type,
                text=p.text,
                superseded_by=replaced.get(p.id, p.superseded_by),
                cited_text=p.cited_text,
            )
            for p in self.prior.values()
            if p.alias in self.prior_ids
        }
        for claim in self.accepted:
            alias = f"{self.prefix}.{claim.label}"
            own = Target(
                alias=alias, id=claim.id, type=claim.type, text=claim.text, superseded_by=replaced.get(claim.id)
            )
            targets[alias] = targets[claim.label] = own
        return targets

    def _file(self, where: list[Rejection], raw: RawClaim, name: str, code: str, data: Mapping[str, Json]) -> None:
        text = raw.text if isinstance(raw.text, str) else ""
        where.append(
            Rejection(
                index=raw.index, claim=name, code=code, data=dict(data), message=sentence(code, data), text=text[:600]
            )
        )

    def report(self, raw: int) -> ValidationReport:
        """What was done with the reply."""
        return ValidationReport(
            raw=raw,
            accepted=len(self.accepted),
            rejections=tuple(self.rejections),
            duplicates=tuple(self.duplicates),
            warnings=tuple(self.warnings),
            literals_checked=self.checked,
            uncovered=uncovered(self.sources, self.accepted),
            validator_version=VALIDATOR_VERSION,
        )

"""Claims against the messages they cite: accepted with evidence, or refused with a reason code. Pure.

Plain code only, no model: form, literals, binding, polarity, authority, support, dedupe, supersession
(design, section 6). The same input always gives the same answer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bobctx.core import (
    achieved,
    allotted,
    authority,
    binding,
    bygone,
    chosen,
    code_names,
    compared,
    converse,
    correcting,
    deeds,
    denial,
    displaced,
    displacing,
    doubled,
    ends,
    exact_change,
    example,
    exchanged,
    flags,
    former,
    gapped,
    graded,
    granting,
    hidden,
    identity,
    leave,
    mates,
    meaning,
    needless,
    ongoing,
    opposed,
    outright,
    overstated,
    parallel,
    passed_over,
    pending,
    permitting,
    ranges,
    referred,
    reordered,
    same_act,
    sequel,
    set_apart,
    sides,
    stages,
    staleness,
    statements,
    succeeding,
    supersession,
    support,
    two_denials,
    undecided,
    unkept,
    unlimited,
    verbatim,
    verdict,
    waived,
    widening,
)
from bobctx.core.checking import DIRECTIVES, Case, Refusal
from bobctx.core.coverage import uncovered
from bobctx.core.narrative import validate_narrative
from bobctx.core.preferring import set_against
from bobctx.core.reasons import sentence
from bobctx.core.rendered import rendered
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


_TURNS = (
    meaning.check,
    denial.check,
    doubled.check,
    unkept.check,
    referred.check,
    two_denials.check,
    displaced.check,
    granting.check,
    outright.check,
    hidden.check,
    verdict.check,
    permitting.check,
    leave.check,
    succeeding.check,
    achieved.check,
    pending.check,
    deeds.check,
    opposed.check,
    sides.check,
    overstated.check,
    passed_over.check,
    reordered.check,
    converse.check,
    waived.check,
    ends.check,
    graded.check,
)
_UNFOUND = frozenset({"unsupported", "literal_missing"})
_SIGNS = frozenset({"negation_dropped", "negation_added"})
_CONVERSE = frozenset({"negation_added", "antonym", "condition_dropped"})
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
            or statements.check(case, self._of_statement)
            or correcting.check(case, self.prior.values())
            or _standing(case, support.check(case))
        )

    def _of_statement(self, case: Case) -> Refusal | None:
        """What is asked of each statement of a claim by itself."""
        return (
            ranges.check(case)
            or staleness.check(case)
            or former.check(case)
            or displacing.check(case)
            or bygone.check(case)
            or chosen.check(case)
            or _misbound(case)
            or mates.check(case)
            or _standing(case, gapped.check(case))
            or exact_change.check(case)
            or code_names.check(case)
            or flags.check(case)
            or sequel.check(case)
            or (authority.check(case, self.admins) if case.type in DIRECTIVES else None)
            or _turned(case)
            or _standing(case, ongoing.check(case))
            or same_act.check(case)
            or _standing(case, _opposite(case))
            or needless.check(case)
            or compared.check(case)
            or _standing(case, parallel.check(case))
            or _standing(case, allotted.check(case))
            or widening.check(case)
            or unlimited.check(case)
            or set_apart.check(case)
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


def _misbound(case: Case) -> Refusal | None:
    """A value given to another subject, unless it stands now for the one that it seems to be taken for."""
    refusal = binding.check(case)
    return None if refusal is None or staleness.succeeds(case, refusal) else _standing(case, refusal)


def _standing(case: Case, refusal: Refusal | None) -> Refusal | None:
    """A refusal, unless it rests on what is gone and the claim tells what came in its place."""
    return None if refusal is None or bygone.arrived(case, refusal) else refusal


def _turned(case: Case) -> Refusal | None:
    """How the claim turns its sources around; a sign that a word-for-word clause is said to turn is none."""
    for check in _TURNS:
        refusal = check(case)
        if refusal is None or (refusal.code in _SIGNS and _is_clause(case)):
            continue
        if refusal.code in _SIGNS and graded.agrees(case):
            continue
        if refusal.code in _CONVERSE and _other_side(case, refusal):
            continue
        if refusal.code == "negation_dropped" and (
            rendered(case) or set_against(case) or passed_over.keeps(case, refusal)
        ):
            continue
        if refusal.code == "negation_added" and case.supports and stages.unfinished(case, case.supports[0]):
            continue
        if _standing(case, refusal) is None:
            continue
        if not (refusal.code in _SIGNS and (former.overrules(case, refusal) or flags.agrees(case))):
            return refusal
    return None


def _opposite(case: Case) -> Refusal | None:
    refusal = exchanged.check(case)
    return None if refusal is None or (refusal.code in _CONVERSE and _other_side(case, refusal)) else refusal


def _other_side(case: Case, refusal: Refusal) -> bool:
    """Whether the claim tells the other side of a condition, an exception or an end, which turns nothing round."""
    word = str(refusal.data.get("cue", ""))
    return converse.agrees(case) or (refusal.code == "antonym" and ends.agrees(case, word))


def _is_clause(case: Case) -> bool:
    """Whether the claim is a whole clause of its source word for word: that turns no sign around."""
    return any(clause.text.lstrip("> ").strip() == case.text for source in case.cited for clause in source.clauses)

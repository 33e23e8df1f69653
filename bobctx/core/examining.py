"""What is asked of one statement of a claim, in order, and what takes a refusal back. Pure.

Each check is a module of its own and answers with a `Refusal` or None; the first refusal that stands is the verdict
(design, section 6).
"""

from __future__ import annotations

from collections.abc import Collection

from bobctx.core import (
    achieved,
    allotted,
    authority,
    binding,
    bygone,
    chosen,
    code_names,
    compared,
    conditioned,
    converse,
    deeds,
    denial,
    displaced,
    displacing,
    doubled,
    ends,
    exact_change,
    exchanged,
    flags,
    former,
    gapped,
    graded,
    granting,
    hidden,
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
    succeeding,
    traded,
    two_denials,
    unkept,
    unlimited,
    verdict,
    waived,
    widening,
)
from bobctx.core.checking import DIRECTIVES, Case, Refusal
from bobctx.core.preferring import set_against
from bobctx.core.rendered import rendered

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
    same_act.check,
    conditioned.check,
)
_SIGNS = frozenset({"negation_dropped", "negation_added"})
_CONVERSE = frozenset({"negation_added", "antonym", "condition_dropped"})


def examined(case: Case, admins: Collection[str] = ()) -> Refusal | None:
    """What is asked of a statement by itself: the first reason against it."""
    return (
        ranges.check(case)
        or staleness.check(case)
        or former.check(case)
        or displacing.check(case)
        or bygone.check(case)
        or chosen.check(case)
        or _misbound(case)
        or mates.check(case)
        or standing(case, gapped.check(case))
        or exact_change.check(case)
        or code_names.check(case)
        or flags.check(case)
        or sequel.check(case)
        or (authority.check(case, admins) if case.type in DIRECTIVES else None)
        or _turned(case)
        or standing(case, ongoing.check(case))
        or standing(case, _opposite(case))
        or needless.check(case)
        or compared.check(case)
        or standing(case, parallel.check(case))
        or standing(case, allotted.check(case))
        or standing(case, traded.check(case))
        or widening.check(case)
        or unlimited.check(case)
        or set_apart.check(case)
    )


def _misbound(case: Case) -> Refusal | None:
    """A value given to another subject, unless it stands now for the one that it seems to be taken for."""
    refusal = binding.check(case)
    return None if refusal is None or staleness.succeeds(case, refusal) else standing(case, refusal)


def standing(case: Case, refusal: Refusal | None) -> Refusal | None:
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
        if _other_side(case, refusal):
            continue
        if refusal.code == "negation_dropped" and _told(case, refusal):
            continue
        if refusal.code == "negation_added" and check is not granting.check and _unfinished(case):
            continue
        if standing(case, refusal) is None:
            continue
        if not (refusal.code in _SIGNS and (former.overrules(case, refusal) or flags.agrees(case))):
            return refusal
    return None


def _told(case: Case, refusal: Refusal) -> bool:
    """Whether the claim keeps in other words the denial that it is said to leave out."""
    cue, clause = (str(refusal.data.get(k, "")) for k in ("cue", "clause"))
    return rendered(case, cue, clause) or set_against(case) or passed_over.keeps(case, refusal)


def _unfinished(case: Case) -> bool:
    """Whether what the claim rests on most is not done yet, so that the claim may deny it."""
    return bool(case.supports) and stages.unfinished(case, case.supports[0])


def _opposite(case: Case) -> Refusal | None:
    """An opposite that has changed its place, unless the claim tells the other side of a term."""
    refusal = exchanged.check(case)
    return None if refusal is None or _other_side(case, refusal) else refusal


def _other_side(case: Case, refusal: Refusal) -> bool:
    """Whether the claim tells the other side of a condition, an exception or an end, which turns nothing round."""
    if refusal.code not in _CONVERSE:
        return False
    word = str(refusal.data.get("cue", ""))
    return converse.agrees(case) or (refusal.code == "antonym" and ends.agrees(case, word))


def _is_clause(case: Case) -> bool:
    """Whether the claim is a whole clause of its source word for word: that turns no sign around."""
    return any(clause.text.lstrip("> ").strip() == case.text for source in case.cited for clause in source.clauses)

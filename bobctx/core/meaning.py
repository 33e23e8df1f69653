"""The claim against the clauses it rests on: cue mismatches that a good alignment carries, answers considered. Pure.

`polarity` finds differences of meaning between aligned segments. Here it is decided which of them count: a weak
alignment accuses nobody, a question or proposal that a cited message accepts is no longer open, one that it
refuses may only be claimed as refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bobctx.core import polarity
from bobctx.core.acts import quantifiers
from bobctx.core.checking import Case, Refusal
from bobctx.core.excuses import excused
from bobctx.core.polarity import Mismatch
from bobctx.core.settled import doubts, settled
from bobctx.core.sources import Clause
from bobctx.core.text import content_stems
from bobctx.core.types import Json
from bobctx.core.undecided import answered

ALIGNED: Final = 0.45
"""Product of the two shares (of the claim's and of the source's segment) from which an alignment can accuse."""
ALIGNED_BRIEF: Final = 0.33
"""The same where only a few clauses are cited and each of them counts."""
WHOLE: Final = 0.9
HEAVY: Final = 6.0
"""Or: nearly all of the claim's segment, and this much of it."""
QUANTIFIED: Final = 3.0
"""A quantifier is compared only where this much is shared."""
FITS: Final = 0.66
"""Or this share of what the source's segment says."""
SPARE: Final = 2.0
"""Or this much, where it is nearly all that either says."""
FEW: Final = 12
"""Clauses of all cited messages that are read closely; talk among people is too loose for that."""
SHORT_ANSWER: Final = 40
"""Code points of a user's clause that is read as an answer even where it shares no word with the claim."""
ELSEWHERE: Final = frozenset({"question", "hypothetical", "condition_dropped"})
"""What another clause that says the same outright takes back."""
SOLE: Final = frozenset({"hypothetical", "condition_dropped", "question", "modality", "quantifier"})
"""What a clause may accuse of that is all a segment of the claim rests on, however much else it says."""
SAME: Final = 0.7
"""Share of the accusing clause's words of the claim that such a clause must have."""


def check(case: Case) -> Refusal | None:
    """The first difference of meaning between the claim and its supports that counts."""
    supports = [*case.supports, *_short_answers(case)]
    brief = case.clause_count <= FEW and all(s.assisted for s in case.cited)
    for mismatch in polarity.compare(case.text, [c.text for c in supports], lang=case.lang, claim_type=case.type):
        clause = supports[mismatch.clause] if mismatch.clause < len(supports) else None
        if clause is None or settled(case, mismatch, clause):
            continue
        if not _aligned(mismatch, case.text, brief=brief) and not _sole(case, mismatch, clause):
            continue
        if excused(case, mismatch, clause):
            continue
        elsewhere = mismatch.code in ELSEWHERE and mismatch.cue not in case.text and "only" not in mismatch.data
        if elsewhere and _said_elsewhere(case, clause, supports):
            continue
        return Refusal(code=mismatch.code, data=_data(case, mismatch, clause))
    return answered(case)


def _short_answers(case: Case) -> list[Clause]:
    """Brief clauses of users; one before a question of the same message answers something else."""
    known = set(case.supports)
    asked = {c.message: c.start for c in reversed(case.supports) if "?" in c.text or "？" in c.text or "؟" in c.text}
    return [
        c
        for s in case.cited
        if s.message.role == "user"
        for c in s.clauses[:8]
        if len(c.text) <= SHORT_ANSWER and c not in known and c.start >= asked.get(s.position, 0)
    ]


def _data(case: Case, mismatch: Mismatch, clause: Clause) -> Mapping[str, Json]:
    return {
        "cue": mismatch.cue,
        "clause": clause.text[:200],
        "message": case.source(clause.message).message.alias,
    }


def _aligned(mismatch: Mismatch, text: str, *, brief: bool) -> bool:
    if "shared" not in mismatch.data:
        return True
    shared, mine, theirs = (float(mismatch.data[k]) for k in ("shared", "mine", "theirs"))
    if not mine or not theirs:
        return False
    if mismatch.code == "condition_dropped" and mismatch.cue in text:
        return shared >= SPARE  # the claim's own word waves the condition aside
    whole = shared >= mine and theirs - shared <= 1.0  # `everyone drives` of `only Dad drives`
    little = shared < SPARE or (shared < SAME * max(mine, theirs) and shared < FITS * theirs)
    if mismatch.code == "quantifier" and shared < QUANTIFIED and little and not whole:
        return False
    if mismatch.code == "antonym":
        mine, theirs = max(mine - 1.0, shared), max(theirs - 1.0, shared)  # the two opposites cannot be shared
    if (shared / mine) * (shared / theirs) >= (ALIGNED_BRIEF if brief else ALIGNED):
        return True
    return shared >= HEAVY and shared / mine >= WHOLE


def _sole(case: Case, mismatch: Mismatch, clause: Clause) -> bool:
    """Whether the clause is all that the claim's segment can rest on: no other one has a word of it that this lacks."""
    if mismatch.code not in SOLE or not mismatch.data.get("shared"):
        return False
    source = case.source(clause.message)
    if mismatch.code == "quantifier" and not _other_amount(case, mismatch, clause):
        return False
    here = source.clause_stems[source.clause_at(clause.start)] if source.clauses else frozenset()
    apart = [k for k in mismatch.data["apart"] if k not in here]
    return not any(k in s.clauses_with for k in apart for s in case.cited)


def _other_amount(case: Case, mismatch: Mismatch, clause: Clause) -> bool:
    """Whether the clause names amounts, and nowhere the one that the claim's word does (`all …, but only one of …`)."""
    mine = {c.value for c in quantifiers(case.text, case.lang) if c.text == mismatch.cue}
    theirs = {c.value for c in quantifiers(clause.text, case.lang_of(case.source(clause.message)))}
    return bool(mine) and mine.isdisjoint(theirs)


def _said_elsewhere(case: Case, accuser: Clause, supports: list[Clause]) -> bool:
    """Whether another clause with as much of the claim says it outright."""
    shared = content_stems(accuser.text, case.lang) & case.stems
    open_ = case.type == "decision" and doubts(accuser.text, case.lang)  # only the matter itself takes that back
    for clause in supports:
        said = content_stems(clause.text, case.lang) & (shared if open_ else case.stems)
        if clause is accuser or len(said) < SAME * len(shared):
            continue
        alone = polarity.compare(case.text, [clause.text], lang=case.lang, claim_type=case.type)
        if not [m for m in alone if _aligned(m, case.text, brief=False)]:
            return True
    return False

"""Whether a claim says what its supporting clauses say: negation, modality, quantity, conditions. Pure.

`compare` aligns each segment of the claim with the segment of the supports that shares most with it and reports every
difference of meaning that a cue word shows (design, section 6). It reads cues, no more: a paraphrase that
turns the meaning around without any cue word passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bobctx.core.acts import (
    acceptances,
    comparators,
    conditions,
    correction_cues,
    decision_cues,
    hypotheticals,
    modals,
    negations,
    prohibition_cues,
    quantifiers,
    questions,
    refusals,
)
from bobctx.core.beside import answers_no, content_of, denied_too
from bobctx.core.condition import asserted, contrasted, dropped, names_both, timing, unopposed, wishes, with_the_rest
from bobctx.core.elsewhere import anywhere
from bobctx.core.language import UNKNOWN, language_of
from bobctx.core.lexemes import lexemes
from bobctx.core.modality import hypothesis, modality, names_first, says_yes
from bobctx.core.negation import AGREE, Verdict, judge, turned
from bobctx.core.pairing import Alignment, Pair, align
from bobctx.core.quantity import amount, bounds
from bobctx.core.reading import NAME_WEIGHT, Reading, read

__all__ = [
    "Mismatch",
    "acceptances",
    "comparators",
    "compare",
    "conditions",
    "correction_cues",
    "decision_cues",
    "hypotheticals",
    "modals",
    "negations",
    "prohibition_cues",
    "quantifiers",
    "questions",
    "refusals",
]

LONGEST = 1_500
"""Code points of a claim (at most 600 are allowed) and of a clause (cut at 1,200) that are read."""
MAX_SUPPORTS = 64
"""Support clauses that are looked at."""
TELLING = 0.45
"""Product of the two shares of an accusing pair from which no other one is asked."""
_LEAVE = frozenset({"may", "can"})
ENOUGH = 0.4
"""Share of content two segments must have in common before they can contradict each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """One difference of meaning between a claim and what it rests on."""

    code: str
    cue: str
    """The word that shows it, as it stands in the claim or the clause."""
    clause: int
    """Index of the support clause."""
    data: Mapping[str, Any] = field(default_factory=dict)


def compare(
    claim: str, supports: Sequence[str], *, lang: str | None = None, claim_type: str = "fact"
) -> list[Mismatch]:
    """Differences between `claim` and the clauses it rests on (original texts, best first).

    `lang` is the claim's language where the caller knows it; `claim_type` is a type of the design, since an
    `open_question` may rest on a question and asserts nothing.
    """
    claim, clauses = claim[:LONGEST], [s[:LONGEST] for s in supports[:MAX_SUPPORTS]]
    language = lang or language_of(claim)
    if language == UNKNOWN and clauses:
        language = language_of(" ".join(clauses[:4]))
    if language == UNKNOWN:
        return _unread(claim, clauses)
    context = _Context(read(claim, language), [read(s, language) for s in clauses], language, claim_type)
    found: list[Mismatch] = []
    for alignment in align(context.mine, context.theirs):
        found.extend(_polarity(alignment, context))
        found.extend(_meaning(alignment, context))
    for verdict, index, only in anywhere(context.mine, context.theirs, claim_type, context.accepting):
        data = {"only": True} if only else {}
        found.append(Mismatch(code=verdict.code, cue=verdict.cue, clause=index, data=data))
    verdict, clause = bounds(context.mine, context.theirs, context.accepting)
    if verdict.code:
        found.append(Mismatch(code=verdict.code, cue=verdict.cue, clause=clause))
    return _distinct(found)


_Judged = tuple[Pair, list[Mismatch]]
"""A pair and what it says against the claim."""


class _Context:
    """The claim and its supports as read, and what is asked of them more than once."""

    __slots__ = ("accepting", "claim_type", "denying", "lang", "mine", "refusing", "theirs")

    def __init__(self, mine: Reading, theirs: Sequence[Reading], lang: str, claim_type: str) -> None:
        self.mine = mine
        self.theirs = theirs
        self.lang = lang
        self.claim_type = claim_type
        self.accepting = {i for i, r in enumerate(theirs) if r.accepts}
        self.refusing = {i for i, r in enumerate(theirs) if r.refuses}
        self.denying = any(answers_no(r) for r in theirs)


def _distinct(found: Sequence[Mismatch]) -> list[Mismatch]:
    seen: dict[tuple[str, str], Mismatch] = {}
    for mismatch in found:
        key = (mismatch.code, mismatch.cue)
        if key not in seen or ("shared" in seen[key].data and "shared" not in mismatch.data):
            seen[key] = mismatch  # one that needs no alignment weighs more
    return list(seen.values())


def _unread(claim: str, supports: Sequence[str]) -> list[Mismatch]:
    """Without tables for the language only a claim that repeats its source word for word is safe."""
    spoken = [x.form for x in lexemes(claim, UNKNOWN) if x.kind in ("word", "cjk")]
    for support in supports:
        theirs = " ".join(x.form for x in lexemes(support, UNKNOWN) if x.kind in ("word", "cjk"))
        if f" {' '.join(spoken)} " in f" {theirs} ":
            return []
    return [Mismatch(code="unread_language", cue="", clause=0)] if len(spoken) > 1 else []


def _meaning(alignment: Alignment, context: _Context) -> list[Mismatch]:
    """Modality, amounts, conditions, hypotheses, questions and contrasts of one segment."""
    judged: list[_Judged] = []
    for pair in alignment.near:
        reached = not pair.common or not pair.common <= pair.support.lead
        verdicts = _verdicts(pair, context) if pair.ratio >= ENOUGH and reached else []
        judged.append((pair, [_mismatch(v, pair) for v in verdicts if v.code]))
        unasked = pair.claim.has("modal") and not pair.support.has("modal")  # `he passed, so he may switch`
        if not judged[-1][1] and pair.complete and not unasked:
            break
    return next((wrong for _, wrong in _uncleared(judged, context)), [])


def _verdicts(pair: Pair, context: _Context) -> list[Verdict]:
    mine, whole, kind = context.mine, context.theirs[pair.clause], context.claim_type
    found = [
        contrasted(pair.claim, whole),
        AGREE
        if pair.claim.has("reserved")
        or _waived_beside(pair, mine)
        or _excepted(mine, whole)
        or says_yes(pair.support, whole)
        or names_first(pair.support, mine)
        else modality(pair.claim, pair.support, kind),
        amount(pair.claim, pair.support),
        timing(mine, whole),
        dropped(mine, pair.support, whole, kind) if pair.claim.kind == "main" else AGREE,
    ]
    if kind != "open_question":
        accepted = bool(context.accepting - {pair.clause})
        found.append(hypothesis(mine, pair.support, whole, kind, accepted=accepted))
        if kind != "preference" or not wishes(whole):
            found.append(asserted(mine, pair.claim, pair.support, whole))
        if whole.question and not mine.question and not _answered(context, pair.clause):
            found.append(Verdict("question", "?"))
    return found


def _waived_beside(pair: Pair, claim: Reading) -> bool:
    """Whether a part of the claim meets the `need not` of its source that another part of it keeps.

    `Because the club brings it`, or what follows a colon; a reason also of what stays as it is.
    """
    if pair.claim.values("modal"):
        return False
    if pair.support.values("modal") & _LEAVE and claim.values("modal") & _LEAVE:
        return True  # `is permitted, as she holds a power of attorney`
    if "optional" not in pair.support.values("modal"):
        return False
    if "optional" in claim.values("modal"):
        return True
    beside = (s for s in claim.segments if s is not pair.claim)
    return pair.claim.has("reason") and any(s.has("soft") or s.strength for s in beside)


def _excepted(claim: Reading, whole: Reading) -> bool:
    """Whether the claim asks only of an exception what its clause waives for all else (`nobody needs it, except …`)."""
    return "only" in claim.values("quantifier") and "except" in whole.values("condition")


def _mismatch(verdict: Verdict, pair: Pair) -> Mismatch:
    if verdict.code == "contrast_asserted":  # it rests on the side set aside, not on what the pair shares
        return Mismatch(code=verdict.code, cue=verdict.cue, clause=pair.clause)
    return Mismatch(code=verdict.code, cue=verdict.cue, clause=pair.clause, data=pair.weights)


def _uncleared(judged: Sequence[_Judged], context: _Context) -> list[_Judged]:
    """The accusing pairs, but for those where an equally good one agrees and names the same things.

    A question agrees with nothing: it says neither.
    """
    agreed = [pair for pair, wrong in judged if not wrong and not context.theirs[pair.clause].question]
    accusing: list[_Judged] = []
    for pair, wrong in judged:
        of = _matter(pair) if wrong and wrong[0].code == "antonym" else pair.common
        dropped = bool(wrong) and wrong[0].code == "negation_dropped"
        heads = pair.support.heads & pair.claim.content.keys() if dropped else frozenset()
        if wrong and not any(
            other.common & of and other.named >= pair.named and heads <= other.support.content.keys()
            for other in agreed
        ):
            accusing.append((pair, wrong))
    return accusing


def _matter(pair: Pair) -> frozenset[str]:
    """What a pair has in common beside words of opposites: `keep the shell` and `keep the stone` share only `keep`."""
    opposites = {k for segment in (pair.claim, pair.support) for stems in segment.wording.values() for k in stems}
    return frozenset(k for k in pair.common if not k.startswith("=")) - opposites


def _polarity(alignment: Alignment, context: _Context) -> list[Mismatch]:
    judged: list[_Judged] = []
    for pair in alignment.near:
        part = len(context.mine.segments) > 1 or not pair.claim.has("modal")
        if part and pair.claim.kind == "condition" != pair.support.kind and not pair.claim.strength:
            judged.append((pair, []))  # `until dusk` shares its time with a statement it does not make
            continue
        if pair.ratio < ENOUGH and not pair.support.heads & pair.claim.content.keys():
            judged.append((pair, []))
            continue
        if pair.common and pair.common <= pair.claim.lead and pair.claim.strength and not pair.support.strength:
            judged.append((pair, []))  # `open from 9 to 5, no entrance fee`: what is denied stands behind the comma
            continue
        verdict = _of_term(pair, context) if not part else AGREE
        verdict = verdict if verdict.code else judge(pair.claim, pair.support, context.lang, _ending(pair, context))
        judged.append((pair, [_mismatch(verdict, pair)] if verdict.code else []))
        exchanged = pair.claim.wording and not pair.named  # an equal may show that two things changed places
        if not verdict.code and pair.complete and not exchanged and not _denied_head(alignment, pair):
            break
    accusing = _uncleared(judged, context)
    if not accusing:
        return []
    plain = accusing[0][0].claim.has("verbal")
    pair, found = next((one for one in accusing if plain and one[0].fit >= TELLING), accusing[0])
    return [] if _explained(found[0].code, pair, alignment, context) else found


def _ending(pair: Pair, context: _Context) -> frozenset[str]:
    """The words of a pair's whole clause that may stand for a negation."""
    return frozenset(c.text.lower() for c in context.theirs[pair.clause].cues if c.kind in ("stop", "soft"))


def _of_term(pair: Pair, context: _Context) -> Verdict:
    """What a claim in one piece with its term says: `until May they may swim` of `not to swim until May`."""
    if pair.claim.kind != "condition" or pair.claim.strength or pair.support.kind != "condition":
        return AGREE
    for segment in context.theirs[pair.clause].segments:
        if segment.kind == "main" and segment.strength % 2 and segment.heads & pair.claim.content.keys():
            verdict = judge(pair.claim, segment, context.lang)
            return verdict if verdict.code == "negation_dropped" else AGREE
    return AGREE


def _explained(code: str, pair: Pair, alignment: Alignment, context: _Context) -> bool:
    """Whether something beside the pair takes the accusation back."""
    whole = context.theirs[pair.clause]
    if code == "antonym":
        return _own_side(pair, whole) or _switches(context.mine, whole)
    if code == "negation_added":
        return (
            denied_too(pair, alignment, context.mine, context.theirs)
            or turned(whole, pair.claim)
            or _until(pair, whole)
            or _moved(pair, context)
        )
    if code != "negation_dropped":
        return False
    if _kept_elsewhere(pair, context) or turned(context.mine, pair.support):
        return True
    if "unless" in context.mine.values("condition") and not (pair.support.has("negation") or pair.support.has("deny")):
        return True  # `failing that, the deposit gets paid` of `otherwise we pay it`
    if unopposed(pair.claim, pair.support) or with_the_rest(pair.claim, context.mine):
        return True
    tied = "only" in context.mine.values("quantifier") or context.mine.values("condition") & {"if", "when"}
    if tied and whole.values("condition") & {"unless", "until", "except"}:
        return True  # `not welcome unless I am there`: welcome only when I am there
    if pair.support.kind == "contrast":
        prefers = "like+" in pair.claim.values("polar") and pair.support.heads <= pair.claim.content.keys()
        return names_both(pair.claim, pair.support, whole) or prefers
    contrast = any(s.kind == "contrast" for s in context.mine.segments)
    if not contrast and len(pair.support.content) > 1 and pair.support.content.keys() <= pair.claim.content.keys():
        return False  # it has all that is denied
    return _says_the_rest(pair, whole)


def _denied_head(alignment: Alignment, agreed: Pair) -> bool:
    """Whether an equal denies a word of the claim that the agreeing segment does not even have."""
    return any(
        (p.support.heads & p.claim.content.keys()) - agreed.support.content.keys()
        for p in alignment.near
        if p is not agreed and p.support.strength % 2 and p.support.kind == "main"
    )


def _own_side(pair: Pair, whole: Reading) -> bool:
    """Whether another part of the clause has the claim's side of an opposite and more of it (`the new one`)."""
    for segment in whole.segments:
        if segment is pair.support or segment.kind == "contrast":
            continue
        sides = {c.value for c in segment.cues if c.kind in ("opposite", "polar")}
        mine = {c.value for c in pair.claim.cues if c.kind in ("opposite", "polar")}
        other = {c.value for c in pair.support.cues if c.kind in ("opposite", "polar")}
        opposites = {k for stems in segment.wording.values() for k in stems}
        rest = {k for k in segment.content.keys() & pair.claim.content.keys() if not k.startswith("=")} - opposites
        if mine & sides - other and rest:
            return True
    return False


def _switches(claim: Reading, whole: Reading) -> bool:
    """Whether the claim gives as a beginning what the clause gives as an end (`shut until noon`, `opens at noon`)."""
    ends = {b.key for b in whole.bounds if b.way == "upper"} - {b.key for b in claim.bounds if b.way == "upper"}
    return any(ends & s.content.keys() for s in claim.segments if not s.strength)


def _moved(pair: Pair, context: _Context) -> bool:
    """Whether a correction sets aside a change's former value (`on the 20th and no longer the 13th`)."""
    if context.claim_type != "correction" or not pair.claim.has("past"):
        return False
    former = {k for k, w in pair.claim.content.items() if w >= NAME_WEIGHT}
    now = {k for s in context.mine.segments if not s.strength for k, w in s.content.items() if w >= NAME_WEIGHT}
    there = pair.support.content.keys()
    told = there | {k for r in context.theirs for s in r.segments for k in s.content}
    return bool(former - now) and bool(now - former) and former <= there and now <= told


def _until(pair: Pair, whole: Reading) -> bool:
    """Whether the accuser is the term of a denial beside it (`nothing until then` of `nothing before then`)."""
    if pair.support.kind != "condition" or not pair.support.values("condition") & {"until", "unless"}:
        return False
    return any(s.strength % 2 for s in whole.segments if s is not pair.support)


def _kept_elsewhere(pair: Pair, context: _Context) -> bool:
    """Whether another segment of the claim carries the negation (`in Wales but not in England`), or its own denial."""
    return any(
        s is not pair.claim
        and (
            ((s.strength % 2 or s.has("stop")) and s.content.keys() & pair.support.content.keys())
            or s.heads & pair.support.heads
        )
        for s in context.mine.segments
        if s.strength or s.has("stop")
    )


def _says_the_rest(pair: Pair, whole: Reading) -> bool:
    """Whether the claim says what the clause puts beside its negation (`do not book, everyone books alone`)."""
    if not pair.support.heads:
        return False  # `the logs may go, the files never`: the verb beside it belongs to the denied one too
    more = pair.claim.content.keys() - pair.support.content.keys()
    every = "all" in pair.claim.values("quantifier")
    return any(
        not s.strength % 2
        and s is not pair.support
        and ((every and "all" in s.values("quantifier")) or (more and len(more & s.content.keys()) * 2 >= len(more)))
        for s in whole.segments
    )


def _answered(context: _Context, asked: int) -> bool:
    """Whether another clause accepts the question in a few words, or says what it asks in its own."""
    if (context.refusing - {asked} or context.denying) and any(s.strength % 2 for s in context.mine.segments):
        return True  # `Is it the same? No.`
    if context.refusing - {asked}:
        return False
    if context.accepting - {asked}:
        return True
    common = content_of(context.mine) & content_of(context.theirs[asked])
    return any(common & content_of(r) for i, r in enumerate(context.theirs) if i != asked and not r.question)

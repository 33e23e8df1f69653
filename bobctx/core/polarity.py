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
from bobctx.core.condition import asserted, contrasted, dropped, timing
from bobctx.core.language import UNKNOWN, language_of
from bobctx.core.lexemes import lexemes
from bobctx.core.modality import hypothesis, modality
from bobctx.core.negation import AGREE, Verdict, judge, strength
from bobctx.core.quantity import amount, bounds
from bobctx.core.reading import NAME_WEIGHT, Reading, Segment, read

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

MAX_SUPPORTS = 64
"""Support clauses that are looked at."""
FAR = 0.34
"""A segment with less than this share of the best score is no support at all."""
NEAR = 0.85
"""A segment with this share of the best score is as good a support."""
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


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim segment and one support segment it may rest on."""

    claim: Segment
    support: Segment
    clause: int
    score: float
    ratio: float
    shared: float = 0.0
    """Weight of what the two have in common."""
    mine: float = 0.0
    theirs: float = 0.0
    """Weight of all that each of the two says."""

    @property
    def common(self) -> frozenset[str]:
        """What both have."""
        return frozenset(self.claim.content.keys() & self.support.content.keys())

    @property
    def named(self) -> frozenset[str]:
        """Names and numbers that both have."""
        return frozenset(k for k, w in self.claim.content.items() if w >= NAME_WEIGHT and k in self.support.content)

    @property
    def weights(self) -> dict[str, float]:
        """How much the comparison rests on; goes with a mismatch."""
        return {"shared": self.shared, "mine": self.mine, "theirs": self.theirs}


def compare(
    claim: str, supports: Sequence[str], *, lang: str | None = None, claim_type: str = "fact"
) -> list[Mismatch]:
    """Differences between `claim` and the clauses it rests on (original texts, best first).

    `lang` is the claim's language where the caller knows it; `claim_type` is a type of the design, since an
    `open_question` may rest on a question and asserts nothing.
    """
    language = lang or language_of(claim)
    if language == UNKNOWN and supports:
        language = language_of(" ".join(supports[:4]))
    mine = read(claim, language)
    theirs = [read(s, language) for s in supports[:MAX_SUPPORTS]]
    if language == UNKNOWN:
        return _unread(claim, supports)
    found: list[Mismatch] = []
    for candidates in align(mine, theirs):
        best = candidates[0].score
        near = [p for p in candidates if p.score >= NEAR * best]
        found.extend(_polarity(near, candidates[len(near) :], mine, theirs, language))
        found.extend(_meaning(near, mine, theirs, language, claim_type))
    verdict, clause = bounds(mine, theirs)
    if verdict.code:
        found.append(Mismatch(code=verdict.code, cue=verdict.cue, clause=clause))
    return _distinct(found)


def _distinct(found: Sequence[Mismatch]) -> list[Mismatch]:
    seen: dict[tuple[str, str], Mismatch] = {}
    for mismatch in found:
        seen.setdefault((mismatch.code, mismatch.cue), mismatch)
    return list(seen.values())


def _unread(claim: str, supports: Sequence[str]) -> list[Mismatch]:
    """Without tables for the language only a claim that repeats its source word for word is safe."""
    spoken = [x.form for x in lexemes(claim, UNKNOWN) if x.kind in ("word", "cjk")]
    for support in supports:
        theirs = " ".join(x.form for x in lexemes(support, UNKNOWN) if x.kind in ("word", "cjk"))
        if f" {' '.join(spoken)} " in f" {theirs} ":
            return []
    return [Mismatch(code="unread_language", cue="", clause=0)] if len(spoken) > 1 else []


def _meaning(
    candidates: Sequence[Pair],
    mine: Reading,
    theirs: Sequence[Reading],
    lang: str,
    claim_type: str,
) -> list[Mismatch]:
    """Modality, amounts, conditions, hypotheses, questions and contrasts of one segment."""
    judged: list[tuple[Pair, list[Mismatch]]] = []
    for pair in candidates:
        if pair.ratio < ENOUGH:
            judged.append((pair, []))
            continue
        whole = theirs[pair.clause]
        now = [
            contrasted(pair.claim, whole),
            modality(pair.claim, pair.support, lang, claim_type),
            amount(pair.claim, pair.support, lang),
            timing(mine, pair.claim, whole),
            dropped(mine, pair.support, whole, claim_type) if pair.claim.kind == "main" else AGREE,
        ]
        if claim_type != "open_question":
            accepted = any(r.accepts for i, r in enumerate(theirs) if i != pair.clause)
            now.append(hypothesis(mine, pair.support, whole, claim_type, accepted=accepted))
            now.append(asserted(mine, pair.claim, pair.support))
            if whole.question and not mine.question and not _answered(mine, pair.clause, theirs):
                now.append(Verdict("question", "?"))
        judged.append((pair, [_mismatch(v, pair) for v in now if v.code]))
    return _uncleared(judged)


def _mismatch(verdict: Verdict, pair: Pair) -> Mismatch:
    if verdict.code == "contrast_asserted":  # it rests on the side set aside, not on what the pair shares
        return Mismatch(code=verdict.code, cue=verdict.cue, clause=pair.clause)
    return Mismatch(code=verdict.code, cue=verdict.cue, clause=pair.clause, data=pair.weights)


def _uncleared(judged: Sequence[tuple[Pair, list[Mismatch]]]) -> list[Mismatch]:
    """What the first accusing pair says, unless an equally good one agrees and names the same things."""
    agreed = [pair for pair, wrong in judged if not wrong]
    for pair, wrong in judged:
        if wrong and not any(other.common & pair.common and other.named >= pair.named for other in agreed):
            return wrong
    return []


def align(mine: Reading, theirs: Sequence[Reading]) -> list[list[Pair]]:
    """For each segment of the claim the support segments that share most with it, best first."""
    places: dict[str, list[tuple[int, int]]] = {}
    for i, reading in enumerate(theirs):
        for j, segment in enumerate(reading.segments):
            for key in segment.content:
                places.setdefault(key, []).append((i, j))
    out: list[list[Pair]] = []
    for segment in mine.segments:
        scores: dict[tuple[int, int], float] = {}
        for key, weight in segment.content.items():
            where = places.get(key, ())
            share = weight / len(where) ** 0.5 if where else 0.0
            for place in where:
                scores[place] = scores.get(place, 0.0) + share
        if not scores:
            continue
        best = max(scores.values())
        near = sorted((p for p, s in scores.items() if s >= FAR * best), key=lambda p: (-scores[p], p))
        out.append([_pair(segment, theirs[i].segments[j], i, scores[i, j]) for i, j in near])
    return out


def _pair(claim: Segment, support: Segment, clause: int, score: float) -> Pair:
    shared = sum(w for k, w in claim.content.items() if k in support.content)
    mine, theirs = sum(claim.content.values()), sum(support.content.values())
    least = min(mine, theirs)
    return Pair(claim, support, clause, score, shared / least if least else 0.0, shared, mine, theirs)


def _polarity(
    candidates: Sequence[Pair], others: Sequence[Pair], mine: Reading, theirs: Sequence[Reading], lang: str
) -> list[Mismatch]:
    judged: list[tuple[Pair, list[Mismatch]]] = []
    for pair in candidates:
        if pair.ratio < ENOUGH and not pair.support.heads & set(pair.claim.content):
            judged.append((pair, []))
            continue
        verdict = judge(pair.claim, pair.support, lang)
        judged.append((pair, [_mismatch(verdict, pair)] if verdict.code else []))
    found = _uncleared(judged)
    if (
        found
        and found[0].code == "negation_added"
        and (any(_answers_no(r) for r in theirs) or any(strength(p.support, lang) % 2 for p in others))
    ):
        return []  # another clause denies as well, in words of its own
    return found


def _kept_elsewhere(
    found: Mismatch, judged: Sequence[tuple[Pair, list[Mismatch]]], mine: Reading, theirs: Sequence[Reading], lang: str
) -> bool:
    """Whether another segment of the claim carries the negation (`in Wales but not in England`)."""
    pair = next(p for p, wrong in judged if wrong and wrong[0] is found)
    if _says_the_rest(pair, theirs[pair.clause], lang):
        return True
    return any(
        s is not pair.claim and strength(s, lang) % 2 and s.content.keys() & pair.support.content.keys()
        for s in mine.segments
    )


def _says_the_rest(pair: Pair, whole: Reading, lang: str) -> bool:
    """Whether the claim says what the clause puts beside its negation (`do not book, everyone books alone`)."""
    more = pair.claim.content.keys() - pair.support.content.keys()
    every = "all" in pair.claim.values("quantifier")
    return any(
        not strength(s, lang) % 2
        and s is not pair.support
        and ((every and "all" in s.values("quantifier")) or (more and len(more & s.content.keys()) * 2 >= len(more)))
        for s in whole.segments
    )


def _answers_no(reading: Reading) -> bool:
    """A short clause without a subject of its own that denies or drops (`leave it out this time`)."""
    units = sum(len(s.content) for s in reading.segments)
    return units <= 3 and any(c.kind in ("negation", "deny", "stop") for c in reading.cues)


def _answered(mine: Reading, asked: int, theirs: Sequence[Reading]) -> bool:
    """Whether another clause accepts the question in a few words, or says what it asks in its own."""
    if any(r.refuses for i, r in enumerate(theirs) if i != asked):
        return False
    if any(r.accepts for i, r in enumerate(theirs) if i != asked):
        return True
    common = _content(mine) & _content(theirs[asked])
    return any(common & _content(r) for i, r in enumerate(theirs) if i != asked and not r.question)


def _content(reading: Reading) -> set[str]:
    return {k for s in reading.segments for k in s.content}

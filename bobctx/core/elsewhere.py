"""What any clause of the sources says against a claim, wherever it stands and whatever else fits better. Pure.

`polarity` compares aligned segments. A claim may be built on the clause that shares most with it and take its point
from another one: the side that one sets aside, the consequence of its condition, what it only considers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from bobctx.core.condition import contrasted, strict_condition
from bobctx.core.modality import DIRECTIVE
from bobctx.core.negation import Verdict
from bobctx.core.reading import Reading, Segment

TELLING = 1.5
"""Weight of a conditional statement from which its words tell it."""
MOSTLY = 2
"""More words of it than these, which a claim must have of a conditional statement that it does not have whole."""
SHARE = 0.6
"""And this share of them."""
CLOSE = 2
"""Segments of a clause up to which its consequence hangs on its condition as a whole."""
TOLD = 2
"""Words of a statement on all of something."""
CONSIDERED = 2
"""Words of a mere possibility that tell it."""

Found = tuple[Verdict, int, bool]
"""A difference, the clause that shows it, and whether no other clause says the same outright."""


def anywhere(claim: Reading, theirs: Sequence[Reading], claim_type: str, accepting: Collection[int]) -> Iterator[Found]:
    """The differences of `claim` from single clauses; `accepting` are the clauses that accept what is proposed."""
    yield from _set_aside(claim, theirs)
    yield from _part_of(claim, theirs)
    if claim_type in DIRECTIVE:
        yield from _waved(claim, theirs)
    conditional = claim.values("condition") - {"at"} or any(s.kind == "condition" for s in claim.segments)
    if claim.has("hypothetical") or claim.question or conditional:
        return
    if "only" not in claim.values("quantifier"):
        yield from _consequences(claim, theirs)
    if claim_type != "open_question" and not claim.has("whether") and not claim.has("condition"):
        yield from _considered(claim, theirs, accepting)


def _waved(claim: Reading, theirs: Sequence[Reading]) -> Iterator[Found]:
    """What a claim makes independent of something (`ill or not`) although no clause does so in any words."""
    waving = (c for c in claim.cues if c.kind == "condition" and c.value == "despite")
    cue = next(
        (c for c in waving if not c.text.casefold().startswith("who")), None
    )  # `whoever joins late` is a subject
    if cue is None or any(_waves(r) for r in theirs):
        return
    stems = {k for s in claim.segments for k in s.content if not k.startswith("=")}
    for index, whole in enumerate(theirs):
        if len(stems & {k for s in whole.segments for k in s.content}) >= TOLD:
            yield Verdict("condition_dropped", cue.text), index, False
            return


def _waves(reading: Reading) -> bool:
    """Whether a clause makes something independent of anything, or says it of all or never."""
    if reading.has("indifferent") or reading.values("condition") & {"despite", "including"}:
        return True
    return "all" in reading.values("quantifier") or reading.has("negation") or reading.has("deny")


def _set_aside(claim: Reading, theirs: Sequence[Reading]) -> Iterator[Found]:
    """What a clause sets aside (`under the tank, not on the hook`) and the claim says, while no clause keeps it."""
    for index, whole in enumerate(theirs):
        if whole.question or not any(s.kind == "contrast" and s.strength for s in whole.segments):
            continue
        for mine in claim.segments:
            verdict = contrasted(mine, whole, all_of=True)
            if verdict.code and not _kept(mine, whole, theirs):
                yield verdict, index, False


def _part_of(claim: Reading, theirs: Sequence[Reading]) -> Iterator[Found]:
    """`all the interviews` where a clause that says all of it says it of some, and none says it of all."""
    known = {pair for r in theirs for s in r.segments for pair in s.quantified}
    for mine in claim.segments:
        nouns = {noun for value, noun in mine.quantified if value == "all" and ("all", noun) not in known}
        if not nouns or len(mine.content) < TOLD:
            continue
        cue = next(c for c in mine.of("quantifier") if c.value == "all")
        for index, whole in enumerate(theirs):
            if any(_of_part(segment, mine, nouns) for segment in whole.segments):
                yield Verdict("quantifier", cue.text), index, False


def _of_part(segment: Segment, mine: Segment, nouns: Collection[str]) -> bool:
    """Whether a segment has all that the claim says, with the same sign, and says it of a part."""
    part = any(noun in nouns for value, noun in segment.quantified if value in ("some", "most"))
    return part and mine.content.keys() <= segment.content.keys() and segment.strength == mine.strength


def _consequences(claim: Reading, theirs: Sequence[Reading]) -> Iterator[Found]:
    """What a clause says only under a condition and the claim says outright, in a statement that says more."""
    stems = {k for s in claim.segments for k in s.content}
    for index, whole in enumerate(theirs):
        cue = strict_condition(whole, stems)
        if cue is None or whole.question:
            continue
        brief = len(whole.segments) <= CLOSE
        for segment in whole.segments:
            if segment.kind != "main":
                continue
            if _denied_alike(segment, claim) and not _also(segment.content.keys(), theirs, index):
                yield Verdict("condition_dropped", cue), index, True
            words = _mostly(segment, claim, brief=brief)
            if segment.weight >= TELLING and words and not _also(words, theirs, index):
                yield Verdict("condition_dropped", cue), index, True


def _mostly(said: Segment, claim: Reading, *, brief: bool) -> Collection[str]:
    """The words of what is said that a segment of the claim has, with the same sign: all, or most of three and more."""
    words = said.content.keys()
    for mine in claim.segments:
        shared = words & mine.content.keys()
        plain = {k for k in shared if not k.startswith("=")}
        most = brief and len(plain) > MOSTLY and len(shared) >= SHARE * len(words) and said.kind == mine.kind
        if (shared == words or most) and (mine.strength - said.strength) % 2 == 0:
            return shared
    return ()


def _denied_alike(said: Segment, claim: Reading) -> bool:
    """Whether all that is said is a denial of the very word that the claim denies (`don't ship it`)."""
    heads = {h for h in said.heads if not h.startswith("=")}
    return (
        bool(heads)
        and said.strength % 2 == 1
        and heads == said.content.keys()
        and any(heads <= s.heads and s.strength % 2 for s in claim.segments)
    )


def _considered(claim: Reading, theirs: Sequence[Reading], accepting: Collection[int]) -> Iterator[Found]:
    """What a clause only considers possible (`it could fix the braking`) and the claim says outright."""
    if claim.values("modal") & {"may", "can"}:
        return
    for index, whole in enumerate(theirs):
        cue = next((c for c in whole.cues if c.kind == "hypothetical" and c.value in ("maybe", "unsure")), None)
        if cue is None or whole.question or any(other != index for other in accepting):
            continue
        segment = next((s for s in whole.segments if s.first <= cue.start < s.last), None)
        if segment is None or len(segment.content) < CONSIDERED or not _outright(segment, claim):
            continue
        if not _also(segment.content.keys(), theirs, index):
            yield Verdict("hypothetical", cue.text), index, True


def _outright(said: Segment, claim: Reading) -> bool:
    """Whether one segment of the claim has every word of what is said, with the same sign."""
    words = said.content.keys()
    return any(words <= s.content.keys() and (s.strength - said.strength) % 2 == 0 for s in claim.segments)


def _also(words: Collection[str], theirs: Sequence[Reading], index: int) -> bool:
    """Whether a segment of another clause has all of the words."""
    return any(s.content.keys() >= set(words) for i, r in enumerate(theirs) if i != index for s in r.segments)


def _kept(mine: Segment, whole: Reading, theirs: Sequence[Reading]) -> bool:
    aside = {k for s in whole.segments if s.kind == "contrast" for k in s.content} & mine.content.keys()
    return any(
        aside <= s.content.keys() and s.kind != "contrast" and not s.strength
        for reading in theirs
        for s in reading.segments
    )

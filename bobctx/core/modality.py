"""Whether a claim keeps the strength of its source: must, should, may, need not; certain or merely possible. Pure."""

from __future__ import annotations

from bobctx.core.lexicon import CHARACTER_LANGUAGES
from bobctx.core.negation import AGREE, Verdict
from bobctx.core.reading import Reading, Segment

DIRECTIVE = frozenset({"decision", "constraint", "commitment", "preference"})
"""Claim types that tell somebody to do or not to do something."""
OPENING = 2
"""Code points in which an answer begins with its yes."""
_RANK = {"must": 3, "should": 2, "advise": 2, "may": 1, "can": 1, "optional": 1}


def _rank(segment: Segment) -> int:
    return max((_RANK[v] for v in segment.values("modal") if v in _RANK), default=0)


def modality(claim: Segment, support: Segment, claim_type: str) -> Verdict:
    """Whether an obligation became a permission, a permission an obligation, a `need not` a duty."""
    mine, theirs = claim.values("modal"), support.values("modal")
    if not theirs and not mine:
        return AGREE
    optional = ("optional" in mine) != ("optional" in theirs)
    if optional and not (mine and theirs):
        return _optional_alone(claim, support, claim_type)
    if (claim.strength > len(claim.of("lacking")) or support.strength > len(support.of("lacking"))) and not optional:
        return AGREE
    if not optional and (_bounded(claim) or _bounded(support)):
        return AGREE  # "may not exceed": the negation went into the bound
    a, b = _rank(claim), _rank(support)
    opened = support.has("hypothetical") or support.has("whether")
    if b == 3 and a == 0 and claim.has("hypothetical") and not opened:
        return Verdict("modality", next(c.text for c in claim.cues if c.kind == "hypothetical"))
    limited = _limits(claim) and _limits(support)
    if b == 3 and a == 1 and _alone(claim) and _alone(support):
        return AGREE  # `may run only at night` is `must run only at night`
    if _may_and_must(claim, support, a, b):
        return AGREE
    if {a, b} == {3, 2} and "advise" in mine | theirs and "should" not in mine | theirs:
        return Verdict("modality", _word(claim if mine else support))  # `encouraged` is not `compulsory`
    if {a, b} == {3, 1} or (optional and 3 in (a, b)) or ({a, b} == {2, 1} and "may" in mine | theirs):
        return Verdict("modality", _word(claim if mine else support))
    bare = not _open(claim) and not limited and not claim.has("enough")
    if b == 1 and a == 0 and "may" in theirs and claim_type in DIRECTIVE and bare:
        return Verdict("modality", _word(support))
    return AGREE


def _may_and_must(claim: Segment, support: Segment, mine: int, theirs: int) -> bool:
    """Whether a `may` of one side and a `must` of the other say the same."""
    if mine == 3 and theirs == 1:  # `may only register if a parent signs`: her signature is required
        return _alone(support) and not _alone(claim)
    if mine != 1 or theirs != 3:
        return False
    if names_the_end(claim, "at_most") and "before" in support.values("comparator"):
        return True  # `has to arrive by the 14th`: the 14th is the last day on which it may arrive
    # `must not exceed 26`, `has to stay at or below 26`: it may reach 26 at most
    figure = any(w > 1.0 and k in claim.content for k, w in support.content.items())
    stays = figure and "at_most" in _limits_of(support) and support.values("polar") & {"keep+", "stay+"}
    capped = stays or (_limits(support) and _caps_itself(support))
    return bool(capped) and "at_most" in _limits_of(claim)


def _optional_alone(claim: Segment, support: Segment, claim_type: str) -> Verdict:
    """One side says `need not`, the other has no modal: a plain order or ban is another thing."""
    other = support if "optional" in claim.values("modal") else claim
    closed = not claim.strength and not _open(claim) and not claim.has("enough") and not _alone(claim)
    if other is claim and claim_type in DIRECTIVE and closed:
        return Verdict("modality", _word(support))
    return AGREE


def _bounded(segment: Segment) -> bool:
    return segment.turned_bound and bool(
        segment.values("modal") & {"may", "can"}
        and (segment.values("comparator") | segment.values("comparator_post")) & {"at_most", "at_least"}
    )


def _limits(segment: Segment) -> bool:
    """Whether it gives an amount a limit: `at most 60 are allowed` is `the upper limit is 60`."""
    return bool(_limits_of(segment) & {"at_most", "at_least"})


def _limits_of(segment: Segment) -> set[str]:
    return segment.values("comparator") | segment.values("comparator_post")


def names_the_end(claim: Segment, end: str) -> bool:
    """Whether it says on which day something may happen for the last time (`at_most`), or first (`at_least`)."""
    return any(c.value == end and (" day" in c.text or " date" in c.text) for c in claim.of("comparator"))


def says_yes(support: Segment, whole: Reading) -> bool:
    """Whether the only modal of a clause is the yes with which it begins (`Pode, só a caminhada passa para as 18h`)."""
    modals = support.of("modal")
    spaced = whole.lang not in CHARACTER_LANGUAGES  # there `可以` gives leave as well
    return spaced and whole.accepts and bool(modals) and all(c.start <= OPENING for c in modals)


def names_first(support: Segment, claim: Reading) -> bool:
    """Whether the claim names the first day of what may happen (`no earlier than the 3rd`: the 3rd is the earliest)."""
    early = support.values("comparator") & {"at_least", "after"}
    return bool(early) and any(names_the_end(s, "at_least") for s in claim.segments)


def _caps_itself(segment: Segment) -> bool:
    """Whether its `must` belongs to the denial of more (`must not exceed`), not to something done within a limit."""
    musts = [c for c in segment.of("modal") if c.value == "must"]
    caps = [c for c in segment.cues if c.kind in ("comparator", "comparator_post") and c.value == "at_most"]
    return segment.turned_bound and any(c.start <= m.end + 1 and m.start <= c.end for m in musts for c in caps)


def _alone(segment: Segment) -> bool:
    return "only" in segment.values("quantifier")


def _open(segment: Segment) -> bool:
    return any(c.kind in ("soft", "stop", "hypothetical", "condition", "deny", "negation") for c in segment.cues)


def _word(segment: Segment) -> str:
    return next((c.text for c in segment.cues if c.kind == "modal"), "")


def hypothesis(claim: Reading, support: Segment, whole: Reading, claim_type: str, *, accepted: bool = False) -> Verdict:
    """Whether the claim asserts what its source only considers; an idea that was `accepted` is settled."""
    cues = [c for c in support.cues if c.kind == "hypothetical"]
    cues += [c for c in whole.cues if c.kind == "hypothetical" and c.value == "unsure" and c not in cues]
    if not claim.has("whether"):
        cues = [*cues, *support.of("whether")]
    if claim_type not in DIRECTIVE and not whole.has("condition"):
        cues = [c for c in cues if c.value != "would"]  # reported speech and politeness
    if accepted:
        cues = [c for c in cues if c.value not in ("idea", "would")]
    if not cues or claim.has("hypothetical") or claim.question or claim.values("modal") & {"may", "can"}:
        return AGREE
    if claim.values("condition") & {"if", "unless"} and not whole.values("condition") & {"if", "unless"}:
        return AGREE
    if "until" in claim.values("condition") and all(c.value == "unsure" for c in cues):
        return AGREE  # `not before she has made up her mind` says that it is open
    return Verdict("hypothetical", cues[0].text)

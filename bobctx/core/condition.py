"""Whether a claim keeps the condition, exception or term its source puts on it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bobctx.core.function_words import BECAUSE, NOBODY, WISHES
from bobctx.core.lexicon import Cue
from bobctx.core.modality import DIRECTIVE
from bobctx.core.negation import AGREE, Verdict, asides
from bobctx.core.patterns import phrases_of
from bobctx.core.reading import NAME_WEIGHT, Reading, Segment

STRICT = frozenset({"if", "unless", "except", "until"})
"""Conditions no claim may drop; `when` binds orders only."""
_OBJECTING = tuple(phrases_of("objecting"))
_UNSURE = frozenset({"negation", "deny", "stop", "contrast", "past", "whether", "hypothetical"})
"""Kinds with which a claim does not assert what it names."""
FEW = 4
"""Words of a side that stands, up to which a claim that holds it has them all."""


def dropped(claim: Reading, support: Segment, whole: Reading, claim_type: str) -> Verdict:
    """Whether a condition of the support clause is missing from the claim, or waved aside."""
    waved = [c for c in claim.cues if c.kind == "condition" and c.value == "despite"]
    if support.kind == "condition" and not _inline(support, claim):  # without a comma it holds the consequence as well
        bare = waved and len(whole.segments) == 1 and support.values("condition") <= {"if", "when", "at"}
        return Verdict("condition_dropped", waved[0].text) if bare else AGREE
    including = [c for c in claim.cues if c.kind == "condition" and c.value == "including"]
    kept = claim.values("condition") - {"despite", "including"}
    stems = {k for s in claim.segments for k in s.content}
    place = next((i for i, s in enumerate(whole.segments) if s is support), len(whole.segments))
    for number, segment in enumerate(whole.segments):
        cue = _condition(segment, claim_type)
        if cue is not None and _binds_nothing(cue, number, place, whole, claim, claim_type):
            continue
        if cue is None:
            inline = _inline_dropped(segment, stems, claim_type) if segment is support and not kept else ""
            if inline and not _stands_for(claim, "at"):
                return Verdict("condition_dropped", inline)
            continue
        if including and cue[1] == "except":
            return Verdict("condition_dropped", including[0].text)
        if waved and "despite" not in whole.values("condition") and not whole.has("indifferent"):
            return Verdict("condition_dropped", waved[0].text)
        own = set(segment.content) - set(support.content) if segment is not support else set(segment.content)
        leads = any(s.kind == "condition" for s in claim.segments)  # `Bei Regen …`
        held = kept if leads or cue[1] not in ("if", "unless") else kept - {"at"}  # a place or time keeps none
        held -= _other_terms(whole, segment)
        if cue[1] == "if" and _denied_untold(segment, support, claim, stems):
            return Verdict("condition_dropped", cue[0])
        loose = claim_type not in DIRECTIVE or "at" in kept or "must" in claim.values("modal")
        told = segment is not support and (
            _told(segment, stems, own, loose=loose)
            if cue[1] in ("if", "unless")
            else bool(_said(own, segment, cue[1]) & stems)
        )
        told = told or (cue[1] == "except" and own <= stems)
        if not held and not told and not _stands_for(claim, cue[1], own):
            return Verdict("condition_dropped", cue[0])
    return AGREE


def _said(own: set[str], segment: Segment, value: str) -> set[str]:
    """The words that tell a condition; of what comes first (`as soon as H2 is repaired`) a mere name tells nothing."""
    words = {k for k in own if segment.content[k] < NAME_WEIGHT and not k.startswith("=")}
    return words if value == "when" and words else own


def _binds_nothing(
    cue: tuple[str, str], number: int, place: int, whole: Reading, claim: Reading, claim_type: str
) -> bool:
    """Whether a condition word of segment `number` is no condition of the support at `place`."""
    segment = whole.segments[number]
    if number > place and any(c.kind == "reason" and c.text == cue[0] for c in segment.cues):
        return True  # `…, otherwise the pump runs dry`: what happens else is no condition of what stands before
    if number > place + 1 and any(_gives_reason(s) for s in whole.segments[place + 1 : number]):
        return True  # `…, because if they hurry they are less likely to stop`
    if cue[1] == "until" and number > place + 1 and _waits(whole.segments[number - 1]):
        return True  # `order the rudder, the rail can wait until spring`
    if cue[1] == "until" and claim_type not in DIRECTIVE and whole.has("past"):
        return True  # `it was 5 mg until March`: when it ended, no condition
    return whole.has("indifferent") and not _leaves_open(claim)  # `the order doesn't matter, as long as …`


def _leaves_open(claim: Reading) -> bool:
    """Whether the claim says itself that something does not matter or may be."""
    return claim.has("indifferent") or bool(claim.values("modal") & {"may", "can", "optional"}) or claim.has("negation")


def _denied_untold(segment: Segment, support: Segment, claim: Reading, stems: set[str]) -> bool:
    """Whether a condition denies something (`if they haven't enrolled, lock them`) of which the claim has nothing."""
    if segment is support or not segment.has("verbal") or claim.has("condition") or claim.has("negation"):
        return False
    heads = {h for h in segment.heads if not h.startswith("=")}
    return bool(heads) and not heads & stems and "only" not in claim.values("quantifier")


def _other_terms(whole: Reading, condition: Segment) -> set[str]:
    """The term that only another segment sets (the `until 4` of `should he come, we stay until 4`)."""
    others = any("until" in s.values("condition") for s in whole.segments if s is not condition)
    return {"until"} - condition.values("condition") if others else set()


def _waits(segment: Segment) -> bool:
    """Whether a statement about something of its own waits (`the rail can wait`)."""
    waits = segment.has("stop") or segment.has("soft")
    return segment.kind == "main" and waits and bool(segment.content.keys() - segment.marked)


def _gives_reason(segment: Segment) -> bool:
    return any(c.kind == "reason" and c.text.casefold().split()[0] in BECAUSE for c in segment.cues)


def strict_condition(whole: Reading, stems: set[str]) -> str | None:
    """The `if` or `unless` of a clause of whose condition these words tell little."""
    for number, segment in enumerate(whole.segments):
        cue = next((c for c in segment.cues if c.kind == "condition" and c.value in ("if", "unless")), None)
        if number > 1 and _gives_reason(whole.segments[number - 1]):
            return None
        if cue is not None and any(c.kind == "reason" and c.text == cue.text for c in segment.cues):
            return None  # what happens otherwise is no condition
        if cue is not None and segment.kind == "condition":
            return None if _told(segment, stems, set(segment.content) - _dated(segment)) else cue.text
    return None


def _dated(segment: Segment) -> set[str]:
    """A figure and the word before it (`day 12` of `if it rains on day 12`), where the condition says more."""
    keys = [k for k in segment.content if not k.startswith("=")]
    found = {k for i, k in enumerate(keys) if k[:1].isnumeric() or any(n[:1].isnumeric() for n in keys[i + 1 : i + 2])}
    return found if len(found) < len(keys) else set()


def _told(segment: Segment, stems: set[str], own: set[str], *, loose: bool = True) -> bool:
    """Whether the claim has half of a condition's own words, or its figures: a mere day or name of it tells nothing.

    Unless `loose`, one word of two is not enough (`the new hanger` of `if the hanger can be straightened`).
    """
    if own and own <= stems:
        return True
    words = {k for k in own if k and not k.startswith("=") and segment.content[k] < NAME_WEIGHT}
    figures = {k for k in own if k[:1].isnumeric()}
    named = {c for c, said in segment.wording.items() if c in stems and said & words and not said & stems}
    shared = len(words & stems) + len(named)  # `fällt aus` of `ausfallen`
    if words and shared and (2 * shared > len(words) or (2 * shared == len(words) and (loose or len(words) > 2))):
        return True
    return bool(figures) and figures <= stems and len(words) <= 1


def _inline(segment: Segment, claim: Reading) -> bool:
    """Whether a segment holds a statement with its exception; not where the claim is the exception itself.

    `I don't mind, except that the tenors need black ones`.
    """
    itself = segment.values("condition") == {"except"} and "must" in segment.values("modal") & claim.values("modal")
    return "except" in segment.values("condition") and not itself


def _condition(segment: Segment, claim_type: str) -> tuple[str, str] | None:
    if segment.kind != "condition":
        return None
    for cue in segment.cues:
        if cue.kind == "condition" and (cue.value in STRICT or (cue.value == "when" and claim_type in DIRECTIVE)):
            return cue.text, cue.value
    return None


def _inline_dropped(segment: Segment, stems: set[str], claim_type: str) -> str:
    """A term inside an order (`do not merge before the review`) of which the claim has nothing."""
    if claim_type not in DIRECTIVE or not segment.has("negation"):
        return ""
    return next((cue.text for cue, after in segment.inline if after and not after & stems), "")


def _stands_for(claim: Reading, value: str, term: set[str] | None = None) -> bool:
    """Words that keep the point of a condition (`term`: what it is about) without a condition word."""
    if claim.has("hypothetical") or claim.question:
        return True
    if value == "except":
        return claim.has("negation") or claim.has("deny") or "only" in claim.values("quantifier")
    if "only" in claim.values("quantifier"):
        return True
    return any(b.value in ("before", "after") and (term is None or b.key in term) for b in claim.bounds)


def asserted(claim: Reading, mine: Segment, support: Segment, whole: Reading) -> Verdict:
    """Whether the claim states as true what its source only puts as a condition."""
    if support.kind != "condition" or mine.kind == "condition" or claim.has("condition"):
        return AGREE
    follows = {k for s in whole.segments if s is not support for k in s.content if not k.startswith("=")}
    term = {k for k in support.content if not k.startswith("=")}
    if follows & mine.content.keys() and 2 * len(mine.content.keys() & term) > len(term):
        return AGREE  # `a difference means rolling back`: condition and consequence in one statement
    cue = next((c for c in support.cues if c.kind == "condition" and c.value in ("if", "unless")), None)
    if cue is None or claim.has("hypothetical") or claim.question or claim.values("modal"):
        return AGREE
    if cue.value == "unless" and mine.has("reason"):
        return AGREE  # `otherwise it won't last` is `so that it lasts`
    return Verdict("hypothetical", cue.text)


def wishes(whole: Reading) -> bool:
    """Whether a clause wishes for its condition (`it would be lovely if …`), which a preference may state."""
    return any(not WISHES.isdisjoint(c.text.casefold().split()) for c in whole.cues)


def contrasted(mine: Segment, whole: Reading, *, all_of: bool = False) -> Verdict:
    """Whether the claim asserts the side that its source sets aside (`X, not Y`), `all_of` what names it."""
    if (cue := _exchanged(mine, whole)) is not None:
        return Verdict("contrast_asserted", cue.text)
    if "including" in mine.values("condition") and whole.segments[0].strength % 2:
        return AGREE  # `the garden included` of `no glass, not even in the garden`
    if mine.kind == "contrast" or _gives_reason(mine) or any(c.kind in _UNSURE for c in mine.cues):
        return AGREE  # `because the attic gets hot` says why it is set aside
    for index, segment in enumerate(whole.segments):
        if segment.kind != "contrast":
            continue
        near = [s for s in whole.segments[max(0, index - 1) : index + 2] if s is not segment]
        kept = {k: w for s in near for k, w in s.content.items()}
        aside = {k: w for k, w in segment.content.items() if k not in kept}
        if segment.heads and index == 0:
            aside = {k: w for k, w in aside.items() if k in segment.heads}  # `X ではなく Y`: X is what stands before
        named = {k for k, w in aside.items() if w > 1.0} or set(aside)
        if (
            named
            and len(named & mine.content.keys()) * (1 if all_of else 2) >= len(named)
            and not _holds(near, segment, mine, first=index == 0)
        ):
            return Verdict("contrast_asserted", segment.cues[0].text if segment.cues else "")
    return AGREE


def _exchanged(mine: Segment, whole: Reading) -> Cue | None:
    """`to B and not to A` for `to A and not to B`: each sets aside what the other keeps."""
    cue = next(iter([*asides(mine), *mine.of("nominal")]), None)
    if cue is None or not mine.heads:
        return None
    kept = mine.content.keys() - mine.heads
    for before, segment in pairwise(whole.segments):
        aside = segment.heads if segment.kind == "contrast" else frozenset[str]()
        if aside and aside <= kept and mine.heads <= before.content.keys() - aside:
            return cue  # `a DJ and no band` of `a band, not a DJ`
    for segment in whole.segments:
        if segment.heads and asides(segment):
            theirs = segment.content.keys() - segment.heads
            apart = mine.heads.isdisjoint(segment.heads)
            if apart and mine.heads <= theirs and segment.heads <= kept:
                return cue
    return None


def _holds(near: Sequence[Segment], aside: Segment, mine: Segment, *, first: bool) -> bool:
    """Whether the claim's segment also names the side that stands: its name or number, else the words beside it."""
    stands = [(k, w) for s in near[:1] for k, w in s.content.items() if k not in aside.content]
    names = [k for k, w in stands if w > 1.0]
    if names and any(w > 1.0 for w in aside.content.values()):  # a name is set aside for a name, a word for a word
        return (names[0] if first else names[-1]) in mine.content
    if len(stands) <= FEW:
        return bool(stands) and all(k in mine.content for k, _ in stands)
    return all(k in mine.content for k, _ in (stands[:2] if first else stands[-2:]))


def names_both(mine: Segment, aside: Segment, whole: Reading) -> bool:
    """Whether the claim names the value that stands beside the one set aside (`from 7:15 to 7:45`)."""
    at = next((i for i, s in enumerate(whole.segments) if s is aside), None)
    if at is None:
        return False
    near = [s for s in whole.segments[max(0, at - 1) : at + 2] if s is not aside]
    values = [k for s in near for k, w in s.content.items() if w > 1.0 and k not in aside.content]
    set_aside = [k for k, w in aside.content.items() if w > 1.0]
    return bool(set_aside) and any(k in mine.content for k in values)


def unopposed(mine: Segment, denied: Segment) -> bool:
    """Whether what is denied is that anybody is against it (`nobody objected to the new roof`)."""
    nobody = any(c.text.casefold().startswith(NOBODY) for c in denied.of("negation"))
    stopping = any(c.text.casefold().startswith(_OBJECTING) for c in denied.of("stop"))
    against = stopping or (nobody and any(h.startswith(_OBJECTING) for h in denied.content))
    return against and not any(k.startswith(_OBJECTING) for k in mine.content)


def with_the_rest(mine: Segment, claim: Reading) -> bool:
    """Whether the claim takes something into a ban of its own (`no glass, not even outside`: banned, outside too)."""
    included = "including" in mine.values("condition")
    return included and any(s.strength % 2 for s in claim.segments if s is not mine)


def replaced(claim: Reading, denied: Segment, whole: Reading) -> bool:
    """Whether the claim sets something aside for what its source puts in its place (`not mine, use Ada's`)."""
    if not any(s.kind == "contrast" for s in claim.segments):
        return False
    kept = {k for s in claim.segments if s.kind != "contrast" for k in s.content}
    return any(
        s.kind == "main" and not s.strength and (s.content.keys() & kept) - denied.content.keys()
        for s in whole.segments
        if s.first > denied.first
    )


def still_needed(mine: Segment, denial: Segment, whole: Reading) -> bool:
    """Whether the claim keeps the need that stands behind a ban (`don't pack it away, we need it`)."""
    if "must" not in mine.values("modal") or mine.heads:
        return False
    behind = (s for s in whole.segments if s.first > denial.first)
    return any("must" in s.values("modal") and not s.strength for s in behind)


def timing(claim: Reading, whole: Reading) -> Verdict:
    """Whether the claim says `from now on` of what its source sets for a later time."""
    now = next((c for c in claim.cues if c.kind == "now"), None)
    if now is None or whole.has("now"):
        return AGREE
    stems = {k for s in claim.segments for k in s.content}
    for segment in whole.segments:
        if any(k not in stems and k[:1].isnumeric() and ("-" in k or len(k) <= 5) for k in segment.content):
            return Verdict("condition_dropped", now.text)
    return AGREE

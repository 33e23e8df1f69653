"""Whether a claim keeps the bounds and the amount of its source: at least, before, more than; all, some, only. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.limits import SCALES
from bobctx.core.negation import AGREE, Verdict
from bobctx.core.patterns import pattern
from bobctx.core.reading import Bound, Reading, Segment
from bobctx.core.remembering import remembered

_LIMITS = frozenset({"at_least", "at_most"})
_ORDER = frozenset({"before", "after"})
_LATER = pattern("later")
_WHOLE = frozenset({"all", "both"})
_BARS = frozenset({"allow-", "include-", "accept-"})
"""Words that keep out whoever or whatever goes beyond an amount."""
_FEW_MANY = ("few", "many")
SHARED = 2
"""Words of a statement from which an `only` in it is one of the same matter."""
BEYOND = 2
"""Words of what lies beyond a bound that a claim has where it speaks of that."""
SAME = 1.0
"""Weight that the two segments of a bound must share beside the bounded value."""


def bounds(claim: Reading, supports: Sequence[Reading], accepting: Collection[int] = ()) -> tuple[Verdict, int]:
    """The first bound of the claim that its sources set the other way, and the clause.

    Only a bound on the same value of the same matter counts. A negation before it (`not pay more than`) may turn it, so
    there the way is left open unless both sides have one. What a question proposes counts where another clause is
    `accepting` it.
    """
    known: dict[str, list[tuple[Bound, int]]] = {}
    for index, reading in enumerate(supports):
        if not reading.question or any(other != index for other in accepting):
            for bound in reading.bounds:
                known.setdefault(bound.key, []).append((bound, index))
    agreed: set[str] = set()
    against: list[tuple[Bound, int]] = []
    for bound in claim.bounds:
        mine = _around(claim, bound)
        near = known.get(bound.key, ()) or _in_order(bound, known)
        theirs = [(b, i) for b, i in near if _same(mine, _around(supports[i], b), bound.key)]
        turned = _denied(claim, bound)
        if any(b.way != bound.way and _of_other_side(claim, mine, bound, b, supports, i) for b, i in theirs):
            continue  # `from May it is B; before that date keep to A`: until May it is A
        later = bound.value == "at_most" and _LATER.search(bound.cue.text) and _counts_back(mine)
        if later and any(b.value == "at_least" and _counts_back(_around(supports[i], b)) for b, i in theirs):
            continue  # `no later than a day before` is `at least a day before`
        same = any(bound.way == b.way or _way(claim, bound) == _way(supports[i], b) for b, i in theirs)
        if theirs and not same:
            others = [_denied(supports[i], b) for b, i in theirs]
            if (not turned and not any(others)) or (turned and all(others) and _scalar(bound, theirs)):
                against.append((bound, theirs[0][1]))
        elif theirs:
            agreed.add(bound.key)  # `an upper limit of 60`: one of two words for the bound of a value is enough
    for bound, index in against:
        if bound.key not in agreed or bound.value in _LIMITS:
            return Verdict("comparator", bound.cue.text), index
    return AGREE, 0


def _counts_back(segment: Segment | None) -> bool:
    """Whether a time is counted back from something (`a day before the start`)."""
    return segment is not None and "before" in segment.values("comparator")


def _of_other_side(
    claim: Reading, mine: Segment | None, bound: Bound, theirs: Bound, supports: Sequence[Reading], index: int
) -> bool:
    """Whether the claim has a value, or two words, of what its source says of the other side.

    `… above 100; below that 4.95`, `stay under 900; anything above that needs their approval`.
    """
    own = _around(supports[index], theirs)
    known = own.content.keys() if own is not None else set[str]()
    beyond = [s for r in supports for s in r.segments if s.has("until_then") and s is not own]
    values = {k for k, w in mine.content.items() if w > 1.0 and k != bound.key} if mine is not None else set()
    words = {k for s in claim.segments for k in s.content if not k.startswith("=")} - known
    return any((values - known) & s.content.keys() or len(words & s.content.keys()) >= BEYOND for s in beyond)


def _in_order(bound: Bound, known: Mapping[str, list[tuple[Bound, int]]]) -> list[tuple[Bound, int]]:
    """Places in an order, named by other words of one term (`before you parse the body`, `after the body …`)."""
    if bound.value not in _ORDER or bound.key[:1].isnumeric():
        return []
    return [(b, i) for found in known.values() for b, i in found if b.value in _ORDER and b.term & bound.term]


def _scalar(bound: Bound, theirs: Sequence[tuple[Bound, int]]) -> bool:
    """Whether all of them are of one kind, so that a denial turns each alike (`not later`, `not earlier than`)."""
    values = {bound.value, *(b.value for b, _ in theirs)}
    return values <= SCALES or values <= _ORDER


def _around(reading: Reading, bound: Bound) -> Segment | None:
    return next((s for s in reading.segments if s.first <= bound.cue.start < s.last), None)


def _same(mine: Segment | None, theirs: Segment | None, key: str) -> bool:
    if mine is None or theirs is None:
        return False
    shared = sum(w for k, w in mine.content.items() if k in theirs.content and k != key)
    return shared >= SAME or len(theirs.content) <= 1 or len(mine.content) <= 1


def _turned(segment: Segment | None) -> bool:
    """Whether a negation or denial beside the bound may turn it."""
    if segment is None or segment.has("negation"):
        return segment is not None
    ends = {c.start for c in segment.of("polar") if c.value not in _BARS}  # `is called off` forbids no amount
    return any(c.start not in ends for c in segment.of("deny"))


def _denied(reading: Reading, bound: Bound) -> bool:
    """Whether what a bound belongs to is denied: beside it, or by what it is the term of (`nothing until …`)."""
    here = _around(reading, bound)
    if here is None or "only" in reading.values("quantifier") or "except" in reading.values("condition"):
        return False  # `not … except after nine`
    if here.kind != "condition":
        return _turned(here)
    return _turned(here) or any(s.kind == "main" and s.strength % 2 and s.content for s in reading.segments)


def _way(whole: Reading, bound: Bound) -> str:
    """Which end a bound sets: what waits until then happens after it (`wait until she has seen it`)."""
    segment = _around(whole, bound)
    waits = segment is not None and "until" in segment.values("condition") and whole.has("stop")
    return "lower" if waits and bound.value == "before" else bound.way


def amount(claim: Segment, support: Segment) -> Verdict:
    """Whether some became all, all became some, few many, or an `only` was added or taken away."""
    mine, theirs = claim.values("quantifier"), support.values("quantifier")
    if "all" in mine and support.has("reserved") and not claim.has("reserved") and not claim.strength:
        return Verdict("quantifier", _word(claim, "all"))
    if "all" in theirs and _only_denied(support):
        theirs = theirs - {"all"}
    if word := _part(claim, support, mine, theirs):
        return Verdict("quantifier", word)
    if "all" in mine and "all" not in theirs and theirs & {"some", "most"}:
        return Verdict("quantifier", _word(claim, "all"))
    denied = support.has("verbal") or support.has("nominal")
    if "some" in theirs and denied and _denies_each(claim) and not mine:
        return Verdict("quantifier", next(c.text for c in claim.cues if c.kind == "nominal"))
    alone = next((k for k in support.content if k in support.alone), None)
    if "all" in mine and "only" in theirs and alone is not None and alone not in claim.content:
        return Verdict("quantifier", _word(claim, "all"))
    if mine & {"some", "most"} and "all" in theirs and not theirs & {"some", "most"} and "all" not in mine:
        if claim.strength or support.strength:
            return AGREE  # "not all" is read as "some" already
        return Verdict("quantifier", _word(claim, *(mine & {"some", "most"})))
    if ("some" in mine) != ("some" in theirs) and "most" in mine | theirs and "all" not in mine | theirs:
        return Verdict("quantifier", _word(claim, "some", "most") or _word(support, "some", "most"))
    return AGREE


def _part(claim: Segment, support: Segment, mine: Collection[str], theirs: Collection[str]) -> str:
    """The word of the claim that tells all or both as a part of them, a part as all, few as many."""
    if "none" in theirs and "none" not in mine and not claim.strength:
        return _word(claim, "all", "both", "most", "many", "some")
    if claim.strength % 2 != support.strength % 2:
        return ""
    own = claim.content.keys() - support.content.keys()
    whole = not _WHOLE.isdisjoint(mine), not _WHOLE.isdisjoint(theirs)
    picked = "sole" in mine or ("only" in mine and _picked(claim, support, theirs, own))
    if whole == (False, True) and picked and {"sole", "only", "some"}.isdisjoint(theirs):
        return _word(claim, "sole", "only")
    half = "half" in theirs and "half" not in mine and not own and _same_thing(claim, support, _WHOLE, "half")
    if whole == (True, False) and (half or ("sole" in theirs and "sole" not in mine)):
        return _word(claim, *_WHOLE)
    for few, many in (_FEW_MANY, _FEW_MANY[::-1]):
        if few in theirs and many in mine and few not in mine and _same_thing(claim, support, {many}, few):
            return _word(claim, many)
    return ""


def _picked(claim: Segment, support: Segment, theirs: Collection[str], own: Collection[str]) -> bool:
    """Whether an `only` singles out one of both, or somebody whom `all` of the source does not name."""
    alone = {k for k in claim.alone if not k.startswith("=")}
    if not alone or claim.has("condition") or len(claim.content.keys() & support.content.keys()) < SHARED:
        return False
    if "both" in theirs and alone <= support.content.keys() and len(own) <= 1:
        return True
    return bool(own and alone.issuperset(own))


def _same_thing(claim: Segment, support: Segment, values: Collection[str], theirs: str) -> bool:
    """Whether the two amounts are amounts of one thing (`few guests`, `many guests`), as far as one stands behind."""
    mine = {key for value, key in claim.quantified if value in values}
    there = {key for value, key in support.quantified if value == theirs}
    return not mine or not there or bool(mine & there)


def of_some(claim: Reading, whole: Reading) -> bool:
    """Whether the claim denies of some, or of the exception, what its source does not say of all.

    `Some rooms lack a window` of `not all rooms have one`, `only the attic has none` of `all rooms but the attic`.
    """
    amounts = claim.values("quantifier")
    if not _WHOLE.isdisjoint(amounts) or "except" in claim.values("condition"):
        return False
    if "except" in whole.values("condition"):
        mine = {k for s in claim.segments for k in s.content}
        apart = (_beyond(s) for s in whole.segments if "except" in s.values("condition"))
        return any(term and term & mine for term in apart)
    parts = (c for c in whole.cues if c.kind == "quantifier" and c.value == "some")
    return bool(amounts & {"some", "sole", "few"}) and any(_not_all(c.text, whole.lang) for c in parts)


def _beyond(segment: Segment) -> set[str]:
    """What stands in the part of a statement that names its exception, the names and numbers of it where it has any."""
    names = {k for k, w in segment.content.items() if w > SAME}
    return names or set(list(segment.content)[-1:])


@remembered(256)
def _not_all(phrase: str, lang: str) -> bool:
    """Whether a phrase for some is a denial of all (`not all`, `不是所有`)."""
    inside = (c for i in range(1, len(phrase)) for c in cues(phrase[i:], lang, LOGIC, ("quantifier",)))
    return any(c.value == "all" for c in inside)


def _denies_each(claim: Segment) -> bool:
    """Whether it denies of every one (`nobody has paid`, `aucun n'a payé`: a verb's own negation only follows)."""
    each = min((c.start for c in claim.of("nominal")), default=None)
    return each is not None and all(c.start > each for c in claim.of("verbal"))


def _only_denied(segment: Segment) -> bool:
    """Whether each `all` of a segment stands inside the words that deny it of all (`并非所有…都`)."""
    part = [c for c in segment.of("quantifier") if c.value == "some"]
    return all(any(p.start <= c.start < p.end for p in part) for c in segment.of("quantifier") if c.value == "all")


def _word(segment: Segment, *values: str) -> str:
    return next((c.text for c in segment.cues if c.kind == "quantifier" and c.value in values), "")

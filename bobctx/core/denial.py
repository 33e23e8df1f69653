"""A claim that denies something needs a source that denies, refuses or excludes the same matter. Pure.

`polarity` compares the one clause that fits best. Here every cited clause is asked that has something of what the claim
denies: a `not` comes from nowhere where no clause near its words denies (short sources), where the clauses with the
denied word all affirm it, or where a denied denial (`not excluded`) meets sources that deny it outright.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

import regex

from bobctx.core import change
from bobctx.core.acts import questions, refusals
from bobctx.core.answers import echoes, opens_with_no
from bobctx.core.checking import Case, Refusal
from bobctx.core.function_words import OR
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import LOGIC, Cue, cues
from bobctx.core.negation import asides, turned
from bobctx.core.quantity import of_some
from bobctx.core.reading import Reading, Segment, read
from bobctx.core.sources import Found, Source
from bobctx.core.terms import waits_for_term
from bobctx.core.text import content_stems

NEAR: Final = 2
"""Clauses before and after one that shares a word in which the denial may stand."""
CONCORD: Final = frozenset({"fr", "es", "pt", "it", "ru", "ar"})
"""Languages where a second negation agrees with the first (`no … nunca`); elsewhere two cancel."""
FEW: Final = 14
"""Clauses of all cited messages up to which any denial nearby is enough."""
AFFIRMED: Final = 2
"""Words of the denied statement that a clause affirming it must have."""
AFFIRMED_PAIRS: Final = 6
"""The same where words are pairs of characters."""
SHARE: Final = 0.3
"""Or this share of what the best clause has of them."""
DENIED: Final = 0.5
"""Share of the same from which a denying segment speaks of the matter although it lacks the denied word."""
CLOSEST: Final = 0.7
"""Share from which a clause is one that a denied denial rests on."""
_NOT_YET: Final = frozenset({"failure", "open_question"})
"""Types that tell what has not come about."""
PREFIX: Final = 5
"""Letters in common from which two stems are forms of one word."""
_ZERO: Final = regex.compile(r"(?<![\d.,:])0\s\p{L}|\bnon-\p{L}{3}|\b(?:zero|null)\s\p{L}")
AFTER: Final = 6
"""Code points between a negation and the denial or value that it turns around."""
WIDE: Final = (
    "negation",
    "deny",
    "stop",
    "contrast",
    "condition",
    "modal",
    "hypothetical",
    "quantifier",
    "polar",
    "soft",
)
_VALUES: Final = {
    "condition": frozenset({"unless", "except"}),
    "modal": frozenset({"optional"}),
    "hypothetical": frozenset({"unsure"}),
    "quantifier": frozenset({"only", "some"}),
}
BLANKS: Final = ("null", "[]", "{}", "empty", "none", "nil", "false", "n/a", "404", "not_", "no_")
"""Values of data that say that something is not there."""


TOP: Final = 3
"""Clauses with most of the claim that may name an exception to what they say."""


def check(case: Case) -> Refusal | None:
    """The first denial of the claim that nothing in its sources stands for."""
    if case.lang == UNKNOWN or waits_for_term(case):
        return None
    few = case.clause_count <= FEW
    plain = few or case.lang not in ("zh", "ja")  # pairs of characters are too common in a long text
    mine = read(case.text, case.lang)
    if any(of_some(mine, theirs) for *_, theirs in case.readings(TOP)):
        return None  # `only the attic has none` of `all rooms but the attic`
    for segment in mine.segments:
        denials = segment.of("negation")
        doubled = case.lang not in CONCORD and len(denials) % 2 == 0
        if denials and (chosen_against(case, segment) or _former_value(case, segment)):
            continue
        if not denials or doubled or (segment.kind == "condition" and until(case, segment)):
            continue
        unheard = few and not _denied(case, segment)
        if unheard or (plain and _affirmed(case, segment)) or _undone(case, segment) or _value_denied(case, segment):
            return Refusal(code="negation_added", data={"cue": denials[0].text, "clause": _best(case), "message": ""})
    return None


def _former_value(case: Case, segment: Segment) -> bool:
    """Whether a correction sets aside the value that its sources change (`on the 13th and no longer on the 6th`)."""
    if case.type != "correction" or not segment.has("past"):
        return False
    mine = any(lit.measured and segment.first <= lit.start < segment.last for lit in case.literals)
    found = all(places for lit, places in zip(case.literals, case.found, strict=True) if lit.measured)
    return mine and found and _changes(case)


def _changes(case: Case) -> bool:
    return any(change.marks_change(c.text, case.lang) for c in case.supports)


def chosen_against(case: Case, segment: Segment) -> bool:
    """Whether what is denied was put up for choice and a user has named something else of it (`green it is`)."""
    heads = {h for h in segment.heads if not h.startswith("=")}
    denials = segment.of("negation")
    behind = content_stems(case.text[denials[-1].end : segment.last], case.lang) if denials else frozenset()
    for source in case.cited:
        for clause, stems in zip(source.clauses, source.clause_stems, strict=True):
            lang = case.lang_of(source)
            asked = questions(clause.text, lang)
            offered = source.message.role == "assistant" and not OR.isdisjoint(clause.text.casefold().split())
            if heads & stems and (asked or (offered and behind)):
                later = (s for s in case.cited if s.position > source.position)
                passed = heads if asked else heads | behind
                if any(
                    echoes(s, stems, case.stems)
                    and not passed & s.clause_stems[0]
                    and (asides(segment) or not s.clause_stems[0] & case.stems <= segment.content.keys())
                    for s in later
                    if s.clauses
                ):
                    return True
    return False


def waits(case: Case, reading: Reading) -> bool:
    """Whether a clause says what something waits for, to a claim of what has not come about.

    `to cancel it I need the ID`, `once you have paid, I can …`.
    """
    if case.type not in _NOT_YET:
        return False
    return bool(reading.values("modal") & {"must", "can"}) or any(s.kind == "condition" for s in reading.segments)


def until(case: Case, segment: Segment) -> bool:
    """Whether the denied condition is the term of a source (`as long as it has not come`, `until it has come`)."""
    words = words_of(segment)
    terms = (s for *_, r in case.readings(FEW) for s in r.segments if s.values("condition") & {"until", "before"})
    return any(has_stem(w, s.content.keys()) for s in terms for w in words)


def _best(case: Case) -> str:
    return case.supports[0].text[:200] if case.supports else ""


def words_of(segment: Segment) -> set[str]:
    """The words, names and numbers of a segment."""
    return {k for k in segment.content if not k.startswith("=")}


# -- short sources: any denial nearby --------------------------------------------


def _denied(case: Case, segment: Segment) -> bool:
    words = {k.lstrip("=") for k in segment.content}
    return any(_denies(source, words, case, segment) for source in case.cited)


def _denies(source: Source, words: set[str], case: Case, segment: Segment) -> bool:
    """Whether a clause with one of these words, or its neighbour, denies something."""
    close: set[int] = set()
    for index, stems in enumerate(source.clause_stems):
        if stems & words:
            close.update(range(max(0, index - NEAR), min(len(source.clauses), index + NEAR + 1)))
    where = sorted(close) if close else range(len(source.clauses))
    lang = case.lang_of(source)
    texts = [source.clauses[i].text for i in where]
    return any(speaks(t, lang) for t in texts) or any(turned(read(t, lang), segment) for t in texts)


def speaks(text: str, lang: str) -> bool:
    """Whether a clause has a word that denies, refuses, excludes or leaves out."""
    low = text.casefold()
    if any(blank in low for blank in BLANKS) or refusals(text, lang) or zero(text):
        return True
    return any(_counts(c) for c in cues(text, lang, LOGIC, WIDE))


def zero(text: str) -> bool:
    """Whether a text counts none of something (`0 errors`)."""
    return _ZERO.search(text) is not None


def _counts(cue: Cue) -> bool:
    if cue.kind == "polar":
        return cue.value.endswith("-")
    wanted = _VALUES.get(cue.kind)
    return wanted is None or cue.value in wanted


# -- the denied word stands in the sources, and only affirmed ---------------------


def _affirmed(case: Case, segment: Segment) -> bool:
    """Whether clauses with the denied word say it outright and no segment near the matter denies it."""
    if not segment.has("verbal") or segment.kind == "contrast":
        return False
    words = words_of(segment)
    heads = {h for h in segment.heads if not h.startswith("=")}
    if not heads:
        return False
    least = AFFIRMED_PAIRS if case.lang in ("zh", "ja") else AFFIRMED
    best = max((shared for *_, shared in _touching(case, words)), default=0)
    if best < least:
        return False
    affirmed = False
    for source, index, shared in _touching(case, words):
        headed = any(has_stem(h, source.clause_stems[index]) for h in heads)
        if _blank(source.clauses[index].text, headed=headed):
            return False
        whole = read(source.clauses[index].text, case.lang_of(source))
        if turned(whole, segment):
            return False  # `only after the review` is `not before the review`
        if any(opens_with_no(s) for s in case.cited if s.position > source.position) or waits(case, whole):
            return False  # what the user refused, or what is still to be done
        for theirs in whole.segments:
            if turns(theirs) and (
                _same_matter(theirs, words, heads, DENIED * best) or (headed and denies_ahead(theirs, words))
            ):
                return False
            if segment.kind == "condition" and headed and "must" in theirs.values("modal"):
                return False  # `fails if it is not a list` of `it must be a list`
        affirmed = affirmed or (headed and shared >= max(least, SHARE * best))
    return affirmed


def _touching(case: Case, words: set[str]) -> Iterator[tuple[Source, int, int]]:
    """Each clause with any of the words, and how many."""
    for source in case.cited:
        for index, stems in enumerate(source.clause_stems):
            shared = sum(1 for w in words if has_stem(w, stems))
            if shared:
                yield source, index, shared


def has_stem(word: str, stems: Collection[str]) -> bool:
    """Whether the word is among `stems`, in this form or another."""
    return word in stems or (len(word) >= PREFIX and any(s.startswith(word[:PREFIX]) for s in stems))


def _blank(text: str, *, headed: bool) -> bool:
    low = text.casefold()
    return headed and (any(blank in low for blank in BLANKS) or zero(text))


def turns(segment: Segment) -> bool:
    """Whether a segment of a source denies or excludes, in any way that a `not` may render."""
    if segment.strength or segment.kind == "contrast" or segment.has("stop") or segment.has("soft"):
        return True
    if "optional" in segment.values("modal") or segment.values("condition") & {"unless", "except"}:
        return True
    if "only" in segment.values("quantifier") or segment.has("reserved"):
        return True
    if "unsure" in segment.values("hypothetical"):
        return True
    return any(v.endswith("-") for v in segment.values("polar"))


def turned_there(case: Case, source: Source) -> bool:
    """Whether an answer denies or refuses anything beside its yes that the claim speaks of, or in few words."""
    lang = case.lang_of(source)
    return any(
        (len(stems) <= 1 or stems & case.stems)
        and any(
            turns(s) and (denies(s) or len(stems) <= AFFIRMED or len(stems & case.stems) >= AFFIRMED)
            for s in read(clause.text, lang).segments
        )
        for clause, stems in zip(source.clauses, source.clause_stems, strict=True)
    )


def denies(segment: Segment) -> bool:
    """Whether a segment denies or stops, and does not merely keep or limit something (`keep it under 25 minutes`)."""
    return bool(segment.strength) or segment.has("stop") or segment.kind == "contrast"


def _same_matter(theirs: Segment, words: set[str], heads: set[str], least: float) -> bool:
    stems = theirs.content.keys() | theirs.heads
    if theirs.values("condition") & {"except"} and any(has_stem(w, theirs.content.keys()) for w in words):
        return True  # `any colour except red`
    return any(has_stem(h, stems) for h in heads) or sum(1 for w in words if has_stem(w, stems)) >= max(1.0, least)


def denies_ahead(theirs: Segment, words: Collection[str]) -> bool:
    """Whether a denial is no more than the subject of what follows (`the purpose was not really, at first, to …`)."""
    last = next(reversed(theirs.content), "")
    return theirs.has("verbal") and last in theirs.heads and any(w in theirs.content for w in words)


# -- denials of denials, and of values ---------------------------------------------


def _undone(case: Case, segment: Segment) -> bool:
    """`is not excluded` where every clause that it may rest on excludes."""
    second = [c for c in segment.cues if c.kind in ("deny", "stop")]
    if case.lang in ("zh", "ja"):
        return False  # `停车` holds the sign for stopping
    undone = {d.text.casefold()[:PREFIX] for n in segment.of("verbal") for d in second if 0 <= d.start - n.end <= AFTER}
    if not undone:
        return False
    words = words_of(segment)
    touching = list(_touching(case, words))
    best = max((shared for *_, shared in touching), default=0)
    close = [(s, i) for s, i, shared in touching if shared >= CLOSEST * best]
    return bool(close) and all(_excludes(s, i, case, undone) for s, i in close)


def _excludes(source: Source, index: int, case: Case, undone: Collection[str]) -> bool:
    """Whether a clause denies once; one that undoes the very denial too (`ignored, not rejected`) says the same."""
    whole = read(source.clauses[index].text, case.lang_of(source))
    denied = [s for s in whole.segments if s.has("negation")]
    same = any(c.text.casefold()[:PREFIX] in undone for s in denied for c in s.of("deny"))
    if whole.question or same or any(s.has("stop") for s in denied):
        return False  # `do not stop it` undoes the stop itself, and a question says neither
    return any(s.strength % 2 or (s.has("stop") and not s.strength) for s in whole.segments)


def _value_denied(case: Case, segment: Segment) -> bool:
    """`the port is not 8080` where all clauses with the value give it and nothing speaks of a change."""
    starts = {lit.start: n for n, lit in enumerate(case.literals)}
    for cue in segment.of("verbal"):
        at = next((n for start, n in starts.items() if 0 < start - cue.end <= AFTER), None)
        if at is None or not case.found[at]:
            continue
        places = case.found[at]
        if segment.kind == "contrast" and not _ordered_last(case, places):
            continue
        if not any(_questions(case.source(p.message), p.start, case) for p in places):
            return True
    return False


def _ordered_last(case: Case, places: Collection[Found]) -> bool:
    """Whether a user names a value in the last cited message alone, so that nobody can have set it aside since."""
    last = case.cited[-1]
    return (
        case.type != "correction"
        and last.message.role == "user"
        and all(place.message == last.position for place in places)
    )


def _questions(source: Source, position: int, case: Case) -> bool:
    if not source.clauses:
        return False
    text, lang = source.clauses[source.clause_at(position)].text, case.lang_of(source)
    return speaks(text, lang) or change.marks_change(text, lang) or change.marks_former(text, lang)

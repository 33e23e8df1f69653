"""A denial of a denial (`is not kept out`) against sources that deny the matter once. Pure.

Two denials in a claim say what none would. Where the segments of the sources that speak of the same thing deny it once,
in whatever words, the claim turns them around (design, section 6, Polarity).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import CONCORD, words_of
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import LOGIC, Cue, cues
from bobctx.core.reading import Segment, read

MOST: Final = 40
"""Clauses with a word of the claim that are read."""
CLOSEST: Final = 0.7
"""Share of the best segment's words of the claim from which another one speaks of the same thing."""
REACH: Final = 14
"""Code points between a negation and the denying word that it turns around (`not to be kept out`)."""
FAR: Final = 60
"""The same where the verb stands last (`ist nicht nach 16 Uhr untersagt`)."""
_VERB_LAST: Final = frozenset({"de", "nl"})
FEW: Final = 14
"""Clauses of all cited messages up to which a denial anywhere in them counts."""
ANSWER: Final = 2
"""Content words of an answer that denies what was asked (`leave it out this time`)."""
STEM: Final = 4
"""Letters in common from which two denying words are forms of one."""
FORM: Final = 3
"""Letters of a stem that is another form of the denying word."""
_ONCE: Final = frozenset({"negation", "deny", "stop"})
_GIVEN: Final = frozenset({"if", "when", "unless", "at"})
"""Conditions under which something may be done."""
_STATES: Final = frozenset({"optional", "available-", "present-", "merge-"})
"""Words that say how something is, not what is done to it."""
_PREFIX: Final = {"en": "un", "de": "un", "nl": "on"}
"""What a word begins with that denies by itself (`unwanted`)."""
_LANGUAGES: Final = frozenset({"zh", "ja", UNKNOWN})
"""Where single signs of a denial stand inside too many words."""


def check(case: Case) -> Refusal | None:
    """The first denial of a denial whose matter all its sources deny once."""
    if case.lang in _LANGUAGES:
        return None
    for segment in read(case.text, case.lang).segments:
        undone = _undone(segment, case.lang)
        if undone is None or _only_with(case, segment, undone):
            continue
        words = words_of(segment) - segment.marked - _own(segment, undone)
        if _denied_once(case, undone, words) or (case.clause_count <= FEW and _plainly(case, undone, words)):
            best = case.ranked[0][1]
            data = {"cue": undone.text, "clause": best.text[:200]}
            return Refusal(code="negation_added", data={**data, "message": case.source(best.message).message.alias})
    return None


def _undone(segment: Segment, lang: str) -> Cue | None:
    """The word of a segment that denies, stops, spares or limits something and has a `not` before it."""
    for cue in segment.of("hypothetical"):
        if cue.value == "maybe" and cues(cue.text.partition(" ")[2], lang, LOGIC, ("deny",)):
            return cue  # `not ruled out`
    for negation in segment.of("verbal"):
        near = [c for c in segment.cues if 0 <= c.start - negation.end <= (FAR if lang in _VERB_LAST else REACH)]
        for cue in near:
            kept = cue.kind == "soft" and any(c.kind == "soft" and c.start < cue.start for c in near)
            if _low(cue) or _affixed(cue, lang) or (kept and not _held(segment, cue)):
                return cue
    return None


def _only_with(case: Case, segment: Segment, undone: Cue) -> bool:
    """Whether `must not X without Y` stands for the `X only if Y` of a source."""
    lacking = any(c.kind == "lacking" and c.start == undone.start for c in segment.cues)
    return lacking and any(r.values("condition") & _GIVEN for *_, r in case.readings(MOST))


def _low(cue: Cue) -> bool:
    if cue.kind == "polar":
        return cue.value.endswith("-")
    return cue.kind in ("deny", "stop") or cue.value == "optional" or (cue.kind, cue.value) == ("comparator", "at_most")


def _affixed(cue: Cue, lang: str) -> bool:
    """Whether a word denies by its prefix (`unwanted`)."""
    return cue.kind == "soft" and lang in _PREFIX and cue.text.casefold().startswith(_PREFIX[lang])


def _held(segment: Segment, soft: Cue) -> bool:
    """Whether a keeping word names what goes on (`kept open`)."""
    return any(c.start == soft.start and c.kind == "polar" and c.value.endswith("+") for c in segment.cues)


def _own(segment: Segment, undone: Cue) -> set[str]:
    """The denied words: another word may stand for them in the sources."""
    stems = set(segment.heads)
    if undone.kind in ("polar", "opposite"):
        stems |= segment.wording.get("=" + undone.value[:-1], frozenset())
    return stems


def _denied_once(case: Case, undone: Cue, words: set[str]) -> bool:
    """Whether all segments with most of these words deny a single time."""
    near = [s for *_, reading in case.readings(MOST) for s in reading.segments]
    if any(_alike(undone, s) and s.has("negation") for s in near):
        return False  # `hands off the logs, no deleting`
    shared = [(number, s) for s in near if (number := len(words & s.content.keys()))]
    best = max((n for n, _ in shared), default=0)
    closest = [s for n, s in shared if n >= CLOSEST * best]
    limits = undone.kind == "comparator"
    own = {
        k for s in read(case.text, case.lang).segments for c in s.of("stop") if c is not undone for k in _forms(c, case)
    }
    return bool(closest) and all(
        _once(s, case.lang, own, limits=limits) and not _alike(undone, s) and not _may_render(undone, s, case)
        for s in closest
    )


def _forms(cue: Cue, case: Case) -> Iterator[str]:
    """The words of its sources that are forms of one with which the claim ends something (`skip` of `skipping`)."""
    begun = cue.text.casefold()[:STEM]
    for *_, reading in case.readings(MOST):
        yield from (c.text.casefold() for c in reading.cues if c.kind == "stop" and c.text.casefold().startswith(begun))


def _may_render(undone: Cue, segment: Segment, case: Case) -> bool:
    """Whether a word of its own may say what is not to be done (`do not bin it`: it must not be deleted).

    What stays away (`kept out of`) or is no more than a state (`unavailable`) is done by nobody.
    """
    if undone.kind in ("deny", "soft", "comparator", "hypothetical") or undone.value in _STATES:
        return False
    if undone.kind == "stop" and " " in undone.text:
        return False
    return any(not k.startswith("=") for k in segment.content.keys() - segment.marked - case.stems)


def _plainly(case: Case, undone: Cue, words: set[str]) -> bool:
    """Whether short sources deny the matter, and none of them denies a denial, says the opposite or permits."""
    signs: set[str] = set()
    asked = False
    for source, clause in ((s, c) for s in case.cited for c in s.clauses):
        reading = read(clause.text, case.lang_of(source))
        for segment in reading.segments:
            touches = bool(words & segment.content.keys())
            if _alike(undone, segment) or (touches and _permits(segment)):
                return False
            answers = asked and len(segment.content.keys() - segment.marked) <= ANSWER
            if (touches and not _may_render(undone, segment, case)) or answers:
                signs |= _signs(segment)
            asked = asked or touches
        asked = asked and reading.question
    return len(signs) == 1


def _alike(undone: Cue, segment: Segment) -> bool:
    """Whether a segment has the denying word itself, or the other side of its pair."""
    form = undone.text.casefold()
    if any(len(k) >= FORM and k in form for k in segment.content) and not _denies_base(undone, segment):
        return True  # `no borres` of `borrar`: no cue in this form
    return any(
        c.text.casefold().startswith(form[:STEM]) or (undone.kind == "polar" and c.value == undone.value[:-1] + "+")
        for c in segment.cues
    )


def _denies_base(undone: Cue, segment: Segment) -> bool:
    """Whether a segment denies the word that the denying one is made of (`don't want`, `unwanted`)."""
    low = undone.text.casefold()
    return undone.kind == "soft" and any(
        low.startswith(p) and low[len(p) :].startswith(h) for p in _PREFIX.values() for h in segment.heads
    )


def _permits(segment: Segment) -> bool:
    return not segment.strength and bool(segment.values("modal") & {"may", "can"}) and not segment.has("hypothetical")


def _signs(segment: Segment) -> set[str]:
    """How a segment denies: by a `not`, by a word that denies, or by both."""
    low = any(c.kind in ("deny", "stop") or c.value in ("optional", "unless") for c in segment.cues)
    return ({"not"} if segment.has("negation") else set()) | ({"low"} if low else set())


def _once(segment: Segment, lang: str, own: Collection[str], *, limits: bool) -> bool:
    """Whether a segment denies its matter a single time, by a negation, an exclusion or an end; `own`: words of it."""
    if limits and "only" in segment.values("quantifier"):
        return not segment.has("negation")
    hard = {
        c.start for c in segment.cues if (c.kind in _ONCE and c.text.casefold() not in own) or c.value == "optional"
    }
    negations = {c.start for c in segment.of("negation")}
    if lang in CONCORD and len(negations) > 1:
        hard -= set(sorted(negations)[1:])
    other = {c.start for c in segment.cues if (c.kind == "polar" and c.value.endswith("-")) or c.value == "unless"}
    return len(hard) == 1 and not other - hard

"""Leave given and leave refused: `forbidden to end a call` of `they may end a call`, and the other way round. Pure.

`allowed` and `forbidden` are words of the claim's own as often as not: a source says `never open it` or `they may`. So
the sign of what a claim allows is compared with that of the clauses with most of its other words (design, section 6).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import has_stem, words_of
from bobctx.core.function_words import BEYOND, PREPOSITIONS
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import CHARACTER_LANGUAGES, Cue
from bobctx.core.modality import DIRECTIVE
from bobctx.core.reading import WAY, Reading, Segment, read
from bobctx.core.sources import Clause
from bobctx.core.text import content_stem, content_stems, forms

MOST: Final = 12
"""Clauses with a word of the claim that are read."""
LEAST: Final = 2
"""Words of what is allowed that a clause about it has."""
SHARE: Final = 0.5
"""And which share of them."""
_SPLIT: Final = frozenset({"de", "nl"})
"""Languages that put what is allowed or forbidden into a part of its own."""
_LEAVE: Final = frozenset({"allow+", "allow-"})
_GRANTS: Final = frozenset({"allow+", "must"})
_GIVES: Final = frozenset({"may", "can", "optional"})
_TERMS: Final = frozenset({"if", "unless", "except", "until", "when"})


class _Sign(NamedTuple):
    """Whether something is allowed, and by which word."""

    allows: bool
    cue: str


def check(case: Case) -> Refusal | None:
    """The first leave of the claim that all clauses about its matter refuse, or refusal that they give."""
    if case.lang == UNKNOWN or case.lang in CHARACTER_LANGUAGES or case.type not in DIRECTIVE:
        return None
    whole = read(case.text, case.lang)
    if whole.question or whole.has("hypothetical") or whole.has("whether") or whole.has("reserved"):
        return None
    for index, segment in enumerate(whole.segments):
        mine = _said(segment) if segment.kind == "main" else None
        if mine is None:
            continue
        words = _words(segment) | _infinitive(whole, index)
        about = list(_about(case, words))
        most = max((shared for shared, *_ in about), default=0)
        signs = [(clause, _given(reading, s, whole)) for shared, clause, reading, s in about if shared == most]
        against = signs and all(sign is not None and sign is not mine.allows for _, sign in signs)
        if against and not _said_elsewhere(case, segment, words, allows=mine.allows):
            return _refusal(case, mine, signs[0][0])
    return _forbidden(case, whole)


def _forbidden(case: Case, whole: Reading) -> Refusal | None:
    """What a claim allows or demands outright (`grapefruit is allowed`) and its sources name in a ban alone."""
    if any(s.strength or s.has("stop") or s.has("soft") or s.has("lacking") for s in whole.segments):
        return None
    if "only" in whole.values("quantifier"):
        return None
    for segment in whole.segments:
        cue = next((c for k in ("polar", "modal") for c in segment.of(k) if c.value in _GRANTS), None)
        if segment.kind != "main" or cue is None:
            continue
        bans, said = _named(case, whole, segment, cue)
        for subject in _subjects(case, cue, segment):
            if subject in bans and subject not in said:
                return _refusal(case, _Sign(True, cue.text), bans[subject])
    return None


def _named(case: Case, whole: Reading, mine: Segment, cue: Cue) -> tuple[dict[str, Clause], set[str]]:
    """The words of a segment that a ban of the sources has, and those that anything else under its terms has."""
    bans: dict[str, Clause] = {}
    said: set[str] = set()
    terms = _terms(whole)
    words = _words(mine) - content_stems(cue.text, case.lang)
    for _, clause, reading in case.readings(MOST):
        if _terms(reading) != terms:
            continue
        for theirs in reading.segments:
            known = [w for w in words if has_stem(w, theirs.content.keys())]
            if theirs.strength == 1 and _bans(reading, theirs) and (cue.value != "must" or _whole_act(theirs, case)):
                bans.update(dict.fromkeys(known, clause))
            else:
                said.update(known)
    return bans, said


def _whole_act(ban: Segment, case: Case) -> bool:
    """Whether the claim has all that a ban names: `don't pack it away, we need it` bans no need."""
    return all(has_stem(k, case.stems) for k in ban.content.keys() - ban.marked if not k.startswith("="))


def _bans(reading: Reading, segment: Segment) -> bool:
    """Whether a segment forbids what it names, to all."""
    if reading.question or reading.has("hypothetical") or segment.kind != "main" or segment.has("lacking"):
        return False
    if "only" in reading.values("quantifier") or _but(segment):
        return False
    return not segment.has("stop") and not segment.has("soft")


def _subjects(case: Case, cue: Cue, segment: Segment) -> Iterator[str]:
    """The content words at both ends of what a word of leave is said of (`é permitido filmar`: behind it)."""
    before, behind = (
        [key for word, _ in forms(text, case.lang) if (key := content_stem(word, case.lang))]
        for text in (case.text[segment.first : cue.start], case.text[cue.end : segment.last])
    )
    after = case.text[cue.end : segment.last].split()
    if cue.value == "must" and behind and after[0].casefold() not in PREPOSITIONS:
        return  # `has to get a room` tells what else is to be done
    said = before or behind
    yield from dict.fromkeys((*said[-1:], *said[:1]))


def _refusal(case: Case, mine: _Sign, clause: Clause) -> Refusal:
    code = "negation_dropped" if mine.allows else "negation_added"
    message = case.source(clause.message).message.alias
    return Refusal(code=code, data={"cue": mine.cue, "clause": clause.text[:200], "message": message})


def _said(segment: Segment) -> _Sign | None:
    """What a segment of the claim says with a word of leave, `not forbidden` and `no … is forbidden` among them."""
    word = next((c for c in segment.of("polar") if c.value in _LEAVE), None)
    if word is None or segment.has("stop") or len({c.value for c in segment.of("polar") if c.value in _LEAVE}) > 1:
        return None
    forbids = word.value == "allow-"
    counted = any(c.start == word.start for c in segment.of("deny"))
    denied = segment.strength - len(segment.of("lacking")) + (forbids and not counted)
    allows = denied % 2 == 0
    if "only" in segment.values("quantifier") and (allows or not forbids):
        return None  # `only with a pass` forbids the rest
    return _Sign(allows, word.text)


def _words(mine: Segment) -> set[str]:
    marked = mine.marked | {k for c, stems in mine.wording.items() if c == "=allow" for k in stems}
    return words_of(mine) - marked


def _infinitive(whole: Reading, index: int) -> set[str]:
    """The words of the deed where it stands behind a comma (`es ist verboten, im Hof zu spielen`)."""
    after = whole.segments[index + 1] if whole.lang in _SPLIT and index + 1 < len(whole.segments) else None
    plain = after is not None and after.kind == "main" and not after.strength and not after.has("modal")
    return words_of(after) if after is not None and plain else set()


def _said_elsewhere(case: Case, mine: Segment, words: set[str], *, allows: bool) -> bool:
    """Whether any clause with a word of what is allowed gives such leave, or denies such a deed."""
    for _, _, reading in case.readings(MOST):
        for segment in reading.segments:
            gives = bool(segment.values("modal") & _GIVES) and not segment.strength
            said = gives if allows else segment.strength % 2 and not _but(segment)
            shared = sum(has_stem(w, segment.content.keys()) for w in words)
            if said and shared >= (min(LEAST, len(words)) if allows else 1):
                return True
            if allows and len(segment.of("lacking")) != len(mine.of("lacking")):
                return True
    return False


def _about(case: Case, words: set[str]) -> Iterator[tuple[int, Clause, Reading, Segment]]:
    """The segments of sources with most of what the claim allows: how many of its words, and where."""
    for _, clause, reading in case.readings(MOST):
        for segment in reading.segments:
            if segment.kind == "condition":
                continue
            shared = sum(has_stem(w, segment.content.keys()) for w in words)
            if shared >= LEAST and shared >= SHARE * len(words):
                yield shared, clause, reading, segment


def _given(reading: Reading, segment: Segment, claim: Reading) -> bool | None:
    """Whether a source's segment allows (True) or forbids (False) its matter; None where it does neither or in part."""
    if reading.question or reading.has("hypothetical") or reading.has("whether") or segment.kind != "main":
        return None
    if "only" in reading.values("quantifier") or segment.has("stop") or segment.has("past"):
        return None
    if _terms(reading) != _terms(claim):
        return None
    denied = segment.strength - len(segment.of("lacking"))
    if denied == 1 and _but(segment):
        return True  # `nobody outside the team may` leaves it to the team
    if denied == 1 and not any(s.values("modal") & _GIVES for s in reading.segments if s is not segment):
        return False
    gives = segment.values("modal") & _GIVES and "must" not in segment.values("modal")
    return True if gives and not any(s.strength for s in reading.segments) else None


def _but(segment: Segment) -> bool:
    """Whether it denies something of all but those it names (`nobody outside the team`)."""
    return any(c.text.casefold().split()[-1] in BEYOND for c in segment.of("negation"))


def _terms(reading: Reading) -> set[str]:
    """Under which terms something is said: conditions, and the ends of bounds."""
    found = {c.value for c in reading.cues if c.kind in ("comparator", "comparator_post") and c.value in WAY}
    found |= {"term" for v in reading.values("condition") & _TERMS}
    return found

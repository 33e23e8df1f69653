"""A denial that names its matter only by a pronoun, against a claim that affirms it. Pure.

`GC-7 only warns; it must not lock them` forbids that GC-7 locks anything: the denied verb stands in one clause, what it
is about in the one before it, so that neither clause alone has enough of a claim that GC-7 locks.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from bobctx.core.acts import negations
from bobctx.core.checking import DIRECTIVES, RESOLVES, Case, Refusal
from bobctx.core.denial import CONCORD, has_stem, words_of
from bobctx.core.function_words import ANYTHING, BACK, BACK_UNSPACED
from bobctx.core.language import UNKNOWN
from bobctx.core.lexemes import lexemes
from bobctx.core.lexicon import Cue
from bobctx.core.reading import WAY, Reading, Segment, read
from bobctx.core.sources import Clause, Source
from bobctx.core.text import content_stems

MOST: Final = 40
"""Clauses of one message that are read."""
BACKWARDS: Final = 2
"""Clauses before a pronoun in which its matter may stand, also the last ones of the message that is answered."""
BEHIND: Final = 2
"""Clauses, the naming one and those behind it, in which a pronoun may drop it."""
OWN: Final = 4
"""Words of its own that a denial with a pronoun may have."""
NAMED: Final = 2
"""Words of the claim from which a clause speaks of its matter; one name is enough too."""
_OPEN: Final = frozenset({"open_question", "failure"})
"""Types that tell what is not settled or did not come about."""
ANY_LETTERS: Final = 5
"""Letters by which a pronoun is known whose ending a stem has lost."""
_ANY: Final = tuple(sorted(w[:ANY_LETTERS] for w in ANYTHING))
_MAY: Final = frozenset({"may", "can", "optional"})
_TURNING: Final = ("negation", "deny", "stop", "soft", "contrast")
_TERMS: Final = frozenset({"unless", "until", "except", "if", "when", "before"})


def check(case: Case) -> Refusal | None:
    """The first denial with a pronoun whose verb the claim affirms of the same matter."""
    mine = read(case.text, case.lang)
    if case.lang == UNKNOWN or case.type in _OPEN or mine.question or mine.has("negation"):
        return None
    for source in case.cited:
        lang = case.lang_of(source)
        stems = source.clause_stems if lang == source.lang else ()
        for index, clause in enumerate(source.clauses[:MOST]):
            if stems and not any(has_stem(k, case.stems) for k in stems[index]):
                continue  # what it denies is no word of the claim: not worth reading
            for segment in read(clause.text, lang).segments:
                denial = _denial(segment, clause.text, lang)
                if denial is not None and _accuses(case, mine, Place(source, index, segment), denial):
                    data = {"cue": denial.cue, "clause": clause.text[:200], "message": source.message.alias}
                    return Refusal(code="negation_dropped", data=data)
    return None


class Place(NamedTuple):
    """Where a denial stands."""

    source: Source
    at: int
    segment: Segment

    @property
    def clause(self) -> Clause:
        """Its clause."""
        return self.source.clauses[self.at]


class Denial(NamedTuple):
    """A verb that is denied of something named before, and what else the denial says."""

    cue: str
    verbs: frozenset[str]
    own: frozenset[str]


def _denial(segment: Segment, text: str, lang: str) -> Denial | None:
    """What a segment with a pronoun denies (`don't set it to open`: `set`, with `open`)."""
    if segment.kind == "condition" or segment.has("hypothetical") or segment.inline:
        return None
    if segment.values("comparator") & WAY.keys():
        return None
    cues = segment.of("verbal")
    agreeing = 2 if lang in CONCORD else 1  # `ne le coupez pas`
    if cues and len(segment.of("negation")) <= agreeing:
        cue: Cue | None = cues[0]
        verbs = frozenset(h for h in segment.heads if not h.startswith("="))
    else:  # `don't skip`, which is to keep
        cue = next((c for c in segment.of("neutral") if negations(c.text.rpartition(" ")[0], lang)), None)
        verbs = content_stems(cue.text.rpartition(" ")[2], lang) if cue is not None else frozenset()
    if cue is None or not verbs:
        return None
    behind = text[cue.end : segment.last]
    if not verbs & content_stems(cue.text + behind, lang):
        behind = text[segment.first : segment.last]  # `schaltet ihn nicht ab`
    if _points(behind, lang):
        return Denial(cue.text, verbs, frozenset(w for w in content_stems(behind, lang) if not w.startswith(_ANY)))
    return None


def _points(text: str, lang: str) -> bool:
    """Whether a text has a pronoun for a thing named before, or for any thing at all."""
    spoken = {token.form for token in lexemes(text, lang)}
    return bool(spoken & BACK or spoken & ANYTHING) or any(word in text for word in BACK_UNSPACED)


def _accuses(case: Case, mine: Reading, place: Place, denial: Denial) -> bool:
    """Whether the claim affirms what is denied, says all that the denial says, and its matter stands before it."""
    words = denial.verbs | denial.own
    if len(words) > OWN or not all(has_stem(w, case.stems) for w in words):
        return False
    whole = read(place.clause.text, case.lang_of(place.source))
    if whole.question or whole.values("condition") & _TERMS or any(_turns(s, words) for s in mine.segments):
        return False
    matter = frozenset(w for w in case.stems if not has_stem(w, words))
    return _named(case, place, matter) and not _affirmed(case, place, denial.verbs, matter)


def _turns(segment: Segment, words: frozenset[str]) -> bool:
    """Whether a segment of the claim turns something around with another word than the denied one (`avoids it`)."""
    cues = [c for kind in _TURNING for c in segment.of(kind)]
    return any(not any(has_stem(w, words) for w in content_stems(c.text)) for c in cues)


def _named(case: Case, place: Place, matter: frozenset[str]) -> bool:
    """Whether what stands before the pronoun has a name of the claim, or two of its words."""
    spans = [(place.source, place.clause.start, place.clause.start + place.segment.first)]
    spans += [(place.source, c.start, c.end) for c in place.source.clauses[max(0, place.at - BACKWARDS) : place.at]]
    before = [s for s in case.cited if s.position < place.source.position]
    if place.at < BACKWARDS and before:
        spans += [(before[-1], c.start, c.end) for c in before[-1].clauses[-2 * BACKWARDS :]]
    names = [f for lit, found in zip(case.literals, case.found, strict=True) if not lit.measured for f in found]
    if any(f.message == s.position and first <= f.start < last for f in names for s, first, last in spans):
        return True
    said = frozenset().union(*(content_stems(s.text[first:last], case.lang_of(s)) for s, first, last in spans))
    return bool(matter) and len(matter & said) >= min(NAMED, len(matter))


def _affirmed(case: Case, place: Place, verbs: frozenset[str], matter: frozenset[str]) -> bool:
    """Whether the cited messages affirm the denied verb of the matter as well, or anyhow in a later message.

    What an assistant or a tool says before the user denies it, orders nothing.
    """
    ordered = case.type in DIRECTIVES | RESOLVES and place.source.message.role == "user"
    for source in case.cited:
        earlier = source.position < place.source.position
        if ordered and earlier and source.message.role != "user":
            continue
        later = source.position > place.source.position
        for clause in source.clauses[:MOST]:
            for segment in read(clause.text, case.lang_of(source)).segments:
                plain = segment is not place.segment and not segment.has("negation")
                said = segment.content.keys()
                if not plain or not any(has_stem(v, said) for v in verbs):
                    continue
                if later or (matter & said and not _of_another(case, source, clause)):
                    return True
    return False


def _of_another(case: Case, source: Source, clause: Clause) -> bool:
    """Whether a clause names something, and nothing that the claim names (`GC-8 locks accounts` to one of GC-7)."""
    names = [x for x in source.literals if clause.start <= x.start < clause.end and not x.measured]
    mine = {f.start for found in case.found for f in found if f.message == source.position}
    return bool(names) and not any(x.start in mine for x in names)


def dropped(case: Case, cue: str, clause: Clause) -> bool:
    """Whether what a clause names is dropped behind it by a pronoun (`the chrome one was his idea and we dropped it`).

    Then a claim may deny it, though not with what the clause itself says of it (`it was not his idea`).
    """
    source = case.source(clause.message)
    lang = case.lang_of(source)
    told = read(case.text, case.lang).segments
    mine = next((s for s in told if any(c.text == cue for c in s.cues)), None)
    denied = {h for h in mine.heads if not h.startswith("=")} if mine is not None and mine.has("verbal") else set()
    if mine is None or denied & content_stems(clause.text, lang):
        return False
    at = source.clause_at(clause.start)
    return any(
        _drops(case, segment, after.text, lang)
        and not any(s is not mine and s.strength % 2 and s.heads & segment.heads for s in told)
        and (after is clause or content_stems(after.text[: segment.first], lang) <= case.stems)  # else `it` is that
        for after in source.clauses[at : at + BEHIND]
        for segment in read(after.text, lang).segments
    )


def _drops(case: Case, segment: Segment, text: str, lang: str) -> bool:
    """Whether a segment stops or denies what a pronoun stands for, and names nothing that the claim has not."""
    said = text[segment.first : segment.last]
    if segment.kind != "main" or segment.values("modal") & _MAY or not _points(said, lang):
        return False  # `you are free to leave it off`
    if segment.has("hypothetical") or any(
        s.first > segment.first and s.kind == "main" for s in read(text, lang).segments
    ):
        return False  # `at first she said to avoid them, then …`
    ends = segment.strength % 2 == 1 or (segment.has("stop") and not segment.strength)
    return ends and all(has_stem(w, case.stems) for w in words_of(segment) - segment.marked)

"""Opposites that have changed places: `tenors stand left` of `altos stand left, tenors right`. Pure.

A sentence with two members of one set of opposites (left and right, red and blue, summer and winter) gives each to the
part it stands in. A claim with one of them and the words of the other one's part is refused; so is one that gives each
of two sides what is the other's, and one that has all of a statement and the other side of its verb.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import regex

from bobctx.core.checking import Case, Refusal
from bobctx.core.cuts import joined_or
from bobctx.core.excuses import converse
from bobctx.core.function_words import BEEN, STANDING
from bobctx.core.language import UNKNOWN
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.reading import Segment, read
from bobctx.core.slots import BOUNDARY, stemmed

_STOPS: Final = r"[;.。；]"
_CUT: Final = joined_or(_STOPS)
_ENDS: Final = regex.compile(_STOPS)
_COMMAS: Final = regex.compile(r"[,،，、]")
_PAIRS: Final = ("opposite", "polar")
"""Kinds of words that come in pairs: adjectives and times, verbs."""
_SIGNS: Final = "+-"
_FIGURE: Final = regex.compile(r"\d+")

MOST_READ: Final = 40
"""Clauses of a message that are read."""
MOST: Final = 12
"""Clauses that are looked at, those with most of the claim first."""


def check(case: Case) -> Refusal | None:
    """The first opposite of the claim that its sources give to something else, or have the other way round."""
    if case.lang == UNKNOWN:
        return None
    sides = list(dict.fromkeys(c.value for c in cues(case.text, case.lang, LOGIC, ("opposite",))))
    exchanged = _swapped(case, _single(sides)) if sides else None
    return _crossed(case) or exchanged or _other_side(case)


def _single(sides: Sequence[str]) -> list[str]:
    """The sides without another one of their concept: `moved from Monday to Thursday` is on neither."""
    concepts = Counter(side[:-1] for side in sides)
    return [side for side in sides if concepts[side[:-1]] == 1]


def _swapped(case: Case, mine: Sequence[str]) -> Refusal | None:
    """A claim on one side that has the subject of the other side's part; `mine` are its sides."""
    for _, clause in case.ranked[:MOST]:
        source = case.source(clause.message)
        sentence = source.sentence_at(clause.start)
        cue = _given_to_other(case, sentence.of(source.text), mine, source.lang) if sentence else ""
        if cue:
            return Refusal(
                code="antonym", data={"cue": cue, "clause": clause.text[:200], "message": source.message.alias}
            )
    return None


def _other_side(case: Case) -> Refusal | None:
    """`the merge succeeded` of `merge failed: no lock`: the claim has all of a statement, its opposite and no more."""
    if case.lang in ("zh", "ja"):
        return None  # a single sign may be part of another word
    whole = read(case.text, case.lang)
    sides = {c.value for c in whole.cues if c.kind == "polar"}
    mine = {
        c.value: c
        for s in whole.segments
        if not _turned_by(s)
        for c in s.of("polar")
        if _opposite(c.value) not in sides
    }
    if not mine or whole.question or whole.has("hypothetical") or whole.has("whether"):
        return None
    readings = list(case.readings(MOST))
    said = {c.value for *_, r in readings for c in r.cues if c.kind == "polar"}
    words = {k for s in whole.segments for k in s.content}
    for source, clause, reading in readings:
        if reading.question or reading.has("hypothetical"):
            continue
        for segment in reading.segments:
            for value in sorted((mine.keys() - said) & {_opposite(v) for v in segment.values("polar")}):
                own = segment.wording.get("=" + value[:-1], frozenset()) | {"=" + value[:-1]}
                rest = segment.content.keys() - own
                if rest and rest <= words and not _turned_by(segment) and not converse(case, mine[value].text, clause):
                    data = {"cue": mine[value].text, "clause": clause.text[:200], "message": source.message.alias}
                    return Refusal(code="antonym", data=data)
    return None


def _opposite(side: str) -> str:
    """The other side of a pair."""
    return side[:-1] + {"+": "-", "-": "+"}.get(side[-1], side[-1])


def _turned_by(segment: Segment) -> bool:
    """Whether anything beside a word of a pair turns a segment around."""
    pair = {c.start for c in segment.of("polar")}
    return segment.kind == "contrast" or any(
        c.start not in pair
        and c.text.casefold() not in BEEN
        and (c.kind in ("negation", "deny", "stop", "soft", "past") or c.value in ("unless", "only"))
        for c in segment.cues
    )


def _given_to_other(case: Case, sentence: str, mine: Sequence[str], lang: str) -> str:
    """The word of the claim's opposite, if the claim has the subject of its rival's part and not that of its own."""
    parts = [p for p in BOUNDARY.split(sentence) if p and p.strip()]
    if len(parts) < 2:
        return ""
    found = [(c, _subject(p, lang)) for p in parts for c in cues(p, lang, LOGIC, ("opposite",))]
    for value in mine:
        own = [(c, subject) for c, subject in found if c.value == value]
        rival = [subject for c, subject in found if c.value[:-1] == value[:-1] and c.value != value]
        if len(own) == len(rival) == 1 and own[0][1] not in case.stems and rival[0] in case.stems:
            if own[0][1] == _subject(own[0][0].text, lang):
                continue  # the side itself is what the part speaks of (`the return is with …`)
            return own[0][0].text
    return ""


def _subject(part: str, lang: str) -> str:
    """The first word of a part that carries meaning."""
    return next((key for _, key in stemmed(part, lang)), "")


def _crossed(case: Case) -> Refusal | None:
    """Whether a claim on both sides (`the old ones are XML, the new ones are text`) gives each what is the other's."""
    said = _parts(case.text, case.lang)
    parts = [(value, _words(p, case.lang)) for p in said for value in _sides(p, case.lang)] if len(said) > 1 else []
    for value, words in parts:
        for rival, others in parts:
            if rival == value or rival[:-1] != value[:-1]:
                continue
            own, other = _told(case, value), _told(case, rival)
            if (words - others) & (own - other) - _named(case, value):
                continue  # `12 old chairs and 40 new ones`: the figures are each their own
            if (words - others) & (other - own) and (others - words) & (own - other):
                cue = next(c.text for c in cues(case.text, case.lang, LOGIC, _PAIRS) if c.value == value)
                best = case.supports[0] if case.supports else None
                where = ("", "") if best is None else (best.text[:200], case.source(best.message).message.alias)
                return Refusal(code="antonym", data={"cue": cue, "clause": where[0], "message": where[1]})
    return None


def _parts(text: str, lang: str) -> list[str]:
    """The statements of a text, also those that an `and` joins."""
    return [p for p in _CUT.get(lang, _ENDS).split(text) if p and p.strip()]


def _told(case: Case, value: str) -> set[str]:
    """The words of the cited clauses with this side of an opposite, and not the other."""
    found: set[str] = set()
    for source in case.cited:
        for block in source.blocks[:MOST_READ]:
            for part in _parts(block.of(source.text), source.lang):
                one = value in _sides(part, source.lang)
                for piece in [part] if one else _COMMAS.split(part):  # `the new one Ubuntu, the old one Debian`
                    if value in _sides(piece, source.lang):
                        found |= _words(piece, source.lang)
    return found


def _sides(text: str, lang: str) -> list[str]:
    """The sides that a part names of an opposite of which it does not name the other."""
    found = {c.value for c in cues(text, lang, LOGIC, _PAIRS)}
    if any(v[-1] in _SIGNS for v in found) and cues(text, lang, LOGIC, ("negation",)):
        found = {c.value for c in cues(text, lang, LOGIC, ("opposite",))}  # `do not drop it` is on neither side
    return sorted(v for v in found if not any(o != v and o[:-1] == v[:-1] for o in found))


def _words(text: str, lang: str) -> set[str]:
    """Content words and figures, without pronouns that stand for the noun (`the new ones`)."""
    return ({key for _, key in stemmed(text, lang)} | set(_FIGURE.findall(text))) - STANDING


def _named(case: Case, value: str) -> set[str]:
    """The stems of the words that name a side, in the claim and its sources."""
    texts = [(case.text, case.lang), *((c.text, s.lang) for s in case.cited for c in s.clauses[:MOST_READ])]
    return {
        key
        for text, lang in texts
        for cue in cues(text, lang, LOGIC, _PAIRS)
        if cue.value == value
        for _, key in stemmed(cue.text, lang)
    }

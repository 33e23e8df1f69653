"""A denial that one side renders by a word which the other lacks (`is banned`, `instead of`, `unreachable`). Pure.

Aligned segments are compared by their cues; where claim and source put a denial in different verbs there is no pair
to compare. A claim that has a denying word which none of its sources has put it there for theirs: whatever
else may be wrong with it, it has not left the denial out. A bare `not` is no such word, since it can stand beside
anything (`don't forget to …`); a word that the sources have too is content of both (`without two signatures`).
The same holds the other way for a claim that denies by such a word itself (`is called off` of `we cancel it`).
Words of `data/rendering.json` excuse here and accuse nowhere. Source: design, section 6, Polarity.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from functools import cache
from importlib.resources import files
from typing import Final

import regex

from bobctx.core.checking import Case
from bobctx.core.lexicon import CHARACTER_LANGUAGES, Cue
from bobctx.core.negation import OPENS
from bobctx.core.patterns import pattern, patterns
from bobctx.core.reading import Reading, Segment, read
from bobctx.core.stemming import final_consonant
from bobctx.core.text import content_stem, content_stems, forms, words

_TABLE: Final = json.loads(files("bobctx.core").joinpath("data", "rendering.json").read_text(encoding="utf-8"))
_HAN: Final = regex.compile(r"\p{Han}")
_HANGUL: Final = regex.compile(r"[\uac00-\ud7a3]")
_KEEPING: Final = frozenset({"keep+", "stay+"})
_STAYS: Final = ("stay", "keep", "kept")
"""Words that stay may deny with (`stays out of it`): what is kept there renders no such denial."""
BEGUN: Final = 5
"""Letters in common from which two words are forms of one."""
_APART: Final = frozenset({"contrast", "quantifier"})
"""Kinds of words that set apart or limit (`instead of`, `only`) and deny nothing by themselves."""
KOREAN: Final = 2
"""Syllables with which a Korean word begins in each of its forms."""
_LEAVE: Final = frozenset({"may", "can"})
_DENYING: Final = frozenset({"deny", "stop", "soft"})
_REQUIRES: Final = pattern("requires")
"""What says that one thing takes another (`selling it requires a prescription`)."""
_FIRST: Final = patterns("first")
"""What puts one thing before another (`has to be seen first` of `nothing goes out before …`)."""
_TERMS: Final = frozenset({"unless", "until", "before"})
LACKS: Final = 14
"""Code points before a thing in which a word says that it is not there."""
FEW: Final = 4
"""Clauses with most of the claim's words whose denial may be the term that the claim requires."""


def rendered(case: Case, cue: str = "", clause: str = "") -> bool:
    """Whether the claim has a denying word that stands in none of its sources.

    Where the words that `cue` denies in a `clause` stand in one part of the claim, such a word of another part denies
    something else (`it stays off because legal has signed off` of `off, legal has not signed off`).
    """
    whole = read(case.text, case.lang)
    theirs = read(clause, _lang_of(case, clause)).segments if clause else ()
    if _beside(case, whole, [s for s in theirs if any(c.text == cue for c in s.cues)]) or _has_it(
        case, whole, theirs, clause
    ):
        return False
    if "except" in whole.values("condition"):
        return False  # `banned, except in the garden` of `not even in the garden`
    signs = case.lang in CHARACTER_LANGUAGES
    kept = {c.start for s in whole.segments for c in s.cues if c.value in _KEEPING}
    keeping = kept and any(c.text.lower().startswith(_STAYS) for *_, r in case.readings(FEW) for c in r.cues)
    leaves = [s for s in whole.segments if "allow+" in s.values("polar") and not s.strength]
    for segment in leaves or whole.segments:
        own = [
            c.text
            for c in segment.cues
            if _denies(c, segment) and not (c.start in kept and keeping) and not _opens(c, segment)
        ]
        if any(not _said(w, case) and not (signs and _shares_sign(w, case)) for w in own):
            return True
    low, rendering = case.text.lower(), _rendering(case.lang)
    spans = [(s.first, s.last) for s in leaves] or [(0, len(low))]  # what is allowed is not denied by another part
    told = (m.group() for first, last in spans for m in rendering.finditer(low, first, last))
    if any(not _said(w, case) for w in told if not (keeping and w.startswith(_STAYS))):
        return True
    return orders(case)


def orders(case: Case) -> bool:
    """Whether the claim puts first, by a word of its own, what its sources wait for (`has to be seen first`)."""
    first = (m.group() for m in _FIRST[case.lang].finditer(case.text)) if case.lang in _FIRST else ()
    ordered = _REQUIRES.search(case.text) is not None or any(not _said(w, case) for w in first)
    return ordered and any(
        r.values("condition") & _TERMS or "before" in r.values("comparator") for *_, r in case.readings(FEW)
    )


def _beside(case: Case, whole: Reading, theirs: Collection[Segment]) -> bool:
    """Whether what these segments deny stands in a part of the claim that has no denying word."""
    if case.lang in CHARACTER_LANGUAGES or "only" in whole.values("quantifier"):
        return False
    denied = {h for s in theirs for h in s.heads if not h.startswith("=")}
    said = {k for s in theirs for k in s.content} if not denied else set()
    parts = [
        s
        for s in whole.segments[1:]
        if (denied & s.content.keys() and (s.has("reason") or (s.kind == "main" and s.values("modal") & _LEAVE)))
        or (s.has("reason") and s.content and s.content.keys() <= said)
    ]
    low, rendering = case.text.lower(), _rendering(case.lang)
    return bool(parts) and not any(
        s.strength or any(_denies(c, s) for c in s.cues) or rendering.search(low, s.first, s.last) for s in parts
    )


def _lang_of(case: Case, clause: str) -> str:
    """The language of the source that a clause, or its beginning, stands in."""
    return next((case.lang_of(s) for s in case.cited if clause in s.text), case.lang)


def _has_it(case: Case, whole: Reading, theirs: Collection[Segment], clause: str) -> bool:
    """Whether a claim bans with a thing (`no keys with a pass`) what the segments of a clause ban without it."""
    if whole.has("lacking") or whole.has("reserved") or "only" in whole.values("quantifier") or whole.has("condition"):
        return False
    if sum(s.strength for s in whole.segments) != 1 or whole.values("modal") & {"must", "optional"}:
        return False
    for segment in theirs:
        for cue in segment.of("lacking") if segment.strength > 1 else ():
            thing = content_stems(clause[cue.end : segment.last], case.lang)
            if thing and thing <= case.stems and not _lacks(case, thing):
                return True
    return False


def _lacks(case: Case, thing: Collection[str]) -> bool:
    """Whether the claim says right before it, in a word of its own, that a thing is not there (`that lack it`)."""
    start = next((at for word, at in forms(case.text, case.lang) if content_stem(word, case.lang) in thing), 0)
    return any(True for _ in denying_words(case.text[max(0, start - LACKS) : start], case.lang))


def keeps(case: Case) -> bool:
    """Whether the claim forbids or keeps something by a word of its own, and sets nothing against another thing."""
    claim = read(case.text, case.lang)
    own = (c for s in claim.segments for c in s.cues if c.kind in ("deny", "soft"))
    apart = claim.has("contrast") or "except" in claim.values("condition")
    return not apart and any(not _said(c.text, case) for c in own)


def renders(case: Case, cue: str, clause: str, lang: str) -> bool:
    """Whether the claim denies by `cue`, a word of its own, what the clause denies by another one.

    A bare `not` denies a word of its own (`did not complete` of `was interrupted`), or it is none of these.
    """
    claim = read(case.text, case.lang)
    if any(c.kind == "negation" and c.text == cue for c in claim.cues):
        denied = {h for s in claim.segments if s.strength % 2 for h in s.heads if not h.startswith("=")}
        if not denied or lang in CHARACTER_LANGUAGES or denied & content_stems(clause, lang):
            return False
    mine, low = case.stems, case.text.lower()
    words = denying_words(clause, lang)
    return any(w.lower() not in low and not content_stems(w, lang) <= mine for w in words)


def _opens(kept: Cue, segment: Segment) -> bool:
    """Whether a word keeps what lies open (`remains open`)."""
    return kept.kind == "soft" and any(c.value in OPENS and 0 < c.start - kept.end <= 1 for c in segment.cues)


def denying_words(text: str, lang: str) -> Iterator[str]:
    """The words of a text that deny, end, keep out or leave as it is."""
    sound: list[Cue] = []
    for segment in read(text, lang).segments:
        yield from (c.text for c in segment.cues if _denies(c, segment))
        sound += [c for c in segment.cues if c.value in OPENS]
    for match in _rendering(lang).finditer(text.lower()):
        if not any(c.start <= match.start() < c.end for c in sound):
            yield match.group()


def _denies(cue: Cue, segment: Segment) -> bool:
    """Whether it denies what is stated; not in a condition, nor by setting one thing against another."""
    same = [c for c in segment.cues if c.start == cue.start]
    if segment.kind == "condition" or any(c.kind in _APART for c in same):
        return False
    if any(c.value in OPENS for c in same):
        return False
    return cue.kind in _DENYING or (cue.kind == "polar" and cue.value.endswith("-"))


@cache
def _rendering(lang: str) -> regex.Pattern[str]:
    """The words of a language that may stand for a denial."""
    words = f"(?:{_TABLE.get(lang, '(?!)')})"
    if lang in CHARACTER_LANGUAGES:  # Korean words stand apart (`제한` is no part of `삭제한다`)
        return regex.compile(rf"(?<!\p{{Hangul}}){words}" if lang == "ko" else words)
    return regex.compile(rf"(?<!\p{{L}}){words}\p{{L}}*+")


def _shares_sign(word: str, case: Case) -> bool:
    """Whether a source has a sign of the word: it may be another form of one of its own (`关`, `关掉`)."""
    if case.lang != "ko":
        return any(sign in source.text for sign in _HAN.findall(word) for source in case.cited)
    begun = _open_syllables(word[:KOREAN])
    return any(begun in _open_syllables(source.text) for source in case.cited)


def _open_syllables(text: str) -> str:
    """Korean syllables without their final consonants, where endings begin (`버린다` and `버리지` are of one verb)."""
    return _HANGUL.sub(lambda m: chr(ord(m.group()) - final_consonant(m.group())), text)


def _said(word: str, case: Case) -> bool:
    """Whether a source has the word, in this form or another, where it speaks of something else of the claim too."""
    low = word.lower()
    pieces = [(w.text, content_stem(w.text, case.lang)) for w in words(word, case.lang)]
    begun = low[:BEGUN] if case.lang not in CHARACTER_LANGUAGES and len(low) > BEGUN and " " not in low else low
    beside = case.stems - {stem for _, stem in pieces if stem}
    for s in case.cited:
        if begun not in s.lower and not (
            pieces and all(stem in s.clauses_with if stem else w in s.lower for w, stem in pieces)
        ):
            continue
        if case.lang in CHARACTER_LANGUAGES or any(
            beside & (stems | before)
            for clause, stems, before in zip(s.clauses, s.clause_stems, (frozenset(), *s.clause_stems), strict=False)
            if begun in s.lower[clause.start : clause.end] or any(stem in stems for _, stem in pieces)
        ):
            return True
    return False

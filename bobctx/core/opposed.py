"""A thing that a claim gives one side of an opposite, and its sources the other one. Pure.

`polarity` compares segments that fit as a whole. Here only the word right beside an opposite is asked: `comments are
open` of `comments stay closed`, `phones are allowed` of `calculators are allowed, phones are forbidden`. Where every
clause that puts the word beside the pair has the other side, and none denies it, the claim turns them around.
Source: design, section 6, Polarity.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import regex

from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import has_stem, zero
from bobctx.core.excuses import excused
from bobctx.core.lexicon import CHARACTER_LANGUAGES, Cue
from bobctx.core.polarity import Mismatch
from bobctx.core.reading import Reading, Segment, read
from bobctx.core.sources import Clause, Source
from bobctx.core.support import own_words
from bobctx.core.text import content_stem, content_stems, words

FEW: Final = 14
"""Clauses of all cited messages up to which a pair named nowhere else is asked of the whole sentence."""
LEAST: Final = 2
"""Words of the claim beside the opposite that the sentence must have, or signs."""
MOSTLY: Final = 0.7
"""And this share of them."""
MOST: Final = 24
"""Clauses with a word of the claim that are read."""
REACH: Final = 24
"""Code points between a word and the opposite that stands beside it."""
_HAN: Final = regex.compile(r"[\p{Han}\p{Katakana}\p{Nd}]")
_KINDS: Final = ("polar", "opposite")
_SIGNS: Final = "+-"
_PAIRS: Final = frozenset({"open", "allow", "keep", "win", "accept", "enable", "lock", "free", "required", "public"})
"""Opposites whose words say it of the thing beside them, whatever else a sentence tells."""


def check(case: Case) -> Refusal | None:
    """The first opposite of the claim whose other side its sources give to the word beside it, or to its matter."""
    whole = read(case.text, case.lang)
    if whole.question or whole.has("past") or whole.has("hypothetical"):
        return None
    return _of_word(case, whole) or _of_matter(case, whole) or _of_noun(case, whole)


def _refusal(cue: Cue, source: Source, clause: Clause) -> Refusal:
    data = {"cue": cue.text, "clause": clause.text[:200], "message": source.message.alias}
    return Refusal(code="antonym", data=data)


def _of_noun(case: Case, whole: Reading) -> Refusal | None:
    """A thing named by the other side of a pair (`the private API` of `the public API`), which no source has."""
    if case.lang in CHARACTER_LANGUAGES:
        return None
    if any(s.strength for s in whole.segments):
        return None
    for cue in (c for s in whole.segments for c in s.cues if c.kind in _KINDS and c.value[-1] in _SIGNS):
        noun = _behind(case.text, cue, case.lang)
        if not noun or len({c.value for c in whole.cues if c.value[:-1] == cue.value[:-1]}) > 1:
            continue  # it tells both
        if any(has_stem(k, s.clauses_with) for k in content_stems(cue.text, case.lang) for s in case.cited):
            continue
        found: Refusal | None = None
        for source, clause, reading in case.readings(MOST):
            sides = [c for c in reading.cues if c.kind == cue.kind and c.value[:-1] == cue.value[:-1]]
            if any(c.value == cue.value for c in sides) or (sides and any(s.strength for s in reading.segments)):
                found = None
                break
            if any(_behind(clause.text, c, reading.lang) == noun for c in sides):
                found = found or _refusal(cue, source, clause)
        if found is not None:
            return found
    return None


def _behind(text: str, cue: Cue, lang: str) -> str:
    """The word right behind another one, if it carries meaning."""
    after = next(iter(words(text[cue.end : cue.end + REACH], lang)), None)
    near = after is not None and not text[cue.end : cue.end + after.start].strip(" -")
    return content_stem(after.text, lang) if after is not None and near else ""


def _of_word(case: Case, whole: Reading) -> Refusal | None:
    if case.lang in CHARACTER_LANGUAGES:
        return None
    for segment in whole.segments:
        if segment.has("negation") or segment.kind == "contrast":
            continue
        for cue in _opposites(segment):
            if len({c.value for c in _all_of(whole, cue)}) > 1:
                continue  # `the windows open at 11 and close at 8`: it tells both
            beside = _beside(case.text, cue, whole)
            found = _other_side(case, cue, beside) if beside else None
            if found is not None:
                return _refusal(cue, *found)
    return None


def _of_matter(case: Case, whole: Reading) -> Refusal | None:
    """A pair that few clauses have on the other side only, in a sentence with what the claim says of it.

    `she finds the flat noisy` of `she loves the new flat, she finds it quiet`.
    """
    if case.clause_count > FEW or any(s.strength and not s.has("deny") for s in whole.segments):
        return None
    if any(s.has("negation") or s.kind != "main" for s in whole.segments):
        return None
    for cue in (c for s in whole.segments for c in s.cues if c.kind in _KINDS and c.value[-1] in _SIGNS):
        if len({c.value for c in whole.cues if c.kind == cue.kind and c.value[:-1] == cue.value[:-1]}) > 1:
            continue
        found = _only_other(case, cue)
        if found is None or _denied(case, found):
            continue
        if _same_matter(case, cue, found) and not _excused(case, cue, found[1]):
            return _refusal(cue, *found)
    return None


def _denied(case: Case, found: tuple[Source, Clause]) -> bool:
    """Whether the other side is told of nothing (`0 failing`), or of one alone (`in the bowls and nowhere else`)."""
    source, clause = found
    reading = read(clause.text, case.lang_of(source))
    return zero(clause.text) or any(s.strength for s in reading.segments) or "only" in reading.values("quantifier")


def _excused(case: Case, cue: Cue, clause: Clause) -> bool:
    """Whether something takes it back (`Lena is older than Tom` of `Tom is younger than Lena`)."""
    return excused(case, Mismatch(code="antonym", cue=cue.text, clause=0), clause)


def _only_other(case: Case, cue: Cue) -> tuple[Source, Clause] | None:
    """The clause with the other side of a pair, if no clause has this one and none with it denies anything."""
    found: tuple[Source, Clause] | None = None
    for source in case.cited:
        for clause in source.clauses:
            reading = read(clause.text, case.lang_of(source))
            mine = [c for c in reading.cues if c.kind == cue.kind and c.value[:-1] == cue.value[:-1]]
            ends = any(b.way == "upper" for b in reading.bounds)  # `closed until noon`: it opens at noon
            if mine and (
                ends or reading.lang != case.lang or _turns(reading) or any(c.value == cue.value for c in mine)
            ):
                return None
            found = found or ((source, clause) if mine else None)
    return found


def _same_matter(case: Case, cue: Cue, found: tuple[Source, Clause]) -> bool:
    """Whether the sentence of a clause has most of what the claim says beside its opposite."""
    source, clause = found
    sentence = source.sentence_at(clause.start)
    text = sentence.of(source.text) if sentence is not None else clause.text
    rest = f"{case.text[: cue.start]} {case.text[cue.end :]}"
    if case.lang in ("zh", "ja"):
        signs = set(_HAN.findall(rest))
        return len(signs & set(text)) >= max(LEAST, MOSTLY * len(signs))
    mine = set(own_words(case)) - content_stems(cue.text, case.lang)
    theirs = content_stems(text, case.lang)
    return sum(has_stem(w, theirs) for w in mine) >= max(LEAST, MOSTLY * len(mine))


def _opposites(segment: Segment) -> Iterator[Cue]:
    return (c for c in segment.cues if c.kind == "polar" and c.value[:-1] in _PAIRS)


def _beside(text: str, cue: Cue, reading: Reading) -> str:
    """The content word before an opposite, with no mark or other content word between but one that keeps (`stays`)."""
    kept = [(c.start, c.end) for c in reading.cues if c.kind in ("soft", "now", "modal")]
    start, lang = max(0, cue.start - REACH), reading.lang
    lead = text[start : cue.start]
    cut = max(lead.rfind(mark) for mark in ",;:()") + 1
    start += cut
    spoken = [w for w in words(lead[cut:], lang) if not any(a <= start + w.start < b for a, b in kept)]
    stems = [content_stem(w.text, lang) for w in spoken]
    return next((s for s in reversed(stems) if s), "")


def _other_side(case: Case, cue: Cue, beside: str) -> tuple[Source, Clause] | None:
    found: tuple[Source, Clause] | None = None
    for source, clause, reading in case.readings(MOST):
        mine = [c for c in _all_of(reading, cue) if _beside(clause.text, c, reading) == beside]
        if any(c.value == cue.value for c in mine) or (
            mine and (_turns(reading) or _goes_on(clause.text, cue, reading))
        ):
            return None
        found = found or ((source, clause) if mine else None)
    return found


def _goes_on(text: str, cue: Cue, reading: Reading) -> bool:
    """Whether the claim's side stands there too, without a subject of its own (`they open at 11 and close at 8`)."""
    besides = [_beside(text, c, reading) for c in _all_of(reading, cue) if c.value == cue.value]
    return any(not b or b[:1].isnumeric() for b in besides)


def _all_of(reading: Reading, cue: Cue) -> list[Cue]:
    return [c for s in reading.segments for c in s.cues if c.kind == "polar" and c.value[:-1] == cue.value[:-1]]


def _turns(reading: Reading) -> bool:
    """Whether a clause denies, asks, supposes or waives anything."""
    if reading.question or reading.has("hypothetical") or "optional" in reading.values("modal"):
        return True
    return any(s.has("negation") or s.kind in ("condition", "contrast") for s in reading.segments)

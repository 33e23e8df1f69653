"""A number put to a noun that its sources give another number: `15 sets` of `3 sets … 15 minutes`, `hive 30`. Pure.

Where a noun stands right behind or right before a number in the claim, and in the cited messages with another one
only, the claim's number must not be that of something else there: have a unit, a noun, a key or a label of its own
(design, section 6, Binding).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import regex

from bobctx.core import change
from bobctx.core.checking import Case
from bobctx.core.cuts import JOINERS
from bobctx.core.language import is_stop_word
from bobctx.core.literals import Literal
from bobctx.core.slots import Slot
from bobctx.core.sources import Found, Source
from bobctx.core.text import content_stem, content_stems, folded

UNSPACED: Final = frozenset({"zh", "ja", "ko"})
"""Languages in which what is counted is not the next word."""
MOST: Final = 60
"""Values with the noun that are looked at."""
RUN: Final = 6
"""Code points between two numbers of a list (`lanes 3, 4 and 6`)."""
_WORDS: Final = regex.compile(r"[^\s\p{P}\p{S}]++")
_BEHIND: Final = regex.compile(r"[ -](?P<word>\p{L}{2,}+)(?![.@/_]\p{L})")
_BEFORE: Final = regex.compile(r"(?<![\p{L}\p{Nd}_.-])(?P<word>\p{L}{2,30}+)[ ]\#?$")
_NUMBERING: Final = frozenset({"id", "no", "nr", "num", "number", "nummer", "index", "seq", "row", "line"})
"""Keys whose value may be the mark of anything."""


def rival(case: Case, literal: Literal, places: Sequence[Found]) -> str | None:
    """The number that the sources give to the claim's noun, where the claim's is that of something else."""
    if literal.kind != "number" or literal.unit is not None or literal.text.isalpha() or case.lang in UNSPACED:
        return None
    for behind in (True, False):
        noun = _noun(case.text, literal, case.lang, behind=behind)
        if not noun or any(_with(case, p, noun, behind=behind) for p in places):
            continue
        for source in case.cited:
            mate = _counts(case, source, noun, behind=behind)
            if mate is not None and all(
                _of_other(case, p, literal, noun) and not _instead(case, p, mate) for p in places
            ):
                return f"{mate.literal.text} {noun}" if behind else f"{noun} {mate.literal.text}"
    return None


def _noun(text: str, literal: Literal, lang: str, *, behind: bool) -> str:
    """The stem of the content word right behind or right before a number."""
    if behind:
        match = _BEHIND.match(text, literal.end)
    else:
        match = _BEFORE.search(text, max(0, literal.start - 34), literal.start)
    word = folded(match["word"]) if match else ""
    if not word or is_stop_word(word, lang) or change.former_before(word, lang) or change.marks_change(word, lang):
        return ""  # `28 instead of 31`
    return content_stem(word, lang) or ""


def _with(case: Case, place: Found, noun: str, *, behind: bool) -> bool:
    """Whether a noun is among the words of a place; one that is counted there (`14 episodes`) has no mark."""
    source = case.source(place.message)
    slot = source.slot_of(place)
    if slot is None or noun not in slot.keys:
        return False
    return behind or _noun(source.text, slot.literal, source.lang, behind=True) != noun


def _counts(case: Case, source: Source, noun: str, *, behind: bool) -> Slot | None:
    """A number of the source right beside the noun that the claim does not have."""
    for slot in source.by_term.get(noun, ())[:MOST]:
        other = slot.literal
        if other.kind != "number" or other.unit is not None or any(other.offers & k.needs for k in case.literals):
            continue
        keyed = behind and slot.structured and slot.terms[-1].key == noun  # `pages: 6`
        if keyed or _noun(source.text, other, source.lang, behind=behind) == noun:
            return slot
    return None


def _of_other(case: Case, place: Found, literal: Literal, noun: str) -> bool:
    """Whether a number stands there for something of its own that the claim does not name."""
    source = case.source(place.message)
    slot = source.slot_of(place)
    if slot is None or slot.row or place.literal is None or _in_run(source, slot):
        return False
    if slot.structured and slot.terms:
        key = slot.terms[-1].key
        return key not in case.stems and key not in _NUMBERING and not slot.keys & case.stems
    if slot.literal.unit is not None:
        return True
    beside = [_noun(source.text, slot.literal, source.lang, behind=behind) for behind in (True, False)]
    if noun in source.block_terms.get(slot.block, frozenset()):
        listed = source.message.role == "tool" and beside[0] and beside[0] not in _said_behind(case, literal)
        return bool(listed)  # `1 failed, 6 passed`, but not `we own 40 chairs, 15 broke`
    named = {_noun(case.text, k, case.lang, behind=False) for k in case.literals if k is not literal}
    return any(beside) and not (beside[0] in case.stems or (beside[1] in case.stems and beside[1] not in named))


def _instead(case: Case, place: Found, mate: Slot) -> bool:
    """Whether the sentence of a number names the other one before it (`5,000 is too big, take 2,000`)."""
    source = case.source(place.message)
    sentence = source.sentence_at(place.start)
    if sentence is None or source.message.role != "user":
        return False
    named = mate.literal.offers
    before = [x for x in source.literals if sentence.start <= x.start < place.start and x.offers & named]
    return any(change.in_excess(source.text[x.end : place.start], source.lang) for x in before)


def _said_behind(case: Case, literal: Literal) -> frozenset[str]:
    """The words of the claim behind a number, up to the next one."""
    end = min((k.start for k in case.literals if k.start >= literal.end), default=len(case.text))
    return content_stems(case.text[literal.end : end], case.lang)


def _in_run(source: Source, slot: Slot) -> bool:
    """Whether another number stands right beside one: what belongs to the first may belong to all."""
    index = source.slot_index[slot.literal.start]
    near = [s.literal for s in source.slots[max(0, index - 1) : index + 2] if s is not slot]
    for other in near:
        first, second = sorted((slot.literal, other), key=lambda x: x.start)
        between = source.text[first.end : second.start] if second.start - first.end <= RUN else "?"
        words = _WORDS.findall(between.casefold())
        if "?" not in between and JOINERS.issuperset(words) and other.unit is slot.literal.unit is None:
            return True
    return False

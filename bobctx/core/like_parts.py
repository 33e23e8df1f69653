"""The parts of a sentence that say plainly what goes with what, each with its units and function words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import regex

from bobctx.core import change
from bobctx.core.acts import questions
from bobctx.core.cuts import JOINED, joined_or
from bobctx.core.function_words import BECAUSE, BEEN, LATTER, OBJECTS, PRONOUNS, THIRD
from bobctx.core.language import is_stop_word
from bobctx.core.lexicon import LOGIC, cues
from bobctx.core.limits import SCALES
from bobctx.core.part_units import Unit, units
from bobctx.core.patterns import pattern
from bobctx.core.text import forms

MOST_PARTS: Final = 8
"""Parts of one sentence that are compared with each other."""
LONG: Final = 7
"""Units of a part that does more than give one thing to one."""
_TURNING: Final = ("negation", "deny", "condition", "hypothetical", "contrast")
"""Cues of a part or claim that says more than who or what goes with what."""
_TIMES: Final = frozenset({"at", "including"})
"""Values of conditions that are none here (`nach Weimar`)."""
_COMMAS: Final = r"(?:[,;،；，、\n](?!(?<=\d.)\d))"
CUT: Final = joined_or(_COMMAS) | {
    "ar": regex.compile(_COMMAS + r"|(?<=\s)و(?=\p{Arabic})"),
    "ja": regex.compile(_COMMAS),
    "zh": regex.compile(_COMMAS + "|而"),
    "ko": regex.compile(_COMMAS + "|그리고"),
}
_RELATIVE: Final = pattern("relative")
_SIGNS: Final = " ,،、;；"
_LEAD: Final = regex.compile(r"^[^:,;]{1,60}:\s")
"""What the parts of a sentence are about (`For the picnic: …`)."""
_HALVES: Final = regex.compile(r"[;；]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a sentence: its units and the function words in it."""

    text: str
    units: Sequence[Unit]
    frame: frozenset[str]
    """Function words that are no determiners."""
    first: str
    """The word it begins with."""
    tells: bool
    """Whether it says plainly, in few words and by itself what goes with what."""
    past: bool
    """Whether it tells of what was."""
    refers: bool
    """Whether it has a pronoun for something named before."""


def plain(text: str, lang: str) -> bool:
    """Whether a text says something without a denial, condition, doubt, bound or question."""
    found = cues(text, lang, LOGIC, (*_TURNING, "comparator"))
    return not questions(text, lang) and all(
        (c.kind == "comparator" and c.value not in SCALES) or (c.kind == "condition" and c.value in _TIMES)
        for c in found
    )


def parts(text: str, lang: str) -> list[Part]:
    """The parts of a sentence in order; none where it tells of a change."""
    if lang not in CUT or not (CUT[lang].search(text) or _HALVES.search(text)):
        return []  # it is one part
    if questions(text, lang) or change.marks_change(text, lang) or change.marks_former(text, lang):
        return []  # what held and what holds now are of one thing
    text = _LEAD.sub("", text) if text.count(":") == 1 else text
    cut = _HALVES if _HALVES.search(text) else CUT[lang]  # `my daughter studies law; my son, biology`
    cuts = [0, *(m.start() for m in cut.finditer(text)), len(text)]
    found = [text[a:b] for a, b in pairwise(cuts)][:MOST_PARTS]
    return [_part(p, lang, last=i == len(found) - 1) for i, p in enumerate(found)]


def _depends(text: str, words: Sequence[str], lang: str) -> bool:
    """Whether a part is a clause of the one before it (`…, which is set to 4 degrees`), no like of it."""
    if not words or words[0] in BECAUSE - OBJECTS:
        return True
    if lang == "de" and words[0] in OBJECTS and not is_stop_word(words[-1], lang):
        return False  # an article; a relative clause has its verb last
    return _RELATIVE.match(text.lstrip(_SIGNS)) is not None


def _part(text: str, lang: str, *, last: bool) -> Part:
    words = [form for form, _ in forms(text, lang)]
    if len(words) > 1 and words[0] in JOINED.get(lang, ()):
        text, words = text[text.casefold().find(words[0]) + len(words[0]) :], words[1:]
    frame = frozenset(w for w in words if is_stop_word(w, lang)) - OBJECTS - PRONOUNS - JOINED.get(lang, frozenset())
    found = units(text, lang, last=last)
    few = lang == "zh" or len(found) <= LONG
    return Part(
        text=text,
        units=found,
        frame=frame,
        first=words[0] if words else "",
        tells=few and plain(text, lang) and not _depends(text, words, lang),
        past=not BEEN.isdisjoint(words),
        refers=not (THIRD | LATTER).isdisjoint(words) or (lang == "zh" and not THIRD.isdisjoint(text)),
    )

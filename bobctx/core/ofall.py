"""How many of how many a text speaks of: `three of the five`, `3 von 5`, `五个中的三个`. Pure."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import regex

from bobctx.core.measures import cjk_number, number_words

REACH: Final = 30
"""Code points from one of the two numbers to the other."""
_DIGITS: Final = "0-9〇零一二两兩三四五六七八九十百"
_NUMBER: Final = regex.compile(r"(?<![\p{L}\d.,:])(?:\d{1,6}|\p{L}{2,14})(?![\p{L}\d]|[.,:]\d)")
_OF: Final = regex.compile(
    r"(?:(?:\s\p{L}{2,20})?\s(?:out\sof|sur|su|von\sinsgesamt|из|op)|\s?+(?:of|/|von|der|aus|parmi|des|de|entre|dei|degli|delle|fra|tra|dos|das|van|من|من\sأصل|من\sبين))"
    r"(?:\s(?:the|all|these|those|our|my|den|diesen|unseren|les|ces|nos|las|los|estos|nuestros|le|i|gli|queste|nostre|de|deze"
    r"|onze|этих|наших|всех|أصل|بين)){0,2}\s?+",
    regex.IGNORECASE,
)
_WHOLE_FIRST: Final = regex.compile(
    rf"(?P<whole>[{_DIGITS}]{{1,6}})[\p{{Han}}つ]{{0,4}}?(?:里面?|之?中|のうち|のなか)[\p{{Han}}、，]{{0,4}}?的?(?P<part>[{_DIGITS}]{{1,6}})"
)
_KOREAN: Final = regex.compile(
    r"(?P<whole>\d{1,6}|\p{Hangul}{1,3})\s?\p{Hangul}{0,2}\s?(?:중에서|중에|중|가운데)\s?(?P<part>\d{1,6}|\p{Hangul}{1,3}?)(?=\s|개|명|건|곳|$)"
)

_ONE: Final = frozenset(
    {
        "one",
        "eine",
        "einer",
        "eines",
        "eins",
        "un",
        "une",
        "uno",
        "una",
        "um",
        "uma",
        "één",
        "один",
        "одна",
        "한",
        "واحد",
    }
)


def part_of_all(text: str, lang: str) -> bool:
    """Whether a text counts less than all of something."""
    if lang in ("zh", "ja"):
        pairs = ((_han(m["part"]), _han(m["whole"])) for m in _WHOLE_FIRST.finditer(text))
    elif lang == "ko":
        pairs = ((_value(m["part"], lang), _value(m["whole"], lang)) for m in _KOREAN.finditer(text))
    else:
        found = [m for m in _NUMBER.finditer(text) if _value(m.group(), lang)]
        pairs = (
            (_value(a.group(), lang), _value(b.group(), lang))
            for a, b in pairwise(found)
            if b.start() - a.end() <= REACH and _OF.fullmatch(text, a.end(), b.start())
        )
    return any(part and whole and part < whole for part, whole in pairs)


def _han(text: str) -> int | None:
    return int(text) if text.isascii() else cjk_number(text)


def _value(text: str, lang: str) -> int | None:
    if text.isdigit():
        return int(text)
    word = text.casefold()
    known = number_words(lang)
    return known.get(word) or known.get(word.removeprefix("ال")) or (1 if word in _ONE else None)

"""Folding text to plain forms with a map back to the original's code points. Pure.

Case, compatibility forms, quotes, dashes and spaces are made plain; invisible characters, Arabic vowel signs and
tatweel go. Every offset can be led back (design, section 6).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

_APOSTROPHES = "\u2018\u2019\u201a\u201b\u02bc\uff07\u00b4"
_QUOTES = "\u201c\u201d\u201e\u201f\u00ab\u00bb"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_SPACES = "\u00a0\u2007\u2009\u202f\u3000"
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u0640"
_VOWEL_SIGNS = "".join(chr(c) for c in (*range(0x064B, 0x0653), 0x0670))
_SAME = {
    **dict.fromkeys(_APOSTROPHES, "'"),
    **dict.fromkeys(_QUOTES, '"'),
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys(_SPACES, " "),
    **dict.fromkeys(_INVISIBLE + _VOWEL_SIGNS, ""),
    "\u0451": "\u0435",  # Cyrillic io is written as ie as often as not
    "\u0401": "\u0435",
    "\u2026": "...",
}


class Span(NamedTuple):
    """Half-open range of code points in the original text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The part of `text` this span covers."""
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text that knows where each of its code points came from."""

    text: str
    offsets: Sequence[int]
    """For each folded code point the index of its original; one more entry for the end."""

    def span(self, start: int, end: int) -> Span:
        """The original range behind folded `start..end`."""
        if end <= start:
            return Span(self.offsets[start], self.offsets[start])
        return Span(self.offsets[start], self.offsets[end - 1] + 1)


@lru_cache(maxsize=8192)
def fold_char(char: str) -> str:
    """The plain form of one code point (none, one or several)."""
    if char in _SAME:
        return _SAME[char]
    return unicodedata.normalize("NFKC", char).casefold()


def fold(text: str) -> Folded:
    """`text` folded, with the map; a combining mark joins the letter before it where one letter can hold both."""
    if text.isascii():
        return Folded(text.lower(), range(len(text) + 1))
    out: list[str] = []
    offsets: list[int] = []
    for index, char in enumerate(text):
        plain = char.lower() if char < "\x80" else fold_char(char)
        if out and plain and unicodedata.combining(plain[0]) and len(plain) == 1:
            joined = unicodedata.normalize("NFC", out[-1] + plain)
            if len(joined) == 1:
                out[-1] = joined
                continue
        out.extend(plain)
        offsets.extend([index] * len(plain))
    offsets.append(len(text))
    return Folded("".join(out), offsets)


def folded(text: str) -> str:
    """`fold(text).text` without the map."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", "".join([c.lower() if c < "\x80" else fold_char(c) for c in text]))


def level(text: str) -> str:
    """`text` folded character by character, its length unchanged (what has no one-character form stays)."""
    if text.isascii():
        return text.lower()
    return "".join([f if len(f := fold_char(c)) == 1 else c for c in text])

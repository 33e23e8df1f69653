"""Words that only look like those of their sources: two scripts mixed, or one script posing as another. Pure.

The table (`data/confusables.json`) holds the letters that look like an ASCII letter or digit, from the Unicode list of
confusables.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Final

import regex

from bobctx.core.remembering import remembered

_TABLE: Final = json.loads(resources.files("bobctx.core.data").joinpath("confusables.json").read_text("utf-8"))
_LIKE: Final = str.maketrans({char: plain for plain, alike in _TABLE["like"].items() for char in alike})
_MIXED: Final = regex.compile(
    r"(?<!\p{L})(?=\p{L}*\p{Latin})(?=\p{L}*[\p{Cyrillic}\p{Greek}\p{Armenian}\p{Cherokee}])\p{L}++"
    r"|(?<![\p{Nd}.,:/-])(?=[\p{Nd}.,:/-]*[0-9])(?=[\p{Nd}.,:/-]*[\p{Nd}--[0-9]])[\p{Nd}.,:/-]++",
    regex.V1,
)
"""Letters of two scripts, or digits of two kinds, in one token."""
_WORD: Final = regex.compile(r"[\p{L}\p{Nd}]{3,64}+")


def skeleton(word: str) -> str:
    """`word` with each letter that looks like an ASCII one as that one."""
    return word.translate(_LIKE)


def alike(letters: str) -> str:
    """Every letter that looks like one of these ASCII ones."""
    return "".join(_TABLE["like"].get(letter, "") for letter in letters)


def look_alike(text: str, sources: str) -> str | None:
    """A word of `text` that no source has although it looks like one of theirs, or that mixes scripts."""
    if text.isascii():
        return None
    for match in _MIXED.finditer(text):
        if match.group() not in sources:
            return match.group()
    for match in _WORD.finditer(text):
        word = match.group()
        if word.isascii() or word in sources:
            continue
        plain = skeleton(word)
        if plain.isascii() and plain.casefold() in _plain_words(sources):
            return word
    return None


@remembered(8)
def _plain_words(sources: str) -> frozenset[str]:
    return frozenset(w.casefold() for w in _WORD.findall(sources) if w.isascii())

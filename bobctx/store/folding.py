"""Texts as the full-text index sees them: folded words, character pairs where a script has no spaces, identifiers.

Pure: the same text always gives the same words, which is what lets a row leave a contentless index.
A change here needs a new `FOLDING_VERSION`, which indexes everything again.
"""

from __future__ import annotations

import unicodedata

import regex

FOLDING_VERSION = 1

INDEX_CHARS = 1_000_000
"""Code points of a message that are indexed; the rest is still expanded exactly."""
MAX_NAMES = 2_000
"""Identifiers of a message that the substring index holds."""
MAX_NAME = 400

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\u3005\u3007\u30fc"
"""Scripts written without spaces, and Hangul, whose words carry their particles with them."""

_MARKS = regex.compile(
    r"[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640]+"
)
"""Accents, and the vowel signs that Hebrew and Arabic usually leave out."""
_TOKEN = regex.compile(rf"[{UNSPACED}]++|(?:(?![{UNSPACED}])[\p{{L}}\p{{N}}\p{{M}}])++")
_UNSPACED_START = regex.compile(rf"[{UNSPACED}]")
_NAME = regex.compile(r"[\p{L}\p{N}_./\\:@#%+=&?~$-]{3,400}+")
_NAMELIKE = regex.compile(r"[0-9_./\\:@#-]|\p{Ll}\p{Lu}")


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", _MARKS.sub("", plain)).casefold()


def _pairs(run: str) -> list[str]:
    """`abc` as `ab bc c`: every character starts one token, so that single ones are found by prefix."""
    return [run[i : i + 2] for i in range(len(run))]


def tokens(text: str) -> list[str]:
    """The tokens of a text, in order."""
    found: list[str] = []
    for run in _TOKEN.findall(_folded(text)):
        if _UNSPACED_START.match(run):
            found.extend(_pairs(run))
        else:
            found.append(run)
    return found


def words(text: str) -> str:
    """What the word index is given for a text. Plain ASCII goes in as it is: its tokenizer folds and splits it."""
    text = text[:INDEX_CHARS]
    if text.isascii():
        return text.replace("\0", " ")
    return " ".join(tokens(text))


def names(text: str) -> str:
    """What the substring index is given: paths, identifiers, addresses and numbers, each once."""
    found: dict[str, None] = {}
    for name in _NAME.findall(text[:INDEX_CHARS]):
        trimmed = name.strip(".:,-/?&=")[:MAX_NAME]
        if len(trimmed) >= 3 and _NAMELIKE.search(trimmed):
            found[trimmed.casefold()] = None
            if len(found) >= MAX_NAMES:
                break
    return " ".join(found)

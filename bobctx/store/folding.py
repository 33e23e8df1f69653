"""Texts as the full-text index sees them: folded words, character pairs where a script has no spaces, identifiers.

Pure: the same text always gives the same words, which is what lets a row leave a contentless index.
A change here needs a new `FOLDING_VERSION`, which indexes everything again.
"""

from __future__ import annotations

import unicodedata

import regex

from bobctx.core.remembering import remembered

FOLDING_VERSION = 4

INDEX_CHARS = 1_000_000
"""Code points of a message that are indexed; the rest is still expanded exactly."""
MAX_NAMES = 500
"""Identifiers of a message that the substring index holds."""
MIN_NAME, MAX_NAME = 5, 300
CACHED_WORD = 48
"""Code points of a word whose folding is remembered."""

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\u3005\u3007\u30fc"
"""Scripts written without spaces, and Hangul, whose words carry their particles with them."""

_MARKS = regex.compile(
    r"[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640]+"
)
"""Accents, and the vowel signs that Hebrew and Arabic usually leave out."""
_WORD = regex.compile(r"[\w\p{N}]++")
_PIECE = regex.compile(rf"[{UNSPACED}]++|[[\p{{L}}\p{{N}}\p{{M}}]--[{UNSPACED}]]++", regex.V1)
_UNSPACED_START = regex.compile(rf"[{UNSPACED}]")

_BREAKS = {ord(c): " " for c in "\"'`<>(){}[],;|*!"}
_TRIM = ".:?&=/\\-+~%$#@"
_CAMEL = regex.compile(r"\p{Ll}\p{Lu}")


def _split(word: str) -> tuple[str, ...]:
    """The tokens of one word that is not plain ASCII."""
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", word.casefold()))
    folded = unicodedata.normalize("NFC", plain).casefold()
    found: list[str] = []
    for piece in _PIECE.findall(folded):
        if _UNSPACED_START.match(piece):
            # `abc` as `ab bc c`: every character starts one token, so that single ones are found by prefix.
            found.extend(piece[i : i + 2] for i in range(len(piece)))
        else:
            found.append(piece)
    return tuple(found)


_split_cached = remembered(16_384)(_split)


def tokens(text: str) -> list[str]:
    """The tokens of a text, in order; ASCII ones in their own case, which the index folds."""
    found: list[str] = []
    for word in _WORD.findall(text.replace("_", " ")):
        if word.isascii():
            found.append(word)
        else:
            found.extend(_split_cached(word) if len(word) <= CACHED_WORD else _split(word))
    return found


def words(text: str) -> str:
    """What the word index is given for a text. Plain ASCII goes in as it is: its tokenizer folds and splits it."""
    text = text[:INDEX_CHARS]
    if text.isascii():
        return text.replace("\0", " ")
    return " ".join(tokens(text))


def name_pieces(text: str) -> list[str]:
    """A text cut where no identifier goes on, folded, without the punctuation around."""
    return [piece.strip(_TRIM) for piece in text.translate(_BREAKS).split()]


def names(text: str) -> str:
    """What the substring index is given: paths, identifiers, addresses, each once; plain words are left out."""
    found: dict[str, None] = {}
    for piece in name_pieces(text[:INDEX_CHARS]):
        if len(piece) < MIN_NAME or piece.isdecimal():
            continue
        if piece.isalpha() and (piece[1:].islower() or not _CAMEL.search(piece)):
            continue
        found[piece[:MAX_NAME].casefold()] = None
        if len(found) >= MAX_NAMES:
            break
    return " ".join(found)


def trigrams(piece: str) -> list[str]:
    """The distinct runs of three characters of a folded piece, in order."""
    return list(dict.fromkeys(piece[i : i + 3] for i in range(len(piece) - 2)))

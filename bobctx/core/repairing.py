"""How speakers repair what was just said (`hold on, 9443`), and words that say that something turned. Pure.

The lists stand in `data/repairs.json`. The extractor links by them; what a claim may call a correction is decided by
`change` alone.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import Final

import regex

from bobctx.core.language import LANGUAGES
from bobctx.core.remembering import remembered
from bobctx.core.text import folded

_OPEN: Final = frozenset({"zh", "ja", "ko"})
"""Languages that write no spaces between a word and what is added to it."""
_AFTERTHOUGHT: Final = regex.compile(
    r"(?:,|-|–|—)\s*(?:not what i (?:wrote|said|meant)|of course|i (?:mean|meant)|nicht was ich (?:schrieb|sagte)"
    r"|pas ce que j'ai (?:dit|écrit)|no lo que (?:dije|escribí)|а не то, что я (?:сказал|написал)а?)[.!]?$"
)
_SKIPPED: Final = r"(?:(?:oh|ah|ach|och|no|nein|non|nee|não|нет|well|ok|okay|ay|ой|哦|啊)[ ,!.–—-]{1,3}){0,2}"
"""What may stand before the words that repair."""


def repair(text: str, lang: str) -> str:
    """The words with which a text repairs something, as folded text; empty where it repairs nothing."""
    plain = folded(text).strip()
    match = _opens(lang).match(plain) if lang in LANGUAGES else None
    return match.group() if match is not None else "".join(m.group() for m in (_AFTERTHOUGHT.search(plain),) if m)


@remembered(2048)
def turned(text: str, lang: str) -> bool:
    """Whether a word says that something turned (`was off`, `from today`)."""
    return lang in LANGUAGES and _turned(lang).search(folded(text)) is not None


@lru_cache(maxsize=16)
def _opens(lang: str) -> regex.Pattern[str]:
    end = "" if lang in _OPEN else r"(?![\p{L}\p{Nd}])"
    return regex.compile(rf"{_SKIPPED}(?:{_phrases(lang, 'opens')}){end}")


@lru_cache(maxsize=16)
def _turned(lang: str) -> regex.Pattern[str]:
    body = _phrases(lang, "turned")
    return regex.compile(body if lang in _OPEN else rf"(?<![\p{{L}}\p{{Nd}}])(?:{body})(?![\p{{L}}\p{{Nd}}])")


@lru_cache(maxsize=1)
def _table() -> dict[str, dict[str, str]]:
    """Read at first use: the daemon's start does not need it."""
    found: dict[str, dict[str, str]] = json.loads(
        resources.files("bobctx.core.data").joinpath("repairs.json").read_text("utf-8")
    )
    return found


def _phrases(lang: str, kind: str) -> str:
    listed = sorted((folded(p) for p in _table()[lang][kind].split("|")), key=lambda p: (-len(p), p))
    between = r"\p{L}{1,6}" if lang in _OPEN else r" (?:[\p{L}'’-]++ ){1,4}?"
    return "|".join(
        regex.escape(p, literal_spaces=True).replace(r" \* ", between).replace(r"\*", between) for p in listed
    )

"""Quoted words of somebody else: `the client wrote: "…"`. They are that person's and bind nobody. Pure.

The verbs stand in `data/voices.json`. One's own words quoted (`I said: "…"`) stay one's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from typing import Final

import regex

from bobctx.core.language import LANGUAGES

_TABLE: Final = json.loads(resources.files("bobctx.core.data").joinpath("voices.json").read_text("utf-8"))
_OPEN: Final = frozenset({"zh", "ja", "ko"})
"""Languages that add endings to a verb without a space."""
QUOTATION: Final = regex.compile(
    r"[\"\u201c\u201e\u00ab\u300c\u300e](?P<said>[^\"\u201c\u201d\u00bb\u300d\u300f\n]{8,600}+)[\"\u201c\u201d\u00bb\u300d\u300f]"
)
"""One line of quoted words."""
LEAD: Final = 40
"""Code points before a quotation in which the verb stands."""
BEFORE: Final = 16
"""Code points before the verb in which its subject stands."""
_MARKS: Final = regex.compile(r"[\"\u201c-\u201f\u00ab\u00bb\u300c-\u300f`]")
"""Quotation marks and code: what holds some is not put between further ones."""
LEAST: Final = 3
"""Words of a quotation that is a statement; fewer are a name."""


def reported(text: str, lang: str) -> Iterator[tuple[int, int]]:
    """Spans of `text` that quote somebody else."""
    if lang not in LANGUAGES:
        return
    for match in QUOTATION.finditer(text):
        said = match["said"]
        if lang not in _OPEN and len(said.split()) < LEAST:
            continue
        line = text.rfind("\n", 0, match.start()) + 1
        start = max(line, match.start() - LEAD)
        verb = next(reversed(list(_verbs(lang).finditer(text, start, match.start()))), None)
        if verb is None or regex.search(r"[.!?;。！？]", text[verb.end() : match.start()]):
            continue
        if not _own(lang).search(text[max(line, verb.start() - BEFORE) : verb.start()]):
            yield match.span()


def as_quoted(text: str, lang: str) -> str:
    """Somebody else's sentence as reported speech, in its language: it can be read as no rule of the conversation."""
    label = _TABLE["label"].get(lang, "quoted")
    return f"{label}: {text}" if _MARKS.search(text) else f"{label}: \u201c{text}\u201d"


@lru_cache(maxsize=16)
def _verbs(lang: str) -> regex.Pattern[str]:
    return _words(_TABLE["says"][lang], lang)


@lru_cache(maxsize=16)
def _own(lang: str) -> regex.Pattern[str]:
    return _words(_TABLE["self"][lang], lang)


def _words(listed: str, lang: str) -> regex.Pattern[str]:
    longest = sorted(listed.split("|"), key=len, reverse=True)
    forms = "|".join(regex.escape(w).replace(r"\*", r"\p{L}*+") for w in longest)
    body = forms if lang in _OPEN else rf"(?<![\p{{L}}\p{{Nd}}])(?:{forms})(?![\p{{L}}\p{{Nd}}])"
    return regex.compile(body, regex.IGNORECASE)

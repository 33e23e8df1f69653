"""Names that chosen claims share, for one further hop: capitalised words by frequency. Pure (design, section 8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import regex

from bobctx.core.language import LANGUAGES, is_stop_word

MAX_ENTITIES = 2
MAX_PER_ENTITY = 5
_NAME = regex.compile(r"\p{Lu}\p{Ll}{2,}")
_WORD = regex.compile(r"\w+")


def entities(texts: Iterable[str], task: str) -> tuple[str, ...]:
    """At most two names, the most frequent first: no words that begin sentences, none that the task has already."""
    asked = {word.casefold() for word in _WORD.findall(task)}
    counts: Counter[str] = Counter()
    for text in texts:
        for match in _NAME.finditer(text):
            if (match.start() == 0 or not text[match.start() - 1].isalnum()) and not _common(match.group()):
                counts[match.group()] += 1
    named = [(name, n) for name, n in counts.items() if name.casefold() not in asked]
    return tuple(name for name, _ in sorted(named, key=lambda item: (-item[1], item[0]))[:MAX_ENTITIES])


def _common(word: str) -> bool:
    low = word.casefold()
    return any(is_stop_word(low, lang) for lang in LANGUAGES)

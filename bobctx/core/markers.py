"""What a sentence does, by the words that mark it: forbids, requires, decides, corrects, defines. Pure.

The extractor's own reading of twelve languages (`data/extract_cues.json`); no rule guesses in a
language without a table (design, section 5, Seats).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from functools import lru_cache
from importlib.resources import files
from typing import Any

import regex

from bobctx.core.language import UNKNOWN
from bobctx.core.literals import containers
from bobctx.core.text import folded

KINDS = (
    "forbid", "require", "decide", "correct", "shift", "define", "commit", "fail", "prefer", "make",
    "open", "hypo", "lift",
)  # fmt: skip
"""`time` and `event` words are counted, not found (`counts`)."""

UNSPACED = frozenset({"zh", "ja", "ko"})
"""Languages whose cues stand inside runs of characters."""

STRONG = 5
"""Characters of a phrase from which it denies a rule and not just a fact (`nunca`, `jamais`; not `no`, `pas de`)."""
MAX_CHARS = 1_200
"""Characters of a sentence that are read for markers."""

_TABLES: dict[str, Any] = json.loads(
    files("bobctx.core").joinpath("data", "extract_cues.json").read_text(encoding="utf-8")
)

_VERB_FIRST = {
    "de": regex.compile(
        r"^(?!(?:ich|wir|er|sie|es|das|die|der|man|du|ihr|mein|unser|hier|da|so|gestern|ein|eine|war|hat|habe)\b)"
        r"\p{L}++ .*\b(?:niemals|nie)\b"
    ),
    "nl": regex.compile(
        r"^(?!(?:ik|we|wij|hij|zij|ze|het|dat|de|men|je|jij|er|hier|zo|gisteren|een|mijn|ons|was|heb|heeft)\b)"
        r"\p{L}++ .*\bnooit\b"
    ),
}
"""Imperatives whose `never` stands after the verb (`Start ... nooit`)."""
_QUESTION = regex.compile(
    r"[?？؟]['\"”’»)\]]*+\s*+$|か[。.]?$|(?:吗|呢)[。.]?$|(?:까요|나요|습니까|는지요)[.]?$|^¿", regex.V1
)


def is_question(sentence: str) -> bool:
    """Whether the sentence asks, by its end in any script."""
    return _QUESTION.search(sentence.strip()) is not None


def markers(sentence: str, lang: str, kinds: Collection[str] = KINDS) -> frozenset[str]:
    """The kinds of marker in one sentence, of `kinds`, and `question`; nothing is guessed for an unknown language.

    Who asks for a few kinds spares the patterns of all others, which are made when they are first looked for. What
    stands in quotation marks or code is named, not said; a rule that only follows a supposition is supposed.
    """
    found = {"question"} if is_question(sentence) else set()
    if lang not in _TABLES or lang == UNKNOWN:
        return frozenset(found)
    plain = _plain(_unquoted(sentence))
    for idiom in _patterns(lang, "idiom"):
        plain = idiom.sub(lambda m: "\u00b7" * len(m.group()), plain)
    places = {kind: place for kind in kinds if (place := _first(plain, lang, kind)) is not None}
    found.update(places)
    supposable = [kind for kind in ("forbid", "require", "decide") if kind in places]
    hypo = places.get("hypo") if "hypo" in kinds or not supposable else _first(plain, lang, "hypo")
    found.difference_update(kind for kind in supposable if hypo is not None and hypo < places[kind])
    return frozenset(found)


def _first(plain: str, lang: str, kind: str) -> int | None:
    places = [m.start() for p in _patterns(lang, kind) if (m := p.search(plain)) is not None]
    return min(places, default=None)


def _unquoted(sentence: str) -> str:
    """The sentence with quoted strings and code blanked; a sentence that is one quotation stays as it is."""
    spans = [(lit.start, lit.end) for lit in containers(sentence)]
    if not spans or sum(b - a for a, b in spans) > len(sentence) - 4:
        return sentence
    out, at = [], 0
    for start, end in spans:
        out += [sentence[at:start], "x" * (end - start)]
        at = end
    return "".join(out) + sentence[at:]


def counts(sentence: str, lang: str, kind: str) -> int:
    """How many words of `kind` (`time`, `event`) stand in the sentence."""
    if lang not in _TABLES:
        return 0
    return sum(1 for pattern in _patterns(lang, kind) for _ in pattern.finditer(_plain(sentence)))


def _plain(sentence: str) -> str:
    return folded(sentence[:MAX_CHARS]).strip()


@lru_cache(maxsize=256)
def _patterns(lang: str, kind: str) -> tuple[regex.Pattern[str], ...]:
    table = _TABLES[lang]
    if kind not in ("forbid", "require"):
        return (_anywhere(table[kind], lang),)
    start = _at_start(table["lead"], table[f"{kind}_start"], lang)
    found: tuple[regex.Pattern[str], ...] = start, _anywhere(table[f"{kind}_any"], lang)
    if kind == "forbid" and lang not in UNSPACED:
        found = (*found, _behind_opener(table["forbid_start"]))
    return (*found, _VERB_FIRST[lang]) if kind == "forbid" and lang in _VERB_FIRST else found


def _anywhere(phrases: Iterable[str], lang: str) -> regex.Pattern[str]:
    body = _alternatives(phrases)
    return regex.compile(body if lang in UNSPACED else rf"(?<!\w)(?:{body})(?!\w)")


def _at_start(lead: Iterable[str], phrases: Iterable[str], lang: str) -> regex.Pattern[str]:
    """A phrase where a clause begins: at the start, after a stop or dash, or after words such as `please` and `but`."""
    edge = "" if lang in UNSPACED else r"(?!\w)"
    before = _alternatives(lead)
    comma = "," if lang in ("en", "de") else ""  # `Hi all, never …`; elsewhere `, pas de …` only contrasts
    gap = r"[\s,:;!*_\"'`>-]*+"
    opening = rf"(?:^|(?<=[.;:!{comma}—–。；：！]\s?)|(?<!\w)(?:{before}){edge})"
    return regex.compile(rf"{opening}{gap}(?:(?:{before}){edge}{gap}){{0,2}}(?:{_alternatives(phrases)}){edge}")


def _behind_opener(phrases: Iterable[str]) -> regex.Pattern[str]:
    """`By the way, never …`: behind a few opening words only what is no everyday `no` forbids."""
    strong = [p for p in phrases if len(p) >= STRONG]
    return regex.compile(rf"^(?:[\p{{L}}'’]++\s?){{1,4}},\s?(?:{_alternatives(strong)})(?!\w)")


def _alternatives(phrases: Iterable[str]) -> str:
    longest_first = sorted({folded(p) for p in phrases}, key=lambda p: (-len(p), p))
    return "|".join(_escape(p) for p in longest_first)


def _escape(phrase: str) -> str:
    """A phrase as a pattern: `*` at its end is the rest of the word, between words any one to four words."""
    escaped = regex.escape(phrase, literal_spaces=True)
    escaped = escaped.replace(r" \* ", r"\s+(?:[\w'\".-]++\s+){1,4}?").replace(r"\*", r"\w*+")
    return escaped.replace(" ", r"\s+")

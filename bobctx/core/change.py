"""Words that say a value changed, and which of two is the former one, in twelve languages. Pure.

The lists stand in `data/change.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources
from typing import Final

import regex

from bobctx.core.language import LANGUAGES
from bobctx.core.text import folded

_TABLE: Final = json.loads(resources.files("bobctx.core.data").joinpath("change.json").read_text("utf-8"))
_OPEN: Final = frozenset({"zh", "ja", "ko"})
"""Languages that write no spaces between a word and what is added to it."""

_GAP: Final = r"\s(?:[^\s.,;:!?]{1,24}\s){1,4}"
"""What `~` stands for: a few words."""
COUNTER: Final = 2
"""Characters of what is counted that may stand behind a number (`24名ではなく`)."""

_ARTICLE: Final = regex.compile(r"(?<!\w)(?:the|an?|our|your|my|its|their)\s$")


_TAKES_PLACE: Final = regex.compile(r"finde[tn]\s[^.;!?]{0,80}\bstatt\b")
_CLAUSE_END: Final = regex.compile(r"\s?(?:[.,;:!?)]|$)")


@lru_cache(maxsize=64)
def _pattern(lang: str, kind: str) -> regex.Pattern[str]:
    return phrasing(_TABLE.get(lang, _TABLE["en"])[kind], lang)


def phrasing(listed: str, lang: str) -> regex.Pattern[str]:
    """A pattern for phrases joined by `|` (`is now|raised|move*|take ~ down`), to be sought in folded text."""
    phrases: Iterable[str] = listed.split("|")
    body = "|".join(
        regex.escape(folded(p)).replace(r"\*", r"\p{L}*+").replace(r"\ \~\ ", _GAP).replace(r"\ ~\ ", _GAP)
        for p in sorted(phrases, key=lambda p: (-len(p), p))
    )
    if lang in _OPEN:
        return regex.compile(body)
    prefix = "[وفلب]?" if lang == "ar" else ""
    return regex.compile(rf"(?<![\p{{L}}\p{{Nd}}]){prefix}(?:{body})(?![\p{{L}}\p{{Nd}}]|[._]\p{{L}})")


def marks_change(text: str, lang: str) -> bool:
    """Whether the text says that something changes or was wrong."""
    plain = folded(text)
    return any(not _is_attribute(plain, m) for m in _pattern(_known(lang), "change").finditer(plain))


def words_of_change(text: str, lang: str) -> str:
    """The words of a text that mark a change."""
    return " ".join(m.group() for m in _pattern(_known(lang), "change").finditer(folded(text)))


def _is_attribute(text: str, match: regex.Match[str]) -> bool:
    """`the lower dock`: behind an article the word tells a thing apart and changes none."""
    return match.group() == "lower" and _ARTICLE.search(text[: match.start()]) is not None


def marks_former(text: str, lang: str) -> bool:
    """Whether the text speaks of how it was before."""
    known = _known(lang)
    kinds = ("former", "past", *_aside(known))
    plain = folded(text)
    return any(not _is_particle(plain, m) for kind in kinds for m in _pattern(known, kind).finditer(plain))


def _is_particle(text: str, match: regex.Match[str]) -> bool:
    """`findet am Montag statt`: at the end of its clause the word is part of a verb."""
    return match.group() == "statt" and _CLAUSE_END.match(text, match.end()) is not None


def reports(text: str, lang: str) -> bool:
    """Whether the text says that somebody asks, proposes, offers or considers something."""
    plain = folded(text)
    return any(not _TAKES_PLACE.match(plain, m.start()) for m in _pattern(_known(lang), "report").finditer(plain))


def former_before(text: str, lang: str) -> bool:
    """Whether what follows `text` is the former value (`… instead of`, `the old`)."""
    tail, known = folded(text)[-28:], _known(lang)
    kinds = ("former", "undo") if "undo" in _TABLE[known] else ("former",)
    return any(
        len(regex.findall(r"[\p{L}\p{Nd}]+", tail[m.end() :])) <= 3
        for kind in kinds
        for m in _pattern(known, kind).finditer(tail)
    )


def former_after(text: str, lang: str) -> bool:
    """Whether what stands before `text` is the former value (`8443 no longer`, `10:00ではなく`)."""
    head = folded(text)[:14].lstrip()
    known = _known(lang)
    if known == "zh" and head[:1] in "，,、":
        return False  # `412，不是421`: what follows is the former one
    found = (_pattern(known, kind).search(head) for kind in ("former", *_aside(known)))
    return any(m is not None and m.start() <= (COUNTER if lang in _OPEN else 0) for m in found)


def _aside(lang: str) -> tuple[str, ...]:
    """Words that stand behind the former value and never before it (`30名ではなく35名`)."""
    return ("aside",) if "aside" in _TABLE[lang] else ()


def was(text: str, lang: str) -> bool:
    """Whether `text`, which follows a value, goes on to speak of it as past (`… was too cold`)."""
    return bool(_pattern(_known(lang), "past").match(folded(text).lstrip()))


def gone(text: str, lang: str) -> bool:
    """Whether `text`, which follows a value, says that the value holds no more (`… are obsolete`)."""
    return bool(_pattern(_known(lang), "gone").search(folded(text)))


def retracts(text: str, lang: str) -> bool:
    """Whether the speaker takes back what stands before `text` (`Wait, no, …`)."""
    return bool(_pattern(_known(lang), "retract").search(folded(text)))


def mixed_up(text: str, lang: str) -> bool:
    """Whether the speaker says that things changed places (`I mixed up the lanes`, `it is the other way round`)."""
    return bool(_pattern(_known(lang), "mixed").search(folded(text)))


def goes_on(text: str, lang: str) -> bool:
    """Whether the text says that something stays as it was (`continue to use first names, as always`)."""
    return bool(_pattern(_known(lang), "kept").search(folded(text)))


def in_excess(text: str, lang: str) -> bool:
    """Whether `text`, which follows a value, finds the value too much or too little (`… is too early`)."""
    known = _known(lang)
    found = _pattern(known, "excess").search(folded(text).lstrip()) if "excess" in _TABLE[known] else None
    return found is not None and found.start() <= (COUNTER if known in _OPEN else 0)


def wants_other(text: str, lang: str) -> bool:
    """Whether the text asks for more or less of something (`smaller batches please`)."""
    known, plain = _known(lang), folded(text)
    return bool(_pattern(known, "than").search(plain) and _pattern(known, "wish").search(plain))


def same_matter(text: str, lang: str) -> bool:
    """Whether `text`, which stands between two values, gives what was spoken of the second one (`…, make it`)."""
    return bool(_pattern(_known(lang), "same").search(folded(text)))


def but_rather(text: str, lang: str) -> bool:
    """Whether `text`, which stands between two values, sets the second against the first (`not 12, but 19`)."""
    return bool(_pattern(_known(lang), "but").match(folded(text).lstrip(" ,、，")))


def from_to(before: str, between: str, lang: str) -> bool:
    """Whether two values stand as `from A to B`: `before` ends where A begins, `between` is what is between them."""
    lang = _known(lang)
    if lang in ("ja", "ko"):
        return bool(_pattern(lang, "from").search(folded(between)[:6]))
    lead, gap = folded(before)[-24:], folded(between)
    words = regex.findall(r"[\p{L}]+", gap)
    if len(words) > 4 or not _pattern(lang, "to").search(gap):
        return False
    return any(not regex.search(r"[,.;:!?]", lead[m.end() :]) for m in _pattern(lang, "from").finditer(lead))


def _known(lang: str) -> str:
    return lang if lang in LANGUAGES else "en"

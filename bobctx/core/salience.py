"""How much of a region's lasting content one sentence carries: a deterministic score in 0..1. Pure.

The score is content per token: words that mean something, names, values, time and event words, weighted
by how rare they are in the region and whether later messages use them again. It orders claims within a
tier and chooses sentences for the extractor (design, sections 5 and 7).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import regex

from bobctx.core.language import UNKNOWN, language_of
from bobctx.core.markers import counts
from bobctx.core.remembering import remembered
from bobctx.core.text import content_stem, forms
from bobctx.core.types import Message


@dataclass(frozen=True, slots=True)
class Density:
    """How content is set against length."""

    label: int
    """Tokens that a rendered claim costs beside its text."""
    power: float
    """Between content alone (0), which favours long sentences, and content per token (1), which favours scraps."""
    scale: float


WORK = Density(label=10, power=0.7, scale=1.8)
"""With an assistant: a fact is quoted with what it depends on."""
TALK = Density(label=6, power=1.0, scale=4.0)
"""Among people: many short quotes say more of a long talk than a few long ones."""
MESSAGE_CHARS = 20_000
"""Characters of one message whose words are counted; a longer one is a dump, and its rest says nothing about words."""

_NEAR = 32
"""Characters of a run from which an address or a path is tried: what fails at the first one fails at each other."""
VALUE = regex.compile(
    rf"(?<![\w])(?:https?://\S++|(?<![\w.+-]{{{_NEAR}}})[\w.+-]++@[\w-]++\.[\w.]++"
    rf"|(?<![\w.@-]{{{_NEAR}}})(?:[~.]{{0,2}}/)?[\w.@-]++(?:/[\w.@-]++)++"
    r"|[\p{L}_]*+\d[\w.,:/%-]*+|\p{Sc}\d[\d.,]*+|[\p{L}]++(?:_[\p{L}\d]++)++|--[a-z][\w-]++)",
    regex.V1,
)
"""Numbers, identifiers, paths, addresses: tokens that later work must repeat exactly."""
NAME = regex.compile(
    r"(?<=[\p{Ll}\p{Nd},'’:(]\s)\p{Lu}[\p{L}\d'’-]++(?:\s\p{Lu}[\p{L}\d'’-]++)*+"
    r"|(?<![\w-])\p{Latin}++(?:-\p{Latin}++){2,}+(?![\w-])|(?<!\w)\p{Lu}\p{Ll}++(?:\s\p{Lu}\p{Ll}++)++"
)
"""Capitalised words that do not begin a sentence, runs of them anywhere, and names made of three or more parts."""
NAMES = regex.compile(r"(?<![\w-])\p{Lu}\p{Ll}++(?:\s\p{Lu}\p{Ll}++)++(?![\w-])")
"""Names of two or more words: people, mostly."""
_PARTS = regex.compile(r"(?<![\w-])\p{Latin}++(?:-\p{Latin}++){2,}+(?![\w-])")
_SHORT_NAME = regex.compile(r"(?<![A-Za-z0-9_-])[A-Za-z]++(?:-[A-Za-z]++)++(?![A-Za-z0-9_-])")
"""Latin names inside a script that has no other Latin words."""
FULL_VALUE = 7
"""Characters from which an exact value counts in full: a count of two digits says little, an address or a day much."""
SHORT_COUNT = 4
"""Digits below which a bare number is a count, which work with an assistant has many of and needs few of."""
LASTING = 0.5
"""Strength of a value from which it does not matter that the sentence tells when something happened."""
PASSING = 0.7
"""Factor, with an assistant, on what happened at a time and has neither such a value nor a name."""
SERIES_MOST = 3
"""A sentence that stands many times with other values counts for less, but what it says is still worth keeping."""
BOUND = 1.3
"""Factor where a name and a value stand together: a value bound to a named thing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The words of a region: in how many messages each stands, and where it stands last."""

    messages: int
    spread: Mapping[str, int]
    last: Mapping[str, int]
    """Position in the region."""
    assisted: bool = False
    """An assistant takes part: then what happened today is routine, and what stands is not."""
    series: Mapping[str, int] = field(default_factory=dict)
    """Sentences without their values -> how often they stand, where that is more than once."""

    def rarity(self, term: str) -> float:
        """0 for a word of every message, towards 1 for a word of a single one."""
        return math.log((self.messages + 1) / (self.spread.get(term, 0) + 0.5)) / math.log((self.messages + 1) / 0.5)

    def reused(self, term: str, position: int) -> bool:
        """Whether a later message of the region has the word again."""
        return self.last.get(term, -1) > position


def terms_of(texts: Sequence[str], *, assisted: bool = False) -> Terms:
    """Words of the texts of a region's messages, in order."""
    spread: Counter[str] = Counter()
    last: dict[str, int] = {}
    for position, text in enumerate(texts):
        found = set(stems(text[:MESSAGE_CHARS]))
        spread.update(found)
        last.update(dict.fromkeys(found, position))
    said = Counter(s for text in texts for s in {skeleton(x) for x in _rough(text[:MESSAGE_CHARS])})
    series = {s: n for s, n in said.items() if n > 1 and s}
    return Terms(messages=max(1, len(texts)), spread=spread, last=last, assisted=assisted, series=series)


def region_terms(messages: Iterable[Message]) -> Terms:
    """`terms_of` for the messages of a region."""
    known = list(messages)
    return terms_of([m.text for m in known], assisted=any(m.role == "assistant" for m in known))


_ROUGH = regex.compile(r"(?<=[.!?])\s++|(?<=[。！？])|\n++")
_ROUGH_ASCII = regex.compile(r"(?<=[.!?])\s++|\n++")
"""The same for a text of ASCII alone, which it passes over from space to space."""
SHORT = 12
"""Characters up to which a sentence is of no series."""
_MAY_VALUE = regex.compile(r"[\d/@_]|--")
"""What each `VALUE` has one of: most sentences have none, and one look is cheaper than the pattern."""
_MAY_NAME = regex.compile(r"\s\p{Lu}|-[^-]*+-")
"""The same for `NAME`."""


def _rough(text: str) -> list[str]:
    found: list[str] = (_ROUGH_ASCII if text.isascii() else _ROUGH).split(text)
    return found


def skeleton(sentence: str) -> str:
    """A sentence without its figures and names: what a series of routine reports has in common."""
    if len(sentence) <= SHORT:
        return ""
    bare = VALUE.sub("\u00b7", sentence) if _MAY_VALUE.search(sentence) else sentence
    if _MAY_NAME.search(bare):
        bare = NAME.sub("\u00b7", bare)
    return bare.strip().casefold() if len(bare) > SHORT else ""


@remembered(8192)
def stems(text: str, lang: str | None = None) -> tuple[str, ...]:
    """Distinct stems of the words that carry meaning, and the exact values, in order."""
    lang = lang or language_of(text)
    values = VALUE.findall(text) if _MAY_VALUE.search(text) else ()
    found = dict.fromkeys(value.rstrip(".,:") for value in values)
    for word, _ in forms(text, lang):
        if len(word) > 1 and not word.isdigit() and (key := content_stem(word, lang)):
            found[key] = None
    return tuple(found)


def _names(text: str, lang: str) -> int:
    """Names in a sentence; German capitalises every noun, so only names of several parts count there."""
    found = {m.group() for m in NAME.finditer(text)}
    if lang == "de":
        return sum("-" in name for name in found)
    if not found and text and not text.isascii():
        letters = sum(c.isalpha() for c in text)
        latin = sum(c.isascii() and c.isalpha() for c in text)
        if latin * 2 < letters or lang in ("zh", "ja", "ko"):
            found = {m.group() for m in _SHORT_NAME.finditer(text)}
    return len(found)


def rough_tokens(text: str) -> int:
    """Tokens of a short text, near enough to compare sentences: an ideograph, three letters of other scripts, four
    ASCII characters.
    """
    ideographs = sum(1 for char in text if char > "\u2e7f")
    others = sum(1 for char in text if "\u02ff" < char <= "\u2e7f")
    return max(1, ideographs * 7 // 10 + others // 3 + (len(text) - ideographs - others + 3) // 4)


def _strength(value: str, *, assisted: bool) -> float:
    """How much an exact value says, 0 to 1."""
    value = value.rstrip(".,:%")
    if assisted and len(value) < SHORT_COUNT and value.isdigit():
        return 0.0
    return min(1.0, (len(value) - 1) / (FULL_VALUE - 1))


@remembered(8192)
def routine(text: str) -> str:
    """What a statement shares with others of its series, where no exact value and no pair of names sets it apart.

    `The queue was 73 at noon` and the same with 184 are one series, of which one example says nearly all;
    statements of the ports of two services are none. Empty where a statement belongs to no series.
    """
    if any(_strength(m.group(), assisted=True) >= LASTING for m in VALUE.finditer(text)):
        return ""
    named = {m.group() for pattern in (NAMES, _PARTS) for m in pattern.finditer(text)}
    return skeleton(text) if len(named) < 2 else ""


def salience(text: str, terms: Terms, position: int, *, lang: str | None = None) -> float:
    """Score of one sentence or claim that stands at `position` of the region."""
    lang = lang or language_of(text)
    found = stems(text, lang)
    if not found:
        return 0.0
    exact = sorted((_strength(m.group(), assisted=terms.assisted) for m in VALUE.finditer(text)), reverse=True)[:4]
    values = sum(exact)
    names = _names(text, lang)
    rare = sum(terms.rarity(t) for t in found) / len(found)
    again = sum(1 for t in found if terms.reused(t, position)) / len(found)
    weight = 1.0 + 0.6 * values + 0.4 * min(names, 3)
    if not terms.assisted:
        weight += 0.4 * min(counts(text, lang, "time"), 2) + 0.4 * min(counts(text, lang, "event"), 2)
    elif not names and (not exact or exact[0] < LASTING) and counts(text, lang, "time"):
        weight *= PASSING
    if names and values >= 0.5:
        weight *= BOUND
    score = math.log1p(len(found)) * weight * (0.4 + rare) * (0.9 + 0.2 * again)
    if lang == UNKNOWN:
        score *= 0.8
    score /= min(terms.series.get(skeleton(text), 1), SERIES_MOST)
    of = WORK if terms.assisted else TALK
    density: float = score * of.scale / (of.label + rough_tokens(text)) ** of.power
    return round(density / (1.0 + density), 6)

"""Which value or word each comparator of a clause limits: at least 3, before the review, 900 euros at most. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import regex

from bobctx.core.language import LANGUAGES
from bobctx.core.lexicon import CHARACTER_LANGUAGES, Cue
from bobctx.core.measures import number_words
from bobctx.core.stemming import stem
from bobctx.core.units import Unit, Units

REACH = 24
"""Code points from a comparator to what it limits."""
REACH_BACK = 12
"""The same where the comparator follows."""
AHEAD = 5
"""Units up to the figure of a limit that is named with what it is for."""
ONCE = " once"
"""The only amount that a limit holds itself (`at most once`): by itself it is a condition."""
_PART = regex.compile(r"[,;:.!?，。；：、؛،\n]")
SCALES = frozenset({"more", "less", "at_least", "at_most"})
"""Comparators of amounts, unlike those of an order in time."""
_FOR = "voor"
"""Dutch for `for` and `before`; the second of these where a figure follows."""
TERM = 3
"""Words behind a comparator that may be what it limits (`before you parse the body`)."""
BETWEEN = 4
"""Units, concepts among them, up to the figure that a limit behind it is about."""
WAY = {
    "at_least": "lower",
    "more": "lower",
    "after": "lower",
    "from": "lower",
    "at_most": "upper",
    "less": "upper",
    "before": "upper",
}
"""Which end of a range each comparator bounds."""
WORDED = frozenset({"before", "after", "at_least", "at_most", "more", "less"})
"""Comparators that may bound a word (`before the review`, `above the treeline`), not only a figure."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A comparator and the literal or word it limits."""

    way: str
    """`upper` or `lower`."""
    value: str
    key: str
    cue: Cue
    term: frozenset[str] = frozenset()
    """The words that stand for what it limits, the key among them."""


@cache
def number_stems(lang: str) -> frozenset[str]:
    """What the number words of a language come to (`six` of `fewer than six`)."""
    return frozenset(stem(w, lang) for w in number_words(lang)) if lang in LANGUAGES else frozenset()


def bounds_of(text: str, flat: Sequence[Cue], said: Units, lang: str) -> tuple[Bound, ...]:
    """What each comparator limits: the number (else the word) after it, or before it where it follows."""
    out: list[Bound] = []
    for cue in flat:
        if cue.value not in WAY or cue.kind not in ("comparator", "comparator_post"):
            continue
        words = _limited(said, cue, lang)
        key = words[0] if words else None
        if key is None or (lang == "en" and len(cue.text) <= 2 and not key[:1].isnumeric()):
            continue  # "by MinaLima" names a maker, "by 2026" sets a limit
        if cue.text.casefold() == _FOR and not key[:1].isnumeric():
            continue  # `voor kinderen`: for children
        if key[:1].isnumeric() or cue.value in WORDED or key in number_stems(lang):
            out.append(Bound(WAY[cue.value], cue.value, key, cue, frozenset(words[:TERM])))
        if not key[:1].isnumeric() and cue.value in ("at_most", "at_least"):  # `the ceiling for the band is 340`
            figure = _figure(text, said, cue)
            if figure is not None:
                out.append(Bound(WAY[cue.value], cue.value, figure, cue))
    out = [b for b in out if not any(_taken(b, other) for other in out)]
    return tuple(b for b in out if not any(_nearer(other, b) for other in out))


def _taken(bound: Bound, other: Bound) -> bool:
    """Whether a figure that stands before a limit has another one before it (`below $75 within the country`)."""
    ahead = other.cue.kind == "comparator" and other.cue.start < bound.cue.start
    return bound.value in ("at_most", "at_least") and ahead and other.key == bound.key and other.way != bound.way


def _nearer(other: Bound, bound: Bound) -> bool:
    """Whether another word for a limit stands between one and its figure (`binnen als er meer dan 10 …`)."""
    both = other.cue.kind == bound.cue.kind == "comparator" and other.value in SCALES
    return both and other.key == bound.key and other.way != bound.way and other.cue.start >= bound.cue.end


def _limited(said: Units, cue: Cue, lang: str) -> Sequence[str]:
    """What a comparator may limit, the likeliest first."""
    near: Sequence[Unit]
    if cue.text.casefold().endswith(ONCE):
        return (ONCE.strip(),)
    if cue.kind == "comparator_post":
        near = [u for u in said.before(cue.start - 2 * REACH_BACK, cue.start, 4) if cue.start - u.end <= REACH_BACK]
    else:
        near = said.between(cue.end, cue.end + REACH, 4)
        if cue.value in ("at_most", "at_least") and not (near and _is_figure(near[0].key, lang)):
            near = _behind(said, cue, lang) or near
    words = [u.key for u in near if not u.key.startswith("=")]
    if not words and cue.value in ("at_most", "at_least"):  # `on Friday at the earliest`
        behind = said.before(cue.start - REACH_BACK, cue.start, 2)
        words = [u.key for u in behind if not u.key.startswith("=")][:1]
    if lang in CHARACTER_LANGUAGES:
        words.sort(key=lambda k: not k[:1].isnumeric())
    return words


def _figure(text: str, said: Units, cue: Cue) -> str | None:
    """The first figure of the part behind a limit that is named with what it is for."""
    near = said.between(cue.end, cue.end + 2 * REACH, AHEAD)
    first = next((u for u in near if u.key[:1].isnumeric()), None)
    return None if first is None or _PART.search(text, cue.end, first.start) else first.key


def _is_figure(key: str, lang: str) -> bool:
    """Whether a unit is a figure or a number word."""
    return key[:1].isnumeric() or key in number_stems(lang)


def _behind(said: Units, cue: Cue, lang: str) -> list[Unit]:
    """The figure before a limit, its unit or month between them (`9 euros at most`, `four hours at most`)."""
    figures = [u for u in said.before(cue.start - 2 * REACH_BACK, cue.start, BETWEEN) if _is_figure(u.key, lang)]
    return figures[:1]

"""The words and values of a part of a sentence that can be told apart from those of a like part. Pure.

A unit is a content word or a value. Japanese, which writes no spaces, has its runs of one script with their okurigana;
Korean leaves out the verb that stands last for all parts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

import regex

from bobctx.core import literals
from bobctx.core.function_words import KIN, OBJECTS, PRONOUNS, STANDS_FOR
from bobctx.core.literals import Literal
from bobctx.core.text import content_stem, forms

PREFIX: Final = 5
"""Letters that two forms of one word have in common."""
COMPOUND: Final = 4
"""Letters of a word that another one is made with (`Abenddosis`, `production` of `prod`)."""
SHORT: Final = 2
"""Signs of a Korean word that is one sign and its particle."""
_KO_PARTICLES: Final = frozenset("은는이가을를")
_GENDERED: Final = frozenset({"es", "pt"})
_SUBJECTS: Final = PRONOUNS - OBJECTS
_JA: Final = regex.compile(
    r"[\p{Han}々]++(?:\p{Hiragana}(?<![はがをにのもでとへやなだ])(?=[はがをのもにでと、]))?+|[\p{Katakana}ー]++|[A-Za-z\d][\w.:/-]*+"
)
_JA_VERB: Final = regex.compile(r"\p{Han}(?=[\p{Hiragana}](?<![はがをにのもでとへや]))")
_JA_DOES: Final = frozenset("しすさせ")
"""How `する` begins behind a noun."""
_KO_VERB: Final = ("요", "다", "까", "죠", "어", "아", "지", "네", "음")


class Unit(NamedTuple):
    """A word or value of a part: its stem, its form, the word before it, and the keys of a value."""

    stem: str
    form: str
    led: str
    """The function word before it, `+` for a content word, empty at the beginning."""
    keys: frozenset[str] = frozenset()
    capital: bool = False
    """Whether it is written like a name."""
    kind: str = ""
    """The kind of a value."""
    gap: int = 0
    """Function words before it."""

    @property
    def is_subject(self) -> bool:
        """Whether it may be what a part speaks of: no verb right behind a pronoun."""
        return self.led not in _SUBJECTS

    @property
    def is_named(self) -> bool:
        """Whether a determiner stands before it."""
        return self.led in OBJECTS or self.led == ""

    def same(self, other: Unit) -> bool:
        """Whether two units are one word in two forms, or one value."""
        if self.keys or other.keys:
            return bool(self.keys & other.keys)
        one, two = sorted((self.stem, other.stem), key=len)
        if one == two:
            return True
        if self.form in KIN and other.form in KIN:
            return False  # `grandma` and `grandpa`
        if any(c.isdigit() for c in one + two):
            return False
        if len(one) >= PREFIX and two.startswith(one[:PREFIX]):
            return True
        return any(
            len(short) >= COMPOUND and long.startswith(short)
            for short, long in ((one, two), sorted((self.form, other.form), key=len))
        )


def units(text: str, lang: str, *, last: bool = False) -> list[Unit]:
    """The units of a text in order; of a part that is the `last` of its sentence without a verb that closes it."""
    if lang == "ja":
        return _japanese(text, last=last)
    values = [v for v in literals.scan(text, lang) if v.kind not in ("quote", "code")]
    found: list[Unit] = []
    led, gap, at, end = "", 0, 0, 0
    for form, start in forms(text, lang):
        if start < end:
            continue
        while at < len(values) and values[at].end <= start:
            at += 1
        value = values[at] if at < len(values) and values[at].start <= start else None
        if value is not None and _whole(text, value):
            found.append(Unit(value.text, value.text, led, _keys(value), kind=value.kind, gap=gap))
            led, gap, end = "+", 0, value.end
            continue
        key = content_stem(form, lang)
        if lang == "ko" and len(key) == len(form) == SHORT and key[1] in _KO_PARTICLES:
            key = key[0]  # `형은` and `형이`: too short for the stemmer
        if key and form not in STANDS_FOR:
            found.append(Unit(key, form, led, capital=text[start].isupper(), gap=gap))
        led, gap = ("+", 0) if key else (form, gap + 1)
    if lang == "ko" and last and found and found[-1].form.endswith(_KO_VERB):
        found.pop()
    return found


def _keys(value: Literal) -> frozenset[str]:
    """What tells a value from its like; of a name its letters, of a path also its end."""
    text = value.text.casefold()
    return value.offers | value.needs if value.measured else frozenset((text, text.rpartition("/")[2] or text))


def _whole(text: str, value: Literal) -> bool:
    """Whether a value is no piece of a longer name (`7a`, `218-044`)."""
    before, after = text[: value.start][-2:], text[value.end : value.end + 2]
    return not (after[:1].isalnum() or (after[:1] == "-" and after[1:].isalnum()) or before[-1:] == "-")


def _japanese(text: str, *, last: bool) -> list[Unit]:
    found = [m.group() for m in _JA.finditer(text)]
    end = text.rfind(found[-1]) if last and found else -1
    if end >= 0 and (_JA_VERB.match(text, end) or text[end + len(found[-1]) :][:1] in _JA_DOES):
        found.pop()
    return [Unit(run, run, "") for run in found]


def apart(one: Sequence[Unit], other: Sequence[Unit], lang: str) -> list[Unit]:
    """The units of one part that the other has not; of `hijo` and `hija` both."""
    return [u for u in one if not any(u.same(o) and not of_two(u, o, lang) for o in other)]


def of_two(one: Unit, other: Unit, lang: str) -> bool:
    """Whether two forms of one stem name a he and a she."""
    ends = {u.form.rstrip("s")[-1:] for u in (one, other)}
    return lang in _GENDERED and one.stem == other.stem and ends == {"o", "a"}


def among(unit: Unit, found: Collection[Unit], lang: str) -> bool:
    """Whether a unit stands among others."""
    return any(unit.same(o) and not of_two(unit, o, lang) for o in found)

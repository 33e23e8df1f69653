"""Names that a noun and a number or letter make together: `bay 4`, `motor B`, `lane=2`, `холодильник №1`. Pure.

Such a mark is no amount: it says which of several like things is meant. A number counts as a mark only where its noun
stands with another one as well; a single capital letter always does.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

import regex

from bobctx.core import measures
from bobctx.core.language import is_stop_word
from bobctx.core.stemming import stem
from bobctx.core.text import folded

_MARK: Final = regex.compile(
    r"(?<=[ =\#№°º])(?P<mark>\p{Nd}{1,3}+|\p{Lu})(?![\p{L}\p{Nd}_]|[.,:/-]\p{Nd}|[-'’]\p{L}|\s?[%°])"
    r"|(?<![\p{Nd}.,])(?P<mark>\p{Nd}{1,3}+)(?P<noun>号|號|番|번)"
)
_NOUN: Final = regex.compile(
    r"(?<![\p{L}\p{Nd}_])(?P<noun>\p{L}{2,30}+)(?:[ ](?:(?:[nN][or]\.|n[°º]|№|\#)[ ]?)?+|[ ]?[=\#№][ ]?)$"
)
REACH: Final = 36
"""Code points before a mark in which its noun begins."""
_PRONOUNS: Final = frozenset("I")
"""Single capital letters that are words."""
MANY: Final = 400
"""Labels of one text that are looked at."""


class Label(NamedTuple):
    """One noun with its mark; `start` and `end` are those of the mark."""

    noun: str
    mark: str
    start: int
    end: int

    @property
    def key(self) -> str:
        """What tells it from other labels."""
        return f"{self.noun}#{self.mark}"


def labels(text: str, lang: str) -> list[Label]:
    """Every noun of `text` with a number or letter that may be its mark, in order."""
    found: list[Label] = []
    for match in _MARK.finditer(text):
        mark = match["mark"]
        before = match if match["noun"] else _NOUN.search(text, max(0, match.start() - REACH), match.start())
        if before is None:
            continue
        noun = folded(before["noun"])
        if mark in _PRONOUNS or is_stop_word(noun, lang) or noun in measures.MONTH_OF or noun in measures.WEEKDAY_OF:
            continue
        after = measures.UNIT.match(text, match.end("mark")) if mark[0].isdigit() else None
        if after is not None and (after["unit"] or after["mult"]):
            continue
        found.append(Label(stem(noun, lang), mark.casefold(), *match.span("mark")))
        if len(found) >= MANY:
            break
    return found


def series(found: Sequence[Label]) -> frozenset[str]:
    """Nouns that stand with more than one mark, or with a letter."""
    marks: dict[str, set[str]] = {}
    for label in found:
        marks.setdefault(label.noun, set()).add(label.mark)
    return frozenset(noun for noun, known in marks.items() if len(known) > 1 or not min(known)[0].isdigit())


def marked(found: Sequence[Label], nouns: Collection[str]) -> list[Label]:
    """The labels of these nouns."""
    return [label for label in found if label.noun in nouns]

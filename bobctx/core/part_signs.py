"""What two like parts of a Chinese sentence begin and end with, once what both have there is left out. Pure."""

from __future__ import annotations

from itertools import takewhile
from typing import Final, NamedTuple

import regex

_GRAMMAR: Final = frozenset("的了是在我你他她它给对也都就把被和与及到去要会有用从跟让")
"""Signs of grammar: no part of a name."""
_LINKS: Final = frozenset("给对在")
"""Those of them that join what a part speaks of with what it gives."""
_MARKS: Final = regex.compile(r"[\s\p{P}]+")
LEAST: Final = 2
"""Signs of a word that tells by itself."""
MOST_SIGNS: Final = 24
"""Signs of a part that gives one thing to one."""


class Ends(NamedTuple):
    """What a part begins with and what it ends with; each may be said by any of these."""

    head: frozenset[str]
    tail: frozenset[str]

    def begins(self, text: str) -> bool:
        """Whether a text has what the part begins with."""
        return any(sign in text for sign in self.head)

    def closes(self, text: str) -> bool:
        """Whether a text has what the part ends with."""
        return any(sign in text for sign in self.tail)


def ends(one: str, other: str) -> tuple[Ends, Ends] | None:
    """The ends of two parts that share a sign of meaning; None where they are not alike or say too little."""
    first, second = _MARKS.sub("", one), _MARKS.sub("", other)
    shared = set(first) & set(second)
    if max(len(first), len(second)) > MOST_SIGNS or not (shared - _GRAMMAR or shared & _LINKS):
        return None
    before, after = _common(first, second), _common(first[::-1], second[::-1])
    found = [_ends(text, before, after) for text in (first, second)]
    both = [e for e in found if e is not None]
    return (both[0], both[1]) if len(both) == len(found) else None


def _common(one: str, other: str) -> int:
    """How many signs two texts begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _ends(text: str, before: int, after: int) -> Ends | None:
    """The ends of one part without the signs that both begin and end with, but one of them to make a word."""
    stop = len(text) - after
    if stop - before < LEAST:
        return None
    heads = {text[before : before + 2], text[max(0, before - 1) : before + 1]}
    tails = {text[stop - 2 : stop], text[stop - 1 : stop + 1]}
    head = {w for w in heads if len(w) == LEAST and _GRAMMAR.isdisjoint(w)}
    tail = {w for w in tails if len(w) == LEAST and w[0] not in _GRAMMAR}
    if not head and text[before] not in _GRAMMAR:
        head = {text[before]}
    return Ends(frozenset(head), frozenset(tail)) if tail and not head & tail else None

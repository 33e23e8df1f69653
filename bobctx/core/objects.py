"""The JSON object around a place of a text: the stretches beside it and where the name of the object stands. Pure."""

from __future__ import annotations

from typing import Final, NamedTuple

import regex

OBJECT: Final = 400
"""Characters before and after a value in which its JSON object is looked for."""
NAME: Final = 48
"""Characters before an object in which its name stands."""
_IS_KEY: Final = regex.compile(r"[\w.-]{1,60}\\?\"\s?:")


class Record(NamedTuple):
    """What stands in the object around a place, the place itself and nested objects left out."""

    parts: tuple[tuple[int, int], ...]
    """Stretches of the object, in order."""
    name: tuple[int, int] | None
    """Where the name of the object (or of the array that it is a member of) ends; None if its begin is too far."""
    listed: bool
    """Whether it is a member of an array."""
    outer: tuple[tuple[int, int], ...] = ()
    """Stretches of the object that this one is a named member of."""


def is_key(text: str, start: int) -> bool:
    """Whether a key of an object begins here."""
    return _IS_KEY.match(text, start) is not None


def around(text: str, start: int, end: int) -> Record:
    """The object around `start..end`."""
    before = _siblings(text, range(start - 1, max(0, start - OBJECT) - 1, -1), "}", "{")
    after = _siblings(text, range(end, min(len(text), end + OBJECT)), "{", "}")
    opened = before[-1][0] if before else start
    parts = (*reversed(before), *after)
    if text[opened : opened + 1] != "{":
        return Record(parts, None, listed=False)
    array = _array(text, opened)
    outer: tuple[tuple[int, int], ...] = ()
    if array == opened and text[:opened].rstrip()[-1:] == ":":
        closed = min(after[-1][1] + 1, len(text)) if after else end
        above = _siblings(text, range(opened - 1, max(0, opened - OBJECT) - 1, -1), "}", "{")
        below = _siblings(text, range(closed, min(len(text), closed + OBJECT)), "{", "}")
        outer = (*reversed(above), *below)
    listed = array != opened
    name = (max(0, array - NAME), array) if listed or _named(text, opened) else None
    return Record(parts, name, listed=listed, outer=outer)


def _named(text: str, opened: int) -> bool:
    """Whether an object has a name: none on a line of its own, or behind another object (`{"a": 1} {"a": 2}`)."""
    lead = text[max(0, opened - NAME) : opened]
    word = lead.rstrip()
    return word.endswith((":", "=", "(")) or not ("\n" in lead[len(word) :] or word.endswith(("}", "]", ",", ";")))


def _array(text: str, start: int) -> int:
    """Where the array begins whose member begins at `start`; `start` itself if it is none, or too long."""
    depth = 0
    for at in range(start - 1, max(0, start - OBJECT) - 1, -1):
        char = text[at]
        if char in "}]":
            depth += 1
        elif char in "{[":
            depth -= 1
            if depth < 0:
                return at if char == "[" else start
        elif depth == 0 and not char.isspace() and char != ",":
            return start
    return start


def _siblings(text: str, places: range, opens: str, closes: str) -> list[tuple[int, int]]:
    """Stretches of the innermost object on one side of a place, nested objects left out, nearest first."""
    found: list[tuple[int, int]] = []
    depth, edge = 0, places.start
    for at in places:
        char = text[at]
        if char == opens:
            if depth == 0:
                found.append((min(at, edge), max(at, edge)))
            depth += 1
        elif char == closes:
            depth -= 1
            if depth == 0:
                edge = at
            elif depth < 0:
                found.append((min(at, edge), max(at, edge)))
                break
    else:
        if depth == 0 and places:
            found.append((min(places[-1], edge), max(places[-1], edge)))
    return found

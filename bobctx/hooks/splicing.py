"""Puts members into a JSON text and takes them out again; every other byte stays as it was written."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Part:
    """One member of an object (`key` is set) or one item of a list: its span, and that of its value."""

    key: str | None
    start: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class Container:
    """An object or a list in a text: from its bracket to behind its closing one."""

    start: int
    end: int
    parts: tuple[Part, ...]

    def get(self, key: str) -> Part | None:
        """The member of this name."""
        return next((part for part in self.parts if part.key == key), None)


def read(text: str) -> dict[str, Any]:
    """The object in a text. `ValueError` says what is wrong: not JSON, no object, a name that stands twice."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a name stands twice in one object")
        return found

    value = json.loads(text, object_pairs_hook=unique)
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")
    return value


def container(text: str, at: int = 0) -> Container:
    """The object or list that begins at `at` (spaces before it are passed over) in a valid JSON text."""
    start = _skip(text, at)
    is_object = text[start] == "{"
    parts: list[Part] = []
    position = _skip(text, start + 1)
    while text[position] not in "}]":
        begin, key = position, None
        if is_object:
            key, behind = _DECODER.raw_decode(text, position)
            position = _skip(text, _skip(text, behind) + 1)
        _, end = _DECODER.raw_decode(text, position)
        parts.append(Part(key, begin, position, end))
        position = _skip(text, end)
        if text[position] == ",":
            position = _skip(text, position + 1)
    return Container(start, position + 1, tuple(parts))


def added(text: str, where: Container, value: Any, key: str | None = None) -> str:
    """The text with one more member or item at the end, indented like its neighbours."""
    outer = _indent_of(text, where.start)
    inner = _indent_of(text, where.parts[-1].start) if where.parts else outer + _step(text)
    body = json.dumps(value, indent=_step(text), ensure_ascii=False).replace("\n", "\n" + inner)
    whole = body if key is None else f"{json.dumps(key)}: {body}"
    if where.parts:
        at = where.parts[-1].end
        return f"{text[:at]},\n{inner}{whole}{text[at:]}"
    return f"{text[: where.start + 1]}\n{inner}{whole}\n{outer}{text[where.end - 1 :]}"


def removed(text: str, where: Container, part: Part) -> str:
    """The text without one member or item, nor the comma and the spaces that belong to it."""
    place = where.parts.index(part)
    if len(where.parts) == 1:
        return text[: where.start + 1] + text[where.end - 1 :]
    if place:
        return text[: where.parts[place - 1].end] + text[part.end :]
    return text[: part.start] + text[where.parts[1].start :]


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _indent_of(text: str, at: int) -> str:
    """The spaces at the beginning of the line on which a position stands."""
    line = text.rfind("\n", 0, at) + 1
    found = _SPACE.match(text, line)
    return text[line : found.end() if found and found.end() <= at else at] if line or text[:1] in " \t" else ""


def _step(text: str) -> str:
    """One level of indentation, as the text has it."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "

"""What tool results and calls are worth quoting: values that come back later, errors, files that were made. Pure.

Tool text supports facts, artifacts and failures only; nothing found in it is ever a rule (design, section 6,
Authority).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from bobctx.core.candidates import unsafe
from bobctx.core.quotable import MAX_CHARS, governed
from bobctx.core.text import Span
from bobctx.core.types import Message, Part, Region

LINE_CHARS = 140
"""Characters of a tool line that are quoted around its value."""
SCANNED_CHARS = 200_000
"""Characters of one result in which values are looked for."""
PER_RESULT = 3
"""Lines quoted of one result."""

_VALUE = regex.compile(
    r"(?<![\w./#@-])(?:https?://[^\s\"'<>)\]}]++|(?<![\w.+-]{32})[\w.+-]++@[\w-]++\.[\w.]++[\w]"
    r"|#?(?=[\w-]*\d)(?=[\w-]*\p{L})[\p{L}\d][\w-]{4,60}+|(?:~|\.{1,2})?/?[\w.@-]++(?:/[\w.@-]++)++|\d{4}-\d\d-\d\d|\d{5,20}+)(?![\w])",
    regex.V1,
)
"""Addresses, ids with digits and letters, paths, days, long numbers; of a long run only the first places are tried."""
_ERROR = regex.compile(
    r"(?<!\w)(?:[A-Z]\w{2,40}(?:Error|Exception)(?=[:(\s])|error(?:\[\w+\])?:|fatal:|panic:"
    r"|FAILED|Traceback|exit(?:ed with)? (?:code|status) [1-9]"
    r"|(?:permission|access) denied|no such file|not found|timed out|connection refused|cannot |unable to )",
    regex.IGNORECASE,
)
_PATH_KEY = regex.compile(
    r"\"(?:path|file|file_path|filename|filepath|target_file|notebook_path|destination|output|output_path|dest)\""
    r"\s*+:\s*+\"(?P<v>(?:[^\"\\]|\\.){2,300}+)\""
)
_MAKES = regex.compile(
    r"write|create|edit|replace|save|update|patch|insert|move|rename|add|upload|book|publish", regex.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One quotable stretch of tool text."""

    position: int
    text: str
    type: Literal["fact", "artifact", "failure"]
    values: tuple[str, ...]
    reuse: int
    """Later messages of the region that have one of its values."""


def observations(region: Region) -> list[Observation]:
    """What the tool calls and results of the region leave behind, in order."""
    later = _Later(region.messages)
    found: list[Observation] = []
    for position, message in enumerate(region.messages):
        for part in message.parts:
            if part.kind == "result":
                found.extend(_of_result(position, part, later))
            elif part.kind == "call":
                found.extend(_of_call(position, part, later))
    return found


class _Later:
    """Where each value of the region's messages stands."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._places: dict[str, set[int]] = {}
        for position, message in enumerate(messages):
            for match in _VALUE.finditer(message.text[:SCANNED_CHARS]):
                self._places.setdefault(match.group(), set()).add(position)

    def reuse(self, value: str, position: int) -> int:
        return sum(1 for place in self._places.get(value, ()) if place > position)

    def seen(self, value: str, position: int) -> bool:
        return any(place < position for place in self._places.get(value, ()))


def _of_result(position: int, part: Part, later: _Later) -> Iterator[Observation]:
    lines: dict[tuple[int, int], list[str]] = {}
    places: dict[tuple[int, int], int] = {}
    text = part.text[:SCANNED_CHARS]
    for match in _VALUE.finditer(text):
        value = match.group()
        if later.reuse(value, position) and not later.seen(value, position):
            window = _window(text, match.start(), match.end())
            lines.setdefault(window, []).append(value)
            places.setdefault(window, match.start())
    ranked = sorted(
        lines.items(), key=lambda item: (-sum(min(3, later.reuse(v, position)) for v in set(item[1])), item[0])
    )
    told: set[str] = set()
    for window, values in ranked[:PER_RESULT]:
        words = governed(text, Span(*window), places[window])
        if words is not None and words not in told:
            told.add(words)
            yield from _observed(position, words, "fact", values, later)
    error = _ERROR.search(text)
    if error is not None and (part.is_error or len(text) < 20_000):
        start, end = _window(text, error.start(), error.end())
        yield from _observed(position, text[start:end], "failure", (), later)


def _of_call(position: int, part: Part, later: _Later) -> Iterator[Observation]:
    if part.name is None or not _MAKES.search(part.name):
        return
    match = _PATH_KEY.search(part.text[:SCANNED_CHARS])
    if match is not None:
        yield from _observed(position, f"{part.name}: {match['v']}", "artifact", (match["v"],), later)


def _observed(
    position: int, text: str, type_: Literal["fact", "artifact", "failure"], values: Sequence[str], later: _Later
) -> Iterator[Observation]:
    text = " ".join(text.split()).strip(" ,;|")
    if 3 <= len(text) <= MAX_CHARS and not unsafe(text):
        reuse = max((later.reuse(v, position) for v in values), default=0)
        yield Observation(position=position, text=text, type=type_, values=tuple(dict.fromkeys(values)), reuse=reuse)


_BRACES = "{}[]"
_KEY = regex.compile(r"(?:\\?\"[\w .-]{1,60}\\?\"|[\w.-]{1,60})\s*[:=]\s*\[?\s*$")
_HALF_KEY = regex.compile(r",?\s*(?:\\?\"[^\"\n]{0,60}\\?\"|[\w.-]{1,60})\s*[:=]\s*$")


def _window(text: str, start: int, end: int) -> tuple[int, int]:
    """What is quoted around a value: its line where that is short, else its own level of a structure, cut at commas.

    Without what the line asks before it, and never across braces, where a neighbour's value would stand beside a name
    that is not its own.
    """
    left = text.rfind("\n", 0, start) + 1
    right = text.find("\n", end)
    right = len(text) if right < 0 else right
    if right - left <= LINE_CHARS:
        asked = max(text.rfind(mark, left, start) for mark in ("? ", "？"))
        return max(left, asked + 1), right
    low, high = max(left, start - LINE_CHARS), min(right, end + LINE_CHARS)
    left = max((text.rfind(b, low, start) for b in _BRACES), default=-1) + 1 or _cut_left(text, low, start)
    ends = [at for b in _BRACES if (at := text.find(b, end, high)) >= 0]
    right = min(ends) if ends else _cut_right(text, end, high)
    if right - left > LINE_CHARS:
        left = _cut_left(text, max(left, start - LINE_CHARS // 2), start)
        right = _cut_right(text, end, min(right, end + LINE_CHARS // 2))
    return _with_key(text, left, right)


def _with_key(text: str, left: int, right: int) -> tuple[int, int]:
    """A list with the name it stands under; a name whose value is cut off goes."""
    if left and text[left - 1] == "[" and right < len(text) and text[right] == "]":
        key = _KEY.search(text, max(0, left - 80), left)
        if key is not None:
            return key.start(), right + 1
    half = _HALF_KEY.search(text, left, right)
    return left, half.start() if half is not None and half.start() > left else right


def _cut_left(text: str, low: int, start: int) -> int:
    """The first separator, else the first space, between `low` and the value."""
    edges = [i + 1 for i in range(low, start) if text[i] in ",;|\t"]
    spots = edges or [i + 1 for i in range(low, start) if text[i] == " "]
    return spots[0] if spots else start


def _cut_right(text: str, end: int, high: int) -> int:
    spots = [i for i in range(end, high) if text[i] in ",;|\t"] or [i for i in range(end, high) if text[i] == " "]
    return spots[-1] if spots else end

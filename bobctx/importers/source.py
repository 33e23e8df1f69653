"""A transcript file as JSON values: whole documents or lines, tolerant of what a live tool leaves behind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bobctx.core.types import Json
from bobctx.errors import InvalidInput

MAX_BYTES = 512 * 1024 * 1024
"""A larger file is not read: it would not fit beside the rest in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The text of a file and, where it is JSON, its values."""

    path: Path
    text: str
    document: Json
    """The one JSON value of the file; None for lines and for plain text."""
    lines: tuple[tuple[int, Json], ...]
    """(line number from 1, value) of each JSON line; empty for a document and for plain text."""
    bad_lines: tuple[int, ...] = ()
    """Numbers of the lines that are not JSON (a line that is still being written, for one)."""
    broken: str | None = None
    """Where a text that begins like JSON stops being it; None where it holds JSON, or never looked like it."""
    replaced: int = 0
    """Invalid UTF-8 sequences that stand as U+FFFD in the text."""

    @property
    def is_json(self) -> bool:
        """Whether the file holds JSON at all."""
        return self.document is not None or bool(self.lines)

    def objects(self) -> Iterator[tuple[int, dict[str, Json]]]:
        """The lines that are JSON objects; a file of one line is its own document."""
        lines = self.lines or ((1, self.document),)
        for number, value in lines:
            if isinstance(value, dict):
                yield number, value


def word(item: Json, name: str) -> str:
    """The text in a field that names one of several kinds; "" where there is none, for a file may hold anything."""
    value = item.get(name) if isinstance(item, dict) else None
    return value if isinstance(value, str) else ""


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


def parse(text: str) -> Json:
    """One JSON value; `ValueError` for anything else, NaN and too deep nesting included."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def load(path: Path) -> Source:
    """Read a file once. `InvalidInput` where it is missing, unreadable, empty or too large."""
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise InvalidInput(f"{path} is a folder; name one transcript file", field="file")
        if not path.is_file():
            raise InvalidInput(f"{path} is no regular file; name one transcript file", field="file")
        if size > MAX_BYTES:
            raise InvalidInput(f"{path} has {size:,} bytes; at most {MAX_BYTES:,} are read", field="file")
        raw = path.read_bytes()
    except FileNotFoundError as error:
        raise InvalidInput(f"no file at {path}", field="file") from error
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}", field="file") from error
    text = raw.decode("utf-8-sig", "replace")
    if not text.strip():
        raise InvalidInput(f"{path} is empty", field="file")
    # What is valid UTF-8 for U+FFFD was written so by the tool itself.
    replaced = text.count("\ufffd") - raw.count("\ufffd".encode())
    return replace(of_text(text, path), replaced=replaced)


def of_text(text: str, path: Path) -> Source:
    """The values in a text: one document if it parses as one, else its lines if most of them parse."""
    head = text.lstrip()[:1]
    if head in ("{", "["):
        try:
            document = parse(text)
        except ValueError as error:
            return _lines(text, path, error)
        if isinstance(document, dict | list):
            return Source(path=path, text=text, document=document, lines=())
    return Source(path=path, text=text, document=None, lines=())


def _lines(text: str, path: Path, error: ValueError) -> Source:
    values: list[tuple[int, Json]] = []
    bad: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            values.append((number, parse(line)))
        except ValueError:
            bad.append(number)
    if len(bad) > len(values):
        return Source(path=path, text=text, document=None, lines=(), broken=_where(error, bad))
    return Source(path=path, text=text, document=None, lines=tuple(values), bad_lines=tuple(bad))


def _where(error: ValueError, bad: list[int]) -> str:
    """What is wrong in which line: of one document where it ends, of lines the first that is none."""
    if not isinstance(error, json.JSONDecodeError):
        return str(error)
    if error.msg.startswith("Extra data"):  # one line is JSON, and another follows
        return f"line {bad[0]} is not JSON"
    return f"line {error.lineno}, column {error.colno}: {error.msg}"

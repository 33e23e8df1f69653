"""The rows of a table in a text, each with the header it stands under. Pure."""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

import regex

from bobctx.core.text import Span

MAX_LINE: Final = 2_000
"""Characters of a line that may be a table row."""
_COLUMN: Final = regex.compile(r"\t|[ ]{2,}|\s*\|\s*")
_VALUES: Final = regex.compile(r"\d{2,}|[=:]\s*\d")
_COLUMN_NAME: Final = regex.compile(r"\b[A-Za-z]\d\b|\b(?:19|20)\d\d\b")
"""`Q2`, `T1`, `2026`: a header may have these."""
_RULE: Final = regex.compile(r"[\s|:+=-]+")
_LISTED: Final = regex.compile(
    r"[\p{L}_][\p{L}\p{Nd}_.%/#-]*+(?:(?<sign>[,;\t])[\p{L}_][\p{L}\p{Nd}_.%/#-]*+)(?:\g<sign>[\p{L}_][\p{L}\p{Nd}_.%/#-]*+)*+"
)
"""The header of a file of values (`room,temp_c,note`): names alone, parted by one sign."""
_UNDERLINE: Final = regex.compile(r"[\s|:+=]*-{3}[\s|:+=-]*")
"""The rule of a Markdown table: what stands above it is its header."""


class Row(NamedTuple):
    """A row of a table: its cells and the cells of its header."""

    cells: tuple[Span, ...]
    header: tuple[Span, ...]


def rows(text: str) -> dict[int, Row]:
    """Start of line -> row, for lines of a table with a header and for lines whose cells bars divide."""
    found: dict[int, Row] = {}
    header: tuple[Span, ...] = ()
    sign = ""
    at = 0
    for line, after in pairwise([*text.splitlines(keepends=True), ""]):
        start, at = at, at + len(line)
        bare = line.rstrip("\r\n")
        if sign and bare.count(sign) == len(header) - 1:
            found[start] = Row(_listed(bare, sign, start), header)
            continue
        if sign := _sign(bare, after):
            header = _listed(bare, sign, start)
            continue
        cells = _cells(bare, start) if len(bare) <= MAX_LINE else ()
        if len(cells) < 2:
            if not _RULE.fullmatch(bare) or not bare.strip():
                header = ()
            continue
        if _RULE.fullmatch(bare):
            continue
        if header and abs(len(cells) - len(header)) <= 1:
            found[start] = Row(cells, header)
        elif not header and (_heads(bare, cells, start) or _ruled(after)):
            header = cells
        elif not header and bare.count(" | ") > 1:
            found[start] = Row(cells, ())
    return found


def _sign(line: str, after: str) -> str:
    """The sign that parts the names of a header of a file of values, whose next line has as many parts."""
    match = _LISTED.fullmatch(line) if len(line) <= MAX_LINE else None
    sign = match["sign"] if match else ""
    return sign if sign and after.count(sign) == line.count(sign) and any(map(str.isdigit, after)) else ""


def _listed(line: str, sign: str, start: int) -> tuple[Span, ...]:
    """The parts of a line, empty ones too: each stands under its name."""
    cells, at = [], start
    for part in line.split(sign):
        cells.append(Span(at, at + len(part)))
        at += len(part) + 1
    return tuple(cells)


def _heads(line: str, cells: tuple[Span, ...], start: int) -> bool:
    """Whether a line may be a header: no values in it, and of years not in its first cell, as a row about one has."""
    first = line[: cells[0].end - start]
    return not _VALUES.search(_COLUMN_NAME.sub("", line)) and not any(c.isdigit() for c in first[:4])


def _ruled(after: str) -> bool:
    return len(after) <= MAX_LINE and "|" in after and _UNDERLINE.fullmatch(after.rstrip("\r\n")) is not None


def _cells(line: str, start: int) -> tuple[Span, ...]:
    cells = []
    at = 0
    for match in [*_COLUMN.finditer(line), None]:
        end = match.start() if match else len(line)
        if line[at:end].strip():
            cells.append(Span(start + at, start + end))
        at = match.end() if match else end
    return tuple(cells)

"""When a place of a source counts for a literal of the claim: a whole token, with its unit. Pure."""

from __future__ import annotations

from typing import Final

import regex

from bobctx.core.literals import Literal
from bobctx.core.measures import STRICT_UNITS, TIMES, mentions_unit, rate_kind
from bobctx.core.remembering import remembered

_SPANS: Final = TIMES - {"h"}
"""Units of a span of time that no time of day is written with."""
UNIT_BEFORE: Final = 60
UNIT_AFTER: Final = 16
TABLE: Final = 2_000
"""Code points above a row in which its table begins."""


@remembered(2_048)
def bounded(wanted: str, loose: bool) -> regex.Pattern[str]:
    """`wanted` as a whole token: any run of spaces for a space, quote marks of any style, no longer token around it."""
    pieces = []
    for piece in regex.split(r"(\s+|[\"'\u2018\u2019\u201c\u201d])", wanted):
        if not piece:
            continue
        if piece.isspace():
            pieces.append(r"\s+")
        elif piece in "\"'\u2018\u2019\u201c\u201d":
            pieces.append("[\"'\u2018\u2019\u201c\u201d]")
        else:
            pieces.append(_spaced(piece) if loose else regex.escape(piece))
    body = "".join(pieces)
    script = r"[\p{Latin}\p{Greek}\p{Cyrillic}\p{Nd}_]"
    before = rf"(?<!{script}|{script}[-./@])" if regex.match(script, wanted) else ""
    after = rf"(?!{script}|[-./@]{script})" if regex.search(rf"{script}$", wanted) else ""
    if wanted[:1] in "/~." and not before:
        before = rf"(?<!{script}|[/.~-])"
    if wanted[-1:] == "/" and not after:
        after = rf"(?!{script})"
    return regex.compile(before + body + after, regex.IGNORECASE if loose else 0)


def _spaced(piece: str) -> str:
    """A piece of a quotation whose marks may stand apart from its words, as in transcripts (`landmark - ish`)."""
    return regex.sub(r"(\\-|\\?[,.;:!?])", r"\\s*\1\\s*", regex.escape(piece))


def compatible(mine: Literal, theirs: Literal, text: str) -> bool:
    """Whether the units of a claim's literal and a source's literal agree (`text` is the source's)."""
    if mine.rate and theirs.rate and mine.rate != theirs.rate and rate_kind(mine.rate) == rate_kind(theirs.rate):
        return False
    if mine.unit == theirs.unit:
        return True
    if mine.unit is None:
        return theirs.unit not in STRICT_UNITS or theirs.soft_unit
    if theirs.kind == "time" and mine.unit in _SPANS:
        return False  # `nach 22 Uhr` is no `nach 22 Minuten`; `18 h` may be a time
    if theirs.unit is None:
        return mine.soft_unit or theirs.kind != "number" or mentions_unit(_beside(text, theirs), mine.unit)
    return False


def _beside(text: str, literal: Literal) -> str:
    """Where the unit of a bare number may stand: its line, and the head of its table."""
    start = text.rfind("\n", 0, literal.start) + 1
    line = text[max(start, literal.start - UNIT_BEFORE) : literal.end + UNIT_AFTER]
    block = text.rfind("\n\n", max(0, start - TABLE), start)
    top = max(0, start - TABLE) if block < 0 else block + 2
    head = text[top : text.find("\n", top)] if top < start else ""
    return f"{head[:400]}\n{line}"

"""One end of a range is not the value: `10-20 kg` supports neither `10 kg` nor `from 20 kg`. Pure.

The end alone holds where the claim names the other one as well, or bounds its value the way the range does (`at most
20`). For times of day (`09:00-14:00`) each end is a time by itself, and only a wrong bound is refused.
"""

from __future__ import annotations

from typing import Final

import regex

from bobctx.core.checking import Case, Refusal
from bobctx.core.literals import Literal
from bobctx.core.reading import Segment, read
from bobctx.core.sources import Found

DIGITS: Final = 5
"""Digits of an end; longer runs with a dash are numbers of accounts and telephones."""
_KINDS: Final = frozenset({"number", "money", "percent", "time"})
_BEFORE: Final = regex.compile(
    r"(?<![\p{Latin}\p{Cyrillic}\p{Greek}\p{Nd}.,:/-])(?:[$€£¥]\s?)?(?P<n>\p{Nd}{1,5}+(?:[.,:]\p{Nd}{1,3}+)?+)[^\p{Nd}\s]{0,3}\s?[-\u2013~\u301c\uff5e至到]\s?(?:[$€£¥]\s?)?$"
)
_AFTER: Final = regex.compile(
    r"[^\p{Nd}\s]{0,3}\s?[-\u2013~\u301c\uff5e至到]\s?(?:[$€£¥]\s?)?(?P<n>\p{Nd}{1,5}+(?:[.,:]\p{Nd}{1,3}+)?+)(?![\p{Nd}/]|-\p{Nd}|[.,:]\p{Nd})"
)
_UNTIL: Final = regex.compile(r"[到至]\s?$")
"""In Chinese: what stands before the end of a period, and is too common a sign for the table of bounds."""
_FIGURES: Final = regex.compile(r"\p{Nd}+(?:[.,:]\p{Nd}+)?")


def check(case: Case) -> Refusal | None:
    """The first value of the claim that stands only as one end of a range."""
    for literal, places in zip(case.literals, case.found, strict=True):
        if literal.kind not in _KINDS or not places or literal.text.isalpha():
            continue
        ends = [_end(case, place) for place in places]
        if not all(ends) or _end_at(case.text, literal.start, literal.end):
            continue
        if cut := _cut(case, literal, [e for e in ends if e is not None]):
            source = case.source(places[0].message)
            data = {"literal": literal.text, "kind": literal.kind, "range": cut, "message": source.message.alias}
            return Refusal(code="range_cut", data=data)
    return None


def _end(case: Case, place: Found) -> tuple[str, str, str] | None:
    return _end_at(case.source(place.message).text, place.start, place.end)


def _end_at(text: str, start: int, end: int) -> tuple[str, str, str] | None:
    """Which end of a range stands here: its way, the figures of the other end, and the range as written."""
    own = _FIGURES.search(text, start, end)
    if own is None or len(own.group()) > DIGITS:
        return None
    before = _BEFORE.search(text, max(0, start - 16), own.start())
    if before is not None and _value(before["n"]) < _value(own.group()):
        return "upper", before["n"], text[before.start("n") : end]
    after = _AFTER.match(text, own.end())
    if after is not None and _value(own.group()) < _value(after["n"]):
        return "lower", after["n"], text[start : after.end()]
    return None


def _value(figures: str) -> float:
    head, _, tail = figures.replace(",", ".").replace(":", ".").partition(".")
    return float(f"{head}.{tail or 0}")


def _cut(case: Case, literal: Literal, ends: list[tuple[str, str, str]]) -> str:
    """The range that the claim cuts short or turns around; empty where it keeps the point."""
    figures = _FIGURES.findall(case.text)
    own = _FIGURES.search(literal.text)
    if own is None:
        return ""
    reading = read(case.text, case.lang)
    bounds = {b.way for b in reading.bounds if b.key.startswith(own.group()) and b.value != "after"}
    if case.lang == "zh" and _UNTIL.search(case.text, max(0, literal.start - 3), literal.start):
        bounds.add("upper")
    if any(way in bounds for way, *_ in ends):
        return ""
    if bounds and not any(_closes(s) for s in reading.segments):  # `closed until 9:00` of `9:00-17:00`
        return ends[0][2]
    named = any(other in figures for _, other, _ in ends)
    return "" if named or literal.kind == "time" else ends[0][2]


def _closes(segment: Segment) -> bool:
    """Whether a segment denies, or names the lower member of a pair of opposites (`closed`)."""
    return bool(segment.strength) or any(v.endswith("-") for v in segment.values("polar"))

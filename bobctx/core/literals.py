"""The exact values of a text, with kinds and spans: what a claim may not change. Pure.

A literal is a whole token: `v1.2` is not found in `v1.21`, a path not in a longer path. A number keeps its
unit: 30 s is not 30 ms. Scanning is linear: one pass of one pattern without nested quantifiers
(design, section 6).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

import regex

from bobctx.core import measures
from bobctx.core.literal import MEASURED, Literal
from bobctx.core.quotation import containers
from bobctx.core.scanning import scanner
from bobctx.core.urls import SUFFIX, parts_of_url, trim_url

__all__ = ["MEASURED", "Literal", "containers", "of_claim", "scan"]

_TRAIL: Final = regex.compile(r"[/\\]+$")
_AMPM: Final = regex.compile(r"\s?([ap])\.?m\b\.?", regex.IGNORECASE)
_NUMBER: Final = regex.compile(r"([-\u2212+]?)(\d+(?:[.,'\u2019\u00a0\u202f]\d+)*)")
_GROUPED: Final = regex.compile(r"\d{1,3}(?:([,.'\u2019\u00a0\u202f])\d{3})(?:\1\d{3})*")
_ORDINAL: Final = frozenset(
    ["st", "nd", "rd", "th", "er", "ère", "re", "e", "º", "ª", "o", "a", "й", "я", "е", "го", "de", "te", "ste"]
)
_CONNECTOR: Final = regex.compile(
    r"[\s,]*(?:to|or|and|until|auf|bis|oder|und|à|a|ou|et|o|e|y|hasta|até|ad|fino|tot|naar|of|en|до|на|или|и|from|–|-|/|→|->|から|到|至|或|と|에서)?\s*"
)
_UUID: Final = regex.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_SLASH: Final = regex.compile(r"[/\\\\]")
_RATIO: Final = regex.compile(r"\d+/\d+")
_ADDRESS: Final = regex.compile(r"\d{1,3}(?:\.\d{1,3}){3}/\d{1,2}")
_STEP: Final = regex.compile(r"[^/\\]+")
_DIGITS: Final = regex.compile(r"\d+")
_TICKET: Final = regex.compile(r"[A-Z][A-Z0-9]+-\d+")
_VERSION: Final = regex.compile(r"[vV]\d+(?:\.\d+)*(?:[-.]\w+)*")
_HEX: Final = regex.compile(r"[0-9a-f]{7,64}")
_CAMEL: Final = regex.compile(r"\p{Ll}\p{Lu}")
_LATIN: Final = regex.compile(r"\p{Latin}")
_TWINS: Final = regex.compile(r"[\p{Cyrillic}\p{Greek}]")
_RANGE: Final = regex.compile(r"([-+\u2212]?\d+(?:[.,]\d+)*)[-\u2013](\d+(?:[.,]\d+)*)(\p{L}*)")
_YEAR_MONTH: Final = regex.compile(r"\d{4}-\d\d")
_DOTTED: Final = regex.compile(r"\d+\.\d+")
_TAIL: Final = regex.compile(r"-\p{L}{2,}(?:-\p{L}+)*")
_AGED: Final = regex.compile(r"(?:under|over|below|above|pre|post|sub|top|mid)-(\d+)s?", regex.IGNORECASE)
"""`under-12s`, `top-10`: a number with its comparator."""
_PLAIN: Final = regex.compile(r"\p{L}++")
_NOT_DIGIT: Final = regex.compile(r"\D")
_MONTHS: Final = "|".join(sorted(map(regex.escape, measures.MONTH_OF), key=lambda n: (-len(n), n)))
_MONTH_AFTER: Final = regex.compile(
    rf"(?:st|nd|rd|th|er|\.|º)?\s*(?:de\s+|of\s+)?(?P<m>{_MONTHS})\b\.?(?:\s*,?\s*(?:de\s+)?(?P<y>\d{{4}})\b)?",
    regex.IGNORECASE,
)
_MONTH_BEFORE: Final = regex.compile(rf"\b(?P<m>{_MONTHS})\.?\s+(?:the\s+)?$", regex.IGNORECASE)
_WORD_AFTER: Final = regex.compile(r"(?:st|nd|rd|th|er|\.|º)?[\s]{0,3}\p{L}")
_LEAD: Final = regex.compile(r"(\p{L}{2,12}+)\s$")
GAPPED: Final = 60
"""Code points between two values of which the second leaves its unit out."""
_VERBS: Final = frozenset({"may", "march"})
"""Written small and without a year, these are words of other meanings (`under 12 may attend`)."""
_YEAR_AFTER: Final = regex.compile(r"(?:st|nd|rd|th)?,?\s+(?P<y>\d{4})\b")


_CLITIC: Final = regex.compile(r"\p{L}{3,}+-[aoe]s?")
"""A Portuguese verb with its pronoun (`recebe-a`)."""


def scan(text: str, lang: str = "und") -> list[Literal]:
    """Every atomic literal of `text`, in order; `lang` decides which number words are read."""
    words = measures.number_words(lang)
    found: list[Literal] = []
    named = _named(lang)
    spelled = not named.isdisjoint(_PLAIN.findall(text.lower()))
    for match in scanner(text).finditer(text):
        if match.lastgroup == "plain":
            said = match.group()
            if spelled and not named.isdisjoint(_PLAIN.findall(said.lower())):
                found.extend(_spelled(said, match.start(), text, words))
            continue
        if match.lastgroup == "run" and _ordinary(match.group(), words):
            continue
        for lit in _classify(match, text, words):
            if (not found or lit.start >= found[-1].end) and not (lang == "pt" and _CLITIC.fullmatch(lit.text)):
                found.append(lit)
    return _inherit_units(found, text)


@lru_cache(maxsize=16)
def _named(lang: str) -> frozenset[str]:
    """Plain words that are values: number words and weekdays."""
    return frozenset(measures.number_words(lang)) | frozenset(measures.WEEKDAY_OF)


def _spelled(said: str, start: int, text: str, words: dict[str, int]) -> Iterator[Literal]:
    """The values among plain words."""
    for match in _PLAIN.finditer(said):
        yield from _run(match.group(), start + match.start(), text, words)


def _ordinary(run: str, words: dict[str, int]) -> bool:
    """A plain word, no literal: most of a text, so it is told first."""
    if not (run.isalpha() and run.isascii() and (run.islower() or run.istitle())):
        return False
    low = run.lower()
    return low not in words and low not in measures.WEEKDAY_OF


def of_claim(text: str, lang: str = "und") -> list[Literal]:
    """What a claim must find in its sources: containers, and the literals outside of them."""
    outer = containers(text)
    inner = [lit for lit in scan(text, lang) if not any(c.start <= lit.start and lit.end <= c.end for c in outer)]
    return sorted([*outer, *inner], key=lambda lit: (lit.start, -lit.end))


def _literal(kind: str, text: str, start: int, *keys: str, offers: tuple[str, ...] = ()) -> Literal:
    needs = frozenset(keys or (text,))
    return Literal(kind=kind, text=text, start=start, end=start + len(text), needs=needs, offers=needs | set(offers))


_RELEASE: Final = regex.compile(r"@v?(\d+(?:\.\d+)+[\w.-]*)$")


def _classify(match: regex.Match[str], text: str, words: dict[str, int]) -> Iterator[Literal]:
    kind = match.lastgroup or ""
    surface, start = match.group(), match.start()
    if kind == "run":
        yield from _run(surface, start, text, words)
    elif kind == "url":
        url = trim_url(surface)
        yield _literal("url", url, start, offers=tuple(parts_of_url(url)))
    elif kind == "path":
        yield from _path(surface, start, text, words)
    elif kind in ("datetime", "date"):
        yield _date(kind, surface, start)
    elif kind == "time":
        yield _time(surface, start, text)
    elif kind == "ip":
        host, _, port = surface.partition(":")
        yield _literal("ip", surface, start, offers=(host, port) if port else ())
    elif kind == "env":
        yield _literal("env", surface, start, surface.strip("${}"))
    elif kind == "cjk":
        value = measures.cjk_number(surface)
        if value is not None and value > 1:
            yield _measure(_literal("number", surface, start, str(value)), text)
    else:
        released = _RELEASE.search(surface.rstrip(".")) if kind == "email" else None  # `zod@3.22.4`
        yield _literal(kind, surface.rstrip("."), start, offers=(released[1],) if released else ())


def _path(surface: str, start: int, text: str, words: dict[str, int]) -> Iterator[Literal]:
    path = surface.rstrip(".,;:!?\\")
    last = path.rstrip("/").rsplit("/", 1)[-1]
    slashes = path.count("/") + path.count("\\")
    rooted = path[0] in "~./\\" or path[1:2] == ":"
    if rooted or slashes > 2 or path.endswith("/") or (SUFFIX.search(path) and not last.isdigit()):
        ids = _UUID.findall(path)
        bare = (path[2:],) if path[:2] in ("a/", "b/") else ()  # as a diff names its two sides
        yield _literal("path", path, start, offers=(*bare, _SLASH.split(_TRAIL.sub("", path))[-1], *ids))
        return
    if _ADDRESS.fullmatch(path):
        yield _literal("ip", path, start, offers=(path.partition("/")[0],))
        return
    if _RATIO.fullmatch(path):
        yield _literal("number", path, start)
        return
    for piece in _STEP.finditer(path):
        yield from _run(piece.group(), start + piece.start(), text, words)


def _date(kind: str, surface: str, start: int) -> Literal:
    digits = [int(d) for d in _DIGITS.findall(surface[:14] if kind == "datetime" else surface)][:3]
    offers: list[str] = []
    if kind == "datetime":
        day, clock = surface[:10], surface[11:]
        offers = [day, clock, f"md:{digits[1]}-{digits[2]}"]
        return _literal("date", surface, start, surface.replace(" ", "T"), offers=tuple(offers))
    if len(digits) == 3 and digits[0] > 31:
        y, m, d = digits
    elif len(digits) == 3 and "." in surface:
        d, m, y = digits
    elif len(digits) == 2 and digits[0] <= 12:
        return _literal("date", surface, start, f"md:{digits[0]}-{digits[1]}")
    else:
        return _literal("date", surface, start)
    return _literal("date", surface, start, f"{y:04}-{m:02}-{d:02}", offers=(f"md:{m}-{d}",))


def _time(surface: str, start: int, text: str) -> Literal:
    digits = [int(d) for d in _DIGITS.findall(surface)]
    hour, minute = digits[0], digits[1] if len(digits) > 1 else 0
    half = _AMPM.match(text, start + len(surface))
    end = half.end() if half else start + len(surface)
    if half:
        hour = hour % 12 + (12 if half.group(1).lower() == "p" else 0)
    seconds = f":{surface.split(':', 2)[2]}" if surface.count(":") == 2 else ""
    return replace(_literal("time", text[start:end], start, f"{hour:02}:{minute:02}{seconds}"))


def _run(surface: str, start: int, text: str, words: dict[str, int]) -> Iterator[Literal]:
    """A maximal token: a number, version, identifier, number word, weekday, or an ordinary word (nothing)."""
    low = surface.lower()
    if low in measures.WEEKDAY_OF:
        yield _literal("weekday", surface, start, f"wd:{measures.WEEKDAY_OF[low]}")
    elif low in words:
        yield _measure(_literal("number", surface, start, str(words[low])), text)
    elif surface[0].isdigit() or (surface[0] in "-+\u2212" and surface[1:2].isdigit()):
        yield from _numeric(surface, start, text)
    elif "-" in surface and not any(c.isdigit() or c == "_" for c in surface):
        yield from _hyphenated(surface, start, text, words)
    elif _is_identifier(surface):
        kind = "ticket" if _TICKET.fullmatch(surface) else "identifier"
        if _VERSION.fullmatch(surface):
            yield _literal("version", surface, start, surface[1:], offers=(surface,))
        elif _HEX.fullmatch(surface):
            yield _literal("hex", surface, start)
        elif aged := _AGED.fullmatch(surface):
            yield _literal("number", surface, start, aged.group(1))
        else:
            members = [m for m in surface.split(".") if len(m) > 2 and not m.isdigit()] if "." in surface else []
            yield _literal(kind, surface, start, offers=tuple(members))


def _hyphenated(surface: str, start: int, text: str, words: dict[str, int]) -> Iterator[Literal]:
    """An ordinary hyphenated word is no literal; `wk-a` is, and so are identifiers and number words in it."""
    parts = surface.split("-")
    if len(parts) == 2 and len(parts[1]) == 1 and len(parts[0]) > 1:
        yield _literal("identifier", surface, start)
        return
    if len(parts) > 2 and surface.isascii() and all(p[:1].isupper() for p in parts) and any(map(str.isupper, parts)):
        yield _literal("identifier", surface, start)  # the name of a header: `X-Request-Id`
        return
    offset = start
    for part in parts:
        if part:
            yield from _run(part, offset, text, words)
        offset += len(part) + 1


def _is_identifier(surface: str) -> bool:
    if any(c.isdigit() for c in surface) or "_" in surface.strip("_"):
        return True
    if "." in surface:
        return any(len(p) > 2 for p in surface.split(".")) and min(map(len, surface.split("."))) > 1
    return bool(_CAMEL.search(surface)) or _mixed(surface)


def _mixed(surface: str) -> bool:
    """Letters of two scripts in one token: a look-alike, never an ordinary word."""
    return bool(_LATIN.search(surface)) and bool(_TWINS.search(surface))


def _numeric(surface: str, start: int, text: str) -> Iterator[Literal]:
    ranged = _RANGE.fullmatch(surface)
    if ranged and not _YEAR_MONTH.fullmatch(surface):
        for group in (1, 2):
            piece = text[start + ranged.start(group) : start + ranged.end(group)]
            made = _number(piece, start + ranged.start(group), text)
            yield replace(made, ranged=True)
        return
    number = _NUMBER.match(surface)
    rest = surface[number.end() :] if number else surface
    if number is None or (surface.count(".") > 1 and not _GROUPED.fullmatch(number.group(2))):
        yield _literal("version" if _DOTTED.match(surface) else "identifier", surface, start)
    elif not rest or rest.lower() in _ORDINAL:
        made = _number(number.group(), start, text)
        yield replace(made, end=max(made.end, start + len(surface)))
    elif measures.UNIT.fullmatch(rest) or _TAIL.fullmatch(rest):
        yield _number(number.group(), start, text)
    elif _HEX.fullmatch(surface):
        yield _literal("hex", surface, start)
    else:
        yield _literal("identifier", surface, start)


def _number(piece: str, start: int, text: str) -> Literal:
    sign, digits = _NUMBER.fullmatch(piece).group(1, 2)  # type: ignore[union-attr]  # the caller matched it
    minus = "-" if sign in ("-", "\u2212") else ""
    plain = digits.replace("\u00a0", " ").replace("\u202f", " ").replace("\u2019", "'")
    keys = {minus + plain}
    if _GROUPED.fullmatch(digits):
        keys.add(minus + _NOT_DIGIT.sub("", digits))
    literal = _literal("number", piece, start, *keys)
    dated = None if minus else _dated(literal, text)
    return dated or _measure(literal, text)


def _dated(literal: Literal, text: str) -> Literal | None:
    """`12 March`, `March 12, 2026`, `1er septembre`: a day of a month."""
    if len(literal.text) > 2 or not literal.text.isdigit() or not 1 <= int(literal.text) <= 31:
        return None
    follows = _WORD_AFTER.match(text, literal.end)
    after = _MONTH_AFTER.match(text, literal.end) if follows else None
    before = None if after else _month_before(text, literal.start)
    if after is None and before is None:
        return None
    year = after["y"] if after else None
    end = after.end() if after else literal.end
    if before and (tail := _YEAR_AFTER.match(text, literal.end)):
        year, end = tail["y"], tail.end()
    name = (after or before)["m"]  # type: ignore[index]  # one of them matched
    if name in _VERBS and (after is None or after["y"] is None):
        return None
    month = measures.MONTH_OF[name.lower()]
    day = int(literal.text)
    start = before.start() if before else literal.start
    key = f"md:{month}-{day}"
    offers = frozenset({key, f"{year}-{month:02}-{day:02}"} if year else {key})
    needs = frozenset({f"{year}-{month:02}-{day:02}"}) if year else frozenset({key})
    return replace(literal, kind="date", text=text[start:end], start=start, end=end, needs=needs, offers=offers)


def _month_before(text: str, start: int) -> regex.Match[str] | None:
    """`March 12`: the month, if the word before is one."""
    lead = text[max(0, start - 16) : start].rstrip().removesuffix(" the").rstrip(". ")
    word = regex.search(r"\p{L}++$", lead)
    if word is None or word.group().lower() not in measures.MONTH_OF:
        return None
    return _MONTH_BEFORE.search(text, max(0, start - 16), start)


def _measure(literal: Literal, text: str) -> Literal:
    """The number with the multiplier and unit or currency around it."""
    match = measures.UNIT.match(text, literal.end)
    unit = mult = None
    end = literal.end
    if match:
        if match["mult"] and (match["sep"] != "-"):
            mult = measures.MULTIPLIER_OF[match["mult"]]
            end = match.end("mult")
        if match["unit"]:
            unit, end = measures.unit_of(match["unit"]), match.end()
    start = literal.start
    prefix = None if unit else measures.PREFIX.search(text, max(0, start - 5), start)
    # In "4,95 € 1.482" the sign belongs to the number before it.
    if prefix and not text[max(0, prefix.start() - 2) : prefix.start()].strip(" \u00a0")[-1:].isdigit():
        unit, start = measures.unit_of(prefix.group().strip(" \u00a0")), prefix.start()
    keys = literal.needs
    if mult:
        keys = frozenset(_scaled(k, mult) for k in keys) | {f"{k}{mult}" for k in keys}
    kind = "percent" if unit == "%" else "money" if unit in measures.STRICT_UNITS else "number"
    return Literal(
        kind=kind,
        text=text[start:end],
        start=start,
        end=end,
        needs=keys,
        offers=keys,
        unit=unit,
        rate=measures.rate_of(text, end),
    )


def _scaled(key: str, multiplier: str) -> str:
    try:
        value = float(key.replace(",", ".")) * measures.FACTOR[multiplier]
    except ValueError:
        return key + multiplier
    return str(int(value)) if value == int(value) else str(value)


def _inherit_units(found: list[Literal], text: str) -> list[Literal]:
    """`60 to 120 s`: a number before a connector takes the unit of the number after it."""
    for i in range(len(found) - 2, -1, -1):
        here, after = found[i], found[i + 1]
        if here.kind != "number" or here.unit is not None or after.unit is None:
            continue
        between = text[here.end : after.start] if after.start - here.end < 12 else "."
        if (here.ranged and after.ranged) or (between.strip() and _CONNECTOR.fullmatch(between)):
            found[i] = replace(here, unit=after.unit, soft_unit=True)
    for i in range(1, len(found)):
        here, before = found[i], found[i - 1]
        if (
            here.kind == "number"
            and here.unit is None
            and before.unit in measures.TIMES
            and _gapped(text, before, here)
        ):
            found[i] = replace(here, unit=before.unit, soft_unit=True)
    return found


def _gapped(text: str, before: Literal, here: Literal) -> bool:
    """`roses every 3 days and cacti every 20.`: the second value stands like the first, its unit left out."""
    if here.start - before.end > GAPPED or (text[here.end : here.end + 1] or ".") not in ".,;!)\n":
        return False
    if regex.search(r"[.!?;\n]", text[before.end : here.start]):
        return False
    first = _LEAD.search(text, max(0, before.start - 16), before.start)
    second = _LEAD.search(text, max(0, here.start - 16), here.start)
    return first is not None and second is not None and first[1].lower() == second[1].lower()

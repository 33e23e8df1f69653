"""Literals of a claim must stand in its cited messages as whole tokens, with their unit. Pure."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

import regex

from bobctx.core import measures
from bobctx.core.acts import quantifiers
from bobctx.core.checking import Case, Refusal
from bobctx.core.confusables import look_alike
from bobctx.core.literals import Literal
from bobctx.core.reading import read
from bobctx.core.slots import stemmed
from bobctx.core.sources import Found, Source
from bobctx.core.types import Evidence

PAIR: Final = 2
"""What `both` counts."""
COUNTED: Final = 10
"""Things that a claim counts by itself."""
TITLE: Final = 60
"""Code points of what is left of a quotation up to which it is a name or title, of which a part is another one."""
_PERIOD: Final = regex.compile(
    r"\b(?:a|an|one|each|every|per|ein|eine|einen|einer|einem|pro|je|jede|jeden|un|une|chaque|par|una|uno|cada|por|um|uma|al|ogni"
    r"|een|elke)\s(\p{L}{2,12}+)",
    regex.IGNORECASE,
)
_SIGN: Final = regex.compile(r"[._\d]")
_PLACED: Final = regex.compile(
    r"(?:\b(?:in|under|to|from|into|at|of|unter|nach|aus|dans|en|sous|em|da|su|naar|uit|в|из)\s|`)$"
)
"""What stands before a path."""
LEAD: Final = 12
"""Code points before a path that are looked at."""
_PATH: Final = regex.compile(r"(?<![\w./~-])[\w-][\w.-]*+(?:/[\w.-]++)++")
"""Parts with slashes between them: a path, or words."""
_QUOTES: Final = (frozenset('"“„«「『'), frozenset('"”“»」』'))
_REST: Final = regex.compile(r"[ ]?[^\n\"“”„«»「」『』.!?。！？]+[\"“”„«»「」『』]")
"""The rest of a quotation that is one phrase."""
_ITEMS: Final = regex.compile(r"[,;、，；،]\s*(?:and|und|et|y|e|en|и)?\s|\s(?:and|und|et|y|e|en|и)\s|[、，；]")
_ALL: Final = regex.compile(r"\b(?:all|alle|les|los|las|os|as|tutti e|tutte e|все)\s$", regex.IGNORECASE)


def check(case: Case) -> Refusal | None:
    """The first literal of the claim that no cited message has."""
    sources = "\n".join(s.text for s in case.cited)
    if word := look_alike(case.text, sources):
        return Refusal(code="look_alike", data={"word": word})
    for literal, places in zip(case.literals, case.found, strict=True):
        if literal.kind == "quote" and places and all(_cut_short(case, place) for place in places):
            return Refusal(code="literal_missing", data={"literal": literal.text, "kind": literal.kind})
        if places or _harmless(literal, case):
            continue
        other = _other_unit(literal, case)
        if other is not None:
            return Refusal(code="unit_mismatch", data={"literal": literal.text, "source": other, "kind": literal.kind})
        return Refusal(code="literal_missing", data={"literal": literal.text, "kind": literal.kind})
    if (periods := _other_period(case)) is not None:
        return Refusal(code="unit_mismatch", data={"literal": periods[0], "source": periods[1], "kind": "number"})
    if (path := _shortened(case.text, sources)) is not None:
        return Refusal(code="literal_missing", data={"literal": path, "kind": "path"})
    return None


def _other_period(case: Case) -> tuple[str, str] | None:
    """A span of time without a figure (`a month`) where the clause that a claim rests on has another one (`a week`)."""
    mine = _periods(case.text)
    if not mine or not case.supports:
        return None
    theirs = _periods(case.supports[0].text)
    if not theirs or not mine.keys().isdisjoint(theirs):
        return None
    for unit, said in mine.items():
        if not any(measures.mentions_unit(s.text, unit) or measures.paced(s.text, unit) for s in case.cited):
            return said, next(iter(theirs.values()))
    return None


def _periods(text: str) -> dict[str, str]:
    """Unit of time -> the words for one of it (`a week`); an ordinal is none (`a second coat`)."""
    found = {measures.unit_of(m[1]) or "": m.group() for m in _PERIOD.finditer(text)}
    return {unit: said for unit, said in found.items() if unit in measures.TIMES and unit != "s"}


def _shortened(text: str, sources: str) -> str | None:
    """A relative path (`data/pl`) that no source has, and that leaves out folders in the midst of one of theirs."""
    claimed = [m.group().rstrip(".").split("/") for m in _PATH.finditer(text)]
    if not claimed:
        return None
    known = [m.group().rstrip(".").split("/") for m in _PATH.finditer(sources) if _is_path(m, sources)]
    for mine in claimed:
        longer = any(len(mine) < len(whole) and _in_order(mine, whole) for whole in known)
        if longer and not any(
            whole[i : i + len(mine)] == mine for whole in known for i in range(len(whole) - len(mine) + 1)
        ):
            return "/".join(mine)
    return None


def _is_path(match: regex.Match[str], text: str) -> bool:
    """Whether parts with slashes between them are a path: by its signs, or by the word before it (`in data/feeds`)."""
    lead = text[max(0, match.start() - LEAD) : match.start()]
    return _SIGN.search(match.group().rstrip(".")) is not None or (
        match.group().islower() and _PLACED.search(lead) is not None
    )


def _in_order(mine: list[str], whole: list[str]) -> bool:
    """Whether the parts of one path stand in another one, in order, others between them."""
    rest = iter(whole)
    return all(part in rest for part in mine)


def _cut_short(case: Case, place: Found) -> bool:
    """Whether a quote is one end of what a message quotes (`"The lighthouse wakes"` of `"The lighthouse wakes up"`)."""
    text = case.source(place.message).text
    opens = text[place.start - 1 : place.start] in _QUOTES[0] if place.start else False
    closes = text[place.end :].lstrip(".,;:!?")[:1] in _QUOTES[1]
    if opens == closes:
        return False
    rest = text[place.end : place.end + TITLE] if opens else text[max(0, place.start - TITLE) : place.start][::-1]
    return _REST.match(rest) is not None


def evidence(case: Case) -> tuple[Evidence, ...]:
    """Where each literal stands: the place in the clause that supports the claim best."""
    order = {(c.message, c.start): n for n, c in enumerate(case.supports)}
    kept = []
    for literal, places in zip(case.literals, case.found, strict=True):
        if places:
            best = min(places, key=lambda place: _rank(place, case, order))
            kept.append(
                Evidence(literal=literal.text, kind=literal.kind, message=best.message, start=best.start, end=best.end)
            )
    return tuple(kept)


def _rank(place: Found, case: Case, order: dict[tuple[int, int], int]) -> tuple[int, int, int]:
    source = case.source(place.message)
    clause = source.clauses[source.clause_at(place.start)] if source.clauses else None
    rank = order.get((clause.message, clause.start), len(order)) if clause else len(order)
    return rank, place.message, place.start


def _harmless(literal: Literal, case: Case) -> bool:
    """A counting word for things that the claim lists itself (`two certificates, A1 and B2`)."""
    if literal.kind != "number" or not literal.text.isalpha():
        return False
    value = int(next(iter(literal.needs)))
    listed = sum(1 for lit in case.literals if lit is not literal and not lit.text.isalpha())
    if value == PAIR and _both(literal, case):
        return True
    return value <= COUNTED and (listed >= value or (value > 1 and _counts(literal, value, case)))


def _both(literal: Literal, case: Case) -> bool:
    """Whether a cited clause says `both` of the same: that they are two."""
    said = (c for c in quantifiers(case.text, case.lang) if c.value == "both")
    inside = any(c.start <= literal.start < c.end for c in said)  # `les deux`
    noun = next((key for _, key in stemmed(case.text[literal.end :], case.lang)), "")
    readings = (read(c.text, case.lang_of(case.source(c.message))) for c in case.supports)
    of = {key for r in readings for s in r.segments for value, key in s.quantified if value == "both"}
    return noun in of or (inside and bool(of))


def _counts(literal: Literal, value: int, case: Case) -> bool:
    """Whether it counts what the claim lists behind a colon, or what it cites (`all three attempts`)."""
    behind = case.text[literal.end :]
    noun = next((key for _, key in stemmed(behind, case.lang)), "")
    if any(_counted_there(source, noun) for source in case.cited):
        return False
    _, _, items = behind.partition(":")
    if len([p for p in _ITEMS.split(items) if p.strip()]) == value:
        return True
    return value == len(case.claim.cites) and _ALL.search(case.text[: literal.start]) is not None


def _counted_there(source: Source, noun: str) -> bool:
    """Whether a message has a number right before the noun."""
    starts = [start for start, _ in source.spoken]
    for literal in source.literals:
        at = bisect_left(starts, literal.end)
        near = literal.kind == "number" and at < len(starts) and starts[at] - literal.end <= 1
        if near and source.spoken[at][1] == noun:
            return True
    return False


def _other_unit(literal: Literal, case: Case) -> str | None:
    for source in case.cited:
        for key in literal.needs:
            for offer in source.offers.get(key, ()):
                return offer.text
    return None

"""A value of a part that leaves its verb out: `the coach costs 22` of `the meal costs 22, the coach 9`. Pure.

The second part of such a sentence has a name and a value and hardly a word that the first one lacks, so that the words
of the slots tell nothing. Here the names themselves are compared: behind a comma, before a topic particle, or before
brackets (design, section 6, Binding).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import regex

from bobctx.core.checking import Case, Refusal
from bobctx.core.denial import has_stem
from bobctx.core.function_words import GAPPED, STANDS_FOR
from bobctx.core.literals import Literal
from bobctx.core.slots import BOUNDARY, family, stemmed
from bobctx.core.sources import Found, Source
from bobctx.core.text import Span

MOST: Final = 12
"""Places of one value, and pairs of one sentence, that are looked at."""
MOST_NAME: Final = 3
"""Words of a name in a part without a verb."""
MOST_AFTER: Final = 2
"""Words behind the value in such a part (`the coach 9 € each`)."""
AHEAD: Final = 2
"""Parts behind that of a value in which a name without a verb is looked for."""
NEXT: Final = 6
"""Code points between a noun and the name that goes with it (`parcelle du Haut`)."""
_WORD: Final = regex.compile(r"[\p{L}][\p{L}\p{M}-]*+")
_TOPIC: Final = {
    "ja": regex.compile(
        r"(?:^|[、。，\s])(?P<name>[^\s、。，は]{1,16})は、?(?P<value>[^\s、。，]{2,16}?)"
        r"(?=、|[でにがをと](?:[^\s、。]{0,12})(?:[、。]|$)|[。です]|$)"
    ),
    "ko": regex.compile(
        r"(?:^|[,.\s])(?P<name>[\p{Hangul}\p{Nd}A-Za-z]{1,12}?)[은는]\s(?P<value>[^\s,.]{2,12}?)"
        r"(?=,|에서|에|으로|로|이고|고|입니다|이다|이에요|예요|\s|\.|$)"
    ),
    "zh": regex.compile(
        r"(?:^|[，,。；、\s])(?P<name>[\p{Han}A-Za-z]{1,8}?)(?:是|在|为|要|放在|放|用|收|：)?(?P<value>\d[^，,。；、\s]{1,8})(?=[，,。；、]|$)"
    ),
}
_BRACKETS: Final = regex.compile(
    r"(?P<name>[\p{L}\p{Nd}][\p{L}\p{Nd}_'-]{1,24})(?:\s[(（](?P<value>[^()（）\n]{2,32})|\s?[(（](?P<value>[^()（）\n]{0,30}\d[^()（）\n]{0,30}))[)）]"
)
"""A name with what stands in brackets behind it; without a space it must have a figure, as a call in code has none."""
_SPACE: Final = regex.compile(r"\s+")


class Pair(NamedTuple):
    """A name and what is given to it."""

    name: str
    value: str


def check(case: Case) -> Refusal | None:
    """The first value of the claim that the sentence gives to another name than the claim does."""
    for source in case.cited:
        for block in source.blocks if source.message.role != "tool" else ():
            if source.voice_at(block.start) != "own":
                continue
            pair = _exchanged(case, source, block)
            if pair is not None:
                return _refusal(pair.value, pair.name, source, block)
    for literal, places in zip(case.literals, case.found, strict=True):
        if literal.measured and sum(family(k) == family(literal) for k in case.literals) == 1:
            for place in places[:MOST]:
                found = _left_out(case, literal, place)
                if found is not None and not _together(case, literal, found, places):
                    source = case.source(place.message)
                    span = source.sentence_at(place.start)
                    return _refusal(literal.text, " ".join(found), source, span or Span(0, 0))
    return None


def _refusal(value: str, name: str, source: Source, block: Span) -> Refusal:
    data = {"literal": value, "kind": "value", "rival": name, "message": source.message.alias}
    return Refusal(code="binding", data={**data, "clause": block.of(source.text)[:200]})


# -- names before a topic particle or brackets ----------------------------------


def _exchanged(case: Case, source: Source, block: Span) -> Pair | None:
    """The pair of a sentence whose value the claim gives to another name (`B は 400円` of `A は 400円、B は 250円`)."""
    text = block.of(source.text)
    topic = _TOPIC.get(source.lang)
    for pattern in [_BRACKETS] if topic is None else [topic, _BRACKETS]:
        pairs = _pairs(pattern, text)
        mine = [] if len(pairs) < 2 else _given(pattern, case.text, pairs)
        for pair in pairs:
            names = [m.name for m in mine if m.value == pair.value and _another(case.text, m.name, pair, pairs)]
            if names and not _said_so(case, names, pair.value, block):
                return pair
    return None


def _said_so(case: Case, names: Sequence[str], value: str, own: Span) -> bool:
    """Whether another sentence has one of the names and the value (`swap: Ben takes the till`)."""
    for source in case.cited:
        for block in source.blocks:
            plain = _SPACE.sub("", block.of(source.text).casefold())
            if block is not own and value in plain and any(_SPACE.sub("", n) in plain for n in names):
                return True
    return False


def _pairs(pattern: regex.Pattern[str], text: str) -> list[Pair]:
    found = (Pair(m["name"].casefold(), _SPACE.sub("", m["value"]).casefold()) for m in pattern.finditer(text))
    return list(found)[:MOST]


def _given(pattern: regex.Pattern[str], text: str, pairs: Sequence[Pair]) -> list[Pair]:
    """What the claim gives to which of the names."""
    plain = _SPACE.sub("", text.casefold())
    values = [p.value for p in pairs if p.value in plain]
    if pattern is _BRACKETS:
        return [Pair(p.name, value) for p in pairs if _says(text, p.name) for value in values]
    ahead = [(p.name, plain[len(p.name) + 1 :]) for p in pairs if plain.startswith(p.name)]
    return [Pair(name, value) for name, rest in ahead for value in values if rest.startswith(value)]


def _says(text: str, name: str) -> bool:
    """Whether a text has a name with no letter before it."""
    at = text.casefold().find(name)
    return at >= 0 and not text[max(0, at - 1) : at].isalnum()


def _another(claim: str, name: str, pair: Pair, pairs: Sequence[Pair]) -> bool:
    """Whether the claim names only the other one, whose own value is not the same."""
    own = [p.value for p in pairs if p.name == name]
    if name == pair.name or pair.name in claim.casefold() or not own:
        return False
    plain = _SPACE.sub("", claim.casefold())
    return not any(v in plain or pair.value in v for v in own)


# -- a part without its verb -----------------------------------------------------


def _left_out(case: Case, literal: Literal, place: Found) -> list[str] | None:
    """The name of the part without a verb that the claim gives this value to, which belongs to the part before."""
    source = case.source(place.message)
    block = source.sentence_at(place.start)
    if block is None or source.voice_at(place.start) != "own":
        return None
    parts = list(_parts(source, block))
    at = next((i for i, p in enumerate(parts) if p.start <= place.start < p.end), len(parts))
    for index in range(at + 1, min(at + 1 + AHEAD, len(parts))):
        value = _rival(case, source, parts[index], literal)
        if value is None:
            continue
        name, noun = _name(source, parts[index], value)
        if not name and index > at + 1:
            name = _apposed(source, parts[index - 1], Span(parts[index].start, value.start))
        if name and _named(case, literal, name) and not _subject_said(case, source, parts[at], place, noun=noun):
            return name
    return None


def _rival(case: Case, source: Source, part: Span, literal: Literal) -> Literal | None:
    """The one value of a part that may be taken for the claim's, which has it not."""
    kin = [x for x in source.literals if part.start <= x.start < part.end and family(x) == family(literal)]
    told = len(kin) == 1 and any(kin[0].offers & k.needs for k in case.literals)
    return kin[0] if len(kin) == 1 and kin[0].unit == literal.unit and not told else None


def _parts(source: Source, block: Span) -> Iterator[Span]:
    cuts = [m.start() for m in BOUNDARY.finditer(source.text, block.start, block.end) if m.end() < block.end]
    edges = [block.start, *(c for c in cuts if not _inside(source, c)), block.end]
    yield from (Span(a, b) for a, b in pairwise(edges[: MOST + 1]) if a < b)


def _inside(source: Source, at: int) -> bool:
    """Whether a mark is part of a value (`12,40`)."""
    return source.text[at - 1 : at].isdigit() and source.text[at + 1 : at + 2].isdigit()


def _name(source: Source, part: Span, value: Literal) -> tuple[list[str], bool]:
    """The words before the value of a part that has next to nothing else, and whether a pronoun stands for its noun."""
    before = [m.group().casefold() for m in _WORD.finditer(source.text, part.start, value.start)]
    words = [w for w in before if w not in GAPPED and w not in STANDS_FOR]
    noun = len(words) > 1 and any(w in STANDS_FOR for w in before)
    if len(_WORD.findall(source.text, value.end, part.end)) > MOST_AFTER or not 0 < len(words) <= MOST_NAME:
        return [], False
    return (words[:1] if noun else words), noun


def _apposed(source: Source, part: Span, rest: Span) -> list[str]:
    """The name in the part before a value that stands alone (`dress rehearsal two days earlier, 15 April`)."""
    inside = [x for x in source.literals if part.start <= x.start < part.end]
    if _WORD.search(rest.of(source.text)):
        return []
    end = inside[0].start if inside else part.end
    words = [m.group().casefold() for m in _WORD.finditer(source.text, part.start, end)]
    words = [w for w in words if w not in GAPPED and w not in STANDS_FOR]
    return words if len(words) <= MOST_NAME else []


def _named(case: Case, literal: Literal, name: Sequence[str]) -> bool:
    """Whether the claim has the name in the part of the value."""
    cuts = [m.start() for m in BOUNDARY.finditer(case.text)]
    low = max((c for c in cuts if c < literal.start), default=0)
    said = {m.group().casefold() for m in _WORD.finditer(case.text, low)}
    return all(has_stem(w, said) for w in name)


def _subject_said(case: Case, source: Source, own: Span, place: Found, *, noun: bool) -> bool:
    """Whether the claim has what the part of the value begins with, or what goes with the `noun` that both have."""
    spoken = [(own.start + at, k) for at, k in stemmed(own.of(source.text), source.lang)]
    if noun:
        pairs = [(one, two) for (at, one), (to, two) in pairwise(spoken) if to - at <= NEXT + len(one)]
        return not any(one in case.stems and not has_stem(two, case.stems) for one, two in pairs)
    before = [k for at, k in spoken if at < place.start]
    return not before or has_stem(before[0], case.stems)


def _together(case: Case, literal: Literal, name: Sequence[str], places: Sequence[Found]) -> bool:
    """Whether the value stands with the name in another sentence."""
    for place in places[:MOST]:
        source = case.source(place.message)
        block = source.sentence_at(place.start)
        if block is None:
            continue
        part = next((p for p in _parts(source, block) if p.start <= place.start < p.end), block)
        if all(has_stem(w, {m.casefold() for m in _WORD.findall(part.of(source.text))}) for w in name):
            return True
    return False

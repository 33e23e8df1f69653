"""Which words each value of a text belongs to: its clause part, table row and header, key, list item. Pure.

A slot is one literal with the words around it that name its subject. In `the public listener stays on 8443 and
the admin listener on 9443` each port has the words up to the conjunction; in a table a cell has its row's first
cells and its column's header; in `size=18.4GiB` and `"size": 18` the value has its key.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

import regex

from bobctx.core.labels import Label, labels, marked, series
from bobctx.core.literals import Literal
from bobctx.core.objects import around, is_key
from bobctx.core.rows import Row, rows
from bobctx.core.stemming import stem
from bobctx.core.text import MAIS, Span, content_stem, folded, forms, sentences

PARTICLE: Final = regex.compile(r"[\p{Hiragana}的了是在]")
"""In a pair of Chinese or Japanese characters: a particle or ending, no name of anything."""
BOUNDARY: Final = regex.compile(
    rf"[,;、，；،؛()\n|·•]|(?<=[\s\d])(?:and|while|but|whereas|und|während|aber|et|tandis|{MAIS}|y|e|mientras|pero|mas|ed|mentre|ma|en"
    r"|terwijl|maar|и|а|но|و|ثم)(?=\s)|(?<=\s)(?=و\p{Arabic})|而|和|，|と、|그리고|(?<=\S)\s(?=[\p{Han}\p{Katakana}\p{Hiragana}])|[。.!?！？](?=\s|$)"
)
_KEY: Final = regex.compile(r"(?P<key>[\p{L}_][\p{L}\p{Nd}_.\- ]{0,40}?)[\"']?\s*(?:=|:|：|->|→)\s*[\"'(\[~≈<>]?\s?$")
_OKURIGANA: Final = regex.compile(r"\p{Han}\p{Hiragana}(?<![はがをのにもでと])[はがをの、]")
_HUMP: Final = regex.compile(r"(?<=\p{Ll})(?=\p{Lu})")
_NO_LETTER: Final = regex.compile(r"[^\p{L}]+")


_DASH: Final = regex.compile(r"[ ]?(?:[-–—~〜～]|(?:to|bis|à|a|até|tot|до|至|到|から|até)(?=[ \d]))[ ]?")
_NOUN: Final = regex.compile(r"[ ]\p{L}{2,}+")
_ITEM: Final = regex.compile(r"[ \t]*+(?:[-*•–]|\d{1,2}[.)])[ \t]")

STRING: Final = 90
"""Code points of a JSON string before a value in it, its key included."""
_QUOTED_VALUE: Final = regex.compile(r"\"(?P<key>[^\"\n]{1,40})\"\s*:\s*\"[^\"\n]{1,60}$")
ASIDE: Final = 40
"""Code points of a parenthesis before its value, and of what it belongs to."""
EMPTY: Final[frozenset[str]] = frozenset()


class Term(NamedTuple):
    """A word (stem) or identifier that can name a subject, and where it stands."""

    start: int
    key: str
    strong: bool
    """An identifier, code, weekday or name: says by itself what is spoken of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One literal and the terms that belong to it, in order."""

    literal: Literal
    terms: tuple[Term, ...]
    block: int
    """Number of the sentence or line."""
    structured: bool = False
    """From a table, a key or JSON."""
    row: bool = False
    """From a table with a header."""
    item: bool = False
    """From an item of a list."""
    cells: tuple[frozenset[str], ...] = ()
    """Terms of each cell of its row, its own cell empty."""
    header: tuple[Span, ...] = ()
    """The cells of the header, where each cell of its row has one."""
    column: int = 0
    """Number of its own cell."""
    keys: frozenset[str] = field(init=False)
    """The terms as a set."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", frozenset(t.key for t in self.terms))


COUNTED_CHARS: Final = 16
"""Between a count and the price of so many."""
_COUNTED: Final = regex.compile(r"\s?\p{L}*\s?")
_DIMENSION: Final = {
    **dict.fromkeys(("ns", "us", "ms", "s", "min", "h", "d", "wk", "mo", "yr"), "duration"),
    **dict.fromkeys(("bit", "B", "kB", "KiB", "MB", "MiB", "GB", "GiB", "TB", "TiB", "PB"), "data"),
    **dict.fromkeys(("ug", "mg", "g", "kg", "t", "lb", "oz"), "mass"),
    **dict.fromkeys(("mm", "cm", "m", "km", "mi", "ft", "in"), "length"),
    **dict.fromkeys(("ml", "cl", "dl", "l", "gal"), "volume"),
}


def family(literal: Literal) -> str:
    """Values of one family can be taken for one another."""
    if literal.kind == "number":
        return _DIMENSION.get(literal.unit or "", literal.unit or "number")
    return literal.kind


def stemmed(text: str, lang: str) -> list[tuple[int, str]]:
    """Start and stem of each content word of a text, in order."""
    return [(start, key) for word, start in forms(text, lang) if (key := content_stem(word, lang))]


def terms(
    text: str,
    found: Sequence[Literal],
    lang: str,
    spoken: Sequence[tuple[int, str]] | None = None,
    named: Sequence[Label] = (),
) -> list[Term]:
    """Subject terms of a text: stems of its words outside of literals, its identifiers and labels (`named`).

    `spoken` are the starts and stems of its content words (`stemmed`), where the caller has them.
    """
    taken = [(f.start, f.end) for f in found if f.kind != "number" or f.unit is not None or f.text[:1].isdigit()]
    starts = [a for a, _ in taken]
    out: list[Term] = []
    for start, key in stemmed(text, lang) if spoken is None else spoken:
        at = bisect_right(starts, start) - 1
        if at >= 0 and start < taken[at][1]:
            continue
        if key.isdigit() or (
            lang in ("zh", "ja") and len(key) == 2 and PARTICLE.search(key) and not _noun(text, start)
        ):
            continue
        out.append(Term(start, key, False))
    for literal in found:
        if literal.kind == "weekday":
            out.append(Term(literal.start, next(iter(literal.needs)), True))
        elif not literal.measured:
            out.append(Term(literal.start, literal.text.casefold(), True))
            out.extend(
                Term(literal.start, stem(piece, lang), False) for piece in _pieces(literal.text) if len(piece) > 2
            )
    out.extend(Term(label.start, label.key, True) for label in named)
    out.sort(key=lambda t: (t.start, not t.strong, t.key))
    return out


def _noun(text: str, start: int) -> bool:
    """Whether a Japanese noun that ends in a kana stands here (`離れは`): a particle follows it."""
    return _OKURIGANA.match(text, start) is not None


def _pieces(identifier: str) -> list[str]:
    """`error_rate` and `errorRate` also stand for `error` and `rate`."""
    if len(identifier) > 80:
        return []
    spaced = _HUMP.sub(" ", identifier)
    return [folded(p) for p in _NO_LETTER.split(spaced) if p]


def slots(
    text: str,
    found: Sequence[Literal],
    lang: str,
    spoken: Sequence[tuple[int, str]] | None = None,
    named: Sequence[Label] | None = None,
    blocks: Sequence[Span] | None = None,
) -> list[Slot]:
    """A slot for each literal of `text`, in order; `spoken` and `named` as in `terms`, `blocks` its sentences."""
    if named is None:
        every = labels(text, lang)
        named = marked(every, series(every))
    marks = frozenset(label.start for label in named)
    known = terms(text, found, lang, spoken, named)
    starts = [t.start for t in known]

    def between(a: int, b: int) -> tuple[Term, ...]:
        return tuple(known[bisect_left(starts, a) : bisect_left(starts, b)])

    out: list[Slot] = []
    tables = rows(text)
    at = 0
    for number, block in enumerate(sentences(text) if blocks is None else blocks):
        inside: list[Literal] = []
        while at < len(found) and found[at].start < block.end:
            inside.append(found[at])
            at += 1
        if not inside:
            continue
        dividing = [lit for lit in inside if lit.start not in marks and not _word_like(lit) and not indexed(text, lit)]
        alike = _alike([label for label in named if block.start <= label.start < block.end]) if marks else []
        out.extend(_of_block(text, number, block, inside, dividing, tables, between, alike))
    return out


def _of_block(
    text: str,
    number: int,
    block: Span,
    inside: Sequence[Literal],
    dividing: Sequence[Literal],
    tables: Mapping[int, Row],
    between: _Between,
    alike: Sequence[Label] = (),
) -> Iterator[Slot]:
    line = text.rfind("\n", 0, block.start + 1) + 1
    row, item = tables.get(line), _ITEM.match(text, line) is not None
    before = 0
    amounts = {d.start for d in dividing}
    for index, literal in enumerate(inside):
        while before < len(dividing) and dividing[before].start < literal.start:
            before += 1
        if row is not None:
            yield _cell(text, number, literal, row, between, inside)
            continue
        if literal.start in amounts:
            low, high = _beside_labels(text, alike, literal, *_reach(text, block, literal, dividing, before))
        else:  # the mark of a label, or a value that stands like one (`port 706`)
            low, high = _reach(text, block, literal, inside, index)
        own = tuple(t for t in between(low, high) if not literal.start <= t.start < literal.end)
        key = _key(text, block.start, literal.start)
        if key is not None and literal.kind not in ("time", "path", "url"):
            head = between(key.start("key"), key.end("key"))
            if text[key.end("key")] in "\"'":
                lead = _members(text, literal, between)
            else:
                lead = own[:2] if own and own[0].start < key.start("key") else ()
            if head:
                noun = _NOUN.match(text, literal.end, block.end) if ":" in key.group() else None
                beside = between(literal.end, noun.end()) if noun else ()  # `changes: 11 insertions, 6 deletions`
                yield Slot(literal=literal, terms=(*lead, *beside, *head), block=number, structured=True, item=item)
                continue
        if (quoted := _QUOTED_VALUE.search(text, max(block.start, literal.start - STRING), literal.start)) is not None:
            head = between(quoted.start("key"), quoted.end("key"))  # `"address2": "Suite 365"`
            lead = _members(text, literal, between)
            yield Slot(literal=literal, terms=(*lead, *head, *own), block=number, structured=True, item=item)
            continue
        yield Slot(literal=literal, terms=own, block=number, item=item)


def _word_like(literal: Literal) -> bool:
    """A spelled number without a unit (`phase two`): it parts no words from one another."""
    return literal.kind == "number" and literal.unit is None and literal.text.isalpha()


def indexed(text: str, literal: Literal) -> bool:
    """A number in square brackets behind a word (`otad[211]:`): the mark of a process or a place in a list."""
    return text[literal.start - 1 : literal.start] == "[" and text[literal.start - 2 : literal.start - 1].isalnum()


def _key(text: str, low: int, start: int) -> regex.Match[str] | None:
    """The key right before a value (`size=`, `"size": `), told by its last sign before it is searched."""
    lead = text[max(low, start - 6) : start].rstrip(" \t\n\"'([~≈<>")
    if not lead.endswith(("=", ":", "：", "→", "-")):
        return None
    return _KEY.search(text, max(low, start - 48), start)


def _reach(text: str, block: Span, literal: Literal, dividing: Sequence[Literal], before: int) -> tuple[int, int]:
    """From where to where the words around a literal are its own: boundaries to its measured neighbours.

    `before` of the `dividing` values (all but the marks of labels) stand before the literal.
    """
    low, high = block.start, block.end
    for at in range(before - 1, -1, -1):
        other = dividing[at]
        if _divides(other, literal) and not (one_range(text, other, literal) or _priced(text, other, literal)):
            cut = BOUNDARY.search(text, other.end, literal.start)
            low = cut.end() if cut else other.end
            break
    for at in range(before, len(dividing)):
        other = dividing[at]
        if other is not literal and _divides(other, literal) and not one_range(text, literal, other):
            cut = BOUNDARY.search(text, literal.end, other.start)
            high = cut.start() if cut else _counted(text, literal, other.start)
            break
    return _owner(text, block.start, low, literal.start), high


def one_range(text: str, low: Literal, high: Literal) -> bool:
    """Whether two values are the ends of one range (`2-6 °C`), which has one subject."""
    return low.end <= high.start and _DASH.fullmatch(text, low.end, high.start) is not None


def _priced(text: str, count: Literal, price: Literal) -> bool:
    """Whether one is the price of so many (`1 night 120 EUR`, `1인당 15,000원`): both are of what stands before."""
    if price.kind != "money" or count.kind != "number" or count.unit is not None:
        return False
    return price.start - count.end <= COUNTED_CHARS and _COUNTED.fullmatch(text, count.end, price.start) is not None


def _counted(text: str, literal: Literal, end: int) -> int:
    """Where the word behind a bare number ends, which says what it counts (`6 passed in 3.21s`)."""
    noun = _NOUN.match(text, literal.end, end) if literal.kind == "number" and literal.unit is None else None
    return noun.end() if noun else literal.end


def _alike(inside: Sequence[Label]) -> list[Label]:
    """The labels of the noun that stands in a sentence with most marks (`lane 1 …, lane 2 …`); none with only one."""
    marks: dict[str, list[Label]] = {}
    for label in inside:
        marks.setdefault(label.noun, []).append(label)
    most = max(marks.values(), key=len, default=[])
    return most if len({label.mark for label in most}) > 1 else []


def _beside_labels(text: str, alike: Sequence[Label], literal: Literal, low: int, high: int) -> tuple[int, int]:
    """The reach of a value cut to the part of the label it stands with, where a sentence has several alike."""
    at = sum(label.start < literal.start for label in alike)
    if not alike:
        return low, high
    if at == 0:
        return low, _cut(text, alike[0].end, alike[1].start, high)
    if at < len(alike):
        high = min(high, _cut(text, literal.end, alike[at].start, literal.end))
    if at > 1:
        cut = BOUNDARY.search(text, alike[at - 2].end, alike[at - 1].start)
        low = max(low, cut.end()) if cut else low
    return low, high


def _cut(text: str, start: int, end: int, otherwise: int) -> int:
    cut = BOUNDARY.search(text, start, end)
    return cut.start() if cut else otherwise


def _owner(text: str, start: int, low: int, at: int) -> int:
    """Where the words of a value in parentheses begin: with what stands before them (`the inn (1 night 120 EUR)`)."""
    opened = max(text.rfind(sign, max(low - 1, at - ASIDE), at) for sign in "(（")
    if opened < 0:
        opened = max(text.rfind(sign, max(start, at - ASIDE), at) for sign in "(（")
        if opened < 0 or any(text.find(sign, opened, at) >= 0 for sign in ")）"):
            return low
    floor = max(start, opened - ASIDE)
    cuts = [m.end() for m in BOUNDARY.finditer(text, floor, opened)]
    return min(low, cuts[-1] if cuts else floor)


def _members(text: str, literal: Literal, between: _Between) -> tuple[Term, ...]:
    """The values beside one in its JSON object, and the name of the object: what the record is about."""
    record = around(text, literal.start, literal.end)
    found: list[Term] = []
    if record.name is not None:
        named = between(*record.name)
        found = list(named[-1:] if record.listed else named[-4:])
    for low, high in (*record.outer, *record.parts):
        found += [t for t in between(low, high) if not is_key(text, t.start) and t.start != literal.start]
    return tuple(found)


def _divides(other: Literal, literal: Literal) -> bool:
    """Whether the words between the two belong to one of them only; a weekday says of when the value is."""
    if other.kind == "weekday":
        return literal.kind == "weekday"
    return other.measured or not literal.measured


# -- tables --------------------------------------------------------------------


def _in_cell(cell: Span, between: _Between, inside: Sequence[Literal]) -> frozenset[str]:
    """The terms of a cell; where it has none, its value (`| 2024 | 41 days |`: the year is what the row is about)."""
    found = frozenset(t.key for t in between(*cell))
    return found or frozenset(k for lit in inside if cell.start <= lit.start < cell.end for k in lit.needs)


def _cell(text: str, number: int, literal: Literal, row: Row, between: _Between, inside: Sequence[Literal]) -> Slot:
    """The words of a cell: the row's first cell, the cell itself, the header of its column."""
    index = max(0, bisect_right([c.start for c in row.cells], literal.start) - 1)
    own = [t for t in between(*row.cells[index]) if not literal.start <= t.start < literal.end]
    first = list(between(*row.cells[0])) if index else []
    head: list[Term] = []
    if len(row.cells) == len(row.header):
        head = list(between(*row.header[index]))
    elif index < len(row.header):
        line = text.rfind("\n", 0, row.cells[0].start + 1) + 1
        above = text.rfind("\n", 0, row.header[0].start + 1) + 1
        offset = literal.start - line
        for cell in row.header:
            if cell.start - above <= offset + 1:
                head = list(between(*cell))
    return Slot(
        literal=literal,
        terms=tuple([*first, *head, *own]),
        block=number,
        structured=True,
        row=True,
        cells=tuple(_in_cell(c, between, inside) if i != index else EMPTY for i, c in enumerate(row.cells)),
        header=row.header if len(row.cells) == len(row.header) else (),
        column=index,
    )


class _Between(Protocol):
    """The terms between two places."""

    def __call__(self, a: int, b: int) -> tuple[Term, ...]: ...

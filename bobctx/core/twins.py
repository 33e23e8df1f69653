"""Labels, rows and values of a claim that its sources never put together: `bay 4` with the value of `bay 2`. Pure.

Where a claim gives a value to one of several like things (a label, a row of a table), one sentence, line or row of the
sources must have both; it is refused when every place of the value names another of them (design, section 6, Binding).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

import regex

from bobctx.core import counted
from bobctx.core.checking import Case, Refusal
from bobctx.core.labels import Label, labels, marked
from bobctx.core.literals import Literal
from bobctx.core.slots import BOUNDARY, EMPTY, Slot
from bobctx.core.sources import Found, Source

_PART_OF: Final = regex.compile(
    r"[ ](?:\p{L}++[ ])?(?:of|out of|von|der|sur|de|des|di|su|dos?|das|van|из)"
    r"(?:[ ](?:the|all|our|these|those|den|der|les|las|los|de|het|gli|le|as|os))?[ ]"
    r"|(?:/|[ ]?(?:中|中の|のうち|のうちの)[ ]?)"
)
"""What stands between a part and its whole (`4 of the 612`)."""
AROUND: Final = 160
"""Code points around a value in which names with brackets are looked for."""
_OWNED: Final = regex.compile(
    r"(?<owner>(?=[^\s(（]{0,24}\p{N})[^\s,;:()（），、]{2,24})\s?[(（](?<inside>[^()（）\n]{1,40})[)）]"
)
"""A numbered name with brackets behind it (`1관(180석)`)."""
_IS: Final = regex.compile(r"[`'\"]?\s?(?:[:=]\s?|\s(?:is|of|at|was)\s|\s)")
"""What stands between a key and its value in a claim."""
_NAMES: Final = frozenset({"identifier", "ticket", "version"})
ROWS: Final = 64
"""Rows of a table before and after one whose first cells are looked at."""


def check(case: Case, literal: Literal, places: Sequence[Found], said: frozenset[str]) -> Refusal | None:
    """Whether every place of a value names another row or label than the claim, whose terms are `said`."""
    values = said.union(*(k.needs for k in case.literals if k is not literal))
    rival = _foreign_row(case, places, values) or _foreign_column(case, literal, places)
    rival = rival or _foreign_label(case, literal, places)
    rival = rival or _no_such_mark(case, literal, places) or _keyed(case, literal)
    rival = rival or _foreign_name(case, literal, places) or _foreign_record(case, literal, places)
    rival = rival or _in_brackets(case, places) or counted.rival(case, literal, places)
    return None if rival is None else refusal(literal.text, literal.kind, rival, case)


def own_labels(case: Case) -> list[Label]:
    """The labels of the claim whose nouns its sources use for several like things."""
    nouns = frozenset(label.noun for s in case.cited for label in s.labels)
    return marked(labels(case.text, case.lang), nouns) if nouns else []


def parted(case: Case, mine: Sequence[Label]) -> Refusal | None:
    """Two labels of the claim of which each stands in the sources beside another of the other's kind."""
    for i, one in enumerate(mine):
        for other in mine[i + 1 :]:
            if one.noun == other.noun or not (_nearest(one, other, mine) and _nearest(other, one, mine)):
                continue
            rival = _rival_beside(case, one, other)
            if rival is not None and _rival_beside(case, other, one) is not None:
                return refusal(f"{other.noun} {other.mark}", "label", f"{rival.noun} {rival.mark}", case)
    return None


def _nearest(one: Label, other: Label, labels: Sequence[Label]) -> bool:
    """Whether no label of the other's noun stands closer to `one`."""
    closer = (x for x in labels if x.noun == other.noun and x is not other)
    return not any(abs(x.start - one.start) < abs(other.start - one.start) for x in closer)


def refusal(text: str, kind: str, rival: str, case: Case) -> Refusal:
    """That a value or label stands with `rival` in the sources (reason `binding`)."""
    clause = case.supports[0].text[:200] if case.supports else ""
    return Refusal(
        code="binding", data={"literal": text, "kind": kind, "rival": rival, "message": "", "clause": clause}
    )


def _rival_beside(case: Case, one: Label, other: Label) -> Label | None:
    """The label of the other's noun that stands next to `one` everywhere, where the other itself never does."""
    found: Label | None = None
    for source in case.cited:
        for index, label in enumerate(source.labels):
            if label.key != one.key:
                continue
            near = source.labels[max(0, index - 1) : index + 2]
            after = next((n for n in near if n.noun == other.noun and joined(source.text, label, n)), None)
            if after is None:
                continue
            if after.mark == other.mark:
                return None
            found = after
    return found


def joined(text: str, one: Label, other: Label) -> bool:
    """Whether no comma, conjunction or line end parts the two."""
    first, second = sorted((one, other), key=lambda x: x.start)
    return BOUNDARY.search(text, first.end, second.start) is None


def _foreign_row(case: Case, places: Sequence[Found], said: frozenset[str]) -> str | None:
    """The cell of another row that the claim names instead of that of the value's row."""
    found: str | None = None
    for place in places:
        source = case.source(place.message)
        own = source.slot_of(place)
        if own is None or not own.cells:
            return None
        known = all(any(key in s.stems for s in case.cited) for key in case.stems)
        told = set() if known else {s.block for s in _column(case, source, own)}  # else a word may name this row
        found = next((" ".join(sorted(cell)) for cell in _cells(source, own, said, told)), None)
        if found is None:
            return None
    return found


def _foreign_column(case: Case, literal: Literal, places: Sequence[Found]) -> str | None:
    """The value that heads another column (a year), which the claim names instead of the one above the value."""
    found: str | None = None
    for place in places:
        source = case.source(place.message)
        own = source.slot_of(place)
        if own is None or not own.header:
            return None
        heads = [[x for x in source.literals if cell.start <= x.start < cell.end] for cell in own.header]
        if not heads[own.column] or _said(case, literal, heads[own.column]):
            return None
        rest = [(index, head) for index, head in enumerate(heads) if index != own.column]
        given = [index for index, head in rest if _said(case, literal, head) and not _given(case, source, own, index)]
        found = heads[given[0]][0].text if given else None
        if found is None:
            return None
    return found


def _row(source: Source, own: Slot) -> list[Slot]:
    """The values of the row of one."""
    index = source.slot_index[own.literal.start]
    return [s for s in source.slots[max(0, index - ROWS) : index + ROWS + 1] if s.block == own.block and s.row]


def _given(case: Case, source: Source, own: Slot, column: int) -> bool:
    """Whether the claim has the value of another column of the same row, to which the header of that column belongs."""
    mates = [s for s in _row(source, own) if s.column == column]
    return any(s.literal.offers & k.needs for s in mates for k in case.literals)


def _said(case: Case, literal: Literal, head: Sequence[Literal]) -> bool:
    """Whether the claim has a value of a header beside the one that is asked about."""
    return any(x.offers & k.needs for x in head for k in case.literals if k is not literal)


def _column(case: Case, source: Source, own: Slot) -> list[Slot]:
    """The values of other rows in the column of one that the claim has too: it tells of those rows as well."""
    index = source.slot_index[own.literal.start]
    near = source.slots[max(0, index - ROWS) : index + ROWS + 1]
    others = [s for s in near if s.row and s.block != own.block and s.column == own.column]
    return [s for s in others if any(s.literal.offers & k.needs for k in case.literals)]


def _cells(source: Source, own: Slot, said: frozenset[str], told: Collection[int]) -> Iterator[frozenset[str]]:
    """Cells of other rows, but those told of, that the claim names in a column where it does not name the row's own."""
    index = source.slot_index[own.literal.start]
    near = [s for s in source.slots[max(0, index - ROWS) : index + ROWS + 1] if s.block not in {own.block, *told}]
    for column, mine in enumerate(own.cells):
        if mine and not mine & said:
            for other in near:
                cell = other.cells[column] - mine if column < len(other.cells) else EMPTY
                if cell and cell <= said:
                    yield cell


def _foreign_label(case: Case, literal: Literal, places: Sequence[Found]) -> str | None:
    """The label that every sentence with the value has instead of the claim's."""
    for label in own_labels(case):
        if label.start < literal.end and literal.start < label.end:
            continue
        if sum(other.noun == label.noun for other in own_labels(case)) > 1:
            continue
        if not any(label.key == known.key for s in case.cited for known in s.labels):
            continue
        others = [_instead(case.source(p.message), p, label) for p in places]
        if others and all(o is not None for o in others):
            return others[0]
    return None


def _no_such_mark(case: Case, literal: Literal, places: Sequence[Found]) -> str | None:
    """The noun that the value marks in all its places, where the claim has it mark another (`nozzle 3`, `bay 3`)."""
    mine = next((label for label in own_labels(case) if label.start == literal.start), None)
    if mine is None or any(mine.key == known.key for s in case.cited for known in s.labels):
        return None
    found: str | None = None
    for place in places:
        known = next((x for x in case.source(place.message).every_label if x.start == place.start), None)
        if known is None or known.noun == mine.noun:
            return None
        found = f"{known.noun} {known.mark}"
    return found


def _keyed(case: Case, literal: Literal) -> str | None:
    """The value of a key (`retry_limit: 5`) of which the claim gives another one, although no source does."""
    before = next(
        (k for k in case.literals if not k.measured and _IS.fullmatch(case.text[k.end : literal.start] or ",")), None
    )
    if before is None or not literal.measured:
        return None
    if any(part_of(case.text, literal, other) for other in case.literals if other.start >= literal.end):
        return None
    key = before.text.casefold()
    found: str | None = None
    for source in case.cited:
        for slot in source.by_term.get(key, ()):
            if not slot.structured or not _is_key(source.text, key, slot.literal.start):
                continue
            if slot.literal.offers & literal.needs:
                return None
            found = f"{before.text} {slot.literal.text}"
    return found


def _in_brackets(case: Case, places: Sequence[Found]) -> str | None:
    """The name before the brackets of a value (`hall 1 (180), hall 2 (95)`), where the claim has another such name."""
    found: str | None = None
    for place in places:
        text = case.source(place.message).text
        near = _OWNED.finditer(text, max(0, place.start - AROUND), place.start + AROUND)
        owners = [(m["owner"], m.start("inside"), m.end()) for m in near]
        own = next((owner for owner, start, end in owners if start <= place.start < end), None)
        rest = [owner for owner, *_ in owners if owner != own]
        if own is None or _says(case.text, own) or not any(_says(case.text, other) for other in rest):
            return None
        found = own
    return found


def _says(text: str, name: str) -> bool:
    at = text.find(name)
    return at >= 0 and not text[max(0, at - 1) : at].isalnum()


def part_of(text: str, one: Literal, other: Literal) -> bool:
    """Whether two values stand as `4 of the 612 cues`: what follows belongs to both."""
    return _PART_OF.fullmatch(text, one.end, other.start) is not None


def _is_key(text: str, key: str, start: int) -> bool:
    lead = text[max(0, start - len(key) - 6) : start].rstrip(" \"'=:")
    return lead.casefold().endswith(key)


def _instead(source: Source, place: Found, label: Label) -> str | None:
    own = source.slot_of(place)
    if own is None:
        return None
    here = [known for block, known in source.label_blocks if block == own.block and known.noun == label.noun]
    if len(here) > 1 and any(known.key in own.keys for known in here):
        here = [known for known in here if known.key in own.keys]
    if not here or any(known.key == label.key for known in here):
        return None
    return f"{here[0].noun} {here[0].mark}"


# -- identifiers of one make, and records of one form ---------------------------


def alike(a: str, b: str) -> bool:
    """Identifiers of one make: a common beginning, or the same pattern of letters and digits."""
    return a[:3].casefold() == b[:3].casefold() or _pattern(a) == _pattern(b)


def _pattern(text: str) -> str:
    return "".join("0" if c.isdigit() else "a" if c.isalpha() else c for c in text)


def _foreign_name(case: Case, literal: Literal, places: Sequence[Found]) -> str | None:
    """The identifier that stands with the value everywhere, where the claim's (`R15`) has a value of its own."""
    for name in case.literals:
        if name is literal or name.kind not in _NAMES or not any(c.isdigit() for c in name.text):
            continue
        if any(_told_of(case, p, name) or _titles(case, p, name) for p in places):
            continue
        others = [_instead_of(case, case.source(p.message), p, name) for p in places]
        if others and all(o is not None for o in others) and _has_own(case, name, literal):
            return others[0]
    return None


def part_around(source: Source, position: int) -> list[Literal]:
    """The literals of the part of a sentence around a place."""
    block = source.sentence_at(position)
    if block is None:
        return []
    cuts = [m.start() for m in BOUNDARY.finditer(source.text, block.start, block.end)]
    low = max((c for c in cuts if c <= position), default=block.start)
    high = min((c for c in cuts if c > position), default=block.end)
    return [x for x in source.literals if low <= x.start < high]


def _instead_of(case: Case, source: Source, place: Found, name: Literal) -> str | None:
    """An identifier of the name's make in the part of a place, which the claim does not have and which is not it."""
    part = part_around(source, place.start)
    if any(x.offers & name.needs for x in part):
        return None
    mine = [x.text for x in case.literals]
    kin = [
        x for x in part if x.kind == name.kind and x.start != place.start and _pattern(x.text) == _pattern(name.text)
    ]
    return next((x.text for x in kin if x.text not in mine), None)


def _told_of(case: Case, place: Found, name: Literal) -> bool:
    """Whether the claim gives the row of a name its own value of the column in which this one stands."""
    source = case.source(place.message)
    own = source.slot_of(place)
    if own is None or not own.row:
        return False
    rows = {s.block for s in source.slots if s.literal.offers & name.needs}
    return any(s.block in rows for s in _column(case, source, own))


def _titles(case: Case, place: Found, name: Literal) -> bool:
    """Whether a name stands above the table of the value and in none of its rows (`inventory of R15`)."""
    source = case.source(place.message)
    own = source.slot_of(place)
    mine = [s for s in source.slots if s.literal.offers & name.needs]
    return own is not None and own.row and bool(mine) and not any(s.row for s in mine)


def _has_own(case: Case, name: Literal, literal: Literal) -> bool:
    """Whether the name has another value than this one wherever it stands."""
    found = case.found[case.literals.index(name)]
    parts = [part_around(case.source(p.message), p.start) for p in found]
    return bool(parts) and all(any(x.start != p.start for x in part) for p, part in zip(found, parts, strict=True))


def _foreign_record(case: Case, literal: Literal, places: Sequence[Found]) -> str | None:
    """The value of another key on every line of the value, where the claim gives that key another one."""
    if not literal.measured:
        return None
    for other, found in zip(case.literals, case.found, strict=True):
        if other is literal or not other.measured or not found:
            continue
        keys = {slot.terms[-1].key for slot in _structured(case, found)}
        others = [_of_line(case, p, keys, other) for p in places]
        if keys and others and all(o is not None for o in others):
            return others[0]
    return None


def _structured(case: Case, found: Sequence[Found]) -> list[Slot]:
    slots = [case.source(p.message).slot_of(p) for p in found]
    return [s for s in slots if s is not None and s.structured and s.terms]


def _of_line(case: Case, place: Found, keys: set[str], other: Literal) -> str | None:
    """The value that a key has on the line of a place, if it is not the claim's and not in the claim at all."""
    source = case.source(place.message)
    own = source.slot_of(place)
    if own is None or not own.structured or (own.terms and own.terms[-1].key in keys):
        return None  # the same key of another record
    index = source.slot_index[own.literal.start]
    line = [s for s in source.slots[max(0, index - ROWS) : index + ROWS + 1] if s.block == own.block and s is not own]
    if any(s.literal.offers & other.needs for s in line):
        return None
    keyed = [s for s in line if s.structured and s.terms and s.terms[-1].key in keys]
    if any(s.literal.offers & lit.needs for s in keyed for lit in case.literals):
        return None
    return keyed[0].literal.text if keyed else None

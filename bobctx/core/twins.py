"""Labels, rows and values of a claim that its sources never put together: `bay 4` with the value of `bay 2`. Pure.

Where a claim gives a value to one of several like things (a label, a row of a table), one sentence, line or row of the
sources must have both; it is refused when every place of the value names another of them (design, section 6, Binding).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import regex

from bobctx.core.checking import Case, Refusal
from bobctx.core.labels import Label, labels, marked
from bobctx.core.literals import Literal
from bobctx.core.slots import BOUNDARY, EMPTY, Slot
from bobctx.core.sources import Found, Source

_IS: Final = regex.compile(r"[`'\"]?\s?(?:[:=]\s?|\s(?:is|of|at|was)\s|\s)")
"""What stands between a key and its value in a claim."""
ROWS: Final = 64
"""Rows of a table before and after one whose first cells are looked at."""


def check(case: Case, literal: Literal, places: Sequence[Found], said: frozenset[str]) -> Refusal | None:
    """Whether every place of a value names another row or label than the claim, whose terms are `said`."""
    values = said.union(*(k.needs for k in case.literals if k is not literal))
    rival = _foreign_row(case, places, values) or _foreign_label(case, literal, places)
    rival = rival or _no_such_mark(case, literal, places) or _keyed(case, literal)
    return None if rival is None else refusal(literal.text, literal.kind, rival, case)


def own_labels(case: Case) -> list[Label]:
    """The labels of the claim whose nouns its sources use for several like things."""
    nouns = frozenset(label.noun for s in case.cited for label in s.labels)
    return marked(labels(case.text, case.lang), nouns) if nouns else []


def parted(case: Case, mine: Sequence[Label]) -> Refusal | None:
    """Two labels of the claim of which each stands in the sources beside another of the other's kind."""
    for i, one in enumerate(mine):
        for other in mine[i + 1 :]:
            if one.noun == other.noun:
                continue
            rival = _rival_beside(case, one, other)
            if rival is not None and _rival_beside(case, other, one) is not None:
                return refusal(f"{other.noun} {other.mark}", "label", f"{rival.noun} {rival.mark}", case)
    return None


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
        found = next((" ".join(sorted(cell)) for cell in _cells(source, own, said)), None)
        if found is None:
            return None
    return found


def _cells(source: Source, own: Slot, said: frozenset[str]) -> Iterator[frozenset[str]]:
    """Cells of other rows that the claim names in a column where it does not name the row's own."""
    index = source.slot_index[own.literal.start]
    near = [s for s in source.slots[max(0, index - ROWS) : index + ROWS + 1] if s.block != own.block]
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

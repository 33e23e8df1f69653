"""Tables for reading at any width: nothing is cut off, and no column is squeezed until nobody can read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LEAST = 16
"""Characters that a column keeps while others can give way."""
NARROWEST = 6
"""Characters that a column keeps at any width; on a screen that is too small even so, lines are longer than it."""
GAP = 2
"""Characters between two columns; the edges together take as many."""
INDENT = "    "
"""Before what stands below a row."""

Row = Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column and its cells."""

    name: str
    kind: str
    """`#` numbers, `=` not broken while another column can be, `+` below its row where it does not fit, else ``."""
    cells: Row

    @classmethod
    def of(cls, name: str, cells: Row) -> Column:
        """From a name with its sign."""
        kind = name[0] if name.startswith(("#", "=", "+")) else ""
        return cls(name=name[len(kind) :], kind=kind, cells=cells)

    @property
    def width(self) -> int:
        """Characters of the longest line."""
        from rich.cells import cell_len

        return max(cell_len(line) for text in (self.name, *self.cells) for line in text.split("\n"))

    def least(self, floor: int, broken: str) -> int:
        """Characters that it keeps, where columns of the kinds `broken` may be broken."""
        return min(self.width, floor) if not self.kind or self.kind in broken else self.width


def _need(columns: Sequence[Column], floor: int, broken: str) -> int:
    return sum(c.least(floor, broken) for c in columns) + GAP * len(columns)


def split(columns: Sequence[Column], room: int) -> tuple[list[Column], list[Column]]:
    """The columns of the table, and those that stand below each row because there is no room: the last ones first."""
    beside: list[Column] = list(columns)
    below: list[Column] = []
    for column in reversed(columns):
        if column.kind == "+" and _need(beside, LEAST, "") > room:
            beside.remove(column)
            below.insert(0, column)
    return beside, below


def widths(columns: Sequence[Column], room: int) -> list[int]:
    """Characters of each column: the widest that may be broken give way first."""
    stages = ((LEAST, ""), (LEAST, "=+"), (NARROWEST, "=+"), (NARROWEST, "=+#"))
    floor, broken = next((stage for stage in stages if _need(columns, *stage) <= room), stages[-1])
    least = [column.least(floor, broken) for column in columns]
    found = [column.width for column in columns]
    over = sum(found) + GAP * len(columns) - room
    for _ in range(over):
        widest = max(range(len(found)), key=lambda i: (found[i] > least[i], found[i]))
        if found[widest] <= least[widest]:
            break
        found[widest] -= 1
    return found


def lines(columns: Sequence[Column], room: int) -> Iterator[str]:
    """The heading as one piece; then, line by line, a rule and the rows, and below a row what had no room in it.

    Args:
        columns: With a cell for each row.
        room: Characters of a line.
    """
    beside, below = split(columns, room)
    sizes = widths(beside, room)
    yield "\n".join(_row(beside, sizes, [column.name for column in beside]))
    yield " " + "─" * (sum(sizes) + GAP * (len(sizes) - 1))
    label = max((len(column.name) for column in below), default=0) + GAP
    for index in range(len(columns[0].cells)):
        yield from _row(beside, sizes, [column.cells[index] for column in beside])
        for column in below:
            folded = _folded(column.cells[index], max(NARROWEST, room - len(INDENT) - label - 1))
            names = [column.name, *[""] * (len(folded) - 1)]
            yield from (f"{INDENT}{name:{label}}{text}" for name, text in zip(names, folded, strict=True) if text)


def _row(columns: Sequence[Column], sizes: Sequence[int], texts: Row) -> Iterator[str]:
    """The lines of one row."""
    cells = [_folded(text, size) for text, size in zip(texts, sizes, strict=True)]
    for index in range(max(map(len, cells))):
        parts = [cell[index] if index < len(cell) else "" for cell in cells]
        filled = (_filled(p, s, c.kind == "#") for p, s, c in zip(parts, sizes, columns, strict=True))
        yield (" " + (" " * GAP).join(filled)).rstrip()


def _folded(text: str, size: int) -> list[str]:
    """A text in lines of at most `size` characters, broken between words where there are any; nothing is lost."""
    from rich.console import Console
    from rich.text import Text

    found = Text(text).wrap(Console(), size, overflow="fold")
    return [line.plain.rstrip() for line in found] or [""]


def _filled(text: str, size: int, right: bool) -> str:
    from rich.cells import cell_len

    space = " " * (size - cell_len(text))
    return space + text if right else text + space

"""A table holds every character of its cells and is no wider than the screen, whatever stands in it."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from bobctx.cli.tables import Column, lines

UUID = "0b1c7f0e-7a52-4a55-9b4e-2f1d9c3a6e10"
NAMES = ("=recorded", "#messages", "#tokens", "#claims", "user", "+conversation", "+also known as")
ROW = ("10 min ago", "12,345", "1,234,567", "0", "discord:18374659283746", UUID, f"thread-{UUID} {UUID[::-1]}")


def table(names: tuple[str, ...], row: tuple[str, ...], room: int) -> list[str]:
    columns = [Column.of(name, [cell]) for name, cell in zip(names, row, strict=True)]
    return "\n".join(lines(columns, room)).split("\n")


def letters(text: str) -> list[str]:
    return sorted(text.replace(" ", "").replace("─", "").replace("\n", ""))


@pytest.mark.parametrize("room", range(40, 200, 7))
def test_nothing_is_lost_and_nothing_is_wider_than_the_screen(room: int) -> None:
    """Fails if a column is cropped, as a terminal table does where no column may be broken."""
    found = table(NAMES, ROW, room)
    assert max(map(cell_len, found)) <= room
    assert letters("".join(found)) == letters("".join([*(n.lstrip("#=+") for n in NAMES), *ROW]))


@pytest.mark.parametrize("room", [60, 80, 100])
def test_what_has_no_room_stands_whole_below_its_row(room: int) -> None:
    found = table(NAMES, ROW, room)
    assert any(line.strip().startswith("also known as") for line in found)
    assert any(line.endswith(UUID) for line in found), "an id that can be copied"
    assert len(found) <= 8


def test_a_column_is_not_squeezed_by_its_neighbours() -> None:
    """Fails if the text gives way for ids until it is a column of single letters."""
    found = table(("=claim", "=type", "text", "cites"), ("r1.c1", "open_question", "word " * 30, "m1 " * 30), 80)
    assert len(found) <= 9


def test_text_of_wide_letters_is_measured_as_the_screen_shows_it() -> None:
    found = table(("#n", "text"), ("1", "設定を変更しないでください" * 5), 50)
    assert max(map(cell_len, found)) <= 50


def test_a_wide_screen_shows_one_line() -> None:
    assert len(table(NAMES, ROW, 200)) == 3

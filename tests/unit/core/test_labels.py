"""Labels: a noun with the number or letter that tells it from its like."""

from __future__ import annotations

import pytest

from bobctx.core.labels import labels, series


@pytest.mark.parametrize(
    ("text", "lang", "keys"),
    [
        ("Bay 4 is empty, bay 2 is full.", "en", ["bay#4", "bay#2"]),
        ("bay=4 rpm=0 code=X", "en", ["bay#4", "rpm#0", "code#x"]),
        ("Vent motor A and vent motor B", "en", ["motor#a", "motor#b"]),
        ("холодильник №1 и холодильник №2", "ru", ["холодильник#1", "холодильник#2"]),
        ("wait 30 s, then 5 %", "en", []),
        ("12 March and May 3", "en", []),
    ],
)
def test_a_noun_and_its_mark_are_a_label_and_an_amount_is_none(text: str, lang: str, keys: list[str]) -> None:
    """Fails if a quantity or date passes for a label, or a label is missed."""
    assert [label.key for label in labels(text, lang)] == keys


def test_a_number_is_a_mark_only_beside_another_of_its_noun() -> None:
    """Fails if every counted thing becomes a series."""
    assert series(labels("keep 5 copies of bay 4 and of bay 2", "en")) == {"bay"}

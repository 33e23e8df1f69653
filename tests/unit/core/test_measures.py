"""Units, number words and CJK numerals."""

from __future__ import annotations

import pytest

from bobctx.core.measures import cjk_number, mentions_unit, number_words, unit_of


@pytest.mark.parametrize(("text", "value"), [("三", 3), ("十五", 15), ("三百", 300), ("两", 2), ("x", None)])
def test_chinese_numerals_have_values(text: str, value: int | None) -> None:
    assert cjk_number(text) == value


def test_units_have_one_canonical_form() -> None:
    assert {unit_of(u) for u in ("Minuten", "min", "minutes", "分钟")} == {"min"}
    assert unit_of("€") == unit_of("EUR") == "EUR"


def test_ambiguous_number_words_are_read_only_in_their_language() -> None:
    assert number_words("it")["sei"] == 6
    assert "sei" not in number_words("und")


def test_a_key_can_name_the_unit() -> None:
    assert mentions_unit("retention.days=45", "d")
    assert not mentions_unit("retention=45", "d")

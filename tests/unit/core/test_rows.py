"""Rows of tables and the headers they stand under, years among them."""

from __future__ import annotations

from bobctx.core.rows import rows
from tests.unit.core.claim_cases import region, verdict

TABLE = """Takings of the stall:

| goods  | 2031 | 2032 |
|--------|------|------|
| honey  | €412 | €655 |
| wax    | €88  | €71  |
"""
PLAIN = "goods   2031   2032\nhoney   €412   €655\nwax     €88    €71\n"


def test_a_value_under_one_year_is_not_that_of_another() -> None:
    """Fails if a line of years is no header, or a header without words names nothing."""
    for table in (TABLE, PLAIN):
        of = region(("assistant", table))
        assert verdict(of, "Honey brought in €412 in 2032.") == "binding"
        assert verdict(of, "Honey brought in €655 in 2032.") == "accepted"
        assert verdict(of, "Honey went from €412 in 2031 to €655 in 2032.") == "accepted"


def test_what_stands_above_a_rule_is_a_header_whatever_it_holds() -> None:
    text = "| 10 mg | 20 mg |\n|---|---|\n| 4 days | 9 days |\n"
    found = rows(text)
    assert len(found) == 1
    assert next(iter(found.values())).header[0].of(text).strip("| ") == "10 mg"


def test_a_row_that_is_about_a_year_is_no_header() -> None:
    assert rows("2031   412   88\n2032   655   71\n") == {}

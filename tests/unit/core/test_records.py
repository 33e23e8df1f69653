"""Files of values, JSON objects on lines of their own, and statements that keep their own value."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

SITES = "site,pump,flow\nNorth,P1,12.5\nSouth,P2,18.0\nEast,P9,7.5"
CLUB = "name;age;fee\nAnna;12;30\nBo;14;45"
SHOPS = '{"shop":"harbour","open":8,"seats":24}\n{"shop":"castle","open":10,"seats":36}'
JOBS = "probe done exit=0\nfetch failed exit=3"


@pytest.mark.parametrize(
    ("log", "true", "false"),
    [
        (SITES, "Pump P2 in South has a flow of 18.0.", "Pump P2 in South has a flow of 12.5."),
        (SITES, "The North pump is P1 with a flow of 12.5.", "East runs P9 with a flow of 18.0."),
        (CLUB, "Bo is 14 and pays a fee of 45.", "Anna is 12 and pays a fee of 45."),
        ("kanal,dauer\nnord,14\nsüd,22", "Kanal süd hat eine Dauer von 22.", "Kanal süd hat eine Dauer von 14."),
        (SHOPS, "The castle shop opens at 10 and has 36 seats.", "The castle shop opens at 8 and has 36 seats."),
        (SHOPS, "Seats: 24 at the harbour shop, 36 at the castle.", "The harbour shop has 36 seats."),
        (JOBS, "The probe ended with exit=0; the fetch failed.", "The probe ended with exit=3; fetch failed."),
    ],
)
def test_a_value_keeps_its_record(log: str, true: str, false: str) -> None:
    """Fails if the header of comma-separated values is not read, or an object is named after the one before it."""
    of = region(("tool", log))
    assert verdict(of, true) == "accepted"
    assert verdict(of, false) == "binding"


def test_the_words_of_a_statement_with_a_value_excuse_no_other_one() -> None:
    """Fails if `table ledger … rows=90` answers for the number that another statement takes from a line like it."""
    of = region(("tool", "run=219 finished=02:07\n  table accounts ok rows=58\n  table ledger ok rows=90\nexit=0"))
    assert verdict(of, "run=219 finished with exit=58; table ledger was ok with rows=90.") == "binding"
    assert verdict(of, "run=219 finished with exit=0; table ledger was ok with rows=90.") == "accepted"


def test_a_row_told_by_its_name_excuses_no_value_of_an_unnamed_one() -> None:
    """Fails if the other value of the row named is taken for the sign that two rows are told of."""
    rows = "| South | 470 t | 520 t |\n| Harbour | 180 t | 180 t |"
    table = f"| depot | October used | November plan |\n|---|---|---|\n{rows}"
    of = region(("assistant", f"So far the sheet looks like this:\n\n{table}\n\nShall I merge them?"))
    assert verdict(of, "South used 180 t in October, and its plan for November is 520 t.") == "binding"
    assert verdict(of, "South used 470 t in October, and its plan for November is 520 t.") == "accepted"

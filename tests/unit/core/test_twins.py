"""Values given to another label or row than in the source."""

from __future__ import annotations

import pytest

from bobctx.core.parts import read_message
from bobctx.core.types import Region
from bobctx.core.validator import validate_claims
from tests.unit.core.claim_cases import region, verdict

LOG = "fan_ctl: bay=4 rpm=0 code=FAN_STALL\nmist_ctl: bay=2 nozzle=3 pressure 1.4 bar\nvent_ctl: bay=1 position=40%"
TABLE = "berth  vessel      draught  eta\nB1     Sula        3.4 m    06:10\nB2     Kittiwake   4.1 m    07:45"
HIVES = "Hive 3 gets 12 kg of feed, hive 7 only 8 kg."
MOTORS = "Vent motor A runs on relay GPIO17, vent motor B on GPIO22."
ROOMS = "The candidates are the north inn (12 EUR) and the south hotel (13 EUR)."


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        (LOG, "The pressure in bay 2 was 1.4 bar.", ""),
        (LOG, "The pressure in bay 4 was 1.4 bar.", "binding"),
        (TABLE, "The Sula has a draught of 3.4 m.", ""),
        (TABLE, "The Sula has a draught of 4.1 m.", "binding"),
        (HIVES, "Hive 7 gets 8 kg of feed.", ""),
        (HIVES, "Hive 7 gets 12 kg of feed.", "binding"),
        (MOTORS, "Vent motor B runs on relay GPIO22.", ""),
        (MOTORS, "Vent motor B runs on relay GPIO17.", "binding"),
        (ROOMS, "The south hotel is 13 EUR.", ""),
        (ROOMS, "The south hotel is 12 EUR.", "binding"),
    ],
)
def test_a_value_stays_with_its_label_and_its_row(source: str, claim: str, code: str) -> None:
    """Fails if a like thing gets the value of another, or the right one is refused its own."""
    region = Region(messages=(read_message({"id": "m1", "role": "user", "content": source}),))
    raw = {"id": "c1", "type": "fact", "importance": 2, "text": claim, "cites": ["m1"], "supersedes": None}
    _, report = validate_claims([raw], region)
    assert [r.code for r in report.rejections] == ([code] if code else [])


def test_an_identifier_of_the_same_make_with_a_value_of_its_own_is_a_twin() -> None:
    """Fails if the value of one part may be given to the next one, or a list may not share its value."""
    of = region("Swap C7 from 22n to 47n, keep C8 at 22n.")
    assert verdict(of, "C8 is swapped to 47n.") == "binding"
    assert verdict(of, "C7 is swapped to 47n.") == "accepted"
    assert verdict(of, "C7 goes to 47n and C8 stays at 22n.") == "accepted"
    assert verdict(region("C7, C8 and C9 all take 47n."), "C7 takes 47n.") == "accepted"


def test_the_values_of_two_lines_of_a_log_are_not_one_record() -> None:
    """Fails if a claim may join the key of one line with the value of another."""
    of = region(("tool", "tick=100 load=0.41 temp=61\ntick=200 load=0.97 temp=88"))
    assert verdict(of, "At tick=100 the load was 0.97.") == "binding"
    assert verdict(of, "At tick=200 the load was 0.97.") == "accepted"
    assert verdict(of, "The load went from 0.41 at tick 100 to 0.97 at tick 200.") == "accepted"


def test_a_part_of_a_count_shares_what_follows_it() -> None:
    """Fails if `3 of the 240 rows` is read as a count of rows that the source does not have."""
    of = region(("tool", "stock.csv: 240 rows, 3 without a price, 0 duplicates"))
    assert verdict(of, "In stock.csv 3 of the 240 rows are without a price.") == "accepted"
    assert verdict(of, "stock.csv has 3 rows.") == "binding"


def test_a_value_in_brackets_belongs_to_the_name_before_them() -> None:
    of = region("후보는 3관(210석)과 4관(85석)입니다.")
    assert verdict(of, "4관은 210석이다.") == "binding"
    assert verdict(of, "4관은 85석이다.") == "accepted"


@pytest.mark.parametrize(
    ("source", "wrong", "right"),
    [
        (
            "Signal 4 stands before platform 2, signal 6 before platform 3.",
            "Signal 6 stands before platform 2.",
            "Signal 6 stands before platform 3.",
        ),
        (
            "Lane 2 takes boats of class 4, lane 6 those of class 9.",
            "Class 9 boats use lane 2 while lane 6 is for class 4.",
            "Class 4 boats use lane 2 while lane 6 is for class 9.",
        ),
        (
            "Box 3 goes to shelf 7, box 5 to shelf 9.",
            "Box 5 belongs on shelf 7, while the one that came along later, box 3, belongs on shelf 9.",
            "Box 3 belongs on shelf 7, while the one that came along later, box 5, belongs on shelf 9.",
        ),
    ],
)
def test_a_label_goes_with_the_nearest_one_of_another_noun(source: str, wrong: str, right: str) -> None:
    """Fails if each label of a claim is taken to go with all the others."""
    assert verdict(region(source), wrong) == "binding"
    assert verdict(region(source), right) == "accepted"

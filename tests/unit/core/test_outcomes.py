"""What became of a request stands for it, where the report has all its values."""

from __future__ import annotations

import json

import pytest

from bobctx.core.extract import extract
from bobctx.core.parts import read_message
from bobctx.core.types import Region

START = [("user", "Good morning."), ("assistant", "Good morning.")]


def claims(*turns: tuple[str, str]) -> list[str]:
    messages = [
        read_message({"role": role, "content": said}, id=f"i{n}", seq=n + 1, tokens=80)
        for n, (role, said) in enumerate([*START, *turns])
    ]
    return [c["text"] for c in json.loads(extract(Region(messages=tuple(messages))))["claims"]]


ASKED = "Rename the module mod7 to core7 and delete the file old7.py."
TOLD = "Done: mod7 is now core7, and old7.py is deleted."


def test_a_report_with_all_values_stands_for_the_request() -> None:
    found = claims(("user", ASKED), ("assistant", TOLD))
    assert TOLD in found
    assert ASKED not in found


@pytest.mark.parametrize(
    "answer",
    [
        "Done: mod7 is now core7.",  # a part of it only
        "I'll rename mod7 to core7 and delete old7.py now.",  # an announcement is no outcome
        "Shall I rename mod7 to core7 and delete old7.py?",
    ],
)
def test_less_than_a_report_leaves_the_request(answer: str) -> None:
    assert ASKED in claims(("user", ASKED), ("assistant", answer))


def test_a_report_in_a_later_exchange_is_about_something_else() -> None:
    assert ASKED in claims(
        ("user", ASKED), ("assistant", "One moment."), ("user", "Thanks so far."), ("assistant", TOLD)
    )


def test_a_rule_stays_whatever_is_reported() -> None:
    rule = "Never delete the file old7.py in mod7."
    assert rule in claims(("user", rule), ("assistant", "I kept old7.py in mod7 as it is."))


def test_the_last_of_two_reports_counts() -> None:
    first = "Found mod7, core7 is free, and old7.py is still there."
    found = claims(("user", ASKED), ("assistant", first), ("assistant", TOLD))
    assert TOLD in found
    assert ASKED not in found

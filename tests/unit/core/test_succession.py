"""The extractor replaces a statement only by a later one on the same subject."""

from __future__ import annotations

import json

import pytest

from bobctx.core.extract import extract
from bobctx.core.parts import read_message
from bobctx.core.types import Region

RULE = "One hard rule: never enable zeta-sync on any Heron node."


def replaced(later: str) -> bool:
    """Whether a claim from `later` replaces one from the rule."""
    said = (("user", RULE), ("assistant", "Thank you, I have written that down."), ("user", later))
    messages = tuple(
        read_message({"role": role, "content": text}, id=f"i{n}", seq=n, tokens=20)
        for n, (role, text) in enumerate(said, 1)
    )
    claims = json.loads(extract(Region(messages=messages), ()))["claims"]
    rule = next(c for c in claims if c["cites"] == ["m1"])
    return any(c["supersedes"] == rule["id"] for c in claims)


@pytest.mark.parametrize(
    "later",
    [
        "The new nodes are named heron-11 to heron-14.",
        "Correction: the Heron node has 8 disks.",
        "The Heron report is now sent on Friday.",
    ],
)
def test_a_rule_outlives_a_change_of_something_else(later: str) -> None:
    """Fails when one shared noun is enough to take a prohibition away."""
    assert not replaced(later)


def test_a_value_is_replaced_by_a_correction_that_repeats_it() -> None:
    """`9443, not 8443` names both: the surest sign of all."""
    said = (
        ("user", "We have decided that the ingest gateway listens on port 8443."),
        ("assistant", "Thank you, I have written that down."),
        ("user", "Correction: the ingest gateway listens on port 9443, not 8443."),
    )
    messages = tuple(
        read_message({"role": role, "content": text}, id=f"i{n}", seq=n, tokens=20)
        for n, (role, text) in enumerate(said, 1)
    )
    claims = {c["cites"][0]: c for c in json.loads(extract(Region(messages=messages), ()))["claims"]}
    assert claims["m3"]["supersedes"] == claims["m1"]["id"]


def test_a_rule_is_replaced_by_what_lifts_it() -> None:
    assert replaced("Correction: from now on you can enable zeta-sync on any Heron node.")


@pytest.mark.parametrize(
    "rule",
    [
        "Never open shutter {} on the north wall.",
        "Никогда не открывайте заслонку {} на северной стене.",
        "لا تفتح أبدا المصراع {} على الجدار الشمالي.",
    ],
)
def test_a_prohibition_does_not_replace_one_of_another_number(rule: str) -> None:
    """Fails when a number in a rule is taken for its value: the first rule would be shown to nobody any more."""
    messages = tuple(
        read_message({"role": "user", "content": rule.format(n)}, id=f"i{n}", seq=n, tokens=20) for n in (2, 4)
    )
    claims = json.loads(extract(Region(messages=messages), ()))["claims"]
    assert {c["cites"][0] for c in claims} == {"m2", "m4"}
    assert [c["supersedes"] for c in claims] == [None, None]

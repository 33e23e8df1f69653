"""Closed word classes: where a statement begins behind a condition, and what a denial does not reach."""

from __future__ import annotations

import pytest

from bobctx.core import function_words
from tests.unit.core.claim_cases import region, verdict


def test_every_class_has_words_and_no_blank_one() -> None:
    classes = {n: v for n, v in vars(function_words).items() if n.isupper() and not n.startswith("_")}
    assert len(classes) >= 9
    assert all(words and all(w.strip() == w != "" for w in words) for words in classes.values())


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        ("Nobody outside the lab gets to see the raw table.", "Only the lab gets to see the raw table.", "accepted"),
        ("Machine dubbing is banned in the trailer.", "The trailer has no machine dubbing.", "accepted"),
        ("If the lift is stuck the tour is shorter.", "The tour is shorter.", "condition_dropped"),
        ("fix the header pls, but w/o inline fonts.", "The header fix must not use inline fonts.", "accepted"),
        ("Fest der Kita: Aufbau ab 13:30 Uhr, Beginn um 15:00 Uhr.", "Das Fest beginnt um 13:30 Uhr.", "binding"),
        ("Den Korb kannst du abnehmen.", "Der Korb muss abgenommen werden.", "modality"),
    ],
)  # fmt: skip
def test_small_words_decide_what_is_said(source: str, claim: str, code: str) -> None:
    assert verdict(region(source), claim, type="constraint") == code

"""A refusal that is a clause of its own, behind what it refuses."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Candles in the organ loft: not on your life.", "Candles are allowed in the organ loft."),
        ("Candles in the organ loft? Not on your life.", "Candles are allowed in the organ loft."),
        ("Kerzen auf der Empore? Kommt nicht in die Tüte.", "Kerzen auf der Empore sind erlaubt."),
        ("Свечи на хорах — и думать не смейте.", "Свечи на хорах можно ставить."),
        ("Velas en el coro: ni hablar, que se quema todo.", "Se permiten velas en el coro."),
    ],
)
def test_what_the_next_clause_refuses_may_not_be_claimed(source: str, claim: str) -> None:
    """Fails if a clause that denies is read without the one that it denies."""
    assert verdict(region(source), claim, type="constraint") in ("negation_dropped", "question")


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Candles in the organ loft: not on your life.", "Candles are forbidden in the organ loft."),
        ("Candles in the organ loft: by all means.", "Candles are allowed in the organ loft."),
        ("Candles are fine in the organ loft. Not on your life would I climb up there.",
         "Candles are fine in the organ loft."),
    ],
)  # fmt: skip
def test_its_refusal_and_another_sentence_may(source: str, claim: str) -> None:
    assert verdict(region(source), claim) == "accepted"

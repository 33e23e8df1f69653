"""The word beside an opposite keeps the side that its sources give to it."""

from __future__ import annotations

import pytest

from bobctx.core import opposed
from tests.unit.core.claim_cases import case, region, verdict

SIDES = [
    ("The garden is open to all, the cellar stays closed.", "The cellar is open.", "The cellar stays closed."),
    (
        "The reading room reopens in May and its comments stay closed.",
        "In May comments are open.",
        "Comments are closed.",
    ),
    ("Le jardin reste ouvert, la cave est fermée.", "La cave est ouverte.", "Le jardin est ouvert."),
    ("La sala está abierta, el taller está cerrado.", "El taller está abierto.", "La sala está abierta."),
    ("Il giardino è aperto, la cantina resta chiusa.", "La cantina è aperta.", "Il giardino è aperto."),
    ("De tuin is open, de kelder blijft gesloten.", "De kelder is open.", "De tuin is open."),
    ("Сад открыт, погреб закрыт.", "Погреб открыт.", "Сад открыт."),
]


@pytest.mark.parametrize(("source", "wrong", "right"), SIDES)
def test_a_thing_keeps_its_side_of_an_opposite(source: str, wrong: str, right: str) -> None:
    """Fails if one thing may take the side of another one of its sentence."""
    refusal = opposed.check(case(region(source), wrong))
    assert refusal is not None
    assert refusal.code == "antonym"
    assert opposed.check(case(region(source), right)) is None
    assert verdict(region(source), wrong) != "accepted"
    assert verdict(region(source), right) == "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The cellar isn't closed.", "The cellar is open."),
        ("The cellar is closed if it rains.", "The cellar is open."),
        ("Is the cellar closed?", "The cellar is open."),
        ("The cellar is closed on Mondays. The cellar is open on Sundays.", "The cellar is open."),
        ("The cellar stays closed.", "Is the cellar open?"),
        ("The cellar stays closed.", "The cellar is not open."),
        ("The cellar stays closed.", "The cellar was open."),
        ("The garden, next to the cellar, is closed.", "The cellar is open."),
        ("地窖关着。", "地窖开着。"),
    ],
)
def test_only_a_plain_statement_of_the_other_side_counts(source: str, claim: str) -> None:
    """Fails if what is denied, asked, bound to a condition or told of both sides is held against a claim."""
    assert opposed.check(case(region(source), claim)) is None

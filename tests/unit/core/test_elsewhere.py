"""What one clause says against a claim that is built on another one."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        ("The loft key has moved: it hangs by the boiler, not on the hook.", "The loft key is on the hook.",
         "contrast_asserted"),
        ("Harbour walk on Sunday. If it rains the walk is off, Nils has no coats.", "Sunday's harbour walk is off.",
         "condition_dropped"),
        ("If the gauge shows more than 28 we close the gate.", "The gate is closed by the crew.",
         "condition_dropped"),
        ("Si nieva el sábado, la cena pasa al salón.", "La cena del sábado pasa al salón.", "condition_dropped"),
        ("There is a driver 7.2.1; it could cure the flicker, nobody has tried.", "Driver 7.2.1 will cure the flicker.",
         "hypothetical"),
    ],
)  # fmt: skip
def test_a_clause_is_heard_wherever_it_stands(source: str, claim: str, code: str) -> None:
    """Fails if only the clause that shares most words with the claim is asked."""
    assert verdict(region(source), claim, type="decision") in (code, "hypothetical")
    assert verdict(region(source), claim, type="decision") != "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The loft key has moved: it hangs by the boiler, not on the hook.", "The loft key hangs by the boiler."),
        ("If it rains the walk is off.", "The walk is off if it rains."),
        ("If the row counts differ by one we roll back.", "A difference of one in the row counts means we roll back."),
        ("The walk is off. If it rains the walk is off.", "The walk is off."),
        ("It could cure the flicker.", "It might cure the flicker."),
    ],
)
def test_what_keeps_the_condition_or_the_doubt_is_accepted(source: str, claim: str) -> None:
    assert verdict(region(source), claim) == "accepted"


def test_a_possibility_that_the_user_takes_up_is_decided() -> None:
    of = region(("assistant", "A batch of 200 might cure the stall."), "Go down to a batch of 200.")
    assert verdict(of, "The batch goes down to 200.", "m1", "m2", type="decision") == "accepted"


@pytest.mark.parametrize(
    ("source", "whole", "part"),
    [
        ("Some of the tenants speak Basque, a neighbour helps them.", "All of the tenants speak Basque.",
         "Some of the tenants speak Basque."),
        ("Einige Mieter sprechen Baskisch, ein Nachbar hilft ihnen.", "Alle Mieter sprechen Baskisch.",
         "Einige Mieter sprechen Baskisch."),
        ("Algunos inquilinos hablan vasco, una vecina los ayuda.", "Todos los inquilinos hablan vasco.",
         "Algunos inquilinos hablan vasco."),
    ],
)  # fmt: skip
def test_a_part_is_not_taken_for_all_however_much_else_its_sentence_says(source: str, whole: str, part: str) -> None:
    assert verdict(region(source), whole) == "quantifier"
    assert verdict(region(source), part) == "accepted"

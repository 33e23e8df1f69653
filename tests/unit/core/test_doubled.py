"""A denial of a denial is refused where the sources deny the matter once."""

from __future__ import annotations

import pytest

from bobctx.core import doubled
from tests.unit.core.claim_cases import case, region


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (
            "Don't put anything on the east shelf, it was painted then.",
            "The east shelf is not to be left empty.",
        ),
        ("The ferry needs no booking.", "Booking the ferry is not unnecessary."),
        ("The Old Mill is out of the question for us.", "The Old Mill is not excluded."),
        ("Les chiens ne sont pas admis dans la salle.", "Les chiens ne sont pas interdits dans la salle."),
        ("O relatório não precisa de capa.", "A capa do relatório não é dispensável."),
        ("Der Keller darf nicht betreten werden.", "Der Keller ist nicht verboten."),
        ("Nobody is to store bikes in the hallway.", "Bikes are not to be kept out of the hallway."),
        ("Mia can't on Friday.", "Mia is not unavailable on Friday."),
        ("We don't take cash here.", "Cash is not ruled out here."),
        ("The user never agreed to sales calls.", "Sales calls are not unwanted."),
    ],
)
def test_two_denials_for_one_are_refused(source: str, claim: str) -> None:
    refusal = doubled.check(case(region(source), claim))
    assert refusal is not None
    assert refusal.code == "negation_added"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The east shelf must not be left empty.", "The east shelf is not to be left empty."),
        ("Keep the gate open.", "The gate must not be closed."),
        ("Do not bin the drafts.", "The drafts must not be deleted."),
        ("You may bring dogs, no cats.", "Dogs are not banned."),
        ("Mustn't stand in the sun, the cake.", "The cake must not be kept in the sun."),
        ("Les chiens sont admis dans la salle.", "Les chiens ne sont pas interdits dans la salle."),
        ("Im Keller ist nichts verboten.", "Der Keller ist nicht verboten."),
        ("Flights are not ruled out yet.", "Flights are not ruled out."),
        ("Guests aren't kept out of the garden.", "Guests are not kept out of the garden."),
        ("Das Konzert ist nicht vom Tisch.", "Das Konzert ist nicht ausgeschlossen."),
    ],
)
def test_two_denials_for_two_or_for_none_pass(source: str, claim: str) -> None:
    """Fails if a word that the source has of its own, a permission or the other side of a pair is not weighed."""
    assert doubled.check(case(region(source), claim)) is None


def test_an_answer_that_denies_what_was_asked_counts() -> None:
    talk = region(("assistant", "The driver has an update, which is optional. Shall I include it?"), "Leave it out.")
    assert doubled.check(case(talk, "The driver update is not excluded.", "m1", "m2")) is not None

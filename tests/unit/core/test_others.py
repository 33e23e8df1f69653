"""What a sentence says of some is not what it says of the others."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Cabins 2 and 4 have no heating at all, the others have a stove.", "All cabins have no heating."),
        ("Dogs: none in the sauna, welcome everywhere else.", "Dogs are banned everywhere."),
        ("Late checkout is for members only; everybody else leaves at ten.", "Everybody gets late checkout."),
        ("Zimmer 3 und 4 haben kein Bad, die anderen haben eine Dusche.", "Alle Zimmer haben kein Bad."),
        ("Les salles 2 et 3 sont fermées, les autres ouvrent à 8 h.", "Toutes les salles sont fermées."),
        ("Вагоны 2 и 4 закрыты, остальные открыты.", "Все вагоны закрыты."),
    ],
)
def test_some_are_not_all(source: str, claim: str) -> None:
    """Fails if what holds for those named first is told of all, against the others."""
    assert verdict(region(source), claim) != "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Cabins 2 and 4 have a stove, and so do the others.", "All cabins have a stove."),
        ("Ana and Ben signed on Monday, everyone else signed on Tuesday.", "Everyone has signed."),
        ("Zug 3 fährt heute, die anderen auch.", "Alle Züge fahren heute."),
        ("Room 4 is booked, the rest are free. Every room has a beamer.", "Every room has a beamer."),
    ],
)
def test_what_is_said_of_the_others_too_holds_for_all(source: str, claim: str) -> None:
    """Fails if a claim of all is refused although both parts of its source say it."""
    assert verdict(region(source), claim) == "accepted"

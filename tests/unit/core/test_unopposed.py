"""A denial that nobody objects, that goes on with a ban, or that names what takes the place of something."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (
            "Not a single owner objected to the new lock, so it gets installed in May.",
            "The new lock will be installed.",
        ),
        ("Nobody objected to the new roof, so it will be built in May.", "The new roof will be built in May."),
        ("No glass, not even in the garden.", "Glass is banned, the garden included."),
        ("Keine Hunde, nicht einmal im Hof.", "Hunde sind verboten, auch im Hof."),
        ("Geen glas, zelfs niet in de tuin.", "Glas is verboden, ook in de tuin."),
        (
            "Don't send the bill to my address, use the office one.",
            "The bill should be sent to the office address instead of the user's.",
        ),
    ],
)
def test_what_stands_beside_a_denial_explains_it(source: str, claim: str) -> None:
    assert verdict(region(source), claim, type="constraint") == "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Not a single owner objected to the new lock.", "An owner objected to the new lock."),
        ("Please do not move any object in the study.", "The study may be moved around."),
        ("No glass, not even in the garden.", "Glass is allowed in the garden."),
        ("No glass, not even in the garden.", "Glass is banned, except in the garden."),
        (
            "Please don't give my phone number to the marina, use Marek's.",
            "The marina should be given the user's phone number instead of Marek's.",
        ),
    ],
)
def test_the_denial_itself_stays(source: str, claim: str) -> None:
    assert verdict(region(source), claim, type="constraint") != "accepted"

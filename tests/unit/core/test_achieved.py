"""What a claim tells as done must not be open in its sources."""

from __future__ import annotations

import pytest

from bobctx.core import achieved
from tests.unit.core.claim_cases import case, region, verdict


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        ("My sister may find us a cheaper van.", "The user's sister has found a cheaper van.", "hypothetical"),
        (
            "I asked Tarek about the stage lights and am waiting for his answer.",
            "Tarek has promised the stage lights.",
            "hypothetical",
        ),
        (
            "We print 40 posters if the council pays for the paper.",
            "The council has agreed to pay for the paper.",
            "hypothetical",
        ),
        ("As for the roof, I'll take it to the landlord.", "The landlord has approved the roof.", "hypothetical"),
        (
            "The valve cracked while I was closing it.",
            "The tenant has been told that the valve cracked.",
            "unsupported",
        ),
        ("Vielleicht baut uns Onkel Jo ein Regal.", "Onkel Jo hat ein Regal gebaut.", "hypothetical"),
    ],
)
def test_what_is_open_is_not_done(source: str, claim: str, code: str) -> None:
    refusal = achieved.check(case(region(source), claim))
    assert refusal is not None
    assert refusal.code == code


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("My sister found us a cheaper van.", "The user's sister has found a cheaper van."),
        ("Tarek wrote back: he promised the stage lights.", "Tarek has promised the stage lights."),
        (
            "We print the posters if the council pays for the paper.",
            "The posters are printed once the council has paid.",
        ),
        ("The tenant was told on Monday that the valve cracked.", "The tenant has been told that the valve cracked."),
        ("I may repaint the door; the wall is repainted already.", "The wall has been repainted."),
        ("The van has to be washed.", "The van has to be washed."),
    ],
)
def test_what_is_done_or_still_a_condition_passes(source: str, claim: str) -> None:
    """Fails if an honest perfect tense is refused for a possibility beside it."""
    assert achieved.check(case(region(source), claim)) is None


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The mosaic will be cleaned in June.", "The mosaic has already been cleaned."),
        ("The invoice is due in June.", "The invoice has already been paid."),
        ("El traslado sigue en curso.", "El traslado ya ha terminado."),
    ],
)
def test_what_is_planned_due_or_still_running_is_not_done_already(source: str, claim: str) -> None:
    """Fails if one word in common is too few for a claim that says `already`."""
    assert verdict(region(source), claim) == "hypothetical"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The mosaic was cleaned in June.", "The mosaic has already been cleaned."),
        ("The copy of the archive is still running.", "The copy of the archive is still running."),
    ],
)
def test_what_was_done_is_done_already(source: str, claim: str) -> None:
    assert verdict(region(source), claim) == "accepted"

"""Conditions that a claim leaves out."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "wrong", "right"),
    [
        (
            "If they haven't enrolled by Friday, lock the accounts.",
            "The accounts are locked.",
            "The accounts are locked if they haven't enrolled by Friday.",
        ),
        (
            "Wenn sie sich nicht angemeldet haben, sperr die Konten.",
            "Die Konten werden gesperrt.",
            "Die Konten werden gesperrt, wenn sie sich nicht angemeldet haben.",
        ),
        (
            "S'ils ne se sont pas inscrits, bloque les comptes.",
            "Les comptes sont bloqués.",
            "Les comptes sont bloqués s'ils ne se sont pas inscrits.",
        ),
    ],
)
def test_a_condition_that_denies_something_is_told(source: str, wrong: str, right: str) -> None:
    """Fails if an order for those who have not done something becomes one for all."""
    assert verdict(region(source), wrong, type="constraint") == "condition_dropped"
    assert verdict(region(source), right, type="constraint") == "accepted"


def test_what_does_not_matter_keeps_the_condition_under_which_it_does_not() -> None:
    """Fails if a claim may leave out the one thing that is asked for."""
    of = region("The order doesn't matter, as long as the blue file is last.")
    assert verdict(of, "The order doesn't matter.", type="constraint") == "condition_dropped"

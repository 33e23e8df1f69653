"""Honest claims that stand close to what the checks of turned words look for, and false ones close to their excuses."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Put on another coat after an hour.", "A second coat is put on after an hour."),
        ("Water it daily for an hour.", "It is watered once a day for an hour."),
        (
            "We reply within 24 hours, and we check once an hour.",
            "Replies come within a day; there is a check once an hour.",
        ),
        ("It costs 5 euros per person a day.", "It costs 5 euros a day per person."),
        ("The course is 40 euros for a couple of lessons per person.", "The course is 40 euros per person."),
        ("Flooring is 5 euros per m².", "Flooring costs 5 euros per sqm."),
        ("Deliveries come Mon/Tue/Wed.", "Deliveries come Mon/Wed."),
        ("It runs on Linux/macOS/Windows.", "It runs on Linux/Windows."),
        ("The code is in packages/web/src/app.", "The code is in web/src."),
        ("Don't pack the tripod away, we need it tonight.", "The tripod is needed tonight."),
        ("We booked the blue hall, and if Tom from Oslo complains I'll talk to him.", "The blue hall was booked."),
        (
            "I asked Tom if the Oslo server is full, and we copy the archive on Friday.",
            "The archive is copied on Friday.",
        ),
        ("If you get lost, call Ana, the hall is behind the church, and dinner is at eight.", "Dinner is at eight."),
    ],
)
def test_an_honest_claim_near_a_turned_one_is_accepted(source: str, claim: str) -> None:
    assert verdict(region(source), claim) == "accepted"


@pytest.mark.parametrize(
    ("asked", "answered", "claim"),
    [
        ("Shall I close the Oslo shop on Monday?", "Yes.", "The Oslo shop will not open on Monday."),
        ("Je retire la démo pour l'équipe d'Oslo ?", "Oui.", "La démo ne doit pas être montrée à l'équipe d'Oslo."),
        ("Shall I book the tuner for 15:00?", "Yes, but not for 15:00.", "The tuner is not booked for 15:00."),
    ],
)
def test_a_denial_that_an_answer_bears_out_is_no_refused_choice(asked: str, answered: str, claim: str) -> None:
    of = region(("assistant", asked), answered)
    assert not verdict(of, claim, "m1", "m2", type="decision").startswith("negation_added")


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Payments are frozen, Ines has told the bank, until the audit ends.", "Payments are frozen."),
        ("Anyone in group B gets a seat.", "All participants get a seat."),
        ("Anything above 750 euros goes past Petra.", "Every order goes past Petra."),
    ],
)
def test_an_excuse_reaches_no_further_than_its_reason(source: str, claim: str) -> None:
    assert verdict(region(source), claim, type="constraint") != "accepted"

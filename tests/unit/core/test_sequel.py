"""Values of the time that follows are not those of the time before."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

RENT = "Rent during the renovation is one euro a day, afterwards it is 12 euros."
FRIST = "Während der Probezeit beträgt die Frist eine Woche, danach gelten drei Monate."
PREAVIS = "Pendant la période d'essai le préavis est d'une semaine, ensuite il passe à trois mois."


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (RENT, "During the renovation the rent is 12 euros a day."),
        (FRIST, "Während der Probezeit beträgt die Frist drei Monate."),
        (PREAVIS, "Pendant la période d'essai le préavis est de trois mois."),
    ],
)
def test_a_value_behind_afterwards_is_not_given_to_the_time_before(source: str, claim: str) -> None:
    assert verdict(region(source), claim) == "binding"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (RENT, "After the renovation the rent is 12 euros a day."),
        (RENT, "The rent goes up to 12 euros a day later."),
        ("During the fair the gate shuts at 18:00, and then the dogs are let out.",
         "During the fair the gate shuts at 18:00."),
    ],
)  # fmt: skip
def test_its_own_time_keeps_it(source: str, claim: str) -> None:
    assert verdict(region(source), claim) == "accepted"

"""A claim that something is not kept is refused where its sources keep it or forbid to do away with it."""

from __future__ import annotations

import pytest

from bobctx.core import unkept
from tests.unit.core.claim_cases import case, region, verdict


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Don't throw the old plates out.", "The old plates are not to be kept."),
        ("Please don't touch the thermostat.", "The thermostat is not to stay as it is."),
        ("Keep the driver at 3.7.5.", "The driver is not frozen at 3.7.5."),
        ("Non modificare gli orari.", "Gli orari non devono restare invariati."),
        ("Ne change pas le logo.", "Le logo ne doit pas rester comme il est."),
        ("No cambies el horario.", "El horario no debe quedarse como está."),
        ("Não apagues as fotos.", "As fotos não devem ser conservadas."),
        ("백업 주기는 바꾸지 마세요.", "백업 주기는 그대로 유지하지 않는다."),
    ],
)
def test_what_is_kept_is_not_said_to_go(source: str, claim: str) -> None:
    refusal = unkept.check(case(region(source), claim))
    assert refusal is not None
    assert refusal.code == "negation_added"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Keep the drinks cold.", "The drinks must not be kept warm."),
        ("Don't put milk in the door of the fridge.", "Milk must not be kept in the door of the fridge."),
        ("Don't move the milk to the door.", "The milk must not be kept in the door."),
        ("Visitors may not enter after 20:00.", "Visitors must not stay after 20:00."),
        ("Don't leave the dog alone in the car.", "The dog must not be left alone in the car."),
        ("Don't change the locks. No spare keys are kept here.", "Spare keys are not kept here."),
        ("Don't edit the logs. The raw dumps don't stay here.", "The raw dumps do not stay here."),
        ("Throw the old plates out.", "The old plates are not kept."),
        ("Borra los borradores.", "Los borradores no se conservan."),
        ("로그는 지우지 말고 놔두세요.", "로그는 삭제하지 않고 그대로 남겨 둔다."),
    ],
)
def test_what_goes_or_is_kept_otherwise_passes(source: str, claim: str) -> None:
    """Fails if a place, another state or an order to do away with something counts as keeping it."""
    assert unkept.check(case(region(source), claim)) is None


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Don't change the visiting hours of the ward: anybody may come at any time.",
         "The visiting hours of the ward are not restricted."),
        ("There is no cutlery in the blue drawer.", "The cutlery is not kept in the blue drawer."),
    ],
)  # fmt: skip
def test_a_word_that_only_begins_like_one_of_keeping_or_change_is_none(source: str, claim: str) -> None:
    assert verdict(region(source), claim) == "accepted"

"""Of two predicates that a sentence denies, a claim must deny both."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Chi non ha la tessera non può entrare in sala.", "Chi non ha la tessera può entrare in sala."),
        ("Quien no tenga carnet no puede usar la sala.", "Quien no tenga carnet puede usar la sala."),
        ("Quem não pagou não pode usar a sala.", "Quem não pagou pode usar a sala."),
        ("Кто не оплатил, не может пользоваться залом.", "Кто не оплатил, может пользоваться залом."),
        ("Chi non ha la tessera può entrare in sala.", "Chi non ha la tessera non può entrare in sala."),
    ],
)
def test_a_predicate_whose_own_negation_is_lost_is_refused(source: str, claim: str) -> None:
    assert verdict(region(source), claim, type="constraint") != "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Chi non ha la tessera non può entrare in sala.", "Chi non ha la tessera non può entrare."),
        ("Chi non ha la tessera non può entrare in sala.", "Senza tessera non si può entrare in sala."),
        ("Non ho mai visto nessuno in sala.", "Nessuno è stato visto in sala."),
        ("Quien no tenga carnet no puede usar la sala.", "Sin carnet no se puede usar la sala."),
        ("No se lo digas nunca a nadie.", "No se lo digas a nadie."),
    ],
)
def test_agreeing_negations_are_one(source: str, claim: str) -> None:
    assert verdict(region(source), claim, type="constraint") == "accepted"

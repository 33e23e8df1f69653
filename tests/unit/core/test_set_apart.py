"""What a claim adds to what is ordered or allowed, and what its source says of it."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        ("Dust the shelves. The glass cabinet I do myself.", "The shelves and the glass cabinet are to be dusted.",
         "quantifier"),
        ("Book the hotel. The flights can wait.", "The hotel and the flights are to be booked.", "quantifier"),
        ("Members pay 10 euros. Students are different.", "Members pay 10 euros, students too.", "quantifier"),
        ("Repariere die Bremsen. Der Auspuff kann warten.", "Bremsen und Auspuff werden repariert.", "quantifier"),
        ("Commande les chaises. Les tables peuvent attendre.", "Les chaises et les tables sont à commander.",
         "quantifier"),
        ("Pide las sillas. Las mesas pueden esperar.", "Se piden las sillas y las mesas.", "quantifier"),
        ("Ordina le sedie. I tavoli possono aspettare.", "Vanno ordinate le sedie e i tavoli.", "quantifier"),
        ("Bestel de stoelen. De tafels kunnen wachten.", "De stoelen en de tafels worden besteld.", "quantifier"),
        ("Закажи стулья. Столы подождут.", "Стулья и столы надо заказать.", "quantifier"),
        ("Book the hotel. The flights as well.", "The hotel and the flights are to be booked.", "accepted"),
        ("Book the hotel. And the flights.", "The hotel and the flights are to be booked.", "accepted"),
        ("Paint the door green. The fence gets the same colour.", "The door and the fence are painted green.",
         "accepted"),
        ("Members pay 10 euros. So do students.", "Members pay 10 euros, students too.", "accepted"),
        ("Bestell Stühle. Tische brauchen wir auch.", "Stühle und Tische werden bestellt.", "accepted"),
        ("The red team wins. The blue team failed.", "The red team wins and the blue team failed.", "accepted"),
        ("We keep Redis. Postgres stays as it is.", "Redis and Postgres are kept.", "accepted"),
    ],
)  # fmt: skip
def test_what_is_set_apart_is_not_added(source: str, claim: str, code: str) -> None:
    assert verdict(region(source), claim, type="constraint") == code


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Buy milk and also eggs. The eggs must not be brown.", "Milk and eggs are to be bought."),
        ("Order the pads and the bracket, please. There must be no paint on the bracket.",
         "The pads and the bracket are ordered."),
    ],
)  # fmt: skip
def test_what_the_source_adds_itself_may_be_added(source: str, claim: str) -> None:
    assert verdict(region(source), claim, type="decision") == "accepted"

"""Values of a part that leaves its verb out."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

SENTENCES = {
    "fr": ("La chambre double coûte 80 € la nuit, le parking 6 €.", "Le parking coûte 6 €.", "Le parking coûte 80 €."),
    "en": ("The main course costs 18 € per guest, the dessert 7 €.", "The dessert costs 7 €.",
           "The dessert costs 18 €."),
    "de": ("Der Eintritt ins Museum kostet 14 €, der Bus 5 €.", "Der Bus kostet 5 €.", "Der Bus kostet 14 €."),
    "es": ("La entrada al castillo cuesta 12 €, el tren 4 €.", "El tren cuesta 4 €.", "El tren cuesta 12 €."),
    "it": ("La cena al rifugio costa 25 €, il pullman 8 €.", "Il pullman costa 8 €.", "Il pullman costa 25 €."),
    "nl": ("Het diner in de hut kost 25 €, de bus 8 €.", "De bus kost 8 €.", "De bus kost 25 €."),
    "ja": ("大人は800円、子どもは300円で入れます。", "子どもは300円で入れる。", "子どもは800円で入れる。"),
    "ko": ("숙소는 바다채(1박 9만원)와 숲채(1박 7만원)가 있습니다.", "숲채는 1박 7만원이다.", "숲채는 1박 9만원이다."),
    "appositive": ("The first reading is on 2027-03-02 in the club room, costume fitting six days later, 2027-03-08.",
                   "The costume fitting is on 2027-03-08.", "The costume fitting is on 2027-03-02."),
    "pronoun": ("Pour la taille : on commence le 4 mars par la haie du Jardin, celle de la Cour suit le 9 mars.",
                "La Cour suit le 9 mars.", "La haie de la Cour sera taillée le 4 mars."),
    "place": ("受付は東口、荷物預かりは西口で行います。", "荷物預かりは西口で行う。", "荷物預かりは東口で行う。"),
    "brackets": ("We have Mirko (kitchen) and Dana (front desk) on Friday.", "Dana is at the front desk on Friday.",
                 "Dana is in the kitchen on Friday."),
}  # fmt: skip


@pytest.mark.parametrize("name", SENTENCES)
def test_the_value_of_the_other_name_is_refused(name: str) -> None:
    """Fails if a part without a verb may have the value of the part before it, or not its own."""
    said, right, wrong = SENTENCES[name]
    assert verdict(region(said), right) == "accepted"
    assert verdict(region(said), wrong) == "binding"


@pytest.mark.parametrize(
    ("message", "claim"),
    [
        ("La chambre double coûte 80 € la nuit, le parking 6 €.", "La chambre double coûte 80 € la nuit."),
        ("Der Eintritt kostet 14 €, der Bus 5 €.", "Eintritt: 14 €, Bus: 5 €."),
        ("The main course costs 18 €, the dessert 7 €. For groups the dessert costs 18 €.", "The dessert costs 18 €."),
        ("大人は800円、子どもは300円で入れます。", "大人は800円で入れる。"),
        ("We have Mirko (kitchen) and Dana (front desk) on Friday.", "Mirko is in the kitchen on Friday."),
        ("Call open(path) and close(handle) in turn.", "Call close on the path you opened: open(path) comes first."),
    ],
)
def test_what_belongs_together_may_be_said(message: str, claim: str) -> None:
    """Fails if a value may not be told of the name that has it."""
    assert verdict(region(message), claim) == "accepted"


def test_a_later_sentence_may_exchange_them() -> None:
    """Fails if what another message gives to the name counts for nothing."""
    of = region("Mirko (kitchen) and Dana (bar) work on Friday.", "They swap: Dana does the kitchen, Mirko the bar.")
    assert verdict(of, "Dana does the kitchen on Friday.", "m1", "m2") == "accepted"

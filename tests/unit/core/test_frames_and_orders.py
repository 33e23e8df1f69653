"""Orders are statements of their own, frames forbid what follows them, plain opposites without a verb are read."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

TRUE = [
    ("Order the ladder, the bench can wait until the spring sale.", "The ladder is to be ordered."),
    ("Bestell die Leiter, die Bank kann bis zum Frühling warten.", "Die Leiter soll bestellt werden."),
    ("Verschick die Namenslisten bitte nie per Fax.", "Es ist untersagt, die Namenslisten per Fax zu verschicken."),
    ("Namen van leden zetten we nooit op de website.", "Het is verboden om namen van leden op de website te zetten."),
    ("E não precisa trazer toalha, o hotel fornece.", "Trazer toalha é dispensável, porque o hotel fornece."),
    ("O portão lateral não pode ser usado para entregas.", "É proibido usar o portão lateral para entregas."),
    ("For the pie you can use pears instead of apples.", "Pears are allowed as a substitute for apples in the pie."),
    ("We no longer give out paper maps, people throw them away.", "Paper maps have been abolished."),
    ("Empty the old crate E2K whenever you like.", "The old crate E2K may be emptied at any time."),
    ("Keep the pump running so nothing gets flooded.", "The pump must keep running to avoid flooding anything."),
    ("I'm not bothered who prints the flyers as long as they're in A5.", "The flyers have to be printed in A5."),
    ("The seats are cut from the back row on Friday.", "On Friday the back row is cut."),
    ("On part du quai à 7 h 45.", "Le départ se fait du quai à 7 h 45."),
]
FALSE = [
    ("Order the ladder, the bench can wait until the spring sale.", "The ladder is not to be ordered."),
    ("Commande l'échelle, le banc peut attendre.", "L'échelle ne doit pas être commandée."),
    ("Pide la escalera, el banco puede esperar.", "La escalera no se pide."),
    ("Helmets are compulsory.", "Helmets are not compulsory in the workshop."),
    ("Limit down to 300 from tomorrow.", "From tomorrow the limit goes up to 300."),
    ("Name `site-media`, versioning on.", "Versioning is off for `site-media`."),
    ("She gets 120 g of dry food twice a day.", "She gets 120 g of dry food twice a week."),
]


@pytest.mark.parametrize(("source", "claim"), TRUE)
def test_what_is_said_in_another_frame_is_accepted(source: str, claim: str) -> None:
    assert verdict(region(source), claim, type="constraint") == "accepted"


@pytest.mark.parametrize(("source", "claim"), FALSE)
def test_plain_opposite_is_refused(source: str, claim: str) -> None:
    assert verdict(region(source), claim, type="constraint") != "accepted"


@pytest.mark.parametrize(
    ("offer", "answer", "claim"),
    [
        ("Perhaps we could run a second tour on Sundays.", "I'd have to ask Ann about Sundays, she has the keys.",
         "There will be a second tour on Sundays."),
        ("Vielleicht könnten wir sonntags eine zweite Führung machen.", "Da müsste ich Anna fragen, wegen sonntags.",
         "Sonntags gibt es eine zweite Führung."),
    ],
)  # fmt: skip
def test_who_has_yet_to_be_asked_has_agreed_to_nothing(offer: str, answer: str, claim: str) -> None:
    talk = region(("assistant", offer), answer)
    assert verdict(talk, claim, "m1", "m2", type="decision") != "accepted"


def test_a_city_to_explore_is_no_mere_idea() -> None:
    said = "I have a game in Oslo next month. It's one of my favourite cities to explore."
    assert verdict(region(said), "The user has a game in Oslo next month; it is a favourite city.") == "accepted"

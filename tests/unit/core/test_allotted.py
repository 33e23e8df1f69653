"""What two like parts of a sentence give to one each, told in other words."""

from __future__ import annotations

import pytest

from bobctx.core.part_signs import ends
from bobctx.core.part_units import among, apart, units
from tests.unit.core.claim_cases import region, verdict

SENTENCES = [
    ("Ines waters the roses and Paul waters the beans.", "Paul looks after the beans.", "Ines looks after the beans."),
    ("On the tablet I read novels, on the phone news.", "The phone is used for news.", "The tablet is used for news."),
    ("I lent the tent to Femi and the stove to Ada.", "Ada received the stove.", "Ada received the tent."),
    ("Nora coaches the juniors, her brother the keepers.", "Nora's brother trains the keepers.",
     "Nora's brother trains the juniors."),
    ("Der Werkstattschlüssel hängt im Flur, der Garagenschlüssel nur beim Nachbarn.",
     "Der Garagenschlüssel ist beim Nachbarn zu finden.", "Der Garagenschlüssel ist im Flur zu finden."),
    ("Die Gruppe 2a probt in Halle, die 2b in Gera.", "Geprobt wird von der 2b in Gera.",
     "Die 2a probt in Gera."),
    ("La base de recette est à Lyon, celle de prod à Lille.", "La production se trouve à Lille.",
     "La base de recette se trouve à Lille."),
    ("Mi tía cultiva tomates; mi tío, melones.", "El tío planta melones.", "La tía planta melones."),
    ("As alunas treinam na quadra, os alunos na piscina.", "Os alunos usam a piscina.", "As alunas usam a piscina."),
    ("Sara porta le sedie e Nino i tavoli.", "Dei tavoli si fa carico Nino.", "Dei tavoli si fa carico Sara."),
    ("Mijn vader kookt voor buren, mijn oom voor scholen.", "De oom verzorgt het eten voor scholen.",
     "De vader verzorgt het eten voor scholen."),
    ("Вера красит забор, а Олег чинит крышу.", "Крышей занят Олег.", "Крышей занята Вера."),
    ("ليلى ستجلب الخبز وسامي الجبن.", "الجبن على سامي.", "الجبن على ليلى."),
    ("小林管灯光，小郑管音响。", "音响由小郑负责。", "音响由小林负责。"),
    ("兄は大阪、妹は京都です。", "京都にいるのは妹だ。", "京都にいるのは兄だ。"),
    ("형은 빵을, 누나는 우유를 사요.", "우유는 누나가 맡는다.", "우유는 형이 맡는다."),
    ("Die Hefe bringt Nele, den Zucker holt Jan.", "Der Zucker kommt von Jan.", "Die Hefe kommt von Jan."),
    ("Auf dem Balkon stehen die Räder, in der Laube die Liegen.", "Die Liegen sind in der Laube verstaut.",
     "Die Liegen sind auf dem Balkon verstaut."),
    ("父は買い物、母は洗濯を担当します。", "洗濯をするのは母だ。", "洗濯をするのは父だ。"),
    ("花在阳台，伞在走廊。", "走廊里放的是伞。", "走廊里放的是花。"),
    ("The orders go to queue 5, the mails go to queue 8.", "Mails land in queue 8.", "Mails land in queue 5."),
]  # fmt: skip


@pytest.mark.parametrize(("said", "right", "crossed"), SENTENCES)
def test_what_one_part_gives_is_not_given_to_the_other(said: str, right: str, crossed: str) -> None:
    """Fails if a claim in other words may join two parts, or may not tell one of them."""
    assert verdict(region(said), right) == "accepted"
    assert verdict(region(said), crossed) == "binding"


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("The cake is in the fridge, which is set to 4 degrees.", "The cake is kept at 4 degrees."),
        ("The hall has a stage with 20 seats, a kitchen with 4 rings.", "The hall has a stove with 4 rings."),
        ("Lanes 3, 4 and 6 are closed.", "Lane 4 is closed."),
        ("The roof leaks, the roofer comes on Monday.", "The roof is mended on Monday."),
        ("The tram to Rye leaves at the dock and the one to Ely at the mill.", "The tram stops at the mill too."),
        ("I lent the tent to Femi and the stove to Ada.", "The user lent Ada something."),
        ("Le pareti erano bianche, le abbiamo ridipinte di azzurro.", "Le pareti adesso sono azzurre."),
        ("The cake arrives at noon and must not stand in the sun.", "The cake is kept out of the sun."),
        ("Mon ancien numéro finissait par 07, le nouveau par 62.", "Son numéro actuel se termine par 62."),
        (
            "Der Drucker im Büro ist kaputt, Tom hat den Händler angerufen.",
            "Wegen des Druckers wurde der Händler angerufen.",
        ),
        ("Two guests: Ruiz and Okada. The former speaks Dutch, the latter Czech.", "Okada speaks Czech."),
        ("屋根が漏れていて、職人は月曜に来ます。", "屋根の修理は月曜だ。"),
        ("Ben plays the viola and Mia the flute. Later Ben takes up the flute.", "Ben will learn the flute."),
    ],
)
def test_parts_that_are_not_alike_may_be_told_together(said: str, claim: str) -> None:
    """Fails if two clauses of one thing, or what another sentence says, are taken for an exchange."""
    assert verdict(region(said), claim) == "accepted"


def test_a_journey_out_is_not_the_one_back() -> None:
    """Fails if the way out and the way back are one side."""
    of = region("Our flight out is with Condor, the return with Lot.")
    assert verdict(of, "The user flies back with Lot.") == "accepted"
    assert verdict(of, "The user flies back with Condor.") != "accepted"


def test_units_are_words_and_values_with_the_word_before_them() -> None:
    """Fails if a value falls apart or a determiner is not seen."""
    found = units("The choir of 14 boys meets at 18:30", "en")
    assert [u.form for u in found] == ["choir", "14", "boys", "meets", "18:30"]
    assert found[0].led == "the"
    assert found[4].kind == "time"


def test_a_compound_holds_its_parts_and_a_he_is_no_she() -> None:
    """Fails if a word inside another one is not found, or if forms of one stem for him and her are one."""
    assert among(units("katten", "nl")[0], units("kattenallergie", "nl"), "nl")
    assert apart(units("mi hija", "es"), units("mi hijo", "es"), "es")
    assert not apart(units("la casa", "es"), units("las casas", "es"), "es")


def test_ends_of_two_like_parts() -> None:
    """Fails if what two parts share is taken for what tells them apart, or unlike parts for like ones."""
    found = ends("女儿对猫毛过敏", "儿子对花粉过敏")
    assert found is not None
    assert found[0].begins("女儿的过敏原")
    assert found[1].closes("花粉")
    assert ends("蓝桶扔纸", "明天下雨") is None

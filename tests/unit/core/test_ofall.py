"""What a source says of a part of them, said of all: counts in words, ages and amounts, exceptions."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        ("Of the 27 scripts, 22 pass and 5 are below 33. Three of the five are within two marks of it.",
         "All five scripts below 33 are within two marks of it.", "quantifier"),
        ("We have five vans. Two of the five vans need new tyres.",
         "All five vans need new tyres.", "quantifier"),
        ("Wir haben fünf Busse. Drei der fünf Busse brauchen neue Reifen.",
         "Alle fünf Busse brauchen neue Reifen.", "quantifier"),
        ("Drei von fünf Bussen brauchen neue Reifen.",
         "Alle fünf Busse brauchen neue Reifen.", "quantifier"),
        ("Trois des cinq bus ont besoin de pneus.",
         "Les cinq bus ont tous besoin de pneus.", "quantifier"),
        ("Trois bus sur cinq ont besoin de pneus.",
         "Tous les bus ont besoin de pneus.", "quantifier"),
        ("Tres de los cinco autobuses necesitan ruedas.",
         "Todos los autobuses necesitan ruedas.", "quantifier"),
        ("Três dos cinco ônibus precisam de pneus.",
         "Todos os ônibus precisam de pneus.", "quantifier"),
        ("Tre dei cinque autobus hanno bisogno di gomme.",
         "Tutti gli autobus hanno bisogno di gomme.", "quantifier"),
        ("Drie van de vijf bussen hebben nieuwe banden nodig.",
         "Alle bussen hebben nieuwe banden nodig.", "quantifier"),
        ("Три из пяти автобусов требуют новых шин.",
         "Все автобусы требуют новых шин.", "quantifier"),
        ("五辆车中三辆需要换轮胎。",
         "所有车都需要换轮胎。", "quantifier"),
        ("버스 다섯 대 중 세 대는 타이어를 바꿔야 해요.",
         "모든 버스는 타이어를 바꿔야 한다.", "quantifier"),
        ("ثلاثة من خمسة باصات تحتاج إطارات جديدة.",
         "كل الباصات تحتاج إطارات جديدة.", "quantifier"),
        ("Children under 10 need an adult next to them at all times.",
         "All children need an adult next to them at all times.", "quantifier"),
        ("Kinder unter 10 brauchen immer einen Erwachsenen.",
         "Alle Kinder brauchen immer einen Erwachsenen.", "quantifier"),
        ("Orders over 500 euros need two signatures.",
         "All orders need two signatures.", "quantifier"),
        ("Les enfants de moins de 10 ans doivent porter un gilet.",
         "Tous les enfants doivent porter un gilet.", "quantifier"),
        ("Los niños menores de 10 años llevan chaleco.",
         "Todos los niños llevan chaleco.", "quantifier"),
        ("Episode 58 is ready. From the next episode on please aim for -14 LUFS instead of -16.",
         "All episodes, including episode 58, should be mastered to -14 LUFS.", "quantifier"),
        ("Ab der nächsten Folge bitte auf -14 LUFS mastern.",
         "Alle Folgen sollen auf -14 LUFS gemastert werden.", "quantifier"),
        ("À partir du prochain numéro, la couverture est bleue.",
         "Tous les numéros ont une couverture bleue.", "quantifier"),
        ("Baby food goes to families with a voucher only, except in the last week of the month, when all can come.",
         "Baby food is given to families with a voucher only, the whole month through.", "quantifier"),
        ("We have five vans. All five vans need new tyres.",
         "All five vans need new tyres.", "accepted"),
        ("Two of the five vans are red. All vans need new tyres.",
         "All vans need new tyres.", "accepted"),
        ("Children under 10 need an adult next to them at all times.",
         "All children under 10 need an adult next to them at all times.", "accepted"),
        ("Orders over 500 euros need two signatures.",
         "All orders over 500 euros need two signatures.", "accepted"),
        ("From the next episode on please aim for -14 LUFS.",
         "All episodes from the next one on should be mastered to -14 LUFS.", "accepted"),
        ("Baby food goes to families with a voucher only, except in the last week of the month, when all can come.",
         "Baby food is given to families with a voucher only, except in the last week of the month.", "accepted"),
        ("Dogs are allowed on the beach the whole year, except on the pier.",
         "Dogs are allowed on the beach the whole year, but not on the pier.", "accepted"),
    ],
)  # fmt: skip
def test_a_part_is_not_all(source: str, claim: str, code: str) -> None:
    assert verdict(region(source), claim, type="constraint") == code


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        ("Issue 12 is ready. From the next issue on please print on grey paper instead of white.",
         "All issues, issue 12 included, are printed on grey paper.", "quantifier"),
        ("Heft 12 ist fertig. Ab dem nächsten Heft bitte auf grauem Papier drucken.",
         "Alle Hefte, auch Heft 12, werden auf grauem Papier gedruckt.", "quantifier"),
        ("Le numéro 12 est prêt. À partir du prochain numéro, on imprime sur papier gris.",
         "Tous les numéros, y compris le 12, sont imprimés sur papier gris.", "quantifier"),
        ("Issue 12 is ready. From the next issue on please print on grey paper.",
         "From the next issue on all issues are printed on grey paper.", "accepted"),
        ("What the folders look like I don't care, except that the tenors need black ones.",
         "The tenors must have black folders.", "accepted"),
        ("I don't mind what people wear, except that the guides must have red jackets.",
         "The guides must have red jackets.", "accepted"),
        ("Everyone must wear a helmet, except when the guides say otherwise.",
         "Everyone must wear a helmet.", "condition_dropped"),
    ],
)  # fmt: skip
def test_what_begins_later_and_what_is_excepted(source: str, claim: str, code: str) -> None:
    assert verdict(region(source), claim, type="constraint") == code

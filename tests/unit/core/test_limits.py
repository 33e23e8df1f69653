"""Bounds: which value they limit, also under a negation, as a noun, and in a question that was accepted."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        ("The talk mustn't fall later than 15 October 2026.", "The talk mustn't fall earlier than 15 October 2026.",
         "comparator"),
        ("The talk mustn't fall later than 15 October 2026.", "The last possible day for the talk is 15 October 2026.",
         "accepted"),
        ("Hier sind höchstens 60 Gäste erlaubt.", "Es gilt hier eine Obergrenze von 60 Gästen.", "accepted"),
        ("Погоду проверяем до выхода.", "Погоду проверяем после выхода.", "comparator"),
        ("Een lading mag hooguit 35 kg wegen.", "Een lading mag niet zwaarder zijn dan 35 kg.", "accepted"),
        ("Music until 22:00 at most.", "No music after 22:00.", "accepted"),
        ("Nobody touches it until I met Jana.", "It must not be touched after the user met Jana.", "comparator"),
        ("Nobody touches it until I met Jana.", "It must not be touched before the user met Jana.", "accepted"),
        ("Nach 22 Uhr darf keine Musik mehr laufen.", "Musik ist vor 22 Uhr verboten.", "comparator"),
        ("Nach 22 Uhr darf keine Musik mehr laufen.", "Musik ist nach 22 Uhr verboten.", "accepted"),
        ("Ne publiez rien avant le 3 mai.", "Rien ne doit être publié après le 3 mai.", "comparator"),
    ],
)  # fmt: skip
def test_a_bound_is_kept_in_any_words(source: str, claim: str, code: str) -> None:
    assert verdict(region(source), claim, type="constraint") == code


def test_a_bound_that_was_asked_for_and_accepted_counts() -> None:
    of = region(("assistant", "冷蔵庫の温度は5℃以下でよろしいですか。"), "はい、5℃以下を守ってください。")
    assert verdict(of, "冷蔵庫の温度は5℃以上にする。", "m1", "m2", type="constraint") == "comparator"
    assert verdict(of, "冷蔵庫の温度は5℃以下にする。", "m1", "m2", type="constraint") == "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The marquee arrives on Friday at the earliest.",
         "The marquee arrives on Friday at the latest."),
        ("Das Zelt kommt frühestens am Freitag.",
         "Das Zelt kommt spätestens am Freitag."),
        ("La tente arrive le 4 mai au plus tôt.",
         "La tente arrive le 4 mai au plus tard."),
        ("La carpa llega el 4 de mayo como muy pronto.",
         "La carpa llega el 4 de mayo a más tardar."),
        ("Il tendone arriva il 4 maggio al più presto.",
         "Il tendone arriva il 4 maggio al più tardi."),
        ("De tent komt op 4 mei op zijn vroegst.",
         "De tent komt op 4 mei op zijn laatst."),
        ("Шатёр привезут не раньше 4 мая.",
         "Шатёр привезут не позже 4 мая."),
        ("帐篷最早5月4日送到。",
         "帐篷最晚5月4日送到。"),
        ("テントは早くても5月4日に届きます。",
         "テントは遅くとも5月4日に届きます。"),
        ("천막은 빨라야 5월 4일에 도착합니다.",
         "천막은 늦어도 5월 4일에 도착합니다."),
        ("تصل الخيمة يوم 4 مايو على أقرب تقدير.",
         "تصل الخيمة يوم 4 مايو على أبعد تقدير."),
    ],
)  # fmt: skip
def test_the_earliest_time_is_not_the_latest(source: str, claim: str) -> None:
    """Fails if a limit behind its value or its month limits nothing."""
    assert verdict(region(source), claim, type="fact") != "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Für den Chor liegt die Obergrenze bei 340 Euro.",
         "Für den Chor müssen mindestens 340 Euro ausgegeben werden."),
        ("Le plafond est de 340 € pour la sono.",
         "La sono doit coûter au moins 340 €."),
        ("音响预算340欧元封顶。",
         "音响预算至少340欧元。"),
        ("音響の上限は340ユーロです。",
         "音響は最低340ユーロです。"),
        ("음향 예산은 340유로가 상한입니다.",
         "음향 예산은 최소 340유로입니다."),
        ("السقف لميزانية الصوت 340 يورو.",
         "ميزانية الصوت 340 يورو على الأقل."),
        ("The floor is 12 seats per coach.",
         "A coach has at most 12 seats."),
        ("Sobre la verbena: el tope para el sonido son 340 €, y la barra la lleva Nuria.",
         "El sonido de la verbena debe costar como mínimo 340 €."),
        ("Sobre a quermesse: o teto para o som é de 340 €, e o bar fica com a Célia.",
         "O som da quermesse deve custar no mínimo 340 €."),
        ("Per la sagra: il tetto per l'impianto audio è 340 €, e del bar si occupa Gino.",
         "L'impianto audio della sagra deve costare almeno 340 €."),
        ("Voor de kermis: het plafond voor het geluid is 340 euro, en Joke doet de bar.",
         "Het geluid voor de kermis moet minstens 340 euro kosten."),
    ],
)  # fmt: skip
def test_a_noun_of_limit_limits(source: str, claim: str) -> None:
    """Fails if a ceiling, cap or floor bounds nothing."""
    assert verdict(region(source), claim, type="constraint") != "accepted"


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        ("If fewer than six sign up, we postpone.", "If more than six sign up, we postpone.", "comparator"),
        ("Keine Besuche nach 20 Uhr.", "Besuche sind nur nach 20 Uhr erlaubt.", "negation_dropped"),
        ("Keine Besuche nach 20 Uhr.", "Besuche sind nur bis 20 Uhr erlaubt.", "accepted"),
        ("No deliveries before nine.", "Deliveries are possible only after nine.", "accepted"),
        ("Wait with the mailing until Ann has seen it.", "The mailing may only go out after Ann has seen it.",
         "accepted"),
        ("Warte mit dem Versand, bis Eva ihn gesehen hat.",
         "Der Versand darf erst erfolgen, nachdem Eva ihn gesehen hat.", "accepted"),
    ],
)  # fmt: skip
def test_a_bound_turns_with_what_denies_or_waits(source: str, claim: str, code: str) -> None:
    assert verdict(region(source), claim, type="constraint") == code


@pytest.mark.parametrize(
    ("source", "wrong", "right"),
    [
        (
            "Orders below $75 within the US pay for shipping.",
            "Orders above $75 within the US pay for shipping.",
            "Within the US, orders below $75 pay for shipping.",
        ),
        (
            "The visit takes four hours at most.",
            "The visit takes at least four hours.",
            "The visit takes no more than four hours.",
        ),
        (
            "Der Besuch dauert vier Stunden höchstens.",
            "Der Besuch dauert mindestens vier Stunden.",
            "Der Besuch dauert maximal vier Stunden.",
        ),
        (
            "La visite dure quatre heures au plus.",
            "La visite dure au moins quatre heures.",
            "La visite dure au maximum quatre heures.",
        ),
        (
            "La visita dura cuatro horas como máximo.",
            "La visita dura al menos cuatro horas.",
            "La visita dura cuatro horas como mucho.",
        ),
    ],
)
def test_a_limit_behind_its_figure_or_number_word_is_kept(source: str, wrong: str, right: str) -> None:
    """Fails if a limit behind a number word is not read, or a place after an amount limits it."""
    assert verdict(region(source), wrong) == "comparator"
    assert verdict(region(source), right) == "accepted"

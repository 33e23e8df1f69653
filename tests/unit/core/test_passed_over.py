"""What a source sets aside for another thing is not claimed as taken."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

CHOICES = [
    (
        "We hired a fiddler instead of a singer for the fair.",
        "A singer was hired for the fair.",
        "A fiddler was hired.",
    ),
    (
        "The board picked the north field over the south field.",
        "The south field was picked by the board.",
        "The board picked the north field.",
    ),
    (
        "Linen is preferred to cotton for the curtains.",
        "Cotton is preferred to linen for the curtains.",
        "For the curtains linen is preferred to cotton.",
    ),
    (
        "Replace the gravel on the path with bark.",
        "The bark on the path is replaced by gravel.",
        "The gravel on the path gives way to bark.",
    ),
    (
        "We picnic at the dairy on the way back, not on the way there.",
        "We picnic at the dairy on the way there, not on the way back.",
        "On the way back we picnic at the dairy.",
    ),
    (
        "Wir nehmen für das Dach Schiefer statt Ziegel.",
        "Für das Dach werden Ziegel genommen.",
        "Für das Dach wird Schiefer genommen.",
    ),
    (
        "Ersetze den Filter in der Pumpe durch ein Sieb.",
        "Das Sieb in der Pumpe wird durch einen Filter ersetzt.",
        "Der Filter in der Pumpe wird durch ein Sieb ersetzt.",
    ),
    (
        "Pour la fête, on prend le tram plutôt que le bus.",
        "Pour la fête, ils prennent le bus.",
        "Pour la fête, ils prennent le tram.",
    ),
    (
        "Sustituye el filtro de la bomba por un tamiz.",
        "El tamiz de la bomba es sustituido por un filtro.",
        "El filtro de la bomba es sustituido por un tamiz.",
    ),
    (
        "Convide a Clara em vez do Marcos para a mesa.",
        "Marcos será convidado para a mesa.",
        "Clara será convidada para a mesa.",
    ),
    (
        "Invita Clara invece di Marco alla tavola rotonda.",
        "Marco viene invitato alla tavola rotonda.",
        "Clara viene invitata alla tavola rotonda.",
    ),
    (
        "Vervang het filter van de pomp door een zeef.",
        "De zeef van de pomp wordt door een filter vervangen.",
        "Het filter van de pomp wordt door een zeef vervangen.",
    ),
    ("Замени фильтр в насосе на сито.", "Замени сито в насосе на фильтр.", "Замени фильтр в насосе на сито."),
    ("استخدم الزيت بدل الزبدة في العجين.", "استخدم الزبدة بدل الزيت في العجين.", "استخدم الزيت في العجين."),
    ("名册按年龄排，别按身高排。", "名册以身高为准。", "名册以年龄为准。"),
    ("お茶には砂糖の代わりに蜂蜜を入れる。", "お茶には蜂蜜の代わりに砂糖を入れる。", "お茶には蜂蜜を入れる。"),
    ("반죽에는 설탕 대신 꿀을 넣어요.", "반죽에는 꿀 대신 설탕을 넣는다.", "반죽에는 꿀을 넣는다."),
]


@pytest.mark.parametrize(("source", "wrong", "right"), CHOICES)
def test_a_choice_is_not_turned_around(source: str, wrong: str, right: str) -> None:
    """Fails if a claim may take what was set aside, or an honest one is refused for that."""
    assert verdict(region(source), wrong) != "accepted"
    assert verdict(region(source), right) == "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (
            "Take the ferry rather than the bridge. The bridge is closed for repairs.",
            "The bridge is closed for repairs.",
        ),
        ("We took the tram instead of the bus because the bus was late.", "The tram was taken as the bus was late."),
        ("We chose Ghent over Lille for the trip.", "Lille was the other option for the trip."),
        (
            "I would rather not pay more than 40 euros for the hall.",
            "The user wants to pay 40 euros at most for the hall.",
        ),
        ("The red tram is quicker than the bus.", "The bus takes longer than the red tram."),
        ("Take oat milk instead of soy. Soy milk curdles in coffee.", "Soy milk curdles in coffee."),
        ("Die Fähre statt der Brücke nehmen, die Brücke ist gesperrt.", "Die Brücke ist gesperrt."),
    ],
)
def test_what_is_said_of_the_other_side_stands(source: str, claim: str) -> None:
    """Fails if a true word about the thing set aside counts as taking it."""
    assert verdict(region(source), claim) == "accepted"


def test_the_answer_to_a_question_chooses() -> None:
    """Fails if a claim may turn around which of two offered things the answer took."""
    said = region(("assistant", "Should the sign carry the round font or the square one?"), "The square one, please.")
    assert verdict(said, "The sign carries the round font, not the square one.", "m1", "m2") != "accepted"
    assert verdict(said, "The sign carries the square font, not the round one.", "m1", "m2") == "accepted"


def test_a_later_choice_stands() -> None:
    """Fails if the first of two opposite choices refuses a claim of the second."""
    said = region("Use bark instead of gravel.", "I changed my mind: use gravel instead of bark.")
    assert verdict(said, "Gravel is used instead of bark.", "m1", "m2") == "accepted"

"""Proposals that the user leaves open, named by no more than a pronoun."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("asked", "answer", "claim", "code"),
    [
        ("GC-14 is disabled and has 0 hits. Could we delete it?", "Maybe, let me ask Priya first.",
         "GC-14 is going to be deleted.", "hypothetical"),
        ("The roofer quoted £1,640 including gutters. Shall I confirm?",
         "Not so fast, I'm getting a second quote. The tap is brushed.", "The roofer gets the job for £1,640.",
         "hypothetical"),
        ("The Hotel Lindner has a double for 140 euros. Shall I book it?",
         "Hang on, I need to ask my wife first.", "The Hotel Lindner is booked for 140 euros.", "hypothetical"),
        ("The red model costs 80 euros. Do you want it?", "I'm not sure yet.",
         "The red model is bought for 80 euros.", "hypothetical"),
        ("Der Dachdecker will 1.640 € haben. Soll ich zusagen?", "Moment mal, das muss ich erst mit Jana besprechen.",
         "Der Dachdecker bekommt den Auftrag für 1.640 €.", "hypothetical"),
        ("Das rote Modell kostet 80 €. Soll ich es bestellen?", "Vielleicht, ich frage erst Tom.",
         "Das rote Modell wird für 80 € bestellt.", "hypothetical"),
        ("Le couvreur demande 1 640 €. Je confirme ?", "Pas si vite, je dois demander à Léa.",
         "Le couvreur obtient le chantier pour 1 640 €.", "hypothetical"),
        ("El modelo rojo cuesta 80 €. ¿Lo pido?", "Quizás, tengo que preguntar a Marta.",
         "Se pide el modelo rojo por 80 €.", "hypothetical"),
        ("O modelo vermelho custa 80 €. Encomendo?", "Talvez, tenho de perguntar à Rita.",
         "O modelo vermelho é encomendado por 80 €.", "hypothetical"),
        ("Il modello rosso costa 80 €. Lo ordino?", "Forse, devo chiedere a Carla.",
         "Il modello rosso viene ordinato per 80 €.", "hypothetical"),
        ("Het rode model kost 80 euro. Zal ik het bestellen?", "Misschien, ik moet eerst met Jan overleggen.",
         "Het rode model wordt besteld voor 80 euro.", "hypothetical"),
        ("Красная модель стоит 80 евро. Заказать её?", "Возможно, сначала спрошу Олю.",
         "Красную модель заказывают за 80 евро.", "hypothetical"),
        ("红色型号要80欧元。要订吗？", "也许吧，我得问问小王。",
         "决定订购红色型号，80欧元。", "hypothetical"),
        ("赤いモデルは80ユーロです。注文しましょうか？", "たぶん。妻に聞いてみないと。",
         "赤いモデルを80ユーロで注文する。", "hypothetical"),
        ("빨간 모델은 80유로예요. 주문할까요?", "글쎄요, 아내한테 물어봐야 해요.",
         "빨간 모델을 80유로에 주문한다.", "hypothetical"),
        ("الطراز الأحمر سعره 80 يورو. هل أطلبه؟", "ربما، علي أن أسأل سارة.",
         "يطلب الطراز الأحمر بسعر 80 يورو.", "hypothetical"),
        ("GC-14 is disabled and has 0 hits. Could we delete it?", "Maybe, let me ask Priya first.",
         "GC-14 stays until the user has asked Priya.", "accepted"),
        ("The red model costs 80 euros. Do you want it?", "Hang on. Yes, take it.",
         "The red model is bought for 80 euros.", "accepted"),
        ("The red model costs 80 euros. Shall I order it?", "Sure, maybe in the blue bag as well.",
         "The red model is ordered for 80 euros.", "accepted"),
        ("The red model costs 80 euros. Shall I order it?", "Yes please. I have to ask Tom about the bag.",
         "The red model is ordered for 80 euros.", "accepted"),
    ],
)  # fmt: skip
def test_what_is_left_open_is_not_decided(asked: str, answer: str, claim: str, code: str) -> None:
    assert verdict(region(("assistant", asked), answer), claim, "m1", "m2", type="decision") == code

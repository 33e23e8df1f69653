"""What gave way to something else is not claimed as present, and what came in its place may be."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

TOLD = [
    (
        "The office has relocated from Dublin to Cork.",
        "The office is in Dublin.",
        "The office is in Cork.",
    ),
    (
        "We replaced the old projector with a big screen in the meeting room.",
        "There is a projector in the meeting room.",
        "The meeting room has a big screen.",
    ),
    ("Priya took over from Hamish as treasurer in March.", "Hamish is the treasurer.", "Priya is the treasurer."),
    (
        "Our accountant was Ruth, but she has left and Imran does the books now.",
        "Ruth does the books.",
        "Imran does the books.",
    ),
    (
        "The dog used to sleep in the kitchen; since the puppy came it sleeps in the hall.",
        "The dog sleeps in the kitchen.",
        "The dog sleeps in the hall.",
    ),
    (
        "I said the train leaves at 7:15. That was wrong, it leaves at 7:50.",
        "The train leaves at 7:15.",
        "The train leaves at 7:50.",
    ),
    (
        "Die Praxis war in der Lindenstraße, ist aber in die Hauptstraße umgezogen.",
        "Die Praxis ist in der Lindenstraße.",
        "Die Praxis ist in der Hauptstraße.",
    ),
    (
        "La clé était sous le paillasson, elle est maintenant dans l'abri.",
        "La clé est sous le paillasson.",
        "La clé est dans l'abri.",
    ),
    (
        "La llave estaba bajo el felpudo, ahora está en el cobertizo.",
        "La llave está bajo el felpudo.",
        "La llave está en el cobertizo.",
    ),
    (
        "A chave ficava debaixo do tapete, agora fica no barracão.",
        "A chave fica debaixo do tapete.",
        "A chave fica no barracão.",
    ),
    (
        "La chiave era sotto lo zerbino, adesso è nel capanno.",
        "La chiave è sotto lo zerbino.",
        "La chiave è nel capanno.",
    ),
    (
        "De sleutel lag onder de mat, nu ligt hij in de schuur.",
        "De sleutel ligt onder de mat.",
        "De sleutel ligt in de schuur.",
    ),
    ("Ключ был под ковриком, теперь он в сарае.", "Ключ под ковриком.", "Ключ в сарае."),
    ("钥匙原来在门垫下，现在放在棚子里。", "钥匙在门垫下。", "钥匙放在棚子里。"),
    ("担当は佐藤さんでしたが、今は鈴木さんです。", "担当は佐藤さんだ。", "担当は鈴木さんだ。"),
    ("총무는 민수였는데 지금은 지연이에요.", "총무는 민수이다.", "총무는 지연이다."),
    ("نقلنا المكتب من جدة إلى الرياض.", "المكتب في جدة.", "المكتب في الرياض."),
]


@pytest.mark.parametrize(("source", "wrong", "right"), TOLD)
def test_what_is_gone_is_not_present(source: str, wrong: str, right: str) -> None:
    of = region(source)
    assert verdict(of, wrong) == "stale_value"
    assert verdict(of, right) == "accepted"


TRUE = [
    ("The office has relocated from Dublin to Cork.", "The office has moved out of Dublin."),
    ("The office has relocated from Dublin to Cork.", "The office used to be in Dublin."),
    ("Tickets changed from paper to QR codes, but seniors can still use paper.", "Seniors can use paper."),
    ("The garden was designed by Ida Moss and is now open to visitors.", "The garden's designer is Ida Moss."),
    ("We were in Lisbon for a week and now we know a restaurant.", "They know a restaurant in Lisbon."),
    ("Abbiamo portato il cane di Luca a Parma.", "Il cane è di Luca."),
]


@pytest.mark.parametrize(("source", "claim"), TRUE)
def test_what_stays_true_is_accepted(source: str, claim: str) -> None:
    assert verdict(region(source), claim) != "stale_value"


def test_a_value_found_to_be_a_slip_is_stale_in_the_message_before() -> None:
    of = region("The fee is 1,900 EUR plus hotel.", "Sorry, the fee is 2,100 EUR, the 1,900 EUR was a typo.")
    assert verdict(of, "The fee is 1,900 EUR.", "m1", "m2") == "stale_value"

"""Everyday claims: a ban and its passive, leave in other words, comparisons turned around, two kinds counted."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim", "type"),
    [
        ("Don't stop the container.", "The container must not be stopped.", "constraint"),
        ("Don't remove the footer.", "The footer must not be removed.", "constraint"),
        ("The footer must not be removed.", "Do not remove the footer.", "constraint"),
        ("Don't cancel the trip.", "The trip must not be cancelled.", "constraint"),
        ("Never skip the tests.", "Do not skip the tests.", "constraint"),
        ("Don't ignore warnings.", "Warnings must not be ignored.", "constraint"),
        ("Don't block port 443.", "Port 443 must not be blocked.", "constraint"),
        ("The road isn't blocked.", "The road is not blocked.", "fact"),
        ("The legacy endpoint must not be removed until the mobile clients are updated.",
         "Do not remove the legacy endpoint before mobile clients are updated.", "constraint"),
        ("Ignoriere keine Warnungen.", "Warnungen dürfen nicht ignoriert werden.", "constraint"),
        ("Sag das Treffen nicht ab.", "Das Treffen darf nicht abgesagt werden.", "constraint"),
        ("N'arrête pas le service.", "Le service ne doit pas être arrêté.", "constraint"),
        ("I think I left the keys at work.", "The user may have left the keys at work.", "fact"),
        ("The link looks broken.", "The link may be broken.", "fact"),
        ("The kids have permission to use the tablet.", "The kids may use the tablet.", "constraint"),
        ("Let the neighbours use the driveway.", "Neighbours may use the driveway.", "constraint"),
        ("Send the report without asking me.", "The assistant may send the report without asking.", "constraint"),
        ("Students are entitled to use calculators in the exam.",
         "Students may use calculators in the exam.", "constraint"),
        ("Students are not forbidden from using calculators in the exam.",
         "Students may use calculators in the exam.", "constraint"),
        ("We have 40 new chairs and 12 old ones.", "There are 12 old chairs and 40 new ones.", "fact"),
        ("Order three small boxes and two large ones.", "Two large boxes and three small ones were ordered.", "fact"),
        ("Im Lager sind 7 blaue und 5 rote Stühle.", "Im Lager sind 5 rote und 7 blaue Stühle.", "fact"),
        ("No borres los archivos.", "No se deben borrar los archivos.", "constraint"),
        ("No pares el servicio.", "No se debe parar el servicio.", "constraint"),
        ("Hands off the backups, no deleting.", "The backups must not be deleted.", "constraint"),
        ("Don't pay before the invoice is free of errors.",
         "Payment waits until the invoice has no errors.", "constraint"),
        ("Ben is shorter than Anna.", "Anna is taller than Ben.", "fact"),
        ("The living room is bigger than the kitchen.", "The kitchen is smaller than the living room.", "fact"),
        ("Testing the parser is easier than testing the lexer.",
         "The lexer is harder to test than the parser.", "fact"),
        ("On Linux the builds are shorter than on Windows.",
         "Build times are longer on Windows than on Linux.", "fact"),
        ("In the shelter there are fewer dogs than cats.", "There are more cats than dogs in the shelter.", "fact"),
        ("I spend more on rent than on food.", "The user spends less on food than on rent.", "fact"),
        ("Soy milk is less sweet than oat milk.", "Oat milk is sweeter than soy milk.", "fact"),
        ("Reads happen more often than writes.", "Writes happen less often than reads.", "fact"),
        ("Tom ist jünger als Lena.", "Lena ist älter als Tom.", "fact"),
        ("Lyon est moins cher que Paris.", "Paris est plus cher que Lyon.", "fact"),
        ("Hay menos perros que gatos.", "Hay más gatos que perros.", "fact"),
        ("Bari è meno cara di Roma.", "Roma è più cara di Bari.", "fact"),
        ("De tram is langzamer dan de bus.", "De bus is sneller dan de tram.", "fact"),
        ("小李比小王矮。", "小王比小李高。", "fact"),
        ("The plane is faster than the train, but the train is cheaper than the plane.",
         "The train is cheaper than the plane.", "fact"),
        ("Lena swims faster than Tom, but Tom runs faster than Lena.", "Tom runs faster than Lena.", "fact"),
        ("バスは電車より速い。", "バスは電車より速い。", "fact"),
        ("버스가 기차보다 빠르다.", "버스가 기차보다 빠르다.", "fact"),
        ("Postgres is faster than MySQL.", "MySQL is slower than Postgres.", "fact"),
        ("Der Bus ist schneller als die Tram.", "Die Tram ist langsamer als der Bus.", "fact"),
        ("One hour of TV a day for the kids, not more.", "The kids may watch TV for one hour a day.", "fact"),
        ("Interns have read access to the logs.", "Interns may read the logs.", "fact"),
        ("Die Nachbarn haben meine Erlaubnis, die Einfahrt zu nutzen.",
         "Die Nachbarn dürfen die Einfahrt nutzen.", "fact"),
        ("You have my consent to contact the landlord.", "The landlord may be contacted by the assistant.", "fact"),
    ],
)  # fmt: skip
def test_what_says_the_same_in_other_words_is_accepted(source: str, claim: str, type: str) -> None:
    """Fails if a rule that looks for turned meanings accuses an honest claim."""
    assert verdict(region(source), claim, type=type) == "accepted"


@pytest.mark.parametrize(
    ("source", "claim", "type"),
    [
        ("The door must be locked.", "The door may be locked.", "constraint"),
        ("O ônibus é mais rápido do que o trem.", "O trem é mais rápido do que o ônibus.", "fact"),
        ("バスは電車より速い。", "電車はバスより速い。", "fact"),
        ("버스가 기차보다 빠르다.", "기차가 버스보다 빠르다.", "fact"),
        ("L'autobus è più veloce del treno.", "Il treno è più veloce dell'autobus.", "fact"),
        ("Reads are more frequent than writes by far.", "Writes are more frequent than reads.", "fact"),
        ("Postgres is faster than MySQL.", "MySQL is faster than Postgres.", "fact"),
        ("MySQL is faster than Postgres.", "MySQL is slower than Postgres.", "fact"),
    ],
)  # fmt: skip
def test_what_says_the_opposite_in_the_same_words_is_refused(source: str, claim: str, type: str) -> None:
    assert verdict(region(source), claim, type=type) != "accepted"


@pytest.mark.parametrize(
    ("asked", "answer", "claim"),
    [
        ("Should I remove the footer?", "No, keep it.", "The footer is not removed."),
        ("Should I cancel the meeting?", "No!", "The meeting is not cancelled."),
        ("Should I delete the branch?", "No.", "The branch is not deleted."),
        ("Should I close the window?", "No, leave it open.", "The window is not closed."),
        ("Shall I disable the notifications?", "No thanks.", "The notifications are not disabled."),
        ("Should I send both reports by mail?", "Yes, a short mail is enough.", "Both reports are sent by mail."),
    ],
)
def test_an_answer_settles_what_was_asked(asked: str, answer: str, claim: str) -> None:
    assert verdict(region(("assistant", asked), answer), claim, "m1", "m2", type="decision") == "accepted"

"""What a sentence tells as giving way to something else."""

from __future__ import annotations

import pytest

from bobctx.core.takeover import turns

FOUND = [
    ("en", "The office has relocated from Dublin to Cork.", "dublin", "cork."),
    ("en", "We replaced the old projector with a big screen.", "the old projector", "a big screen."),
    ("en", "Priya took over from Hamish.", "hamish.", "priya"),
    ("en", "We renamed the folder drafts to archive.", "drafts", "archive."),
    ("de", "Wir sind von Gas auf Wärmepumpe umgestiegen.", "gas", "warmepumpe"),
    ("fr", "Le prix est passé de 12 à 14 euros.", "12", "14 euros."),
    ("it", "Da Rossi siamo passati a Bianchi.", "rossi", "bianchi."),
    ("ja", "事務所は渋谷から品川に移転しました。", "渋谷", "品川"),
    ("zh", "办公室从浦东搬到了徐汇。", "浦东", "徐汇"),
]


@pytest.mark.parametrize(("lang", "sentence", "old", "new"), FOUND)
def test_old_and_new_stand_in_one_construction(lang: str, sentence: str, old: str, new: str) -> None:
    found = [(t.old.strip(), t.new.strip()) for t in turns(sentence, lang)]
    folded = [(a.replace("ä", "a"), b.replace("ä", "a")) for a, b in found]
    assert any(a.startswith(old) and b.startswith(new) for a, b in folded)


NONE = [
    ("en", "The train from Leeds to York is running again."),
    ("en", "We will move from Leeds to York next year."),
    ("en", "Files are moved from inbox to archive every night."),
    ("en", "My sister was born in Leeds and now lives in York."),
    ("en", "I'm used to tea, now I want coffee."),
    ("en", "We replaced the tyres with Anna's help."),
    ("en", "The soup was salty, now I need some water."),
    ("fr", "Le train de Lyon à Paris a été décalé."),
    ("es", "El equipo de Marta bajó a segunda."),
    ("pt", "A festa da Ana passou para sábado."),
    ("nl", "Het huis van mijn broer is in prijs gestegen."),
    ("ru", "Урок с Анной перенесли на субботу."),
    ("ja", "明日から会議室Bに変更します。"),
]


@pytest.mark.parametrize(("lang", "sentence"), NONE)
def test_no_change_is_told(lang: str, sentence: str) -> None:
    assert not list(turns(sentence, lang))


def test_what_was_said_wrong_is_set_right_in_the_next_sentence() -> None:
    found = list(turns("I said the train leaves at 7:15.", "en", "That was wrong, it leaves at 7:50."))
    assert ["7:15" in t.old and "7:50" in t.new for t in found] == [True]

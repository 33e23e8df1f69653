"""What became of a request stands for it, where the report has all its values."""

from __future__ import annotations

import json

import pytest

from bobctx.core.extract import extract
from bobctx.core.parts import read_message
from bobctx.core.types import Region

START = [("user", "Good morning."), ("assistant", "Good morning.")]


def claims(*turns: tuple[str, str]) -> list[str]:
    messages = [
        read_message({"role": role, "content": said}, id=f"i{n}", seq=n + 1, tokens=80)
        for n, (role, said) in enumerate([*START, *turns])
    ]
    return [c["text"] for c in json.loads(extract(Region(messages=tuple(messages))))["claims"]]


ASKED = "Rename the module mod7 to core7 and delete the file old7.py."
TOLD = "Done: mod7 is now core7, and old7.py is deleted."


def test_a_report_with_all_values_stands_for_the_request() -> None:
    found = claims(("user", ASKED), ("assistant", TOLD))
    assert TOLD in found
    assert ASKED not in found


@pytest.mark.parametrize(
    "answer",
    [
        "I'll rename mod7 to core7 and delete old7.py now.",  # an announcement is no outcome
        "Shall I rename mod7 to core7 and delete old7.py?",
    ],
)
def test_less_than_a_report_leaves_the_request(answer: str) -> None:
    assert ASKED in claims(("user", ASKED), ("assistant", answer))


def test_a_report_of_a_part_stands_behind_the_request() -> None:
    found = claims(("user", ASKED), ("assistant", "Done: mod7 is now core7."))
    assert f"{ASKED} Done: mod7 is now core7." in found
    assert ASKED not in found


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Delete the temporary folder.", "Done, the folder is gone."),
        ("Please send the invoice INV-2291 to ada@example.org.", "Sent."),
        ("Now restart the billing server.", "\u2705 Restarted."),
        ("Lösche bitte den Ordner mit den alten Berichten.", "Erledigt."),
        ("Supprime le dossier des anciens rapports.", "C'est fait."),
        ("Borra la carpeta de los informes viejos.", "Listo."),
        ("Apaga a pasta dos relatórios antigos.", "Feito."),
        ("Cancella la cartella dei vecchi rapporti.", "Fatto."),
        ("Verwijder de map met de oude rapporten.", "Gedaan."),
        ("Удали папку со старыми отчётами.", "Готово."),
        ("把旧报告的文件夹删掉。", "已删除。"),
        ("古いレポートのフォルダを削除してください。", "削除しました。"),
        ("오래된 보고서 폴더를 삭제해 주세요.", "삭제했습니다."),
        ("احذف مجلد التقارير القديمة.", "تم الحذف."),
    ],
)
def test_work_without_values_is_quoted_with_the_report_that_it_is_done(asked: str, answer: str) -> None:
    """Fails if the request stands alone: what was done long ago reads like an order of now."""
    found = claims(("user", asked), ("assistant", answer), ("user", "Thanks."))
    assert f"{asked} {answer}" in found
    assert asked not in found


@pytest.mark.parametrize(
    "answer",
    ["Not done yet.", "Done?", "Donegal is a county.", "I can do that tomorrow.", "Done " + "and dusted " * 20],
)
def test_what_is_no_short_report_is_not_quoted_behind_a_request(answer: str) -> None:
    found = claims(("user", "Delete the temporary folder."), ("assistant", answer))
    assert not any(text.startswith("Delete the temporary folder.") and answer in text for text in found)


def test_the_report_of_tools_that_ran_for_long_is_the_last_word_of_its_exchange() -> None:
    asked = "Delete the temporary folder."
    turns = [("user", asked), ("assistant", "Let me look."), ("assistant", "Deleted the folder.")]
    assert f"{asked} Deleted the folder." in claims(*turns, ("user", "Next."), ("assistant", "Done with that too."))


def test_a_report_in_a_later_exchange_is_about_something_else() -> None:
    assert ASKED in claims(
        ("user", ASKED), ("assistant", "One moment."), ("user", "Thanks so far."), ("assistant", TOLD)
    )


def test_a_rule_stays_whatever_is_reported() -> None:
    rule = "Never delete the file old7.py in mod7."
    assert rule in claims(("user", rule), ("assistant", "I kept old7.py in mod7 as it is."))


def test_the_last_of_two_reports_counts() -> None:
    first = "Found mod7, core7 is free, and old7.py is still there."
    found = claims(("user", ASKED), ("assistant", first), ("assistant", TOLD))
    assert TOLD in found
    assert ASKED not in found

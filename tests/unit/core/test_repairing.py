"""How speakers repair what they just said, by the words with which they begin."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from bobctx.core.language import LANGUAGES
from bobctx.core.leaning import leans
from bobctx.core.repairing import repair, turned


def test_every_language_has_both_lists() -> None:
    table = json.loads(files("bobctx.core").joinpath("data/repairs.json").read_text("utf-8"))
    assert set(table) - {"_source"} == set(LANGUAGES)
    assert all(
        phrase.strip() == phrase and phrase for t in LANGUAGES for k in table[t] for phrase in table[t][k].split("|")
    )


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Hang on, the port is 9443.", "en"),
        ("I got the names wrong, it is Rurik Amsel.", "en"),
        ("Oh no, typo: 9443.", "en"),
        ("9443, not what I wrote.", "en"),
        ("Moment, Port 9443.", "de"),
        ("Ich habe die Tage verwechselt, es ist der 2030-01-04.", "de"),
        ("J'ai mal lu, c'est 9443.", "fr"),
        ("Me confundí, es 9443.", "es"),
        ("Enganei-me, é 9443.", "pt"),
        ("Mi sono sbagliato, è 9443.", "it"),
        ("Ik heb de namen verwisseld, het is Rurik Amsel.", "nl"),
        ("Ой, 9443.", "ru"),
        ("写错了，是 9443。", "zh"),
        ("失礼、9443 です。", "ja"),
        ("잠깐, 9443 입니다.", "ko"),
        ("عفوا، 9443.", "ar"),
    ],
)
def test_a_repair_is_known_by_how_it_begins_and_leans_on_what_it_repairs(text: str, lang: str) -> None:
    assert repair(text, lang)
    assert leans(text, lang)


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("The intern found a typo on page 649.", "en"),
        ("The wait was 40 minutes.", "en"),
        ("Es muss 40 Minuten ziehen.", "de"),
        ("La faute est sur la page 649.", "fr"),
        ("Hold on.", "und"),
    ],
)
def test_a_word_of_repair_elsewhere_repairs_nothing(text: str, lang: str) -> None:
    assert not repair(text, lang)


def test_a_word_of_turning_is_found_in_its_own_language_only() -> None:
    assert turned("From today the ledger writes to /srv/b.", "en")
    assert not turned("From today the ledger writes to /srv/b.", "de")

"""Words mark what a sentence does, in the language it is written in and nowhere else."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from bobctx.core.language import LANGUAGES
from bobctx.core.markers import KINDS, counts, is_question, markers


def test_every_language_has_every_kind_of_cue() -> None:
    table = json.loads(files("bobctx.core").joinpath("data/extract_cues.json").read_text("utf-8"))
    assert set(table) - {"_source"} == set(LANGUAGES)
    assert len({tuple(sorted(table[lang])) for lang in LANGUAGES}) == 1
    assert all(
        phrase.strip() == phrase and phrase for lang in LANGUAGES for k in table[lang] for phrase in table[lang][k]
    )


@pytest.mark.parametrize(
    ("sentence", "lang", "kind"),
    [
        ("Please never restart db-7.", "en", "forbid"),
        ("Use 9443; do not touch 8443.", "en", "forbid"),
        ("Starte die Datenbank niemals neu.", "de", "forbid"),
        ("Always ask first.", "en", "require"),
        ("We decided to wait.", "en", "decide"),
        ("Correction: it is 9443.", "en", "correct"),
        ("It is now 9443.", "en", "shift"),
        ("The build crashed again.", "en", "fail"),
        ("我们决定用 Postgres。", "zh", "decide"),
        ("ポートは 9443 に変更しました。", "ja", "correct"),
    ],
)
def test_a_marker_is_found(sentence: str, lang: str, kind: str) -> None:
    assert kind in markers(sentence, lang)


@pytest.mark.parametrize(
    ("sentence", "lang", "kind"),
    [
        ("I have never been there.", "en", "forbid"),
        ("The never-ending story.", "en", "forbid"),
        ("Don't worry.", "en", "forbid"),
        ('He said "never restart db-7" yesterday.', "en", "forbid"),
        ("Perhaps never restart it.", "en", "forbid"),
        ("Das ist nie passiert.", "de", "forbid"),
        ("这个级别很高。", "zh", "forbid"),
        ("Never restart db-7.", "und", "forbid"),
        ("Nunca lo hagas.", "en", "forbid"),
    ],
)
def test_what_only_looks_like_a_marker_is_none(sentence: str, lang: str, kind: str) -> None:
    assert kind not in markers(sentence, lang)


@pytest.mark.parametrize("text", ["Is it?", "真的吗？", "本当ですか。", "정말 그렇습니까.", "¿Seguro", "هل هذا صحيح؟"])
def test_questions_are_known_by_their_end(text: str) -> None:
    assert is_question(text)
    assert "question" in markers(text, "und")


def test_words_of_a_kind_are_counted() -> None:
    assert counts("We met last week on Monday.", "en", "time") == 3
    assert counts("We met last week on Monday.", "und", "time") == 0
    assert set(KINDS).isdisjoint({"time", "event"})

"""The language guess."""

from __future__ import annotations

import pytest

from bobctx.core import language
from bobctx.core.language import LANGUAGES, LATIN, STOP_WORDS, is_clearly, language_of, likeliest

TEXTS = {
    "en": "The ferry leaves at nine and we are still waiting for the keys.",
    "de": "Die Fähre fährt um neun und wir warten noch auf die Schlüssel.",
    "fr": "Le ferry part à neuf heures et nous attendons encore les clés.",
    "es": "El ferry sale a las nueve y todavía esperamos las llaves.",
    "pt": "O ferry parte às nove e ainda estamos à espera das chaves.",
    "it": "Il traghetto parte alle nove e stiamo ancora aspettando le chiavi.",
    "nl": "De veerboot vertrekt om negen uur en we wachten nog op de sleutels.",
    "ru": "Паром отходит в девять, а мы всё ещё ждём ключи.",
    "zh": "渡轮九点出发，我们还在等钥匙。",
    "ja": "フェリーは九時に出発しますが、まだ鍵を待っています。",
    "ko": "페리는 아홉 시에 출발하는데 아직 열쇠를 기다리고 있어요.",
    "ar": "تغادر العبارة في التاسعة وما زلنا ننتظر المفاتيح.",
}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_sentence_is_enough(lang: str) -> None:
    assert language_of(TEXTS[lang]) == lang


@pytest.mark.parametrize("lang", LANGUAGES)
def test_identifiers_and_code_do_not_outvote_the_prose(lang: str) -> None:
    noisy = f"`enable_feature_flag` {TEXTS[lang]} src/app/main.py https://docs.example/en/the/of"
    assert language_of(noisy) == lang


def test_unknown_where_no_table_fits() -> None:
    for text in ("", "12345", "θα φύγουμε αύριο το πρωί", "Прийшов лист, її відповідь є", "फ़ेरी नौ बजे निकलती है"):
        assert language_of(text) == "und"


def test_every_language_has_stop_words() -> None:
    assert all(len(STOP_WORDS[lang]) >= 40 for lang in LANGUAGES)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_sentence_is_clearly_in_its_own_language_and_a_name_in_none(lang: str) -> None:
    """Fails if one foreign letter or name makes a sentence foreign, or a whole foreign sentence does not."""
    other = "en" if lang != "en" else "de"
    assert is_clearly(TEXTS[lang], lang, other)
    assert not is_clearly(TEXTS["en"].replace("ferry", "Ñandú, São João and Müßig"), lang, "en") or lang == "en"


def test_the_likeliest_of_the_languages_spoken_is_taken() -> None:
    """Fails if a language that nobody speaks here is taken, or the order decides against the words."""
    assert likeliest(TEXTS["pt"], ("es", "pt")) == "pt"
    assert likeliest("Lima", LATIN) == LATIN[0]


@pytest.mark.parametrize(
    "text",
    [
        "plain words",
        "call `run all` now",
        "see https://a.example/b for it",
        "in C:\\temp and ./x",
        "the my_var of it",
        "mail a@b.c",
        "us-east-live is up",
        "one-off and two-fold",
    ],
)
def test_a_quick_look_spares_the_patterns_and_leaves_the_same_prose(text: str) -> None:
    """Fails if code or a name is not looked for where there is one."""
    assert language._prose(text) == language._NAME.sub(" ", language._CODE.sub(" ", text))


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Domani comincio a dipingere il recinto.", "it"),
        ("Il vecchio mulino si ferma la domenica.", "it"),
        ("Compramos miel de romero en lugar de azúcar.", "es"),
        ("La carta la firmó Rosario.", "es"),
        ("O museu de barcos fecha no inverno.", "pt"),
        ("A viagem de barco foi adiada.", "pt"),
        ("La mairie demande une preuve de domicile.", "fr"),
        ("A canoe trip takes 3 hours.", "en"),
    ],
)
def test_endings_decide_where_little_words_do_not(text: str, lang: str) -> None:
    assert language_of(text) == lang

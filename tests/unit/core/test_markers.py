"""Words mark what a sentence does, in the language it is written in and nowhere else."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from bobctx.core.language import LANGUAGES
from bobctx.core.markers import KINDS, counts, is_question, language_within, markers, telling


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


OPENED = {
    "en": ["by the way never enable zeta-sync", "btw do not enable zeta-sync", "FYI: never enable zeta-sync",
           "oh and by the way never enable zeta-sync", "from now on never enable zeta-sync",
           "just so you know don't enable zeta-sync"],
    "de": ["übrigens niemals zeta-sync aktivieren", "ach ja übrigens nie zeta-sync aktivieren"],
    "fr": ["au fait ne redémarre jamais db-7", "au fait n'active jamais zeta-sync", "N'active pas zeta-sync.",
           "Désormais n'active plus zeta-sync."],
    "es": ["por cierto nunca habilites zeta-sync", "por cierto no habilites zeta-sync",
           "de ahora en adelante nunca habilites zeta-sync"],
    "pt": ["a propósito nunca ative o zeta-sync", "aliás não ative o zeta-sync"],
    "it": ["a proposito non attivare mai zeta-sync", "d'ora in poi mai attivare zeta-sync"],
    "nl": ["trouwens nooit zeta-sync aanzetten", "overigens geen zeta-sync aanzetten"],
    "ru": ["кстати никогда не включай zeta-sync", "впредь не включай zeta-sync"],
    "zh": ["顺便说一下别启用 zeta-sync", "对了别启用 zeta-sync"],
    "ja": ["ちなみに絶対に zeta-sync を有効にするな", "ところで zeta-sync は有効にしないで"],
    "ko": ["그나저나 절대 zeta-sync를 켜지 마", "참고로 zeta-sync를 켜지 마세요"],
    "ar": ["بالمناسبة لا تشغل zeta-sync", "على فكرة لا تشغل zeta-sync"],
}  # fmt: skip


@pytest.mark.parametrize(("lang", "sentence"), [(lang, s) for lang, all_ in OPENED.items() for s in all_])
def test_a_ban_behind_words_that_only_open_needs_no_comma(lang: str, sentence: str) -> None:
    assert "forbid" in markers(sentence, lang)


@pytest.mark.parametrize(
    ("lang", "sentence"),
    [
        ("en", "by the way I never enabled zeta-sync"),
        ("en", "for the record we never enabled it"),
        ("en", "oh never mind"),
        ("es", "por cierto no está en el despacho"),
        ("es", "por cierto yo nunca habilito zeta-sync"),
        ("fr", "au fait je n'active jamais zeta-sync"),
        ("fr", "Il est lent et n'est pas fiable."),
        ("fr", "N'importe qui peut ne pas venir."),
        ("fr", "au fait n'oublie pas de redémarrer db-7"),
        ("it", "a proposito non è in ufficio"),
        ("ru", "кстати не только он был там"),
    ],
)
def test_a_report_behind_words_that_only_open_is_no_ban(lang: str, sentence: str) -> None:
    assert "forbid" not in markers(sentence, lang)


PROHIBITIONS = {
    "en": (
        "We kindly ask you not to restart the ledger.",
        "Nobody is allowed to touch the ledger.",
        "The contract doesn't allow us to export the ledger.",
        "Don't ever delete the archive.",
    ),
    "de": (
        "Öffnen Sie den Tresor bitte nicht.",
        "Rühr das Archiv nicht an.",
        "Hinweis: Starte den Tresor niemals neu.",
        "Der Vertrag erlaubt uns nicht, das Archiv zu exportieren.",
        "Ich verbiete jeden Export.",
    ),
    "fr": ("Veuillez ne pas redémarrer le registre.", "Nul n'a le droit de toucher au coffre."),
    "es": ("Ni se te ocurra borrar el archivo.", "Se ruega no reiniciar el registro.", "Que nadie toque el archivo."),
    "it": ("Si prega di non riavviare il registro.", "Guai a toccare l'archivio."),
    "pt": ("Nem pense em apagar o arquivo.", "O contrato não nos permite exportar."),
    "nl": ("Blijf af van het archief.", "Het contract staat ons niet toe te exporteren."),
    "ru": ("Просьба не перезапускать реестр.", "Никто не имеет права трогать архив."),
    "zh": ("任何人不得触碰档案。", "请不要重启账本。"),
    "ja": ("アーカイブには触らないようにしてください。", "再起動はご遠慮ください。"),
    "ko": ("아카이브를 건드리지 말아 주세요.", "재시작은 삼가 주세요."),
    "ar": ("يرجى عدم إعادة تشغيل السجل.", "لا يحق لأحد فتح الخزنة."),
}


@pytest.mark.parametrize(("lang", "sentence"), [(lang, s) for lang, said in PROHIBITIONS.items() for s in said])
def test_what_is_asked_not_permitted_or_warned_against_is_forbidden(lang: str, sentence: str) -> None:
    assert "forbid" in markers(sentence, lang)


@pytest.mark.parametrize(
    "sentence",
    [
        "Die Besprechung hat nicht lange gedauert.",
        "Der Test lief, aber die Seite lädt nicht.",
        "Am Montag, Ende der Woche nicht.",
        "Ich lade die Datei und öffne sie nicht.",
        "Heute nicht.",
    ],
)
def test_a_german_not_behind_a_verb_that_orders_nothing_forbids_nothing(sentence: str) -> None:
    assert "forbid" not in markers(sentence, "de")


@pytest.mark.parametrize(
    ("sentence", "lang"),
    [
        ("No abras el archivo bajo ningún concepto.", "es"),
        ("Der Tresor muss unbedingt zu bleiben.", "de"),
        ("Ne redémarre jamais le registre.", "fr"),
        ("I have no idea.", "en"),
        ("The ledger was slow.", "en"),
    ],
)
def test_a_short_rule_in_an_english_message_is_read_in_its_own_language(sentence: str, lang: str) -> None:
    assert telling(sentence, language_within(sentence, "en")) == lang


@pytest.mark.parametrize("text", ["Is it?", "真的吗？", "本当ですか。", "정말 그렇습니까.", "¿Seguro", "هل هذا صحيح؟"])
def test_questions_are_known_by_their_end(text: str) -> None:
    assert is_question(text)
    assert "question" in markers(text, "und")


def test_words_of_a_kind_are_counted() -> None:
    assert counts("We met last week on Monday.", "en", "time") == 3
    assert counts("We met last week on Monday.", "und", "time") == 0
    assert set(KINDS).isdisjoint({"time", "event"})

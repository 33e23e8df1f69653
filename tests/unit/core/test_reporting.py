"""A claim is checked without who said it: `the user said that …` stands in no message."""

from __future__ import annotations

import pytest

from bobctx.core.reporting import statement_of
from tests.unit.core.claim_cases import raw, region, validate, verdict

REPORTS = [
    ("en", "The user said that {}"),
    ("en", "According to the user, {}"),
    ("en", "As agreed, {}"),
    ("en", "Keep in mind that {}"),
    ("de", "Laut Nutzer: {}"),
    ("de", "Wie besprochen: {}"),
    ("fr", "L'utilisateur précise que {}"),
    ("es", "Según el usuario, {}"),
    ("pt", "O utilizador disse que {}"),
    ("it", "Secondo l'utente, {}"),
    ("nl", "De gebruiker zei dat {}"),
    ("ru", "По словам пользователя, {}"),
    ("zh", "用户表示，{}"),
    ("ja", "ユーザーによると、{}"),
    ("ko", "사용자에 따르면 {}"),
    ("ar", "ذكر المستخدم أن {}"),
]
SAID = {
    "en": ("Dogs stay out of the greenhouse.", "dogs stay out of the greenhouse.", "dogs may enter the greenhouse."),
    "de": (
        "Hunde dürfen nicht ins Gewächshaus.",
        "Hunde dürfen nicht ins Gewächshaus.",
        "Hunde dürfen ins Gewächshaus.",
    ),
    "fr": (
        "Les chiens n'entrent pas dans la serre.",
        "les chiens n'entrent pas dans la serre.",
        "les chiens entrent dans la serre.",
    ),
    "es": (
        "Los perros no entran en el invernadero.",
        "los perros no entran en el invernadero.",
        "los perros entran en el invernadero.",
    ),
    "pt": ("Os cães não entram na estufa.", "os cães não entram na estufa.", "os cães entram na estufa."),
    "it": ("I cani non entrano nella serra.", "i cani non entrano nella serra.", "i cani entrano nella serra."),
    "nl": ("Honden mogen niet in de kas.", "honden mogen niet in de kas.", "honden mogen in de kas."),
    "ru": (
        "Собакам нельзя входить в теплицу.",
        "собакам нельзя входить в теплицу.",
        "собакам можно входить в теплицу.",
    ),
    "zh": ("狗不能进温室。", "狗不能进温室。", "狗可以进温室。"),
    "ja": ("犬は温室に入れません。", "犬は温室に入れません。", "犬は温室に入れます。"),
    "ko": ("개는 온실에 들어가면 안 됩니다.", "개는 온실에 들어가면 안 됩니다.", "개는 온실에 들어가도 됩니다."),
    "ar": ("لا يسمح للكلاب بدخول الدفيئة.", "لا يسمح للكلاب بدخول الدفيئة.", "يسمح للكلاب بدخول الدفيئة."),
}


@pytest.mark.parametrize(("lang", "report"), REPORTS)
def test_a_report_changes_no_verdict(lang: str, report: str) -> None:
    """Fails if the words of a report count as missing, or hide that the statement behind them is turned around."""
    source, kept, turned = SAID[lang]
    assert verdict(region(source), report.format(kept), type="constraint") == "accepted"
    assert verdict(region(source), report.format(turned), type="constraint") != "accepted"


def test_the_claim_keeps_its_own_words() -> None:
    claims, _ = validate(
        region("Dogs stay out of the greenhouse."), raw("The user said that dogs stay out of the greenhouse.")
    )
    assert claims[0].text == "The user said that dogs stay out of the greenhouse."


@pytest.mark.parametrize(
    "text", ["The user asked for tea.", "The user confirmed the booking.", "As agreed.", "Laut und deutlich."]
)
def test_what_is_no_report_is_left_alone(text: str) -> None:
    assert statement_of(text) == text

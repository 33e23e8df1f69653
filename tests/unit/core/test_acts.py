"""The cue finders: words of answers, corrections, prohibitions and decisions, with their spans."""

from __future__ import annotations

import pytest

from bobctx.core import acts
from bobctx.core.language import LANGUAGES

ACCEPTED = {
    "en": ["Yes", "ok", "go ahead", "Agreed, do it."],
    "de": ["Ja, mach das.", "einverstanden", "In Ordnung"],
    "fr": ["Oui", "d'accord", "Vas-y"],
    "es": ["Sí", "de acuerdo", "Adelante"],
    "pt": ["Sim", "pode ser", "combinado"],
    "it": ["Sì", "va bene", "Procedi pure"],
    "nl": ["Ja", "akkoord", "doe maar"],
    "ru": ["Да", "согласен", "давай"],
    "zh": ["好的", "可以", "同意"],
    "ja": ["はい", "それでお願いします", "了解です"],
    "ko": ["네", "좋아요", "그렇게 진행해 주세요"],
    "ar": ["نعم", "موافق", "حسنا"],
}
REFUSED = {
    "en": ["No", "rather not", "Don’t do that."],
    "de": ["Nein", "lieber nicht", "Lass das."],
    "fr": ["Non", "pas question", "surtout pas"],
    "es": ["No", "mejor no", "ni hablar"],
    "pt": ["Não", "melhor não", "nem pensar"],
    "it": ["No", "meglio di no", "lascia stare"],
    "nl": ["Nee", "liever niet", "laat maar"],
    "ru": ["Нет", "не надо", "лучше не надо"],
    "zh": ["不", "不用", "不行"],
    "ja": ["いいえ", "やめてください", "だめです"],
    "ko": ["아니요", "하지 마세요", "필요 없어요"],
    "ar": ["لا", "لا داعي", "أرفض ذلك"],
}
CORRECTED = {
    "en": "Actually, make it 12 instead.",
    "de": "Statt 10 doch lieber 12.",
    "fr": "En fait, plutôt 12.",
    "es": "En realidad son 12 en vez de 10.",
    "pt": "Na verdade são 12 em vez de 10.",
    "it": "Anzi, 12 invece di 10.",
    "nl": "Eigenlijk 12 in plaats van 10.",
    "ru": "Вместо 10 теперь 12.",
    "zh": "改为12个。",
    "ja": "10ではなく12に変更してください。",
    "ko": "10개 대신 12개로 변경해 주세요.",
    "ar": "في الواقع 12 بدلا من 10.",
}
FORBIDDEN = {
    "en": "The cellar is off limits.",
    "de": "Der Keller ist tabu.",
    "fr": "La cave est interdite.",
    "es": "El sótano está prohibido.",
    "pt": "A cave é proibida.",
    "it": "La cantina è vietata.",
    "nl": "De kelder is verboden.",
    "ru": "Вход в подвал запрещён.",
    "zh": "禁止进入地下室。",
    "ja": "地下室は立入禁止です。",
    "ko": "지하실 출입 금지.",
    "ar": "ممنوع دخول القبو.",
}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_short_answers_are_read_without_being_told_the_language(lang: str) -> None:
    for text in ACCEPTED[lang]:
        assert acts.acceptances(text), text
    for text in REFUSED[lang]:
        assert acts.refusals(text), text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_corrections_and_prohibitions_are_found_with_exact_spans(lang: str) -> None:
    for finder, text in ((acts.correction_cues, CORRECTED[lang]), (acts.prohibition_cues, FORBIDDEN[lang])):
        found = finder(text, lang)
        assert found
        for cue in found:
            assert text[cue.start : cue.end] == cue.text


def test_decision_words_are_found() -> None:
    assert acts.decision_cues("We decided to go with oak.", "en")
    assert not acts.decision_cues("The weather was grey.", "en")


def test_values_of_modals_comparators_quantifiers_and_conditions() -> None:
    assert [c.value for c in acts.modals("You must not, but you may.", "en")] == ["must", "may"]
    assert [c.value for c in acts.comparators("No more than 5 and at least 2.", "en")] == ["at_most", "at_least"]
    assert [c.value for c in acts.quantifiers("Not all of them, only some.", "en")] == ["some", "sole", "only", "some"]
    assert [c.value for c in acts.conditions("Unless it rains, go if you like it.", "en")] == ["unless"]


def test_questions_by_mark_and_by_particle() -> None:
    assert [c.text for c in acts.questions("Really? はい？")] == ["?", "？"]
    assert acts.questions("行きますか", "ja")


def test_idioms_with_a_negative_word_are_no_negation() -> None:
    for text in ("Not only that.", "No problem.", "Don't forget the keys.", "I don't mind."):
        assert acts.negations(text, "en") == []
    assert [c.text for c in acts.negations("It isn’t and won't be allowed.", "en")] == ["n’t", "n't"]


@pytest.mark.parametrize("lang", ["zh", "ja", "ko", "en"])
def test_comparison_signs_alone_are_read(lang: str) -> None:
    for text in (">", ">=", "<", "a > 5", "≥"):
        assert all(text[c.start : c.end] for c in acts.comparators(text, lang))

"""Words that have changed places between the parts of a sentence."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

SENTENCES = {
    "en": ("Altos bring the folders, sopranos bring the stands.", "Altos bring the folders.",
           "Altos bring the stands."),
    "de": ("Den Honig schleudert Jonas, das Wachs schmilzt Mira.", "Jonas schleudert den Honig.",
           "Mira schleudert den Honig."),
    "fr": ("Le stand crêpes est tenu par Inès, le stand pêche par Malik.", "Inès tient le stand crêpes.",
           "Le stand crêpes est tenu par Malik."),
    "es": ("Los azulejos blancos van en la ducha y los verdes en el suelo.", "Los azulejos blancos van en la ducha.",
           "Los azulejos verdes van en la ducha."),
    "ru": ("Стены красит Олег, пол стелет Вера.", "Олег красит стены.", "Вера красит стены."),
    "zh": ("小说放一楼，画册放二楼。", "小说放一楼。", "画册放一楼。"),
    "ar": ("اللوحات الكبيرة في القاعة الشرقية والصغيرة في القاعة الغربية.", "اللوحات الكبيرة في القاعة الشرقية.",
           "اللوحات الصغيرة في القاعة الشرقية."),
}  # fmt: skip


@pytest.mark.parametrize("lang", SENTENCES)
def test_what_belongs_to_the_other_part_is_refused(lang: str) -> None:
    """Fails if the words of two parts of a sentence may be joined, or the words of one may not be said."""
    said, right, crossed = SENTENCES[lang]
    assert verdict(region(said), right) == "accepted"
    assert verdict(region(said), crossed) == "binding"


@pytest.mark.parametrize(
    ("message", "claim"),
    [
        ("On Monday Ana cooks, Bo washes the dishes.", "Bo washes the dishes on Monday."),
        ("The mill has a lift, the inn has stairs and a lift.", "The inn has a lift."),
        (
            "Altos bring the folders, sopranos bring the stands. Later altos bring the stands.",
            "Altos bring the stands.",
        ),
    ],
)
def test_what_both_parts_share_or_another_sentence_says_is_no_exchange(message: str, claim: str) -> None:
    """Fails if a shared word, a second place or a condition is taken for an exchange."""
    assert verdict(region(message), claim) == "accepted"


def test_a_name_behind_a_pronoun_does_not_hide_that_two_parts_were_crossed() -> None:
    """Fails if the person's name, which the sentence has as `her`, counts as a word of neither part."""
    of = region("Ines starts on Monday. Her tutor is Radek, her landlord is Oskar.")
    assert verdict(of, "Ines's landlord is Radek.") == "binding"
    assert verdict(of, "Ines's landlord is Oskar.") == "accepted"

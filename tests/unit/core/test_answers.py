"""Answers to proposals, and words that mark a change."""

from __future__ import annotations

import pytest

from bobctx.core.answers import answer
from bobctx.core.change import former_before, from_to, marks_change, marks_former, reports
from bobctx.core.sources import Sources
from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes, 120 s is fine.", "accepts"),
        ("Perfect, go ahead with it.", "accepts"),
        ("No, leave it alone.", "refuses"),
        ("Not yet, I want to see prices first.", "refuses"),
        ("Move the vacuum to 04:30. That is fine by me.", "other"),
        ("Ja, 45 Minuten sind in Ordnung.", "accepts"),
        ("No, niente caparra.", "refuses"),
    ],
)
def test_an_answer_is_told_by_its_first_words(text: str, expected: str) -> None:
    assert answer(Sources(region(text).messages)[0]) == expected


def test_only_users_answer() -> None:
    assert answer(Sources(region(("assistant", "Yes, fine.")).messages)[0]) == "other"


def test_change_words_are_read_in_their_language() -> None:
    assert marks_change("Please move the meeting to 11:00.", "en")
    assert marks_change("会議の開始は11:00に変更してください", "ja")
    assert not marks_change("The meeting is at 11:00.", "en")
    assert marks_former("It was previously 30.", "en")
    assert reports("The user asked whether it works.", "en")


def test_former_values_are_told_by_what_stands_before_them() -> None:
    assert former_before("kept for 45 days instead of ", "en")
    assert not former_before("kept for ", "en")
    assert from_to("raise the timeout from ", " to ", "en")
    assert not from_to("raise the timeout ", " to ", "en")


@pytest.mark.parametrize(
    ("asked", "reply", "claim"),
    [
        ("Shall I order the 40 hymn books?", "Hold your horses on the hymn books for now.",
         "The 40 hymn books are ordered."),
        ("Soll ich die 40 Gesangbücher bestellen?", "Gesangbücher: erst mal abwarten, der Pfarrer ist noch dran.",
         "Die 40 Gesangbücher werden bestellt."),
        ("Je commande les 40 livrets de chant ?", "Les livrets : on attend, le curé réfléchit.",
         "Les 40 livrets de chant sont commandés."),
        ("¿Encargo los 40 cancioneros?", "Los cancioneros, por ahora no.", "Se encargan los 40 cancioneros."),
    ],
)  # fmt: skip
def test_an_answer_that_puts_off_accepts_nothing(asked: str, reply: str, claim: str) -> None:
    """Fails if the words of the question in a refusal pass for its acceptance."""
    of = region(("assistant", asked), reply)
    assert verdict(of, claim, "m1", "m2", type="decision") != "accepted"


def test_what_is_put_off_may_be_denied() -> None:
    of = region(("assistant", "Shall I order the 40 hymn books?"), "Hold fire on the hymn books for now.")
    assert verdict(of, "The hymn books are not ordered for now.", "m1", "m2", type="decision") == "accepted"

"""Answers to proposals, and words that mark a change."""

from __future__ import annotations

import pytest

from bobctx.core.answers import answer
from bobctx.core.change import former_before, from_to, marks_change, marks_former, reports
from bobctx.core.sources import Sources
from tests.unit.core.claim_cases import region


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

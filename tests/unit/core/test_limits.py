"""Bounds: which value they limit, also under a negation, as a noun, and in a question that was accepted."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        ("The talk mustn't fall later than 15 October 2026.", "The talk mustn't fall earlier than 15 October 2026.",
         "comparator"),
        ("The talk mustn't fall later than 15 October 2026.", "The last possible day for the talk is 15 October 2026.",
         "accepted"),
        ("Hier sind höchstens 60 Gäste erlaubt.", "Es gilt hier eine Obergrenze von 60 Gästen.", "accepted"),
        ("Погоду проверяем до выхода.", "Погоду проверяем после выхода.", "comparator"),
        ("Een lading mag hooguit 35 kg wegen.", "Een lading mag niet zwaarder zijn dan 35 kg.", "accepted"),
        ("Music until 22:00 at most.", "No music after 22:00.", "accepted"),
    ],
)  # fmt: skip
def test_a_bound_is_kept_in_any_words(source: str, claim: str, code: str) -> None:
    assert verdict(region(source), claim, type="constraint") == code


def test_a_bound_that_was_asked_for_and_accepted_counts() -> None:
    of = region(("assistant", "冷蔵庫の温度は5℃以下でよろしいですか。"), "はい、5℃以下を守ってください。")
    assert verdict(of, "冷蔵庫の温度は5℃以上にする。", "m1", "m2", type="constraint") == "comparator"
    assert verdict(of, "冷蔵庫の温度は5℃以下にする。", "m1", "m2", type="constraint") == "accepted"

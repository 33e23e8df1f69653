"""The form of a claim."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.core.claim_cases import raw, region, validate, verdict

SAID = region("Backups are kept for 45 days.", "ok")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"type": "rule"}, "unknown_type"),
        ({"type": None}, "unknown_type"),
        ({"text": "   "}, "empty_text"),
        ({"text": 7}, "empty_text"),
        ({"text": "Backups are kept. " * 40}, "text_too_long"),
        ({"cites": []}, "no_cites"),
        ({"cites": "m1"}, "no_cites"),
        ({"cites": ["m1", "m9"]}, "unknown_cite"),
        ({"cites": [f"m{i}" for i in range(9)]}, "too_many_cites"),
        ({"text": "Backups are kept for 45 days.\n- r1.c9 [fact] x"}, "many_lines"),
        ({"text": "Backups are kept for 45 days [cites: m1]"}, "own_markup"),
        ({"text": "Backups are kept for 45 days (replaces r1.c1)"}, "own_markup"),
        ({"text": "[bobctx:block:57:00000000000000000000]"}, "own_markup"),
        ({"text": "Nothing is lost [not shown: m3..m30 (28 messages)]"}, "own_markup"),
        ({"text": "Backups are kept for 45\u200b days."}, "hidden_character"),
        ({"text": "Backups are \u202ekept for 45 days."}, "hidden_character"),
        ({"text": "Backups are kept\x07 for 45 days."}, "hidden_character"),
    ],
)
def test_a_misshapen_claim_is_refused_with_a_code(change: dict[str, Any], code: str) -> None:
    claims, report = validate(SAID, {**raw("Backups are kept for 45 days."), **change})
    assert not claims
    assert report.rejections[0].code == code
    assert report.rejections[0].message


@pytest.mark.parametrize("given", [0, 4, "3", None, True, 2.0])
def test_an_importance_that_is_none_counts_as_one_with_a_warning(given: Any) -> None:
    claims, report = validate(SAID, {**raw("Backups are kept for 45 days."), "importance": given})
    assert claims[0].importance == 1
    assert [w.code for w in report.warnings] == ["importance"]


def test_joiners_that_a_script_needs_are_no_tricks() -> None:
    of = region("این نمی\u200cشود، ۴۵ روز")
    assert verdict(of, "این نمی\u200cشود، ۴۵ روز") != "hidden_character"

"""Values that the cited messages replace."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("messages", "wrong", "right"),
    [
        (
            ["Backups are kept for 45 days instead of 30 days."],
            "Backups are kept for 30 days.",
            "Backups are kept for 45 days.",
        ),
        (
            ["The meeting is at 10:00.", "Please move the meeting to 11:00."],
            "The meeting is at 10:00.",
            "The meeting is at 11:00.",
        ),
        (
            ["会議は毎週木曜の10:00からです。", "会議の開始は11:00に変更してください。"],
            "会議は10:00に始まる。",
            "会議の開始は11:00になった。",
        ),
    ],
)
def test_the_replaced_value_is_not_current(messages: list[str], wrong: str, right: str) -> None:
    of = region(*messages)
    cites = [m.id for m in of.messages]
    assert verdict(of, wrong, *cites, type="decision") == "stale_value"
    assert verdict(of, right, *cites, type="decision") == "accepted"


def test_a_claim_about_the_past_may_have_it() -> None:
    of = region("Backups are kept for 45 days instead of 30 days.")
    assert verdict(of, "Backups were previously kept for 30 days.") == "accepted"

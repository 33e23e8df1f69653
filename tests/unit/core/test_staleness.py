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


def test_a_change_of_a_thing_with_another_name_replaces_nothing() -> None:
    """The names have two of their three words in common."""
    said = "We settled on 26.3.36 for kirrin-sync-replica. kirrin-sync-primary now runs 17.13.38 instead of 15.23.32."
    assert verdict(region(said), "kirrin-sync-replica runs 26.3.36.") == "accepted"

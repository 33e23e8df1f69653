"""What users said that no claim carries."""

from __future__ import annotations

from tests.unit.core.claim_cases import raw, region, validate


def missing(*messages: str | tuple[str, str]) -> set[tuple[object, object]]:
    _, report = validate(region(*messages), raw("Nothing of this kind.", "m1"))
    return {(row["kind"], row["text"]) for row in report.uncovered}


def test_values_and_bans_are_listed_among_people_too() -> None:
    """Fails if a conversation without an assistant is reported as covered, or its small talk as bans."""
    found = missing("Anna: the key code is KX-4471.", "Never park on the lawn.", "I can't come on Friday, sorry.")
    assert ("ticket", "KX-4471") in found
    assert ("prohibition", "Never park on the lawn.") in found
    assert not any("Friday" in str(text) for _, text in found)


def test_with_an_assistant_every_ban_is_listed() -> None:
    """Fails if a ban inside a sentence is left out where an assistant takes orders."""
    found = missing("For the release we must not touch the billing table.", ("assistant", "Understood."))
    assert any(kind == "prohibition" for kind, _ in found)

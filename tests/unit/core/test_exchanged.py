"""Opposites of which a claim takes the other side."""

from __future__ import annotations

import pytest

from bobctx.core import exchanged
from tests.unit.core.claim_cases import case, region


@pytest.mark.parametrize(
    ("source", "claim", "refused"),
    [
        ("merge failed: deadlock on orders (attempt 3/3)", "The merge into orders succeeded with a deadlock.", True),
        ("Merge fehlgeschlagen: Sperre auf orders", "Der Merge in orders war trotz der Sperre erfolgreich.", True),
        ("merge failed: deadlock on orders", "The merge into orders failed with a deadlock.", False),
        ("merge failed twice, then the merge succeeded", "The merge succeeded.", False),
        ("The gate is not closed.", "The gate is open.", False),
        ("Remove the seal from the lid.", "The lid is kept.", False),
    ],
)
def test_the_other_side_of_a_pair_is_refused(source: str, claim: str, refused: bool) -> None:
    """Fails if a denied side, a side that its source has too, or a thing the claim does not name counts."""
    refusal = exchanged.check(case(region(source), claim))
    assert (refusal is not None) is refused

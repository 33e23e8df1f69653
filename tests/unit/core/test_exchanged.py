"""Opposites keep the part of the sentence they stand in."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim", "expected"),
    [
        ("The altos stand left and the tenors right.", "The tenors stand left.", "antonym"),
        ("The altos stand left and the tenors right.", "The tenors stand right.", "accepted"),
        ("The altos stand left and the tenors right.", "The altos stand left.", "accepted"),
        ("Os tenores entram pela esquerda, os baixos pela direita.", "Os baixos entram pela esquerda.", "antonym"),
        ("I don't mind which node you drain first, but leave node-b for last.", "Drain node-b last.", "accepted"),
    ],
)
def test_an_opposite_belongs_to_its_part(source: str, claim: str, expected: str) -> None:
    """Fails if left and right may change places, or an honest claim is refused."""
    assert verdict(region(source), claim) == expected

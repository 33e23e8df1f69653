"""All of a kind against one of it."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        ("Decoration purchases pause until May.", "All purchases pause until May.", "quantifier"),
        ("The switch comes on at the greenhouse units.", "The switch comes on at all units.", "quantifier"),
        ("No dyeing in machine 2.", "No dyeing in any machine.", "quantifier"),
        ("Purchases pause until May.", "All purchases pause until May.", "accepted"),
        ("The key is published before anything else.", "The key is published ahead of everything else.", "accepted"),
    ],
)  # fmt: skip
def test_one_kind_of_a_thing_is_not_all_of_it(source: str, claim: str, code: str) -> None:
    assert verdict(region(source), claim, type="constraint") == code

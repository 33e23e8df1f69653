"""One end of a range is not the value."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        ("The crate weighs 10-20 kg.", "The crate weighs 10 kg.", "range_cut"),
        ("The crate weighs 10\u201320 kg.", "The crate weighs 20 kg.", "range_cut"),
        ("The crate weighs 10-20 kg.", "The crate weighs 10-20 kg.", "accepted"),
        ("The crate weighs 10-20 kg.", "The crate weighs between 10 and 20 kg.", "accepted"),
        ("The crate weighs 10-20 kg.", "The crate weighs at most 20 kg.", "accepted"),
        ("The crate weighs 10-20 kg.", "The crate weighs at least 20 kg.", "range_cut"),
        ("The shop is open 09:00-17:00.", "The shop opens at 09:00.", "accepted"),
        ("The shop is open 09:00-17:00.", "The shop is open until 09:00.", "range_cut"),
        ("Call 555-0199 on Monday.", "The number to call on Monday is 555-0199.", "accepted"),
    ],
)
def test_a_range_keeps_both_ends(source: str, claim: str, code: str) -> None:
    """Fails if a cut range supports its end, or an honest bound is refused."""
    assert verdict(region(source), claim) == code

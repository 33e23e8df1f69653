"""An option that an answer passes over, or a wish that it turns down by its name, may be denied in a claim."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

ASKS = "The guild asks whether they can extend the lease until 21 June."
OFFERS = "I can order the cards at Miller's or print them at the library."


@pytest.mark.parametrize(
    ("first", "answer", "claim", "holds"),
    [
        (ASKS, "No extension, the floor needs its rest.", "The extension until 21 June is refused.", True),
        (ASKS, "Fine with me. No flash photos though.", "The extension until 21 June is refused.", False),
        (OFFERS, "Library please.", "The cards will be printed at the library and not ordered at Miller's.", True),
        (OFFERS, "Library please.", "The cards will be ordered at Miller's and not printed at the library.", False),
    ],
)
def test_what_an_answer_passes_over_may_be_denied(first: str, answer: str, claim: str, *, holds: bool) -> None:
    found = verdict(region(("assistant", first), answer), claim, "m1", "m2", type="decision")
    assert (found == "accepted") == holds

"""A correction needs something that changed."""

from __future__ import annotations

from bobctx.core.types import PriorClaim
from tests.unit.core.claim_cases import region, verdict


def test_a_first_statement_corrects_nothing() -> None:
    """Fails if any fact may be called a correction."""
    of = region("Good morning everybody.", "The workshop starts in room 14.")
    assert verdict(of, "The workshop starts in room 14.", "m2", type="correction") == "no_change"


def test_a_word_of_change_or_an_earlier_statement_is_enough() -> None:
    """Fails if the change must stand in the cited message itself, or in words."""
    assert (
        verdict(region("The workshop moves to room 14."), "The workshop is in room 14.", type="correction")
        == "accepted"
    )
    of = region("The workshop starts in room 12.", "Start the workshop in room 14.")
    assert verdict(of, "The workshop starts in room 14.", "m2", type="correction") == "accepted"


def test_an_earlier_claim_can_be_what_is_corrected() -> None:
    """Fails if what an earlier region says cannot be corrected without a word of change."""
    old = PriorClaim(alias="r1.c1", id="x", type="fact", importance=2, text="The workshop starts in room 12.")
    of = region("Start the workshop in room 14.")
    assert verdict(of, "The workshop starts in room 14.", type="correction", prior=[old]) == "accepted"
    assert verdict(of, "The workshop starts in room 14.", type="correction") == "no_change"

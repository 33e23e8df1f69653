"""A value from far away that has nothing of what the claim says."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

LOG = region(
    "Release notes of the pump firmware. The scan of the intake folder copes with 1000 sessions at once. "
    "The screen shows line 7 in grey. The manual has a page about cleaning. The colour of the case is unchanged. "
    "The box holds 3 spare seals. The old screen is sold out. The hose comes in black."
)


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        ("The scan of the intake folder copes with 1000 sessions.", "accepted"),
        ("The scan of the intake folder copes with 3 sessions.", "binding"),
        ("The scan of the intake folder copes with 7 sessions.", "binding"),
        ("The box holds 3 spare seals.", "accepted"),
    ],
)
def test_a_value_of_a_distant_sentence_is_no_value_of_this(claim: str, code: str) -> None:
    """Fails if any number of the message may stand in for the right one."""
    assert verdict(LOG, claim) == code


def test_a_key_keeps_its_value_even_if_another_key_has_the_claimed_one() -> None:
    """Fails if values of two keys of a record may be exchanged for each other."""
    of = region(("tool", '{"read_retries": 4, "write_retries": 9, "total": 13}'))
    assert verdict(of, "The record has read_retries 4, write_retries 9 and total 13.") == "accepted"
    assert verdict(of, "The record has read_retries 9, write_retries 9 and total 13.") == "binding"

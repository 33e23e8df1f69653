"""A yes that is bound to a condition."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("asked", "answered", "claim", "kept"),
    [
        ("Shall we take the ferry?", "Yes, but only if the sea is calm.", "We take the ferry.",
         "We take the ferry if the sea is calm."),
        ("Nehmen wir die Fähre?", "Ja, aber nur wenn das Meer ruhig ist.", "Wir nehmen die Fähre.",
         "Wir nehmen die Fähre, wenn das Meer ruhig ist."),
        ("¿Tomamos el ferry?", "Sí, pero solo si el mar está tranquilo.", "Tomamos el ferry.",
         "Tomamos el ferry si el mar está tranquilo."),
    ],
)  # fmt: skip
def test_a_claim_keeps_the_condition_of_the_yes_it_rests_on(asked: str, answered: str, claim: str, kept: str) -> None:
    """Fails if a conditional yes settles the question outright, or refuses who keeps its condition."""
    of = region(("assistant", asked), answered)
    assert verdict(of, claim, "m1", "m2", type="decision") == "condition_dropped"
    assert verdict(of, kept, "m1", "m2", type="decision") == "accepted"


def test_a_plain_yes_and_one_of_several_answers_settle_their_question() -> None:
    """Fails if any condition in an answer is held against every claim."""
    of = region(("assistant", "Shall we take the ferry?"), "Yes. If you see Ada, say hello.")
    assert verdict(of, "We take the ferry.", "m1", "m2", type="decision") == "accepted"
    of = region(("assistant", "Shall we take the ferry? And is lunch at one?"), "Ferry yes, lunch if there is time.")
    assert verdict(of, "We take the ferry.", "m1", "m2", type="decision") == "accepted"

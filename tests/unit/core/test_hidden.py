"""A word that stands in the sources only inside a denying phrase may not be said outright."""

from __future__ import annotations

import pytest

from bobctx.core import hidden
from tests.unit.core.claim_cases import case, region


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("I'm not sure the bill makes things clearer.", "She is sure that the bill makes things clearer."),
        (
            "Rows without a key go to rejects, they are not to be dropped.",
            "Rows without a key go to rejects and are dropped.",
        ),
    ],
)
def test_a_word_of_a_denying_phrase_is_not_said_outright(source: str, claim: str) -> None:
    refusal = hidden.check(case(region(source), claim))
    assert refusal is not None
    assert refusal.code == "negation_dropped"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("I'm not sure the bill makes things clearer.", "She is not sure that the bill makes things clearer."),
        ("You don't need a light, you need a horn on the remote.", "A horn is needed on the remote."),
        ("You don't need a light on the remote.", "A light on the remote is unnecessary."),
        ("Rows are not dropped on Monday, they are dropped on Friday.", "Rows are dropped on Friday."),
    ],
)
def test_the_denial_itself_and_a_word_said_elsewhere_pass(source: str, claim: str) -> None:
    """Fails if a claim that keeps the denial, or says what another part of its source affirms, is refused."""
    assert hidden.check(case(region(source), claim)) is None


def test_what_a_phrase_makes_needless_is_not_needed() -> None:
    refusal = hidden.check(case(region("You don't need a light on the remote."), "A light is needed on the remote."))
    assert refusal is not None
    assert refusal.code == "modality"

"""A claim keeps the condition of the sentence that says it, in whatever parts that sentence is cut."""

from __future__ import annotations

import pytest

from bobctx.core import conditioned
from tests.unit.core.claim_cases import case, region, verdict


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("If the towels arrive before the opening on 3 April, put them in the window.", "The towels go in the window."),
        (
            "And in case Aula 2 is free on the 5th, we move the mock exam there, B204 is rather cramped.",
            "The mock exam will be moved there.",
        ),
    ],
)
def test_a_condition_of_the_sentence_is_not_left_out(source: str, claim: str) -> None:
    refusal = conditioned.check(case(region(source), claim, type="decision"))
    assert refusal is not None
    assert refusal.code == "condition_dropped"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("If it rains we eat inside, but captions always sit below the picture.", "Captions sit below the picture."),
        ("If the towels arrive before 3 April, put them in the window.", "Once they arrive, the towels go there."),
        ("Put the towels in the window. If they sell, order more.", "The towels go in the window."),
        ("If you like, put the towels in the window.", "The towels go in the window."),
    ],
)
def test_what_is_said_without_a_condition_is_accepted(source: str, claim: str) -> None:
    """Fails if a condition of a neighbour, a wish or one that the claim keeps counts as left out."""
    assert conditioned.check(case(region(source), claim, type="decision")) is None


def test_a_condition_that_has_come_about_is_none_any_more() -> None:
    of = region(
        "Take the Roxy, but only if they let us into the hall by 14:00.",
        ("assistant", "They let us into the hall by 14:00."),
        "Great, please confirm.",
    )
    assert verdict(of, "The Roxy is taken.", "m1", "m3", type="decision") == "accepted"

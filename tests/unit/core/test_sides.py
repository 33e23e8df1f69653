"""A choice of two is not turned around by the words that refuse one of them."""

from __future__ import annotations

import pytest

from bobctx.core import sides
from tests.unit.core.claim_cases import case, region, verdict

CHOICES = [
    (
        "The bench is oiled and not varnished.",
        "The bench is varnished, oil was turned down.",
        "The bench is oiled, varnish was turned down.",
    ),
    (
        "We take the ferry, not the bridge.",
        "The bridge was chosen, the ferry was rejected.",
        "The ferry was chosen, the bridge was rejected.",
    ),
    (
        "The fence is cedar, not pine.",
        "The fence is pine, cedar was turned down.",
        "The fence is cedar, pine was turned down.",
    ),
    (
        "Der Zaun wird aus Lärche, nicht aus Fichte.",
        "Der Zaun wird aus Fichte, Lärche wurde abgelehnt.",
        "Der Zaun wird aus Lärche, Fichte wurde abgelehnt.",
    ),
    (
        "Le portail est en chêne et non en pin.",
        "Le portail est en pin, le chêne a été refusé.",
        "Le portail est en chêne, le pin a été refusé.",
    ),
    (
        "El suelo es de corcho, no de vinilo.",
        "El suelo es de vinilo, el corcho fue rechazado.",
        "El suelo es de corcho, el vinilo fue rechazado.",
    ),
    (
        "Het dak wordt riet, niet leisteen.",
        "Het dak wordt leisteen, riet is afgewezen.",
        "Het dak wordt riet, leisteen is afgewezen.",
    ),
]


@pytest.mark.parametrize(("source", "wrong", "right"), CHOICES)
def test_the_side_that_is_kept_is_not_the_one_refused(source: str, wrong: str, right: str) -> None:
    """Fails if a claim may refuse what was chosen, or an honest refusal of the other side is taken for that."""
    refusal = sides.check(case(region(source), wrong))
    assert refusal is not None
    assert refusal.code == "contrast_asserted"
    assert sides.check(case(region(source), right)) is None
    assert verdict(region(source), wrong) == "contrast_asserted"
    assert verdict(region(source), right) == "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (
            "The bench has no oil and no varnish.",
            "The bench was refused both: oil was turned down, and so was varnish.",
        ),
        ("The ferry does not run, not even to the bridge.", "The ferry was cancelled and stops at the bridge."),
        ("The fence is cedar, not pine.", "Was cedar turned down for pine?"),
        ("The fence is cedar, not pine.", "The gate is pine, oak was turned down."),
    ],
)
def test_what_sets_nothing_aside_for_another_turns_no_choice(source: str, claim: str) -> None:
    """Fails if two denials, `not even`, a question or words of another choice count as sides of one."""
    assert sides.check(case(region(source), claim)) is None

"""Opposites of which a claim takes the other side."""

from __future__ import annotations

import pytest

from bobctx.core import exchanged
from tests.unit.core.claim_cases import case, region, verdict


@pytest.mark.parametrize(
    ("source", "claim", "refused"),
    [
        ("merge failed: deadlock on orders (attempt 3/3)", "The merge into orders succeeded with a deadlock.", True),
        ("Merge fehlgeschlagen: Sperre auf orders", "Der Merge in orders war trotz der Sperre erfolgreich.", True),
        ("merge failed: deadlock on orders", "The merge into orders failed with a deadlock.", False),
        ("merge failed twice, then the merge succeeded", "The merge succeeded.", False),
        ("The gate is not closed.", "The gate is open.", False),
        ("Remove the seal from the lid.", "The lid is kept.", False),
    ],
)
def test_the_other_side_of_a_pair_is_refused(source: str, claim: str, refused: bool) -> None:
    """Fails if a denied side, a side that its source has too, or a thing the claim does not name counts."""
    refusal = exchanged.check(case(region(source), claim))
    assert (refusal is not None) is refused


@pytest.mark.parametrize(
    ("source", "claim", "expected"),
    [
        ("The old maps are on linen. The new ones, drawn in May, are on vellum.",
         "The old maps are on vellum and the new ones are on linen.", "antonym"),
        ("The old maps are on linen. The new ones, drawn in May, are on vellum.",
         "The old maps are on linen and the new ones are on vellum.", "accepted"),
        ("The new mill grinds rye, the old one spelt.", "The old mill grinds rye and the new one spelt.", "antonym"),
        ("The new mill grinds rye, the old one spelt.", "The old mill grinds spelt and the new one rye.", "accepted"),
        ("Die alten Karten sind auf Leinen. Die neuen Karten sind auf Pergament.",
         "Die alten Karten sind auf Pergament und die neuen auf Leinen.", "antonym"),
        ("Les anciennes cartes sont en lin. Les nouvelles cartes sont en vélin.",
         "Les anciennes cartes sont en vélin et les nouvelles en lin.", "antonym"),
    ],
)  # fmt: skip
def test_a_claim_on_both_sides_gives_each_its_own(source: str, claim: str, expected: str) -> None:
    assert verdict(region(source), claim) == expected


def test_a_stage_is_not_another_one() -> None:
    of = region("If the check passes, start `late_merge` on the test cluster.")
    assert verdict(of, "If the check passes, `late_merge` starts on the production cluster.") == "antonym"


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

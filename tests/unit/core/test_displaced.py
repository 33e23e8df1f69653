"""A negation that moved into the condition, term or reason of a statement is refused."""

from __future__ import annotations

import pytest

from bobctx.core import displaced
from tests.unit.core.claim_cases import case, region


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Do not merge before both builds are fixed.", "Merging has to wait until both builds are not fixed."),
        ("Until the new fan arrives, keep bay 4 empty.", "Bay 4 stays empty until the new fan has not arrived."),
        ("If the form is signed, send Mara the contract.", "Mara is sent the contract once the form is not signed."),
        ("Wenn die Prüfung vorliegt, geht der Brief raus.", "Der Brief geht raus, wenn die Prüfung nicht vorliegt."),
        ("Si le contrôle est terminé, on envoie la lettre.", "La lettre part si le contrôle n'est pas terminé."),
    ],
)
def test_a_negation_behind_a_link_is_refused_where_the_source_has_none(source: str, claim: str) -> None:
    refusal = displaced.check(case(region(source), claim))
    assert refusal is not None
    assert refusal.code == "negation_added"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Ship it, unless the check is clear.", "It is shipped if the check is not clear."),
        ("Before the review is done nothing ships.", "If the review is not done, nothing ships."),
        ("If the check is clear, it ships.", "If the check is not clear, it does not ship."),
        ("If the valve is not open, ring the office.", "The office is rung if the valve is not open."),
        ("Von Besuchen vor 14 Uhr bitte absehen.", "Besuche sollen vor 14 Uhr nicht stattfinden."),
    ],
)
def test_the_same_term_in_other_words_passes(source: str, claim: str) -> None:
    """Fails if `unless`, a denied main part or a mere time before the denied verb is not told apart."""
    assert displaced.check(case(region(source), claim)) is None

"""Proposals with a denying word of their own (`remove`, `cancel`) that an answer refuses."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

PROPOSALS = [
    ("Shall I remove the old fence?", "No.", "The old fence is removed.", "The old fence is not removed."),
    (
        "Shall I cancel the second coach?",
        "No.",
        "The second coach is cancelled.",
        "The second coach is not cancelled.",
    ),
    (
        "Soll ich den zweiten Bus stornieren?",
        "Nein.",
        "Der zweite Bus wird storniert.",
        "Der zweite Bus wird nicht storniert.",
    ),
    ("Dois-je annuler le second car ?", "Non.", "Le second car est annulé.", "Le second car n'est pas annulé."),
    ("¿Cancelo el segundo autobús?", "No.", "Se cancela el segundo autobús.", "No se cancela el segundo autobús."),
]


@pytest.mark.parametrize(("asked", "no", "wrong", "right"), PROPOSALS)
def test_a_refused_proposal_to_end_something_is_not_decided(asked: str, no: str, wrong: str, right: str) -> None:
    """Fails if the denying word of the proposal itself is read as its refusal."""
    of = region(("assistant", asked), no)
    assert verdict(of, wrong, "m1", "m2", type="decision") == "refused"
    assert verdict(of, right, "m1", "m2", type="decision") == "accepted"


def test_what_keeps_a_thing_by_a_word_of_its_own_and_a_yes_pass() -> None:
    of = region(("assistant", "Shall I remove the old fence?"), "No, not this year.")
    assert verdict(of, "The old fence stays this year.", "m1", "m2", type="decision") == "accepted"
    of = region(("assistant", "Shall I cancel the second coach?"), "Yes.")
    assert verdict(of, "The second coach is cancelled.", "m1", "m2", type="decision") == "accepted"

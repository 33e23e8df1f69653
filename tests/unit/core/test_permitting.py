"""A permission needs one in its sources, or something that stands for one."""

from __future__ import annotations

import pytest

from bobctx.core import permitting
from tests.unit.core.claim_cases import case, region


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Never put oil on the brake discs.", "Oil may be kept off the brake discs."),
        ("References go into `refs/new.bib`, don't touch `refs/old.bib`.", "`refs/old.bib` may be left alone."),
        ("Show the diff of the whole branch, if it differs.", "The diff of the branch may be shown if it differs."),
        ("Halte die Haustür nachts geschlossen.", "Die Haustür darf nachts geschlossen bleiben."),
        ("Laisse la porte du garage fermée la nuit.", "La porte du garage peut rester fermée la nuit."),
    ],
)
def test_a_permission_from_nowhere_is_refused(source: str, claim: str) -> None:
    refusal = permitting.check(case(region(source), claim, type="constraint"))
    assert refusal is not None
    assert refusal.code == "modality"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("You can take the bike any time.", "The bike may be taken any time."),
        ("Feel free to use the bike.", "The user may use the bike."),
        ("Dock 5 is for reefers only.", "Only reefers may use dock 5."),
        ("Never log the value itself, just the name.", "The name may be logged, but the value must not be logged."),
        ("Until noon the gym is closed.", "The gym may be used after noon."),
        ("Die Haustür kann nachts offen bleiben.", "Die Haustür darf nachts offen bleiben."),
        ("The bike? Fine with me.", "The bike may be taken."),
    ],
)
def test_what_stands_for_a_permission_lets_it_pass(source: str, claim: str) -> None:
    """Fails if leave given in other words, a limit, a ban on the rest or a term is not weighed."""
    assert permitting.check(case(region(source), claim, type="constraint")) is None


def test_leave_given_in_an_answer_counts() -> None:
    talk = region(("assistant", "Shall the gate stay open at night?"), "Fine.")
    assert permitting.check(case(talk, "The gate may stay open at night.", "m1", "m2")) is None

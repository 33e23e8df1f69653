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
        ("Nobody opens the archive room before Monday.", "The archive room may stay closed until Monday."),
        ("Nobody switches the lamps in the corridor on.", "The lamps in the corridor may stay off."),
        ("Der Schlüssel bleibt im Tresor, den nimmt niemand mit.", "Der Schlüssel darf im Tresor bleiben."),
        ("El coche no sale del garaje.", "El coche puede quedarse en el garaje."),
        ("Members check in before every session.", "Members may check in before every session."),
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
        ("It's fine to leave the lamps off in the corridor.", "The lamps in the corridor may stay off."),
        ("The kids don't have to come, they can stay at home.", "The kids may stay at home."),
        ("No more than 4 people in the boat.", "The boat may carry 4 people at most."),
        ("Don't be afraid to wipe the drive.", "The drive may be wiped."),
        ("Not before 10 for guests, please.", "Guests may come after 10."),
        ("Das Gepäck muss nicht aus dem Bus.", "Das Gepäck darf im Bus bleiben."),
        ("It doesn't matter if the fence stays unpainted.", "The fence may stay unpainted."),
    ],
)
def test_what_stands_for_a_permission_lets_it_pass(source: str, claim: str) -> None:
    """Fails if leave given in other words, a limit, a ban on the rest or a term is not weighed."""
    assert permitting.check(case(region(source), claim, type="constraint")) is None


def test_leave_given_in_an_answer_counts() -> None:
    talk = region(("assistant", "Shall the gate stay open at night?"), "Fine.")
    assert permitting.check(case(talk, "The gate may stay open at night.", "m1", "m2")) is None

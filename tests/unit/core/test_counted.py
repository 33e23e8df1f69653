"""Numbers put to a noun that has another one in the sources."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("role", "said", "claim", "expected"),
    [
        ("tool", "1 failed, 6 passed in 3.21s", "1 passed in 3.21s.", "binding"),
        ("user", "4 rounds of 10 squats and 20 minutes of rowing.", "The plan is 20 rounds of 10 squats.", "binding"),
        ("user", "Tank 2 gets 30 fish, tank 1 stays empty.", "Tank 30 stays empty.", "binding"),
        ("user", "Wir haben 12 Zelte und 30 Schlafsäcke.", "Wir haben 30 Zelte.", "binding"),
        ("user", "Hay 8 mesas y 64 sillas.", "Hay 64 mesas.", "binding"),
        ("tool", "Backup #88 done, 14 files, job 3", "Job 14 is done.", "binding"),
        ("user", "Il y a 5 ateliers et 60 inscrits.", "60 ateliers sont prévus.", "binding"),
        ("user", "В кружке 9 детей и 3 педагога.", "В кружке 3 детей.", "binding"),
        (
            "tool",
            "The draft was saved.\nchanges: 11 insertions, 6 deletions\nopen_notes: 3",
            "The change has 3 insertions.",
            "binding",
        ),
        (
            "tool",
            "The draft was saved.\nchanges: 11 insertions, 6 deletions\nopen_notes: 3",
            "The change has 11 insertions.",
            "accepted",
        ),
        ("user", "We own 40 chairs, 15 broke last week.", "15 chairs broke last week.", "accepted"),
        ("user", "We own 40 chairs. 15 of them are green.", "15 chairs are green.", "accepted"),
        ("user", "We own 40 chairs. The cellar holds 15.", "The cellar holds 15 chairs.", "accepted"),
        ("user", "Lanes 3, 4 and 6 are closed. Lane 1 is for kids.", "Lane 4 is closed.", "accepted"),
        ("tool", "chairs: 40\nbroken: 15", "15 chairs are broken.", "accepted"),
        ("tool", 'track 1 opened\n{"id": 4, "state": "muted"}', "Track 4 is muted.", "accepted"),
        ("user", "Room 7 is cold. The meeting is in 9.", "The meeting is in room 9.", "accepted"),
        ("tool", "600 cues, 4 late, 0 overlaps", "4 cues are late.", "accepted"),
        ("user", "Halle 2 ist voll, nehmt die 5.", "Halle 5 wird genommen.", "accepted"),
        ("user", "Il y a 20 places. On en garde 4 pour le jury.", "4 places sont gardées pour le jury.", "accepted"),
    ],
)
def test_a_number_counts_and_marks_what_it_does_in_the_source(role: str, said: str, claim: str, expected: str) -> None:
    """Fails if the number of one thing may be given to another, or one that leaves its noun out is not read."""
    assert verdict(region((role, said)), claim) == expected


def test_an_answer_leaves_the_noun_out() -> None:
    of = region(("assistant", "Shall I order 12 chairs?"), "make it 14")
    assert verdict(of, "14 chairs are ordered.", "m1", "m2", type="decision") == "accepted"


def test_a_changed_count_leaves_the_noun_out() -> None:
    """Fails if a word of change is read as what is counted."""
    of = region("The limit is 30.", "Make it 45 instead of 30.", "On second thought 60.")
    assert verdict(of, "The limit is 60 instead of 30.", "m1", "m2", "m3") == "accepted"

"""Values that a sentence or a log puts together in pairs."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

CLIPS = "clip 1: anna.wav 44.1 kHz 00:28:14\nclip 2: omar.wav 48 kHz 00:31:02\nloudness: -16 LUFS"
LOG = "12:00 build ok 41 s\n12:05 deploy ok 9 s"
CLASSES = "Yoga is on Monday at 18:00 and boxing on Wednesday at 19:30."
FLIGHTS = "Alice's flight is at 9:00 on Monday, and Bob's at 11:00 on Tuesday."
HOURS = "Open Monday to Friday from 9:00 to 18:00, Saturday until 13:00."
TRAINS = "The train leaves on 4 May at 8:10, the way back is on 9 May at 17:20."


@pytest.mark.parametrize(
    ("role", "said", "claim", "expected"),
    [
        ("tool", CLIPS, "omar.wav runs 00:28:14.", "binding"),
        ("tool", CLIPS, "omar.wav runs 00:31:02.", "accepted"),
        ("tool", LOG, "The deploy at 12:05 took 41 s.", "binding"),
        ("tool", LOG, "The deploy at 12:05 took 9 s.", "accepted"),
        ("user", CLASSES, "The Wednesday class starts at 18:00.", "binding"),
        ("user", CLASSES, "The Wednesday class starts at 19:30.", "accepted"),
        ("user", FLIGHTS, "Bob flies at 9:00 on Tuesday.", "binding"),
        ("user", FLIGHTS, "Bob flies at 11:00 on Tuesday.", "accepted"),
        ("user", TRAINS, "The way back is on 9 May at 8:10.", "binding"),
        ("user", TRAINS, "The way back is on 9 May at 17:20.", "accepted"),
        ("user", HOURS, "On Friday it is open until 18:00.", "accepted"),
        ("user", HOURS, "On Saturday it closes at 13:00.", "accepted"),
        ("user", "We move it from Tuesday 9:00 to Thursday, same time.", "It is on Thursday at 9:00.", "accepted"),
        ("tool", "12:00 build started\n12:05 build ok 41 s", "The build started at 12:00 and took 41 s.", "accepted"),
        (
            "user",
            "The invoice of 3 March was over 400 EUR. On 9 March 250 EUR came in.",
            "The invoice over 400 EUR got a payment on 9 March.",
            "accepted",
        ),
    ],
)
def test_values_stay_with_their_mates(role: str, said: str, claim: str, expected: str) -> None:
    """Fails if the day of one value may be given to another, or a day alone is held against a time."""
    assert verdict(region((role, said)), claim) == expected


def test_a_day_that_is_chosen_brings_its_own_time() -> None:
    of = region(("assistant", "I have Thursday at 17:45 or Friday at 10:15 for the check-up of Nala."), "Friday, yes.")
    assert verdict(of, "The check-up of Nala is on Friday at 17:45.", "m1", "m2") == "binding"
    assert verdict(of, "The check-up of Nala is on Friday at 10:15.", "m1", "m2") == "accepted"


def test_a_status_between_a_file_and_its_count_parts_them_not() -> None:
    """Fails if another number on the line of a log hides which file a keyed value belongs to."""
    log = "PUT /feeds/toys.xml 200 items=812 age=4\nPUT /feeds/games.xml 200 items=95 age=9"
    of = region(("tool", log))
    assert verdict(of, "/feeds/games.xml has items=95.") == "accepted"
    assert verdict(of, "/feeds/games.xml has items=812.") == "binding"

"""What a record's line says yes or no to."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

BOOKINGS = "booking 51: Sat, projector=yes\nbooking 5234: Sun, projector=no"
PITCHES = "Pitch 3: power: yes, water: no\nPitch 4: power: no, water: yes"
STANDS = "Stand 4: kein Strom\nStand 5: Strom, Wasser: nein"


@pytest.mark.parametrize(
    ("lines", "claim", "holds"),
    [
        (BOOKINGS, "Booking 5234 has a projector.", False),
        (BOOKINGS, "Booking 51 has a projector.", True),
        (BOOKINGS, "Booking 5234 has no projector.", True),
        (BOOKINGS, "Booking 51 has no projector.", False),
        (STANDS, "Stand 4 hat Strom.", False),
        (STANDS, "Stand 5 hat Strom.", True),
        (STANDS, "Stand 5 hat Wasser.", False),
        (STANDS, "Stand 4 hat keinen Strom.", True),
        (STANDS, "Stand 5 hat kein Wasser.", True),
        (PITCHES, "Pitch 3 has power but no water.", True),
        (PITCHES, "Pitch 4 has water but no power.", True),
        (PITCHES, "Pitch 3 has water but no power.", False),
    ],
)
def test_each_line_answers_for_itself(lines: str, claim: str, holds: bool) -> None:
    assert (verdict(region(("tool", lines)), claim) == "accepted") == holds

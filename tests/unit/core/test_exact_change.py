"""Old and new values that a sentence of the sources pairs itself."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

SHOW = (
    "The breakfast show starts at 05:40 and the farm bulletin follows at 07:25.",
    "From now on breakfast begins at 05:55 instead of 05:40.",
)
DISK = ("Disk alert at 80%, make it 92%.", "kv-07 is at 87%. The threshold is 92% now.")
FARE = ("Die Fahrt kostet 69 €, das Essen 20 €.", "Die Fahrt kostet jetzt 74 € statt 69 €.")
TALK = ("La réunion était à 9h, le repas à 13h.", "La réunion passe de 9h à 10h.")
NODES = ("Two pools.", "Pool A goes from 12 to 14 nodes, pool B from 10 to 14.")
GUESTS = ("We were 40 last year.", "This year 52 instead of the planned 45.")


@pytest.mark.parametrize(
    ("said", "claim", "expected"),
    [
        (SHOW, "The breakfast show begins at 05:55 and no longer at 07:25.", "binding"),
        (SHOW, "The breakfast show begins at 07:25 and no longer at 05:40.", "binding"),
        (SHOW, "The breakfast show begins at 05:55 and no longer at 05:40.", "accepted"),
        (DISK, "The disk alert goes from 87% to 92%.", "binding"),
        (DISK, "The disk alert goes from 80% to 92%.", "accepted"),
        (FARE, "Die Fahrt kostet 74 € statt 20 €.", "binding"),
        (FARE, "Die Fahrt kostet 74 € statt 69 €.", "accepted"),
        (TALK, "La réunion passe de 13h à 10h.", "binding"),
        (TALK, "La réunion passe de 9h à 10h.", "accepted"),
        (NODES, "Pool B goes from 10 to 14 nodes.", "accepted"),
        (GUESTS, "There are 52 this year, up from 40 last year.", "accepted"),
    ],
)
def test_a_change_has_both_of_its_values(said: tuple[str, str], claim: str, expected: str) -> None:
    """Fails if a value of something else may be the old or the new one of a change that its sentence pairs."""
    assert verdict(region(*said), claim, "m1", "m2", type="fact") == expected

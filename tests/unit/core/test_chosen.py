"""Two values to choose from, and the answer that takes one of them."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

LIMITS = ("For the offline limit of a tour I see two choices, 150 MB or 400 MB.", "Take 150 MB.")
BOARDS = ("For the top I can list 40 mm or 60 mm boards.", "60 mm. Use the 40 mm ones for the shelf.")
BENCHES = ("Soll ich für das Hoffest 12 oder 15 Bänke leihen?", "15, aber keine wackeligen.")
SHOWS = ("The planetarium has shows at 12:30 and at 14:00. Which one shall I book?", "12:30, lunch afterwards.")
DOSES = ("Doses are 5 ml for kids and 10 ml for adults. Which syringe do you use?", "The 10 ml one.")
TRAINS = ("On peut partir à 8h15 ou à 9h40.", "9h40, on dormira mieux.")
TABLES = ("訂 12:30 還是 14:00 的位子?", "14:00 的,謝謝。")


@pytest.mark.parametrize(
    ("talk", "claim", "expected"),
    [
        (LIMITS, "A tour gets an offline limit of 400 MB.", "stale_value"),
        (LIMITS, "A tour gets an offline limit of 150 MB.", "accepted"),
        (BOARDS, "40 mm boards are used for the shelf.", "accepted"),
        (BENCHES, "Für das Hoffest werden 12 Bänke geliehen.", "stale_value"),
        (BENCHES, "Für das Hoffest werden 15 Bänke geliehen.", "accepted"),
        (SHOWS, "The show at 14:00 is booked.", "stale_value"),
        (SHOWS, "The show at 12:30 is booked.", "accepted"),
        (DOSES, "Kids get 5 ml.", "accepted"),
        (TRAINS, "Le départ est à 8h15.", "stale_value"),
        (TRAINS, "Le départ est à 9h40.", "accepted"),
        (TABLES, "位子訂在 12:30。", "stale_value"),
        (("Wil je 30 of 45 minuten?", "45 minuten graag."), "De les duurt 30 minuten.", "stale_value"),
        (
            ("It takes 2 or 3 days to dry. Should I plan 3 days?", "3 days, please."),
            "3 days are planned for drying.",
            "accepted",
        ),
    ],
)
def test_what_the_answer_passes_over_is_not_decided(talk: tuple[str, str], claim: str, expected: str) -> None:
    """Fails if the value that was offered beside the chosen one may be claimed as decided."""
    of = region(("assistant", talk[0]), talk[1])
    kind = "constraint" if talk is DOSES else "decision"
    assert verdict(of, claim, "m1", "m2", type=kind) == expected

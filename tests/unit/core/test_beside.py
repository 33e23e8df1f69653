"""What stands beside an accusing clause excuses a claim's denial only where it denies the very matter."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("messages", "claim", "type", "code"),
    [
        (
            ("You can repaint the fence, but cutting the hedge is my job.",),
            "Repainting the fence is not permitted.",
            "constraint",
            "negation_added",
        ),
        (
            (("assistant", "Shall I have the boiler checked on 14 April?"), "Fine. In fog we don't sail."),
            "The boiler is not checked on 14 April.",
            "decision",
            "negation_added",
        ),
        (
            ("The pool now opens at 7:00 instead of 8:00.",),
            "The opening of the pool was not moved from 8:00 to 7:00.",
            "correction",
            "negation_added",
        ),
        (
            ("The pool now opens at 7:00 instead of 8:00.",),
            "The pool no longer opens at 8:00.",
            "correction",
            "accepted",
        ),
        (
            (("assistant", "The driver has an update, which is optional. Shall I add it?"), "leave it out this time"),
            "The driver update is not added.",
            "decision",
            "accepted",
        ),
        (
            (("assistant", "I suggest we move the review from Monday to Friday."), "Friday works. But keep it short."),
            "The review is not moved from Monday to Friday.",
            "decision",
            "negation_added",
        ),
        (
            (("assistant", "Shall I store it for 7 days or for 30 days?"), "7 days is too short. Make it 30."),
            "It is not stored for only 7 days.",
            "decision",
            "accepted",
        ),
        (
            ("Drones are forbidden, apart from the club's own.",),
            "Drones are not banned; the one exception is the club's own drone.",
            "constraint",
            "negation_added",
        ),
        (
            ("The party keeps the boat, the guild doesn't get it.",),
            "The guild does receive the boat; the party keeps it.",
            "decision",
            "negation_dropped",
        ),
        (
            ("Quench with methanol; don't use water.",),
            "The quench is done with methanol; water is ruled out.",
            "constraint",
            "accepted",
        ),
    ],
)
def test_a_denial_beside_must_be_of_the_matter(
    messages: tuple[str | tuple[str, str], ...], claim: str, type: str, code: str
) -> None:
    """Fails if a denial of something else, or a value that gave way, makes up for what the claim denies."""
    cites = [f"m{number}" for number in range(1, len(messages) + 1)]
    assert verdict(region(*messages), claim, *cites, type=type) == code


@pytest.mark.parametrize(
    ("source", "claim", "holds"),
    [
        ("The signing key stays out of the repository.", "The signing key must be kept in the repository.", False),
        ("Keep jQuery out of the shop page.", "The shop page must use jQuery.", False),
        ("Steer clear of the north path, it's icy.", "The north path should be taken.", False),
        ("The dog stays out of the kitchen.", "The dog has to stay outside the kitchen.", True),
        ("Steer clear of the north path, it's icy.", "The north path must be avoided.", True),
        ("Leave politics out of the newsletter.", "The newsletter must not contain politics.", True),
        ("Keep the tokens out of the logs.", "The logs must be kept free of tokens.", True),
    ],
)
def test_what_stays_out_is_denied(source: str, claim: str, holds: bool) -> None:
    assert (verdict(region(source), claim, type="constraint") == "accepted") is holds

"""What a claim calls allowed or forbidden has that sign in its sources too."""

from __future__ import annotations

import pytest

from bobctx.core import leave
from tests.unit.core.claim_cases import case, region


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        (
            "Agents may end a call if they are insulted.",
            "Agents are forbidden to end a call if they are insulted.",
            "negation_added",
        ),
        (
            "Never open the gallery without a steward.",
            "Opening the gallery without a steward is not forbidden.",
            "negation_dropped",
        ),
        (
            "The forklift lane is a no-go area for every robot.",
            "No robot is forbidden into the forklift lane.",
            "negation_dropped",
        ),
        (
            "Nobody outside HR may see the payroll draft.",
            "Only HR is forbidden to see the payroll draft.",
            "negation_added",
        ),
        ("Die Kinder dürfen im Hof spielen.", "Den Kindern ist es verboten, im Hof zu spielen.", "negation_added"),
        (
            "Les chiens peuvent courir dans le jardin.",
            "Il est interdit aux chiens de courir dans le jardin.",
            "negation_added",
        ),
    ],
)
def test_leave_is_not_turned_around(source: str, claim: str, code: str) -> None:
    refusal = leave.check(case(region(source), claim, type="constraint"))
    assert refusal is not None
    assert refusal.code == code


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Never open the gallery without a steward.", "Opening the gallery without a steward is not allowed."),
        ("Nobody outside HR may see the payroll draft.", "Only HR is allowed to see the payroll draft."),
        ("Labels can move. They just can't be renamed.", "Renaming labels is not allowed, but moving them is."),
        ("Ohne Freigabe wird nichts über 80 € repariert.", "Reparaturen über 80 € sind erst nach Freigabe zulässig."),
        ("Trainees may use the lathe, but never the saw.", "Trainees are forbidden to use the saw."),
        ("Guests may not bring pets, children may come.", "Children are allowed to come, pets are forbidden."),
        ("No cars in the yard after 6, bikes may stay.", "Cars are forbidden in the yard after 6."),
        ("No pets in the hut, except guide dogs.", "Guide dogs are allowed in the hut."),
        ("Les chiens ne peuvent pas courir ici.", "Il est interdit aux chiens de courir ici."),
    ],
)
def test_leave_in_other_words_is_the_same(source: str, claim: str) -> None:
    """Fails if an exception, another deed or a term is not told from the matter itself."""
    assert leave.check(case(region(source), claim, type="constraint")) is None

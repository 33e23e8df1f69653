"""Each statement of a claim is asked by itself: a true one carries no false one past the checks."""

from __future__ import annotations

import pytest

from bobctx.core.statements import statements
from tests.unit.core.claim_cases import case, region, verdict

RULES = (
    "Nothing fried on Fridays, the filter is being cleaned. You may leave the radio on if the shutters are down. "
    "Some of the stools have a loose leg."
)


@pytest.mark.parametrize(
    ("second", "code"),
    [
        ("the radio must be left on if the shutters are down", "modality"),
        ("the radio may be left on", "condition_dropped"),
        ("all of the stools have a loose leg", "quantifier"),
    ],
)
def test_a_true_statement_carries_no_false_one(second: str, code: str) -> None:
    """Fails if what the first statement has in common with its source makes up for the second one."""
    first = "Nothing may be fried on Fridays because the filter is being cleaned"
    assert verdict(region(RULES), f"{first}.", type="constraint") == "accepted"
    assert verdict(region(RULES), f"{first}; {second}.", type="constraint") == code
    assert verdict(region(RULES), f"{first}. {second.capitalize()}.", type="constraint") == code


@pytest.mark.parametrize(
    "claim",
    [
        "Rinse with vinegar; soap is ruled out.",
        "The west gate opens at 6:00; the east gate stays shut.",
        "Lena plays the cello, Otto does not play anything; he turns pages.",
    ],
)
def test_a_statement_that_another_one_answers_for_passes(claim: str) -> None:
    """Fails if one half of an honest pair is accused of what the other half says."""
    source = (
        "Don't rinse with soap, use vinegar. The west gate opens at 6:00, not the east gate, keep that shut. "
        "Lena plays the cello. Otto doesn't play anything, he turns pages."
    )
    assert verdict(region(source), claim, type="fact") == "accepted"


def test_semicolons_inside_values_divide_nothing() -> None:
    claim = case(region("Set `IFS=;` in the job. The log goes to /var/log/a.log."), "The job sets `IFS=;` for all.")
    assert len(list(statements(claim))) == 1


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        ("Overtime is frozen until spring; exceptions need a signature from the manager.", "accepted"),
        ("Overtime is not frozen until spring; exceptions need a signature from the manager.", "negation_added"),
        ("The oven holds 12 loaves; the kiln holds 40 pots and the cupboard 7 trays.", "accepted"),
        ("The oven holds 12 loaves; the kiln holds 7 pots and the cupboard 7 trays.", "binding"),
    ],
)
def test_a_statement_answers_for_itself_where_it_speaks_of_what_accuses_it(claim: str, code: str) -> None:
    """Fails if another statement with more words of the same clause excuses it, or must repeat its condition."""
    source = (
        "Overtime is frozen until spring, exceptions need a signature from the shop floor manager. "
        "The kiln holds 40 pots, the oven 12 loaves and the cupboard 7 trays."
    )
    assert verdict(region(source), claim) == code

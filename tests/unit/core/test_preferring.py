"""What a claim prefers to a thing that its source sets aside, and values that it tells as old and new."""

from __future__ import annotations

import pytest

from bobctx.core import preferring
from bobctx.core.checking import Case
from tests.unit.core.claim_cases import case, region, verdict

PREFERENCES = [
    (
        "A band for the party, not a DJ.",
        "She would rather have a band than a DJ for the party.",
        "She would rather have a DJ than a band for the party.",
    ),
    (
        "Eine Band für das Fest, nicht einen DJ.",
        "Sie will lieber eine Band als einen DJ für das Fest.",
        "Sie will lieber einen DJ als eine Band für das Fest.",
    ),
    (
        "IJs voor het feest, niet taart.",
        "Ze wil liever ijs dan taart voor het feest.",
        "Ze wil liever taart dan ijs voor het feest.",
    ),
    (
        "The bench should be oiled rather than varnished.",
        "She prefers the bench oiled over varnished.",
        "She prefers the bench varnished over oiled.",
    ),
]
CHANGES = [
    ("The fee is 67 €, not 64 €.", "The fee went from 64 € to 67 €.", "The fee went from 67 € to 64 €."),
    (
        "Der Beitrag ist 67 € statt 64 €.",
        "Der Beitrag steigt von 64 € auf 67 €.",
        "Der Beitrag sinkt von 67 € auf 64 €.",
    ),
    (
        "La cotisation est de 67 € au lieu de 64 €.",
        "La cotisation passe de 64 € à 67 €.",
        "La cotisation passe de 67 € à 64 €.",
    ),
]


def _preferred(of: Case) -> bool:
    return any(preferring.preferred(of, clause) for source in of.cited for clause in source.clauses)


def _moved(of: Case) -> bool:
    return any(preferring.moved(of, clause) for source in of.cited for clause in source.clauses)


@pytest.mark.parametrize(("source", "honest", "turned"), PREFERENCES)
def test_a_side_set_aside_may_be_named_below_the_one_kept(source: str, honest: str, turned: str) -> None:
    """Fails if a preference is not read, or read the same whichever side stands above."""
    assert _preferred(case(region(source), honest))
    assert not _preferred(case(region(source), turned))
    assert verdict(region(source), honest) == "accepted"


@pytest.mark.parametrize(("source", "honest", "turned"), CHANGES)
def test_a_value_set_aside_may_be_told_as_the_old_one(source: str, honest: str, turned: str) -> None:
    """Fails if old and new values are not told apart."""
    assert _moved(case(region(source), honest))
    assert not _moved(case(region(source), turned))


def test_both_sides_said_without_a_preference_are_none() -> None:
    of = region("A band for the party, not a DJ.")
    assert not _preferred(case(of, "There is a DJ and a band for the party."))
    assert verdict(of, "There is a DJ and a band for the party.") == "negation_dropped"

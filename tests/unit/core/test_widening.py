"""All of a kind against one of it."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        ("Decoration purchases pause until May.", "All purchases pause until May.", "quantifier"),
        ("The switch comes on at the greenhouse units.", "The switch comes on at all units.", "quantifier"),
        ("No dyeing in machine 2.", "No dyeing in any machine.", "quantifier"),
        ("Purchases pause until May.", "All purchases pause until May.", "accepted"),
        ("The key is published before anything else.", "The key is published ahead of everything else.", "accepted"),
    ],
)  # fmt: skip
def test_one_kind_of_a_thing_is_not_all_of_it(source: str, claim: str, code: str) -> None:
    assert verdict(region(source), claim, type="constraint") == code


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Flush the brine tank in hall 2, and only that one.", "All brine tanks are to be flushed."),
        ("Spüle den Soletank in Halle 2, und nur diesen.", "Alle Soletanks werden gespült."),
        ("Vacía el tanque de salmuera de la nave 2, y solo ese.", "Todos los tanques de salmuera se vacían."),
    ],
)
def test_what_is_ordered_for_one_thing_only_is_not_ordered_for_all(source: str, claim: str) -> None:
    assert verdict(region(source), claim, type="decision") == "quantifier"


def test_an_amount_per_thing_is_one_for_each() -> None:
    of = region("Add the ledger export. At most 900 lines per file.")
    assert verdict(of, "Each ledger file may have no more than 900 lines.", type="constraint") == "accepted"

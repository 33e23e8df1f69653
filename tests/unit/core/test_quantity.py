"""How much of a thing a claim speaks of, against its source."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict

AMOUNTS = [
    (
        "Both gates stay shut at night.",
        "Only one of the gates stays shut at night.",
        "The two gates stay shut at night.",
    ),
    ("Half of the members voted by mail.", "All members voted by mail.", "By mail voted half of the members."),
    ("Few members brought a guest.", "Many members brought a guest.", "A guest was brought by few members."),
    ("Any resident may book the sauna.", "Only board residents may book the sauna.", "Residents may book the sauna."),
    ("Every boat has its own buoy.", "Only some of the boats have their own buoy.", "Each boat has its own buoy."),
    ("Beide Türen bleiben nachts zu.", "Nur eine der Türen bleibt nachts zu.", "Nachts bleiben beide Türen zu."),
    (
        "Les deux portes restent fermées.",
        "Seule l'une des portes reste fermée.",
        "Les deux portes restent fermées la nuit.",
    ),
    ("Allebei de deuren blijven dicht.", "Slechts één van de deuren blijft dicht.", "De twee deuren blijven dicht."),
    ("Многие участники пришли пешком.", "Пришли пешком немногие участники.", "Пешком пришли многие участники."),
    ("会員の半数が投票した。", "会員全員が投票した。", "投票したのは会員の半数だ。"),
]


@pytest.mark.parametrize(("source", "wrong", "right"), AMOUNTS)
def test_an_amount_is_kept(source: str, wrong: str, right: str) -> None:
    """Fails if a part is told of all, all of a part, or few of many."""
    assert verdict(region(source), wrong) == "quantifier"
    assert verdict(region(source), right) == "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("All windows except the kitchen one are new.", "Only the kitchen window is not new."),
        ("Not all cabins have a stove.", "Some cabins come without a stove."),
        ("Toutes les lampes marchent sauf celle du garage.", "Seule la lampe du garage ne marche pas."),
        ("Todas las salas tienen proyector menos la 12.", "La 12 es la única sala sin proyector."),
        ("Many visitors asked for a map, few asked for a guide.", "Few visitors asked for a guide."),
        ("Every guest brings a dish. Only drinks are provided.", "Only drinks are provided."),
    ],
)
def test_another_way_to_say_the_amount_stands(source: str, claim: str) -> None:
    """Fails if the exception told as such, or an amount of something else, counts as another amount."""
    assert verdict(region(source), claim) == "accepted"


def test_both_counts_two_of_its_own_noun_only() -> None:
    """Fails if `both` lets a claim count two of anything."""
    said = region("Both cats sleep in the barn, the dogs sleep in the yard.")
    assert verdict(said, "The two cats sleep in the barn.") == "accepted"
    assert verdict(said, "The two dogs sleep in the yard.") == "literal_missing"

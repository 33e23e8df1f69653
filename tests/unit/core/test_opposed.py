"""The word beside an opposite keeps the side that its sources give to it."""

from __future__ import annotations

import pytest

from bobctx.core import opposed
from tests.unit.core.claim_cases import case, region, verdict

SIDES = [
    ("The garden is open to all, the cellar stays closed.", "The cellar is open.", "The cellar stays closed."),
    (
        "The reading room reopens in May and its comments stay closed.",
        "In May comments are open.",
        "Comments are closed.",
    ),
    ("Le jardin reste ouvert, la cave est fermée.", "La cave est ouverte.", "Le jardin est ouvert."),
    ("La sala está abierta, el taller está cerrado.", "El taller está abierto.", "La sala está abierta."),
    ("Il giardino è aperto, la cantina resta chiusa.", "La cantina è aperta.", "Il giardino è aperto."),
    ("De tuin is open, de kelder blijft gesloten.", "De kelder is open.", "De tuin is open."),
    ("Сад открыт, погреб закрыт.", "Погреб открыт.", "Сад открыт."),
]


@pytest.mark.parametrize(("source", "wrong", "right"), SIDES)
def test_a_thing_keeps_its_side_of_an_opposite(source: str, wrong: str, right: str) -> None:
    """Fails if one thing may take the side of another one of its sentence."""
    refusal = opposed.check(case(region(source), wrong))
    assert refusal is not None
    assert refusal.code == "antonym"
    assert opposed.check(case(region(source), right)) is None
    assert verdict(region(source), wrong) != "accepted"
    assert verdict(region(source), right) == "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The cellar isn't closed.", "The cellar is open."),
        ("The cellar is closed if it rains.", "The cellar is open."),
        ("Is the cellar closed?", "The cellar is open."),
        ("The cellar is closed on Mondays. The cellar is open on Sundays.", "The cellar is open."),
        ("The cellar stays closed.", "Is the cellar open?"),
        ("The cellar stays closed.", "The cellar is not open."),
        ("The cellar stays closed.", "The cellar was open."),
        ("The garden, next to the cellar, is closed.", "The cellar is open."),
    ],
)
def test_only_a_plain_statement_of_the_other_side_counts(source: str, claim: str) -> None:
    """Fails if what is denied, asked, bound to a condition or told of both sides is held against a claim."""
    assert opposed.check(case(region(source), claim)) is None


MATTERS = [
    ("Ann likes the new studio, she finds it very quiet.", "Ann finds the new studio noisy.", "Ann finds it quiet."),
    ("Damit der Lack trocknet, lass das Fenster im Bad offen.", "Das Fenster im Bad bleibt zu und geschlossen.", ""),
    ("地窖的门关着。", "地窖的门开着。", "地窖的门关着。"),
    ("냄새가 빠지게 지하실 창문을 열어 두세요.", "지하실 창문을 닫아 두어야 한다.", ""),
    ("校医批准了六班去湿地的申请。", "校医驳回了六班去湿地的申请。", ""),
]


@pytest.mark.parametrize(("source", "wrong", "right"), MATTERS)
def test_a_pair_named_once_keeps_its_side(source: str, wrong: str, right: str) -> None:
    """Fails if a short source's only word of a pair may be turned because its sentence says more."""
    assert verdict(region(source), wrong) != "accepted"
    assert not right or verdict(region(source), right) == "accepted"


PAIRS = [
    ("Breakfast is included in the room rate.", "Breakfast costs extra on top of the room rate."),
    ("The gate blocks all lorries from the quay.", "The gate lets lorries from the quay through."),
    ("The sauce was far too mild for Ann.", "The sauce was too spicy for Ann."),
    ("La caisse a refusé le prêt du garage.", "La caisse a accordé le prêt du garage."),
    ("O portão bloqueia os caminhões do cais.", "O portão libera os caminhões do cais."),
    ("В этот музей пускают с детьми.", "В этот музей вход с детьми запрещён."),
    ("朝食は宿泊料に含まれます。", "朝食は宿泊料とは別料金だ。"),
    ("احتفظ بالمفاتيح القديمة.", "يجب التخلص من المفاتيح القديمة."),
]


@pytest.mark.parametrize(("source", "claim"), PAIRS)
def test_everyday_opposites_are_not_exchanged(source: str, claim: str) -> None:
    """Fails if one side of an everyday pair may be told as the other."""
    assert verdict(region(source), claim) != "accepted"
    assert verdict(region(source), source) == "accepted"


def test_the_other_side_of_a_deed_is_told_of_the_other_doer() -> None:
    """Fails if who lends and who borrows may be exchanged, or if the borrower may not be told."""
    source = region("I lent Ann my ladder last week.")
    assert verdict(source, "Ann borrowed a ladder from the user.") == "accepted"
    assert verdict(source, "The user borrowed a ladder from Ann.") != "accepted"

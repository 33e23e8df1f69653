"""A condition does not become its opposite, nor an exception part of the rule."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "turned", "kept"),
    [
        ("Unless it snows, the market takes place.", "The market takes place only if it snows.",
         "The market does not take place if it snows."),
        ("Wenn es schneit, fällt der Markt aus.", "Der Markt fällt aus, wenn es nicht schneit.",
         "Der Markt fällt aus, wenn es schneit."),
        ("S'il neige, le marché se tient sous la halle.", "Le marché se tient sous la halle s'il ne neige pas.",
         "Le marché se tient sous la halle s'il neige."),
        ("Se nevica, il mercato del sabato si tiene sotto la tettoia della stazione.",
         "Il mercato del sabato si tiene sotto la tettoia della stazione se non nevica.",
         "Il mercato del sabato si tiene sotto la tettoia della stazione se nevica."),
        ("Als het sneeuwt, staat de markt in de hal.", "De markt staat in de hal als het niet sneeuwt.",
         "De markt staat in de hal als het sneeuwt."),
        ("Если пойдёт снег, ярмарку перенесут в зал.", "Ярмарку перенесут в зал, если снег не пойдёт.",
         "Ярмарку перенесут в зал, если пойдёт снег."),
    ],
)  # fmt: skip
def test_a_condition_keeps_its_sign(source: str, turned: str, kept: str) -> None:
    """Fails if the consequence may be tied to the opposite of its condition."""
    assert verdict(region(source), turned) != "accepted"
    assert verdict(region(source), kept) == "accepted"


@pytest.mark.parametrize(
    ("source", "turned", "kept"),
    [
        ("The sauna is heated daily except Tuesdays.", "The sauna is heated on Tuesdays.",
         "Except on Tuesdays the sauna is heated daily."),
        ("Die Sauna ist täglich außer dienstags geheizt.", "Die Sauna ist dienstags geheizt.",
         "Die Sauna ist dienstags nicht geheizt."),
        ("Сауна работает ежедневно, кроме вторника.", "Сауна работает и по вторникам.",
         "Сауна не работает по вторникам."),
        ("除了学生，其他人都要买门票。", "学生也要买门票。", "学生不用买门票。"),
    ],
)  # fmt: skip
def test_an_exception_stays_out(source: str, turned: str, kept: str) -> None:
    """Fails if a claim may say of an exception what its source says of all else."""
    assert verdict(region(source), turned) == "condition_dropped"
    assert verdict(region(source), kept) == "accepted"


def test_besides_is_no_exception() -> None:
    of = region("Apart from the sauna the pool is heated too.")
    assert verdict(of, "The pool is heated too, apart from the sauna.") == "accepted"

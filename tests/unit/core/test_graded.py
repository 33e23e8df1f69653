"""A comparison keeps the end of its scale."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "turned", "kept"),
    [
        ("The blue ferry takes less time than the white one.", "The blue ferry is slower than the white one.",
         "The blue ferry is faster than the white one."),
        ("My cousin is older than me.", "The user's cousin is younger than the user.",
         "The user is younger than the cousin."),
        ("We sold more tickets than last spring.", "Fewer tickets were sold than last spring.",
         "More tickets were sold than last spring."),
        ("Der neue Ofen braucht weniger Strom als der alte.", "Der neue Ofen braucht mehr Strom als der alte.",
         "Der neue Ofen braucht weniger Strom als der alte."),
        ("Le nouveau four coûte moins que l'ancien.", "Le nouveau four est plus cher que l'ancien.",
         "Le nouveau four coûte moins que l'ancien."),
        ("El horno nuevo gasta menos gas que el viejo.", "El horno nuevo gasta más gas que el viejo.",
         "El horno nuevo gasta menos gas que el viejo."),
        ("De nieuwe oven verbruikt minder stroom dan de oude.", "De nieuwe oven verbruikt meer stroom dan de oude.",
         "De nieuwe oven verbruikt minder stroom dan de oude."),
        ("Новый насос шумит меньше старого.", "Новый насос громче старого.", "Новый насос тише старого."),
        ("第一队的人数没有第二队多。", "第一队的人数比第二队多。", "第一队的人数比第二队少。"),
        ("새 오븐이 예전 것보다 시간이 덜 걸려요.", "새 오븐은 예전 것보다 느리다.", "새 오븐은 예전 것보다 빠르다."),
    ],
)  # fmt: skip
def test_a_grade_is_not_turned_round(source: str, turned: str, kept: str) -> None:
    """Fails if a claim may give one side of a comparison the other end of its scale."""
    assert verdict(region(source), turned) != "accepted"
    assert verdict(region(source), kept) == "accepted"

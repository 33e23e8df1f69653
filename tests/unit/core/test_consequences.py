"""A statement that holds only under a condition, of which the claim takes most of the words or the denial."""

from __future__ import annotations

import pytest

from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim", "code"),
    [
        ("Réunion du chœur le samedi 6 juin. S'il pleut, on chantera les airs anciens dans la grange.",
         "Le chœur chantera les airs anciens le samedi 6 juin.", "condition_dropped"),
        ("Se fizer frio no dia 9, trocamos a praia pelo cinema.", "No dia 9 a praia será trocada pelo cinema.",
         "hypothetical"),
        ("난방 공사가 길어지면 식당은 닫을게요.", "식당은 닫는다.", "condition_dropped"),
        ("보일러 수리가 늦어지면 행사를 취소할게요.", "행사를 취소한다.", "condition_dropped"),
        ("The ranker is new. If recall falls under 0.7, don't publish it.", "The ranker must not be published.",
         "condition_dropped"),
        ("The ranker is new. If recall falls under 0.7, don't publish it.",
         "If recall is under 0.7, the ranker must not be published.", "accepted"),
        ("S'il pleut, on chantera dans la grange.", "S'il pleut, on chante dans la grange.", "accepted"),
        ("난방 공사가 길어지면 식당은 닫을게요.", "공사가 길어지면 식당은 닫는다.", "accepted"),
        ("Se fizer frio no dia 9, trocamos a praia pelo cinema.", "Se fizer frio, a praia será trocada pelo cinema.",
         "accepted"),
        ("If the glue is wet, don't touch it. Don't touch the lens either.", "The lens must not be touched.",
         "accepted"),
    ],
)  # fmt: skip
def test_a_consequence_keeps_its_condition(source: str, claim: str, code: str) -> None:
    assert verdict(region(source), claim, type="decision") == code

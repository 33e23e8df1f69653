"""Pieces of a text: words, numbers, marks and what is not read."""

from __future__ import annotations

import pytest

from bobctx.core.lexemes import lexemes
from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize("text", ["It costs $40 and then $90 more.", "between $5 and $6", "$ 5 here, $ 6 there"])
def test_two_amounts_in_dollars_are_no_formula(text: str) -> None:
    """Fails if what stands between two amounts is not read."""
    assert all(lexeme.kind != "opaque" for lexeme in lexemes(text, "en"))


def test_a_formula_is_read_as_one_piece() -> None:
    assert [x.form for x in lexemes("Solve $a+b$ first.", "en") if x.kind == "opaque"] == ["a+b"]


def test_a_denial_between_two_amounts_is_read() -> None:
    of = region("The fee of $40 is not part of the rent of $90.")
    assert verdict(of, "The fee of $40 is part of the rent of $90.") == "negation_dropped"
    assert verdict(of, "The fee of $40 is not part of the rent of $90.") == "accepted"

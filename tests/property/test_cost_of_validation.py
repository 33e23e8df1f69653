"""What a validation costs grows with its region and no faster, on prose and on text made to hurt."""

from __future__ import annotations

import pytest

from evals.bench.hostile import VALIDATED, validate
from tests.steps import LIMIT, growth

SIZE = 6_000


@pytest.mark.parametrize("name", sorted(VALIDATED))
def test_twice_the_text_costs_about_twice_the_steps(name: str) -> None:
    """Fails if a check is worse than linear in the length of a message."""
    assert growth(validate, VALIDATED[name], SIZE) <= LIMIT

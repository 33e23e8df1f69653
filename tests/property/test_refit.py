"""An assembled list that is trimmed again at call time is valid, fits, and keeps what it must."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bobctx.core.budget import plan_budget
from bobctx.core.dialect import DIALECTS, check, list_tokens
from bobctx.core.refit import refit
from bobctx.core.segments import split_preamble
from bobctx.core.tokens import estimate
from bobctx.core.types import Message
from tests.property.conversations import conversations
from tests.property.test_fitted_lists import SETTINGS, assemble

pytestmark = pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")
"""Giant messages make long reports."""


@pytest.mark.parametrize("dialect", DIALECTS)
@SETTINGS
@given(
    messages=conversations(max_size=24),
    before=st.sampled_from([8_192, 32_768, 131_072]),
    after=st.sampled_from([1_000, 2_000, 4_096, 8_192]),
)
def test_a_refitted_list_is_valid_and_within_the_new_budget(
    dialect: str, messages: list[Message], before: int, after: int
) -> None:
    """Fails if a pair is divided, a repair's text is not counted, or the newest message is lost."""
    rest = split_preamble(messages)[1]
    assembled = assemble(rest, before, dialect) if rest else None
    if assembled is None or assembled.cannot_fit:
        return
    budget = plan_budget(after)
    result = refit(assembled.messages, budget, dialect, count=estimate)
    assert check(result.messages, dialect) == []
    if result.fits:
        assert list_tokens(result.messages, dialect, estimate) <= budget.history
    else:
        assert after <= 4_096


@SETTINGS
@given(messages=conversations(max_size=24))
def test_a_list_that_fits_comes_back_as_it_is(messages: list[Message]) -> None:
    rest = split_preamble(messages)[1]
    assembled = assemble(rest, 32_768, "openai") if rest else None
    if assembled is None or assembled.cannot_fit:
        return
    result = refit(assembled.messages, plan_budget(32_768), "openai", count=estimate)
    assert json.dumps(list(result.messages)) == json.dumps(list(assembled.messages))

"""Whatever was recorded, at any window: the answer fits, is valid, and says what it leaves out."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bobctx.core.assembly import Assembled, AssemblyRequest, finish_assembly, plan_assembly
from bobctx.core.budget import Window
from bobctx.core.dialect import DIALECTS, check, list_tokens
from bobctx.core.records import Snapshot
from bobctx.core.segments import Spine, entry_of, split_preamble
from bobctx.core.tokens import estimate
from bobctx.core.types import Message, Scope, ToolSet
from tests.property.conversations import conversations

pytestmark = pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")
"""Giant messages make long reports."""
SETTINGS = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
WINDOWS = st.sampled_from([1_000, 2_000, 4_096, 8_192, 16_384, 32_768, 131_072, 1_000_000])
SPAN = regex.compile(r"\bm(\d+)(?:\.\.m(\d+))?")


def assemble(messages: Sequence[Message], window: int, dialect: str, mode: str = "fit") -> Assembled:
    spine = Spine.build(entry_of(m) for m in messages)
    snapshot = Snapshot(scope=Scope(conversation_id="c", user_id="u"), revision=1, spine=spine, compactions=())
    request = AssemblyRequest(
        window=Window(tokens=window, source="setting"),
        count=estimate,
        versions=("p", "v"),
        dialect=dialect,
        mode=mode,  # type: ignore[arg-type]  # a parameter of the test
        tools=ToolSet(expand=True, search=True),
    )
    plan = plan_assembly(snapshot, request)
    return finish_assembly(plan, [messages[p] for p in plan.positions])


def aliases(text: str) -> set[int]:
    """Every message number that a text names, ranges spelled out."""
    found: set[int] = set()
    for match in SPAN.finditer(text):
        first = int(match[1])
        found |= set(range(first, int(match[2] or first) + 1))
    return found


@pytest.mark.parametrize("dialect", DIALECTS)
@SETTINGS
@given(messages=conversations(max_size=24), window=WINDOWS)
def test_a_fitted_list_is_within_budget_valid_and_complete(dialect: str, messages: list[Message], window: int) -> None:
    """Fails if a repair's text is not counted, a pair is divided, or an omission is not announced."""
    rest = split_preamble(messages)[1]
    if not rest:
        return
    answer = assemble(rest, window, dialect)
    if answer.cannot_fit:
        assert window <= 4_096
        return
    assert list_tokens(answer.messages, dialect, estimate) <= answer.budget["history"]
    assert check(answer.messages, dialect) == []
    raw = {item.id for item in answer.plan if item.id is not None}
    named = aliases(json.dumps(answer.messages, ensure_ascii=False))
    for message in rest:
        assert message.id in raw or message.seq in named


@SETTINGS
@given(messages=conversations(max_size=24), window=WINDOWS)
def test_the_newest_message_and_the_newest_user_message_are_there(messages: list[Message], window: int) -> None:
    rest = split_preamble(messages)[1]
    if not rest:
        return
    spine = Spine.build(entry_of(m) for m in rest)
    answer = assemble(rest, window, "openai")
    raw = {item.id for item in answer.plan if item.id is not None}
    if answer.cannot_fit:
        return
    assert rest[-1].id in raw
    assert spine.newest_user is None or rest[spine.newest_user].id in raw


@SETTINGS
@given(messages=conversations(max_size=24), window=WINDOWS)
def test_the_same_input_gives_the_same_bytes(messages: list[Message], window: int) -> None:
    rest = split_preamble(messages)[1]
    if rest:
        assert assemble(rest, window, "anthropic") == assemble(rest, window, "anthropic")

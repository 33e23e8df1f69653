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
from tests.property.providers import anthropic_refuses, openai_refuses

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


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
@SETTINGS
@given(messages=conversations(max_size=24), window=WINDOWS)
def test_a_second_reading_of_the_providers_rules_finds_nothing_either(
    dialect: str, messages: list[Message], window: int
) -> None:
    """Fails if `check` and the repair that rests on it overlook the same thing."""
    rest = split_preamble(messages)[1]
    answer = assemble(rest, window, dialect) if rest else None
    if answer is None or answer.cannot_fit:
        return
    refuses = openai_refuses if dialect == "openai" else anthropic_refuses
    assert list(refuses(answer.messages)) == []


@SETTINGS
@given(messages=conversations(max_size=24), window=WINDOWS)
def test_a_signed_thought_is_sent_as_it_came_or_not_at_all(messages: list[Message], window: int) -> None:
    """Fails if any step of the ladder shortens, re-writes or re-orders one: its signature would no longer hold."""
    rest = split_preamble(messages)[1]
    answer = assemble(rest, window, "anthropic") if rest else None
    if answer is None or answer.cannot_fit:
        return
    came = [json.dumps(p.native) for m in rest for p in m.parts if p.kind == "thinking"]
    sent = [
        json.dumps(b)
        for m in answer.messages
        for b in (m["content"] if isinstance(m["content"], list) else [])
        if isinstance(b, dict) and b.get("type") == "thinking"
    ]
    order = iter(came)
    assert all(thought in order for thought in sent), "one that came is missing, or they changed places"


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

"""Budgets in which hardly more than the newest message has room: it is sent, the rest is announced."""

from __future__ import annotations

import json

import pytest

from bobctx.core.assembly import Assembled, AssemblyRequest, finish_assembly, plan_assembly
from bobctx.core.budget import Window
from bobctx.core.dialect import DIALECTS, check, list_tokens
from bobctx.core.parts import read_message
from bobctx.core.records import Snapshot
from bobctx.core.segments import Spine, entry_of
from bobctx.core.tokens import estimate
from bobctx.core.types import Json, Message, Scope, ToolSet

KEY = b"k" * 32
TOOLS = ToolSet(expand=True, search=True)
BUDGETS = (56, 64, 80, 100, 140, 200)
FIRSTS = ("hello", "Please read: " + "the harbour opens at nine. " * 80)


def conversation(first: str) -> list[Message]:
    said: list[tuple[str, str]] = [("user", first)]
    said += [("assistant" if n % 2 == 0 else "user", f"turn {n}: " + "a long story. " * 20) for n in range(20)]
    said += [("assistant", "fine"), ("user", "And now?")]
    return [
        read_message({"role": role, "content": text}, id=f"i{n}", seq=n, tokens=estimate(text) + 4)
        for n, (role, text) in enumerate(said, 1)
    ]


def run(
    messages: list[Message], budget: int, *, dialect: str = "openai", again: tuple[dict[str, Json], ...] | None = None
) -> Assembled:
    spine = Spine.build(entry_of(m) for m in messages)
    snapshot = Snapshot(scope=Scope(conversation_id="c", user_id="u"), revision=1, spine=spine, compactions=())
    request = AssemblyRequest(
        window=Window(tokens=32_000, source="setting"),
        count=estimate,
        versions=("p", "v"),
        dialect=dialect,
        mode="live",
        budget_tokens=budget,
        key=KEY,
        tools=TOOLS,
        messages=None if again is None else [read_message(body) for body in again],
    )
    plan = plan_assembly(snapshot, request)
    return finish_assembly(plan, [messages[p] for p in plan.positions])


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("first", FIRSTS, ids=["short", "long"])
@pytest.mark.parametrize("budget", BUDGETS)
def test_the_newest_message_is_sent_and_everything_else_announced(budget: int, first: str, dialect: str) -> None:
    """Fails if an opening that cannot be cut small enough takes the room of a message that fits alone."""
    answer = run(conversation(first), budget, dialect=dialect)
    assert not answer.cannot_fit
    assert list_tokens(answer.messages, dialect, estimate) <= budget
    assert check(answer.messages, dialect) == []
    text = json.dumps(answer.messages)
    assert "And now?" in text
    shown = sum(item.id is not None for item in answer.plan)
    assert answer.decision["messages_covered"] == 0
    assert shown + answer.decision["messages_uncovered"] == 23
    assert "..m22" in text


@pytest.mark.parametrize("first", FIRSTS, ids=["short", "long"])
@pytest.mark.parametrize("budget", BUDGETS)
def test_assembling_a_tiny_list_twice_gives_the_same(budget: int, first: str) -> None:
    messages = conversation(first)
    once = run(messages, budget)
    assert run(messages, budget, again=once.messages).messages == once.messages


def test_an_opening_is_cut_before_it_is_left_out() -> None:
    answers = {budget: run(conversation(FIRSTS[1]), budget) for budget in (80, 400)}
    assert "opening_dropped" in answers[80].warnings
    assert "head_truncated" in answers[400].warnings
    assert "Please read" in json.dumps(answers[400].messages)


def test_a_budget_without_room_for_the_newest_message_and_a_word_about_the_rest_is_refused() -> None:
    assert run(conversation("hello"), 20).cannot_fit

"""Items of the Responses API as messages: grouped, never torn apart, sent on as they were."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx.integrations.responses_items import groups, recordable, written

REASONING = {"type": "reasoning", "id": "r", "encrypted_content": "…", "summary": []}
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]}
CALLS = [{"type": "function_call", "call_id": c, "name": "read", "arguments": "{}"} for c in ("a", "b")]
RESULTS = [{"type": "function_call_output", "call_id": c, "output": f"text {c}"} for c in ("a", "b")]
ITEMS: list[Any] = [{"role": "user", "content": "go"}, REASONING, SAID, *CALLS, *RESULTS, REASONING, SAID]


def test_an_answer_with_its_calls_is_one_message_and_each_result_another() -> None:
    found = groups(ITEMS)
    assert [g.body["role"] for g in found] == ["user", "assistant", "tool", "tool", "assistant"]
    assert [g.places for g in found] == [[0], [1, 2, 3, 4], [5], [6], [7, 8]]
    assert found[1].body["content"] == "I look."
    assert [c["id"] for c in found[1].body["tool_calls"]] == ["a", "b"]


def test_the_hosts_own_items_are_sent_on_whole() -> None:
    found = groups(ITEMS)
    assert written(ITEMS, found, range(5)) == ITEMS
    assert written(ITEMS, found, [0, 4]) == [ITEMS[0], REASONING, SAID]


def test_new_messages_are_written_as_items() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    bodies: list[Any] = [
        {"role": "user", "content": [{"type": "text", "text": "block"}]},
        {"role": "assistant", "content": "cut", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "cut"},
    ]
    assert written([], [], bodies) == [
        {"role": "user", "content": "block"},
        {"role": "assistant", "content": "cut"},
        CALLS[0],
        {"type": "function_call_output", "call_id": "a", "output": "cut"},
    ]


def test_a_text_is_one_message() -> None:
    found = groups("hello")
    assert found[0].body == {"role": "user", "content": "hello"}
    assert written("hello", found, [0]) == [{"role": "user", "content": "hello"}]


@pytest.mark.parametrize("kind", ["compaction", "item_reference", "computer_call"])
def test_what_is_unknown_leaves_the_request_alone(kind: str) -> None:
    with pytest.raises(ValueError, match=kind):
        groups([{"type": kind, "id": "x"}])


def test_an_answer_that_says_nothing_is_not_recorded() -> None:
    assert recordable(groups([REASONING])) == []

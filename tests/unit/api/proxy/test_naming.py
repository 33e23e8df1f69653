"""Which conversation a request belongs to, and what makes two histories the same."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bobctx.api.proxy.naming import Habit, answered, found_at, is_side_call, node_ids, place_in, session
from bobctx.core.records import Holder

ASK = {"role": "user", "content": "Which port?"}
TOLD = {"role": "assistant", "content": "Port 9001."}


def call(arguments: str, **more: Any) -> dict[str, Any]:
    function = {"name": "look_up", "arguments": arguments}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": function, **more}]}


@pytest.mark.parametrize(
    ("headers", "name"),
    [
        ({"x-bobctx-conversation": "a", "x-litellm-trace-id": "b"}, "a"),
        ({"x-litellm-trace-id": "a", "x-litellm-session-id": "b"}, "a"),
        ({"x-litellm-session-id": "a", "session-id": "b"}, "a"),
        ({"x-claude-code-session-id": "a", "session_id": "b"}, "a"),
        ({"x-some-app-session-id": "a"}, "a"),
        ({"session-id": "a", "session_id": "b"}, "a"),
        ({"session_id": "a", "thread-id": "b"}, "a"),
        ({"thread-id": "a", "conversation_id": "b"}, "a"),
        ({"conversation_id": "a", "x-session-id": "b"}, "a"),
        ({"x-session-id": "a"}, "a"),
        ({"x-litellm-trace-id": "", "x-session-id": "a"}, "a"),
        ({"x-litellm-trace-id": "x" * 600, "x-session-id": "a"}, "a"),
        ({"x-request-id": "a"}, None),
        ({}, None),
    ],
)
def test_the_first_usable_header_names_the_conversation(headers: dict[str, str], name: str | None) -> None:
    assert session(headers, {}, "h1") == name


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"metadata": {"user_id": json.dumps({"session_id": "s1", "device_id": "d"})}}, "s1"),
        ({"metadata": {"user_id": "user_ab_account__session_0a1b2c3d-0a1b-0a1b"}}, "0a1b2c3d-0a1b-0a1b"),
        ({"metadata": {"user_id": "plain-user"}}, None),
        ({"metadata": {"user_id": "{broken"}}, None),
        ({"metadata": {"session_id": "s2"}}, "s2"),
        ({"metadata": {"session_id": 5}}, None),
        ({"metadata": "x", "user": "ann"}, None),
        ({"prompt_cache_key": "k"}, "k/h1"),
        ({"prompt_cache_key": ["k"]}, None),
        ({"metadata": {"session_id": "s2"}, "prompt_cache_key": "k"}, "s2"),
    ],
)
def test_else_the_body_does(body: dict[str, Any], name: str | None) -> None:
    """`user` names no conversation, and a cache key only one with the message that it begins with."""
    assert session({}, body, "h1") == name


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (TOLD, {"role": "assistant", "content": [{"type": "text", "text": "Port 9001."}]}),
        (TOLD, {"role": "assistant", "content": "Port 9001.\n"}),
        (TOLD, {**TOLD, "refusal": None, "annotations": []}),
        (
            TOLD,
            {"role": "assistant", "content": [{"type": "text", "text": "Port "}, {"type": "text", "text": "9001."}]},
        ),
        (
            TOLD,
            {
                "role": "assistant",
                "content": [{"type": "thinking", "thinking": "?"}, {"type": "text", "text": "Port 9001."}],
            },
        ),
        (call('{"a": 1, "b": 2}'), call('{"b":2,"a":1}', index=0, type="function")),
        (call("{}"), {**call("{}"), "content": ""}),
    ],
)
def test_what_clients_change_in_an_answer_is_still_the_same_answer(first: Any, second: Any) -> None:
    assert node_ids([ASK, first]) == node_ids([ASK, second])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([ASK, TOLD], [ASK, {**TOLD, "role": "user"}]),
        ([ASK, TOLD], [ASK, {"role": "assistant", "content": "Port 9002."}]),
        ([ASK, TOLD], [{"role": "user", "content": "Which?"}, TOLD]),
        ([ASK, call('{"a":1}')], [ASK, call('{"a":2}')]),
        ([ASK, call("{}")], [ASK, call("{}", id="c2")]),
    ],
)
def test_another_history_has_another_id(first: Any, second: Any) -> None:
    assert node_ids(first)[-1] != node_ids(second)[-1]


def test_equal_texts_at_two_places_are_two_messages() -> None:
    ids = node_ids([ASK, TOLD, ASK, TOLD])
    assert len(set(ids)) == 4
    assert node_ids([ASK, TOLD])[-1] == ids[1]
    assert answered([ASK, TOLD, ASK, TOLD], ids) == [ids[3], ids[1]]


def holder(conversation: str, message: str, *, deleted: bool = False, leaf: bool = False, ts: float = 0) -> Holder:
    return Holder(conversation_id=conversation, message_id=message, deleted=deleted, is_leaf=leaf, recorded_ts=ts)


def test_the_longest_stored_prefix_says_which_conversation() -> None:
    holders = [holder("old", "a1", ts=9), holder("right", "a2", ts=1)]
    assert found_at(holders, ["a3", "a2", "a1"]) == "right"
    assert found_at(holders, ["a9"]) is None


def test_of_conversations_that_begin_alike_the_one_that_ends_there_is_meant() -> None:
    holders = [holder("went-on", "a1", ts=9), holder("ends-here", "a1", leaf=True, ts=1)]
    assert found_at(holders, ["a1"]) == "ends-here"
    assert found_at([holder("older", "a1", ts=1), holder("newer", "a1", ts=2)], ["a1"]) == "newer"


def test_a_deleted_message_still_says_where_its_history_belongs_but_is_no_leaf() -> None:
    """Fails if tombstones were passed over: a re-sent history would be recorded anew, elsewhere."""
    found = [holder("c", "a1", deleted=True)]
    assert found_at(found, ["a1"]) == "c"
    place = place_in("c", [*found, holder("c", "u1")], ["u1", "a1", "u2"], ["a1"])
    assert place.leaf_id == "u1"
    assert place.continues


MAIN = Habit(system="main", tools=True)
CHAT = Habit(system="main", tools=False)


@pytest.mark.parametrize(
    ("habit", "now", "continues", "side"),
    [
        (None, Habit(system="title", tools=False), False, False),
        (MAIN, Habit(system="title", tools=False), False, True),
        (MAIN, Habit(system="title", tools=False), True, True),
        (MAIN, Habit(system="main", tools=False), True, False),
        (MAIN, Habit(system="other", tools=True), False, False),
        (CHAT, Habit(system="title", tools=False), False, True),
        (CHAT, Habit(system="main, Tuesday", tools=False), True, False),
    ],
)
def test_a_call_without_tools_and_with_another_system_prompt_is_a_side_call(
    habit: Habit | None, now: Habit, continues: bool, side: bool
) -> None:
    assert is_side_call(habit, now, continues=continues) is side

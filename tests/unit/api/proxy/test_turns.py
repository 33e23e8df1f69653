from __future__ import annotations

import json
from typing import Any

import pytest

from bobctx.api.proxy import asked as requests
from bobctx.api.proxy.asked import Asked, Wire
from bobctx.api.proxy.flights import Flight
from bobctx.api.proxy.naming import node_ids
from bobctx.api.proxy.turns import Said, Tee, Turn, messages_of
from bobctx.core.types import Scope

CALL = {"index": 0, "function": "x"}


def chat(delta: Any) -> Any:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": "stop"}]}


def block(value: Any, index: Any = 0) -> Any:
    return {"type": "content_block_start", "index": index, "content_block": value}


TEXT = block({"type": "text", "text": "x", "citations": 5})
STOP = {"type": "message_stop"}
NONSENSE: list[tuple[Wire, list[Any]]] = [
    ("openai", [{"choices": 5}]),
    ("openai", [chat("x")]),
    ("openai", [chat(["x"])]),
    ("openai", [chat({"tool_calls": 5})]),
    ("openai", [chat({"tool_calls": ["x"]})]),
    ("openai", [chat({"tool_calls": [CALL]}), chat({"tool_calls": [{"index": 0, "function": {"name": "a"}}]})]),
    ("anthropic", [block("x"), STOP]),
    ("anthropic", [block({"type": "text"}, [0]), STOP]),
    ("anthropic", [block({"type": "text"}), block({"type": "text"}, "a"), STOP]),
    ("anthropic", [TEXT, {"type": "content_block_delta", "index": 0, "delta": "x"}, STOP]),
    ("anthropic", [TEXT, {"type": "content_block_delta", "index": 0, "delta": {"type": "citations_delta"}}, STOP]),
]


@pytest.mark.parametrize(("wire", "events"), NONSENSE)
def test_an_answer_of_any_form_is_heard_without_an_error_and_not_recorded(wire: Wire, events: list[Any]) -> None:
    asked = requests.read(wire, {"messages": [{"role": "user", "content": "hello"}]})
    assert isinstance(asked, Asked)
    messages = messages_of(asked, node_ids(asked.messages))
    said: list[Said] = []
    turn = Turn(scope=Scope(conversation_id="c", user_id="u"), asked=asked, messages=messages, flight=Flight("u"))
    tee = Tee(turn, said.append, lambda status, text: None)
    tee.begin(200, [(b"content-type", b"text/event-stream")])
    for event in events:
        tee.take(b"data: " + json.dumps(event).encode() + b"\n\n")
    tee.take(b"data: [DONE]\n\n" if wire == "openai" else b"")
    tee.end()
    assert said == []

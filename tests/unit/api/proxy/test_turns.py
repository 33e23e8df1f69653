"""What is read along of an answer, whatever form its bytes have."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bobctx.api.proxy import asked as requests
from bobctx.api.proxy.asked import Asked, Wire
from bobctx.api.proxy.naming import node_ids
from bobctx.api.proxy.turns import Said, Tee, Turn, messages_of
from bobctx.core.types import Scope

STREAM = [(b"content-type", b"text/event-stream")]


def tee(wire: Wire, told: list[Said]) -> Tee:
    found = requests.read(wire, {"model": "m", "messages": [{"role": "user", "content": "Which port?"}]})
    assert isinstance(found, Asked)
    messages = messages_of(found, node_ids(found.messages))
    turn = Turn(scope=Scope(conversation_id="c", user_id="u"), asked=found, messages=messages)
    return Tee(turn, told.append, lambda _status, _text: None)


@pytest.mark.parametrize(
    ("wire", "event"),
    [
        ("openai", {"choices": 5}),
        ("openai", {"choices": [{"delta": "x"}]}),
        ("openai", {"choices": [{"delta": {"tool_calls": ["x"]}}]}),
        (
            "openai",
            {"choices": [{"delta": {"tool_calls": [{"function": "a"}, {"index": 0, "function": {"name": "f"}}]}}]},
        ),
        ("anthropic", {"type": "content_block_start", "index": 0, "content_block": "x"}),
        ("anthropic", {"type": "content_block_start", "index": [], "content_block": {}}),
        ("anthropic", {"type": "content_block_delta", "index": 0, "delta": "x"}),
    ],
)
def test_events_of_an_unknown_form_are_never_the_relays_business(wire: Wire, event: Any) -> None:
    told: list[Said] = []
    listening = tee(wire, told)
    listening.begin(200, STREAM)
    whole = {"choices": [{"index": 0, "delta": {"content": "9001"}, "finish_reason": "stop"}]}
    for value in (event, whole, {"type": "message_stop"}):
        listening.take(b"data: " + json.dumps(value).encode() + b"\n\n")
    listening.take(b"data: [DONE]\n\n")
    listening.end()
    assert told == [], "an answer of which a part could not be read is not recorded"


def test_a_listener_that_fails_at_the_end_does_not_break_the_answer() -> None:
    listening = tee("openai", [])
    listening._then = lambda _said: 1 / 0  # type: ignore[assignment]
    listening.begin(200, STREAM)
    whole = {"choices": [{"index": 0, "delta": {"content": "9001"}, "finish_reason": "stop"}]}
    listening.take(b"data: " + json.dumps(whole).encode() + b"\n\n")
    listening.end()

"""Answers read from a copy of their bytes, however those are cut."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bobctx.api.proxy.asked import Wire
from bobctx.api.proxy.replies import Reply
from bobctx.api.proxy.streams import reading

SAID: dict[str, Any] = {"role": "assistant", "content": "Port 9001.", "refusal": None}
USAGE = {"prompt_tokens": 40, "prompt_tokens_details": {"cached_tokens": 8}}


def events(*values: Any) -> bytes:
    return b"".join(b"data: " + (v if isinstance(v, bytes) else json.dumps(v).encode()) + b"\n\n" for v in values)


def delta(content: Any = None, finish: str | None = None, index: int = 0, **more: Any) -> dict[str, Any]:
    made = {**more, **({"content": content} if content is not None else {})}
    return {"choices": [{"index": index, "delta": made, "finish_reason": finish}]}


def read(wire: Wire, raw: bytes, *, streamed: bool, size: int = 1_000_000) -> Reply | None:
    found = reading(wire, streamed=streamed)
    for start in range(0, len(raw), size):
        found.feed(raw[start : start + size])
    return found.reply


CHAT = events(
    delta(role="assistant"),
    delta("Port "),
    delta("9001."),
    delta(finish="stop"),
    {"choices": [], "usage": USAGE},
    b"[DONE]",
)
CALL = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
MESSAGES = events(
    {
        "type": "message_start",
        "message": {"usage": {"input_tokens": 25, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 5}},
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "sealed"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Port "}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "9001."}},
    {"type": "content_block_stop", "index": 1},
    {
        "type": "content_block_start",
        "index": 2,
        "content_block": {"type": "tool_use", "id": "t1", "name": "f", "input": {}},
    },
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '{"a":'}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": " 1}"}},
    {"type": "content_block_stop", "index": 2},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
)


@pytest.mark.parametrize("size", [1, 3, 7, 1_000_000])
@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
def test_a_stream_is_read_however_it_is_cut(size: int, ends: bytes) -> None:
    chat = read("openai", CHAT.replace(b"\n", ends), streamed=True, size=size)
    assert chat is not None
    assert chat.message["content"] == "Port 9001."
    assert (chat.prompt_tokens, chat.cached_tokens) == (40, 8)
    said = read("anthropic", MESSAGES.replace(b"\n", ends), streamed=True, size=size)
    assert said is not None
    assert said.message["content"] == [
        {"type": "thinking", "thinking": "Hm.", "signature": "sealed"},
        {"type": "text", "text": "Port 9001."},
        {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}},
    ]
    assert (said.prompt_tokens, said.cached_tokens, said.written_tokens) == (40, 10, 5)


@pytest.mark.parametrize("streamed", [CHAT, MESSAGES])
def test_a_stream_that_breaks_off_anywhere_is_no_answer(streamed: bytes) -> None:
    """Fails if half an answer could be recorded as a whole one."""
    wire: Wire = "openai" if streamed is CHAT else "anthropic"
    last = streamed.index(b'"stop"' if wire == "openai" else b'"message_stop"')
    for end in range(0, last, 5):
        assert read(wire, streamed[:end], streamed=True) is None


def test_calls_come_in_pieces_and_several_at_once() -> None:
    raw = events(
        delta(role="assistant", tool_calls=[{"index": 0, "id": "c1", "type": "function", "function": {"name": "f"}}]),
        delta(tool_calls=[{"index": 0, "function": {"arguments": '{"a"'}}]),
        delta(tool_calls=[{"index": 1, "id": "c2", "function": {"name": "g", "arguments": "{}"}}]),
        delta(tool_calls=[{"index": 0, "id": "", "function": {"name": "f", "arguments": ":1}"}}]),
        delta(finish="tool_calls"),
        b"[DONE]",
    )
    found = read("openai", raw, streamed=True)
    assert found is not None
    assert found.message == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}},
            {"id": "c2", "function": {"name": "g", "arguments": "{}"}},
        ],
    }


@pytest.mark.parametrize(
    "raw",
    [
        events(delta("a"), {"error": {"message": "overloaded"}}, delta(finish="stop"), b"[DONE]"),
        events(delta("a"), delta("b", index=1), delta(finish="stop"), b"[DONE]"),
        events(delta(finish="stop"), b"[DONE]"),
        events(delta("a"), b"{broken", delta(finish="stop"), b"[DONE]"),
        b": comment\n\n",
        b"",
    ],
)
def test_errors_several_answers_and_nothing_at_all_are_no_answer(raw: bytes) -> None:
    assert read("openai", raw, streamed=True) is None


def test_an_event_of_a_later_kind_makes_an_answer_unreadable_not_wrong() -> None:
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    later = {"type": "content_block_delta", "index": 0, "delta": {"type": "hologram_delta", "hologram": "x"}}
    assert read("anthropic", events(start, later, {"type": "message_stop"}), streamed=True) is None


def test_plain_bodies() -> None:
    choice = {"index": 0, "message": SAID, "finish_reason": "stop"}
    chat = read("openai", json.dumps({"choices": [choice], "usage": USAGE}).encode(), streamed=False, size=5)
    assert chat is not None
    assert chat.message == SAID
    whole = {"type": "message", "content": [{"type": "text", "text": "a"}], "stop_reason": "end_turn"}
    said = read("anthropic", json.dumps(whole).encode(), streamed=False)
    assert said == Reply(message={"role": "assistant", "content": whole["content"]})


@pytest.mark.parametrize(
    ("wire", "value"),
    [
        ("openai", {"choices": []}),
        ("openai", {"choices": [{"message": SAID, "finish_reason": "stop"}] * 2}),
        ("openai", {"choices": [{"message": SAID, "finish_reason": None}]}),
        ("openai", {"error": {"message": "x"}, "choices": [{"message": SAID, "finish_reason": "stop"}]}),
        ("openai", {"choices": [{"message": {"content": ""}, "finish_reason": "stop"}]}),
        ("openai", []),
        ("anthropic", {"type": "error"}),
        ("anthropic", {"type": "message", "content": "x", "stop_reason": "end_turn"}),
        ("anthropic", {"type": "message", "content": [], "stop_reason": "end_turn"}),
    ],
)
def test_a_plain_body_that_is_no_single_complete_answer(wire: Wire, value: Any) -> None:
    assert read(wire, json.dumps(value).encode(), streamed=False) is None

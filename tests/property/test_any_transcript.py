"""A transcript is what another program wrote: any value in any place costs that line, never the reading."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bobctx.importers import chat, chatgpt, claude_code, codex, gemini, langchain, openai, sharegpt
from bobctx.importers.pieces import READERS, read_piece
from bobctx.importers.source import of_text

ODD: tuple[Any, ...] = (None, 5, -1, 1e308, True, [], ["x"], [["x"]], {}, {"a": [1]}, "x", "\0", [{"type": ["x"]}])
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
NODE = {"id": "a", "parent": "r", "children": ["b"]}
ASKED = {"id": "a", "author": {"role": "user"}, "create_time": 1, "content": {"content_type": "text", "parts": ["hi"]}}
RAN = {"author": {"role": "tool", "name": "t"}, "content": {"content_type": "code", "text": "x"}, "recipient": "all"}
SAMPLES: dict[Any, Any] = {
    claude_code: [
        {"type": "user", "uuid": "u1", "parentUuid": None, "message": {"role": "user", "content": "hi"}},
        {
            "type": "assistant",
            "uuid": "a1",
            "parentUuid": "u1",
            "message": {"id": "m1", "role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f"}]},
        },
        {
            "type": "user",
            "uuid": "u2",
            "parentUuid": "a1",
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "r"}]},
        },
        {"type": "user", "uuid": "u3", "parentUuid": "u1", "message": {"role": "user", "content": "again"}},
    ],
    codex: [
        {"type": "session_meta", "payload": {"id": "s"}},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"text": "hi"}]}},
        {"type": "event_msg", "payload": {"type": "user_message", "message": "hi"}},
        {"type": "response_item", "payload": {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c"}},
        {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c", "output": "r"}},
        {"type": "message", "role": "assistant", "content": [{"text": "x"}]},
    ],
    gemini: {
        "sessionId": "s",
        "messages": [
            {"type": "user", "id": "1", "content": "hi"},
            {
                "type": "gemini",
                "content": "yo",
                "toolCalls": [{"id": "c", "result": [{"functionResponse": {"response": {"output": "x"}}}]}],
            },
        ],
    },
    chatgpt: [
        {
            "current_node": "b",
            "mapping": {
                "r": {"id": "r", "parent": None, "children": ["a"]},
                "a": {**NODE, "message": ASKED},
                "b": {"id": "b", "parent": "a", "children": [], "message": RAN},
            },
        }
    ],
    sharegpt: [{"conversations": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "yo"}]}],
    langchain: [
        {"type": "human", "data": {"content": "hi", "id": "1"}},
        {"type": "ai", "data": {"content": [{"type": "text", "text": "x"}], "tool_calls": [{"name": "f", "id": "c"}]}},
        {"type": "chat", "data": {"content": "r", "role": "user"}},
    ],
    openai: {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "tool_calls": [CALL]}]},
    chat: [{"speaker": "a", "text": "hi"}, {"speaker": "b", "text": "yo"}],
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def put(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    made = copy.deepcopy(value)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = odd
    return made


@pytest.mark.parametrize("reader", SAMPLES, ids=lambda reader: str(reader.NAME))
def test_any_value_in_any_place_of_a_transcript_is_read(reader: Any) -> None:
    for path in places(SAMPLES[reader]):
        for odd in ODD:
            made = put(SAMPLES[reader], path, odd)
            whole = json.dumps(made)
            text = "\n".join(map(json.dumps, made)) + "\n" if isinstance(made, list) else whole
            for given in {text, whole}:
                source = of_text(given, Path("x"))
                reader.matches(source)
                if reader is not chatgpt or reader.matches(source):
                    reader.read(source)
            if reader.NAME in READERS:
                read_piece(reader.NAME, text)


@pytest.mark.parametrize("ident", ["x" * 600, "a\0b", "\ud800"])
def test_a_message_behind_one_whose_id_cannot_be_recorded_still_follows_it(ident: str) -> None:
    lines = copy.deepcopy(SAMPLES[claude_code])
    lines[0]["uuid"] = lines[1]["parentUuid"] = ident
    found = read_piece("claude_code", "\n".join(map(json.dumps, lines[:3])) + "\n").messages
    assert [m["parents"] for m in found[1:]] == [[m["id"]] for m in found[:-1]]
    assert len(str(found[0]["id"])) < 512

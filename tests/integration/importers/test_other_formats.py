"""Gemini CLI, ChatGPT exports, ShareGPT, LangChain dumps, plain chats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bobctx.importers import read
from tests.integration.importers.lines import write_json, write_jsonl


def test_gemini_tool_calls_get_their_results(tmp_path: Path) -> None:
    call = {
        "id": "ls-1", "name": "list_directory", "args": {"dir": "."},
        "result": [{"functionResponse": {"id": "ls-1", "response": {"output": "a.txt"}}}],
    }  # fmt: skip
    path = write_json(
        tmp_path / "session.json",
        {
            "sessionId": "s",
            "projectHash": "p",
            "messages": [
                {
                    "id": "1",
                    "timestamp": "2025-12-01T21:45:34Z",
                    "type": "user",
                    "content": [{"text": "what is here?"}],
                },
                {"id": "2", "type": "gemini", "content": "", "toolCalls": [call], "thoughts": [{"subject": "x"}]},
                {"id": "3", "type": "info", "content": "update available"},
                {"id": "4", "type": "gemini", "content": "One file."},
            ],
        },
    )
    got = read(path)
    assert got.format == "gemini"
    assert [(m["role"], m["content"]) for m in got.messages] == [
        ("user", "what is here?"),
        ("assistant", None),
        ("tool", "a.txt"),
        ("assistant", "One file."),
    ]
    assert got.messages[1]["tool_calls"][0]["id"] == got.messages[2]["tool_call_id"] == "ls-1"
    assert got.skipped == {"thoughts": 1, "info": 1}


def node(
    ident: str, parent: str | None, children: list[str], role: str = "", *parts: str, **more: Any
) -> dict[str, Any]:
    message = None
    if role:
        content = {"content_type": "text", "parts": list(parts)}
        message = {"id": ident, "author": {"role": role}, "content": content, "create_time": 1.7e9, **more}
    return {"id": ident, "parent": parent, "children": children, "message": message}


def export(*nodes: dict[str, Any], current: str) -> dict[str, Any]:
    return {"title": "T", "current_node": current, "mapping": {n["id"]: n for n in nodes}}


def test_chatgpt_trees_end_in_the_current_branch(tmp_path: Path) -> None:
    """Fails when a regenerated answer is strung behind the one it replaced."""
    path = write_json(
        tmp_path / "conversations.json",
        [
            export(
                node("root", None, ["sys"]),
                node("sys", "root", ["q"], "system", ""),
                node("q", "sys", ["a", "b"], "user", "2+2?"),
                node("a", "q", ["a2"], "assistant", "4"),
                node("a2", "a", [], "user", "sure?"),
                node("b", "q", [], "assistant", "four"),
                current="a2",
            )
        ],
    )
    got = read(path)
    assert got.title == "T"
    assert [(m["id"], m.get("parents")) for m in got.messages] == [
        ("q", None),
        ("b", ["q"]),
        ("a", ["q"]),
        ("a2", ["a"]),
    ]
    assert got.skipped == {"empty": 1}


def test_chatgpt_tool_use_is_paired(tmp_path: Path) -> None:
    path = write_json(
        tmp_path / "conversations.json",
        export(
            node("q", None, ["c"], "user", "plot it"),
            node("c", "q", ["r"], "assistant", "plot(1)", recipient="python"),
            node("r", "c", ["s"], "tool", "drawn"),
            node("s", "r", ["t"], "tool", "search result", recipient="all"),
            node("t", "s", [], "assistant", "Here.", recipient="all"),
            current="t",
        ),
    )
    got = read(path).messages
    assert [m["role"] for m in got] == ["user", "assistant", "tool", "assistant", "tool", "assistant"]
    for call, answer in ((got[1], got[2]), (got[3], got[4])):
        assert call["tool_calls"][0]["id"] == answer["tool_call_id"]
    assert json.loads(got[1]["tool_calls"][0]["function"]["arguments"]) == {"input": "plot(1)"}


def test_sharegpt_roles_are_mapped(tmp_path: Path) -> None:
    turns = [
        {"from": "human", "value": "hi"},
        {"from": "gpt", "value": "hello"},
        {"from": "function_call", "value": '{"name": "w", "arguments": {"city": "Bergen"}}'},
        {"from": "observation", "value": "rain"},
    ]
    path = write_json(tmp_path / "share.json", [{"id": "1", "system": "be kind", "conversations": turns}])
    got = read(path)
    assert got.format == "sharegpt"
    assert [m["role"] for m in got.messages] == ["system", "user", "assistant", "assistant", "tool"]
    assert got.messages[3]["tool_calls"][0]["function"] == {"name": "w", "arguments": '{"city": "Bergen"}'}


@pytest.mark.parametrize("shape", ["to_dict", "dumpd", "model_dump", "state"])
def test_langchain_dumps_of_every_shape(tmp_path: Path, shape: str) -> None:
    fields: list[tuple[str, str, dict[str, Any]]] = [
        ("human", "HumanMessage", {"content": "weather?"}),
        ("ai", "AIMessage", {"content": "", "tool_calls": [{"name": "w", "args": {"c": 1}, "id": "c1"}]}),
        ("tool", "ToolMessage", {"content": "sun", "tool_call_id": "c1", "name": "w"}),
    ]
    dumps: list[Any] = [{"type": kind, **data} for kind, _, data in fields]
    if shape == "to_dict":
        dumps = [{"type": kind, "data": data} for kind, _, data in fields]
    elif shape == "dumpd":
        path = ["langchain", "schema", "messages"]
        dumps = [{"lc": 1, "type": "constructor", "id": [*path, name], "kwargs": data} for _, name, data in fields]
    value = {"values": {"messages": dumps}} if shape == "state" else dumps
    got = read(write_json(tmp_path / "lc.json", value))
    assert got.format == "langchain"
    assert [m["role"] for m in got.messages] == ["user", "assistant", "tool"]
    assert got.messages[1]["content"] is None
    assert got.messages[1]["tool_calls"][0]["function"] == {"name": "w", "arguments": '{"c": 1}'}
    assert got.messages[2]["tool_call_id"] == "c1"


@pytest.mark.parametrize(
    "lines",
    [
        "Ana: hi\nBo: hello, how\nare you?\nAna: fine",
        "[12/31/25, 10:01:02] Ana: hi\n[12/31/25, 10:02:02] Bo: hello, how\nare you?\n[12/31/25, 10:03:02] Ana: fine",
        "31.12.2025, 10:01 - Ana: hi\n31.12.2025, 10:02 - Bo: hello, how\nare you?\n31.12.2025, 10:03 - Ana: fine",
        "Ana：hi\nBo：hello, how\nare you?\nAna：fine",
    ],
)
def test_plain_chats_keep_speakers_and_continued_lines(tmp_path: Path, lines: str) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(lines, encoding="utf-8")
    got = read(path)
    assert got.format == "chat"
    assert [(m["role"], m["speaker"], m["content"]) for m in got.messages] == [
        ("user", "Ana", "hi"),
        ("user", "Bo", "hello, how\nare you?"),
        ("user", "Ana", "fine"),
    ]


def test_json_turns_with_speakers_and_without(tmp_path: Path) -> None:
    meeting = {
        "meeting_transcripts": [{"speaker": "Chair", "content": "Welcome."}, {"speaker": "Bo", "content": "Hi."}]
    }
    got = read(write_jsonl(tmp_path / "meeting.jsonl", [meeting]))
    assert [(m["speaker"], m["content"]) for m in got.messages] == [("Chair", "Welcome."), ("Bo", "Hi.")]
    unnamed = read(write_json(tmp_path / "pairs.json", [{"text": "ni hao"}, {"text": "hao"}, {"text": "zou ba"}]))
    assert [m["speaker"] for m in unnamed.messages] == ["A", "B", "A"]
    assert unnamed.warnings

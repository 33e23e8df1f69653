"""Builders of transcript lines as the tools write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def write_jsonl(path: Path, lines: list[Any]) -> Path:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def write_json(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def claude_line(kind: str, uuid: str, parent: str | None, content: Any, **extra: Any) -> dict[str, Any]:
    """One user or assistant line of a Claude Code session; `message_id` sets the API message's id."""
    inner: dict[str, Any] = {"role": kind, "content": content}
    if "message_id" in extra:
        inner["id"] = extra.pop("message_id")
    return {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "isSidechain": False,
        "sessionId": "s",
        "timestamp": "2026-01-02T10:00:00.000Z",
        "message": inner,
        **extra,
    }


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def use(ident: str, name: str = "Read") -> dict[str, Any]:
    return {"type": "tool_use", "id": ident, "name": name, "input": {"path": "a.txt"}}


def result(ident: str, words: str = "ok") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": ident, "content": words}


def codex_item(payload: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": "2026-05-11T10:29:43.736Z", "type": "response_item", "payload": payload}


def codex_said(role: str, words: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return codex_item({"type": "message", "role": role, "content": [{"type": kind, "text": words}]})


def codex_call(ident: str) -> dict[str, Any]:
    return codex_item({"type": "function_call", "name": "shell", "arguments": '{"cmd": "ls"}', "call_id": ident})


def codex_output(ident: str, words: str = "a.txt") -> dict[str, Any]:
    return codex_item({"type": "function_call_output", "call_id": ident, "output": words})

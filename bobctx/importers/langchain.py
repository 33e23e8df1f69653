"""LangChain message dumps: `messages_to_dict`, `dumpd` (`lc`/`kwargs`), `model_dump`, bare or under `messages`."""

from __future__ import annotations

import json

from bobctx.core.types import Json
from bobctx.importers.source import Source, word
from bobctx.importers.transcript import Reading, Transcript, message, tool_call

NAME = "langchain"
DESCRIPTION = "LangChain message dumps, JSON or JSONL"

ROLES = {
    "human": "user",
    "HumanMessage": "user",
    "HumanMessageChunk": "user",
    "ai": "assistant",
    "AIMessage": "assistant",
    "AIMessageChunk": "assistant",
    "system": "system",
    "SystemMessage": "system",
    "tool": "tool",
    "ToolMessage": "tool",
    "function": "tool",
    "FunctionMessage": "tool",
}
ROLES_BY_NAME = {"user", "assistant", "system", "tool", "developer"}


def _unwrap(value: Json) -> tuple[str, dict[str, Json]] | None:
    """(kind, fields) of one dumped message."""
    if not isinstance(value, dict) or "role" in value:
        return None
    path = value.get("id")
    if value.get("lc") is not None and isinstance(value.get("kwargs"), dict) and isinstance(path, list) and path:
        kind, fields = path[-1], value["kwargs"]
    elif isinstance(value.get("data"), dict) and "content" in value["data"]:
        kind, fields = value.get("type"), value["data"]
    else:
        kind, fields = value.get("type"), value
    if "content" not in fields:
        return None
    if kind == "chat" and word(fields, "role") in ROLES_BY_NAME:
        return fields["role"], fields
    return (kind, fields) if isinstance(kind, str) and kind in ROLES else None


def _items(source: Source) -> list[Json]:
    value = source.document
    if value is None:
        lines = [item for _, item in source.lines]
        if len(lines) != 1:
            return lines
        value = lines[0]
    for key in ("values", "kwargs", "channel_values"):
        if isinstance(value, dict) and isinstance(value.get(key), dict) and "messages" in value[key]:
            value = value[key]
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        value = value["messages"]
    return value if isinstance(value, list) else [value]


def matches(source: Source) -> bool:
    """Whether the file holds dumped LangChain messages."""
    return any(_unwrap(item) is not None for item in _items(source)[:20])


def read(source: Source) -> list[Transcript]:
    """The one conversation of the dump."""
    reading = Reading(NAME)
    for number in source.bad_lines:
        reading.skip("bad_json", number)
    for index, item in enumerate(_items(source)):
        found = _unwrap(item)
        if found is None:
            reading.skip("unknown_role", index, str(item.get("type") if isinstance(item, dict) else item)[:40])
            continue
        _take(*found, reading)
    return [reading.done()]


def _take(kind: str, fields: dict[str, Json], reading: Reading) -> None:
    role = ROLES.get(kind, kind)
    extra = fields.get("additional_kwargs")
    extra = extra if isinstance(extra, dict) else {}
    calls = [_call(c, n) for n, c in enumerate(_list(fields, "tool_calls")) if isinstance(c, dict)]
    calls = calls or _list(extra, "tool_calls")
    content = fields["content"]
    if role == "assistant" and calls:
        content = _without_calls(content) or None
    reading.messages.append(
        message(
            role,
            content,
            id=fields.get("id"),
            name=fields.get("name") if isinstance(fields.get("name"), str) else None,
            tool_calls=calls or None,
            tool_call_id=fields.get("tool_call_id"),
        )
    )


def _list(fields: dict[str, Json], name: str) -> list[Json]:
    value = fields.get(name)
    return list(value) if isinstance(value, list) else []


def _without_calls(content: Json) -> Json:
    """Content blocks without the calls that `tool_calls` repeats."""
    if isinstance(content, list):
        return [b for b in content if not (isinstance(b, dict) and b.get("type") in ("tool_use", "tool_call"))]
    return content


def _call(call: dict[str, Json], index: int) -> dict[str, Json]:
    arguments = call.get("args", {})
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return tool_call(str(call.get("id") or f"call_{index}"), str(call.get("name", "tool")), text)

"""ShareGPT: `{"conversations": [{"from": "human", "value": …}]}`, one or many, JSON or JSONL."""

from __future__ import annotations

import json

from bobctx.core.types import Json
from bobctx.importers.source import Source, word
from bobctx.importers.transcript import Reading, Transcript, message, tool_call

NAME = "sharegpt"
DESCRIPTION = "ShareGPT conversations, JSON or JSONL"

ROLES = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "assistant": "assistant",
    "model": "assistant",
    "system": "system",
    "function_call": "call",
    "observation": "tool",
    "tool": "tool",
    "function_response": "tool",
}


def _turns(value: Json) -> list[Json] | None:
    """The turns of one conversation, if `value` is one."""
    if isinstance(value, dict):
        for key in ("conversations", "conversation", "items"):
            inner = value.get(key)
            if isinstance(inner, list) and any(map(_is_turn, inner)):
                return inner
        return None
    return value if isinstance(value, list) and value and _is_turn(value[0]) else None


def _is_turn(value: Json) -> bool:
    return isinstance(value, dict) and word(value, "from") in ROLES and "value" in value


def _conversations(source: Source) -> list[Json]:
    if source.document is None:
        values = [value for _, value in source.lines]
    elif _turns(source.document) is not None:
        values = [source.document]
    else:
        values = source.document if isinstance(source.document, list) else []
    return [value for value in values if _turns(value) is not None]


def matches(source: Source) -> bool:
    """Whether the file holds `from`/`value` turns."""
    return bool(_conversations(source))


def read(source: Source) -> list[Transcript]:
    """Every conversation of the file."""
    return [_one(value) for value in _conversations(source)]


def _one(value: Json) -> Transcript:
    reading = Reading(NAME)
    if isinstance(value, dict):
        if isinstance(value.get("system"), str) and value["system"].strip():
            reading.messages.append(message("system", value["system"]))
        reading.title = str(value["id"]) if value.get("id") is not None else None
    open_call: str | None = None
    for index, turn in enumerate(_turns(value) or []):
        if not _is_turn(turn):
            reading.skip("unknown_role", index, str(turn.get("from") if isinstance(turn, dict) else turn)[:40])
            continue
        role = ROLES[turn["from"]]
        text = turn["value"] if isinstance(turn["value"], str) else json.dumps(turn["value"], ensure_ascii=False)
        if role == "call":
            open_call = f"call_{index}"
            name, arguments = _call(text)
            call = tool_call(open_call, name, arguments)
            reading.messages.append(message("assistant", None, tool_calls=[call]))
        elif role == "tool" and open_call is not None:
            reading.messages.append(message("tool", text, tool_call_id=open_call))
            open_call = None
        elif role == "tool":
            reading.messages.append(message("user", text, injected=True))
            reading.warn("tool texts without a call were read as injected user messages")
        else:
            reading.messages.append(message(role, text))
    return reading.done()


def _call(text: str) -> tuple[str, str]:
    """Name and arguments of a call that is written as JSON, else the text itself."""
    try:
        value = json.loads(text)
    except ValueError:
        return "tool", json.dumps({"input": text}, ensure_ascii=False)
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        return value["name"], json.dumps(value.get("arguments", value.get("parameters", {})), ensure_ascii=False)
    return "tool", text

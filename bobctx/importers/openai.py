"""OpenAI chat messages: a list, `{"messages": [...]}` (a request body), or one message a line."""

from __future__ import annotations

from collections.abc import Iterable

from bobctx.core.types import Json
from bobctx.importers.source import Source
from bobctx.importers.transcript import Reading, Transcript, known_role, tool_call, unix_seconds

NAME = "openai"
DESCRIPTION = "OpenAI chat messages, JSON or JSONL (content blocks of Anthropic messages are kept too)"


LIST_KEYS = ("messages", "history", "conversation", "traj", "trajectory")


def _is_message(value: Json) -> bool:
    return isinstance(value, dict) and "role" in value and (known_role(value["role"]) or value["role"] == "function")


def _list_of(value: Json) -> list[Json] | None:
    """The message list in a document, if there is one."""
    if isinstance(value, dict):
        value = next((value[key] for key in LIST_KEYS if isinstance(value.get(key), list)), None)
    if isinstance(value, list) and value and any(_is_message(item) for item in value[:20]):
        return value
    return None


def matches(source: Source) -> bool:
    """Whether the file holds messages with an OpenAI role."""
    if source.document is not None:
        return _is_message(source.document) or bool(_conversations(source))
    return any(_is_message(value) or _list_of(value) for _, value in source.lines[:50])


def _conversations(source: Source) -> list[tuple[int | None, list[Json]]]:
    """Each conversation with its first line number; lines that are messages form one."""
    document = source.document
    if document is not None:
        if _is_message(document):
            return [(None, [document])]
        found = _list_of(document)
        if found is not None:
            return [(None, found)]
        items = document if isinstance(document, list) else []
        return [(None, inner) for item in items if (inner := _list_of(item)) is not None]
    whole = [(number, inner) for number, value in source.lines if (inner := _list_of(value)) is not None]
    if whole:
        return [(number, inner) for number, inner in whole]
    return [(1, [value for _, value in source.lines])] if source.lines else []


def read(source: Source) -> list[Transcript]:
    """Every conversation of the file (training sets hold one a line)."""
    transcripts = []
    for start, items in _conversations(source):
        reading = Reading(NAME)
        for number in source.bad_lines:
            reading.skip("bad_json", number)
        convert(items, reading, first_line=start)
        transcripts.append(reading.done())
    return transcripts


def convert(items: Iterable[Json], reading: Reading, first_line: int | None = None) -> None:
    """Messages into `reading`; the two legacy function fields become tool calls."""
    legacy: list[str] = []
    for index, item in enumerate(items):
        line = None if first_line is None else first_line + index
        if not isinstance(item, dict):
            reading.skip("not_an_object", line)
            continue
        message = dict(item)
        role = message.get("role")
        if role == "function":
            message["role"] = "tool"
            message.setdefault("tool_call_id", legacy.pop() if legacy else f"call_{index}")
        elif not known_role(role):
            reading.skip("unknown_role", line, str(role))
            continue
        call = message.pop("function_call", None)
        if isinstance(call, dict) and not message.get("tool_calls"):
            legacy.append(f"call_{index}")
            message["tool_calls"] = [tool_call(legacy[-1], str(call.get("name", "")), str(call.get("arguments", "")))]
        if "created_at" in message:
            moment = unix_seconds(message.pop("created_at"))
            if moment is not None:
                message["created_at"] = moment
        _complete(message)
        reading.messages.append(message)


def _complete(message: dict[str, Json]) -> None:
    """Fields that other writers name differently."""
    if "content" not in message:
        message["content"] = message.pop("text") if isinstance(message.get("text"), str) else None
    answered = message.get("tool_call_ids")
    if message["role"] == "tool" and "tool_call_id" not in message and isinstance(answered, list) and answered:
        message["tool_call_id"] = answered[0]

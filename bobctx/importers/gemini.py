"""Gemini CLI sessions: `{sessionId, messages: [{id, type, content, toolCalls?}]}`, or such messages a line."""

from __future__ import annotations

import json

from bobctx.core.types import Json
from bobctx.importers.source import Source, word
from bobctx.importers.transcript import Reading, Transcript, message, tool_call

NAME = "gemini"
DESCRIPTION = "Gemini CLI session JSON"

ROLES = {"user": "user", "gemini": "assistant", "model": "assistant"}


def _is_message(value: Json) -> bool:
    return isinstance(value, dict) and word(value, "type") in ROLES and "content" in value and "role" not in value


def _items(source: Source) -> list[tuple[int | None, Json]]:
    document = source.document
    if isinstance(document, dict) and isinstance(document.get("messages"), list):
        return [(None, item) for item in document["messages"]]
    if isinstance(document, list):
        return [(None, item) for item in document]
    return list(source.lines)


def matches(source: Source) -> bool:
    """Whether messages carry Gemini CLI's own `type`, at least one of them the model's."""
    items = [item for _, item in _items(source)]
    return any(_is_message(i) and i["type"] != "user" for i in items) or (
        isinstance(source.document, dict) and "projectHash" in source.document and any(map(_is_message, items))
    )


def _text(content: Json) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict)]
        return "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    return ""


def _result(call: dict[str, Json]) -> str:
    """Readable output of a tool call: the response's `output` or `error`, else its JSON."""
    results = call.get("result")
    texts = []
    for part in results if isinstance(results, list) else [results]:
        inner = part.get("functionResponse", part) if isinstance(part, dict) else part
        response = inner.get("response") if isinstance(inner, dict) else inner
        if isinstance(response, dict):
            found = response.get("output") or response.get("error")
            response = found if isinstance(found, str) else json.dumps(response, ensure_ascii=False)
        if isinstance(response, str):
            texts.append(response)
    return "\n".join(texts)


def read(source: Source) -> list[Transcript]:
    """The session; each tool call's result follows its message."""
    reading = Reading(NAME)
    for number in source.bad_lines:
        reading.skip("bad_json", number)
    for line, item in _items(source):
        if not _is_message(item):
            kind = word(item, "type")
            reading.skip(kind if kind in ("info", "error", "warning") else "bookkeeping", line)
            continue
        _take(item, reading)
    return [reading.done()]


def _take(item: dict[str, Json], reading: Reading) -> None:
    given = item.get("toolCalls")
    calls = [c for c in given if isinstance(c, dict)] if isinstance(given, list) else []
    if item.get("thoughts"):
        reading.skipped["thoughts"] += 1
    ident, moment = item.get("id"), item.get("timestamp")
    ids = [str(call.get("id") or f"{ident}-{n}") for n, call in enumerate(calls)]
    text = _text(item["content"])
    new = message(ROLES[item["type"]], text if text or not calls else None, id=ident, created_at=moment)
    if calls:
        new["tool_calls"] = [
            tool_call(call_id, str(call.get("name", "tool")), json.dumps(call.get("args") or {}, ensure_ascii=False))
            for call_id, call in zip(ids, calls, strict=True)
        ]
    reading.messages.append(new)
    for call_id, call in zip(ids, calls, strict=True):
        reading.messages.append(
            message("tool", _result(call), created_at=call.get("timestamp") or moment, tool_call_id=call_id)
        )

"""OpenAI responses: a flat list of items, reasoning followed by what it led to. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bobctx.core.parts import block_type
from bobctx.core.repair import Rules
from bobctx.core.turns import (
    Item,
    Parsed,
    Reading,
    Turn,
    in_words,
    media_label,
    media_source,
    read,
)
from bobctx.core.types import Body, Json, Message
from bobctx.core.violation import Violation, blank_content, violation

RULES = Rules(dialect="responses", thinking=frozenset({"reasoning"}), signed=True, id_limit=64)

CALLS: Mapping[str, tuple[str, str]] = {
    "function_call": ("function_call_output", "arguments"),
    "custom_tool_call": ("custom_tool_call_output", "input"),
}
"""Call items: the item that answers each, and the field that holds what is asked."""
OUTPUTS = frozenset(output for output, _ in CALLS.values())
TEXTS = frozenset({"input_text", "output_text", "text", "refusal"})
_NATIVE = frozenset({"responses"})


# -- reading ---------------------------------------------------------------------------


def read_list(messages: Sequence[Message | Mapping[str, Any]]) -> Reading:
    """Items of the responses API, or chat messages; neighbours on the assistant's side are one turn."""
    reading = read(messages, _parse)
    turns: list[Turn] = []
    for turn in reading.turns:
        if turns and turn.role == turns[-1].role == "assistant":
            turns[-1] = Turn(role="assistant", items=(*turns[-1].items, *turn.items))
        else:
            turns.append(turn)
    return Reading(turns=tuple(turns), origins=reading.origins)


def _parse(body: Body, index: int) -> Parsed | None:
    kind = body.get("type")
    if not isinstance(kind, str):
        return None
    if kind == "message":
        return _message(body, index)
    name, call_id = body.get("name"), body.get("call_id")
    if kind in CALLS:
        asked = body.get(CALLS[kind][1])
        item = Item(
            kind="call",
            origin=index,
            text=_as_text(asked),
            call_id=str(call_id or ""),
            name=name if isinstance(name, str) else None,
            native=dict(body),
        )
        return "assistant", (item,), _NATIVE if _well_formed(body) else frozenset()
    if kind in OUTPUTS:
        text = _output_text(body.get("output"))
        return (
            "user",
            (Item(kind="result", origin=index, text=text, call_id=str(call_id or ""), native=dict(body)),),
            _NATIVE if _well_formed(body) else frozenset(),
        )
    if kind == "reasoning":
        return "assistant", (Item(kind="thinking", origin=index, native=dict(body)),), _NATIVE
    # An item that the provider made and answered itself, such as a web search.
    return "assistant", (Item(kind="opaque", origin=index, name=kind, native=dict(body)),), _NATIVE


def _output_text(output: Json) -> str:
    if isinstance(output, list):
        return "\n".join(str(b.get("text", "")) for b in output if isinstance(b, Mapping))
    return _as_text(output)


def _as_text(value: Json) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _well_formed(item: Mapping[str, Any]) -> bool:
    """Whether a call names a tool and gives it a text, a result says something, and blocks of text have one."""
    kind = block_type(item) or "message"
    if kind in CALLS:
        name = item.get("name")
        return isinstance(name, str) and bool(name) and isinstance(item.get(CALLS[kind][1]), str)
    if kind in OUTPUTS:
        return isinstance(item.get("output"), str | list)
    content = item.get("content")
    blocks = [b for b in content if isinstance(b, Mapping)] if isinstance(content, list) else []
    return all(isinstance(b.get("text", b.get("refusal")), str) for b in blocks if block_type(b) in TEXTS)


def _message(body: Body, index: int) -> Parsed:
    content = body.get("content")
    blocks = [{"type": "input_text", "text": content}] if isinstance(content, str) else content
    items = []
    for block in blocks if isinstance(blocks, list) else ():
        if not isinstance(block, Mapping):
            continue
        kind = str(block.get("type"))
        text = block.get("text", block.get("refusal"))
        if kind in TEXTS:
            items.append(Item(kind="text", origin=index, text=str(text or ""), native=dict(block)))
        else:
            items.append(Item(kind="media", origin=index, name=kind, native=dict(block)))
    return str(body.get("role")), tuple(items), _NATIVE if _well_formed(body) else frozenset()


# -- writing ---------------------------------------------------------------------------


def write(turns: Sequence[Turn], reading: Reading) -> list[dict[str, Json]]:
    """Turns as items of the responses API."""
    out: list[dict[str, Json]] = []
    for turn in turns:
        said: list[Item] = []
        for item in turn.items:
            if item.kind in ("text", "media", "server") or (item.kind == "opaque" and not _own(item)):
                if said and said[-1].origin != item.origin:
                    out.append(_said(said, turn, reading))
                    said = []
                said.append(item)
                continue
            if said:
                out.append(_said(said, turn, reading))
                said = []
            written = _single(item, reading)
            if written is not None:
                out.append(written)
        if said:
            out.append(_said(said, turn, reading))
    return out


def _own(item: Item) -> bool:
    return isinstance(item.native, Mapping) and item.origin >= 0 and str(item.native.get("type")).endswith("_call")


def _single(item: Item, reading: Reading) -> dict[str, Json] | None:
    """An item that stands alone: a call, a result, a thought, a provider's own call."""
    body = reading.unchanged([item], "responses")
    if body is not None:
        return dict(body)
    native = item.native if isinstance(item.native, Mapping) else {}
    if item.kind == "call":
        if block_type(native) in CALLS and _well_formed(native):
            return {**native, "call_id": item.call_id}
        return {
            "type": "function_call",
            "call_id": item.call_id,
            "name": item.name or "tool",
            "arguments": item.text or "{}",
        }
    if item.kind == "result":
        if block_type(native) in OUTPUTS and _well_formed(native):
            return {**native, "call_id": item.call_id}
        return {"type": "function_call_output", "call_id": item.call_id, "output": item.text}
    return dict(native) if item.kind in ("thinking", "opaque") and native else None


def _said(items: Sequence[Item], turn: Turn, reading: Reading) -> dict[str, Json]:
    body = reading.unchanged(items, "responses")
    if body is not None:
        return dict(body)
    if all(i.kind != "media" for i in items):
        return {"role": turn.role, "content": "\n\n".join(in_words(i) for i in items)}
    return {"role": turn.role, "content": [_block(i, turn.role) for i in items]}


def _block(item: Item, role: str) -> dict[str, Json]:
    text_type = "output_text" if role == "assistant" else "input_text"
    if item.kind != "media":
        return {"type": text_type, "text": in_words(item)}
    mime, data, url = media_source(item)
    if data is not None:
        url = f"data:{mime or 'application/octet-stream'};base64,{data}"
    if url is not None and mime == "application/pdf":
        return {"type": "input_file", "filename": "document.pdf", "file_data": url}
    if url is not None and role == "user":
        return {"type": "input_image", "image_url": url}
    return {"type": text_type, "text": f"[{media_label(item)} not shown]"}


# -- checking --------------------------------------------------------------------------


def check(items: Sequence[Mapping[str, Any]]) -> list[Violation]:
    """Everything the responses API would refuse in its input."""
    found: list[Violation] = []
    waiting: dict[str, int] = {}
    for index, item in enumerate(items):
        kind = str(item.get("type") or "message")
        call_id = str(item.get("call_id"))
        if not _well_formed(item):
            found.append(violation("bad_item", index, "an item without what its type needs"))
        if kind == "message":
            found.extend(_check_message(item, index))
        elif kind in CALLS:
            if call_id in waiting:
                found.append(violation("duplicate_call_id", index, f"{call_id!r} is still open"))
            waiting[call_id] = index
        elif kind in OUTPUTS:
            if call_id not in waiting:
                found.append(violation("orphan_result", index, f"{call_id!r} answers no open call"))
            waiting.pop(call_id, None)
        elif kind == "reasoning" and not _led_to_something(items, index):
            found.append(violation("thinking", index, "reasoning without the item it led to"))
    found.extend(violation("unanswered_call", at, f"no result for {call_id!r}") for call_id, at in waiting.items())
    if not any(i.get("role") == "user" for i in items):
        found.append(violation("no_user_message", max(0, len(items) - 1), "no user message"))
    return found


def _check_message(item: Mapping[str, Any], index: int) -> list[Violation]:
    found = []
    if item.get("role") not in ("user", "assistant", "system", "developer"):
        found.append(violation("unknown_role", index, f"role {item.get('role')!r}"))
    if blank_content(item.get("content")):
        found.append(violation("empty_content", index, "message without content"))
    return found


def _led_to_something(items: Sequence[Mapping[str, Any]], index: int) -> bool:
    after = items[index + 1] if index + 1 < len(items) else {}
    kind = after.get("type") or "message"
    if kind == "message":
        return after.get("role") == "assistant"
    return kind not in OUTPUTS

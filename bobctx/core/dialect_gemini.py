"""Gemini contents: `user` and `model` turns of parts, calls and responses paired turn by turn. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bobctx.core.repair import Rules
from bobctx.core.turns import (
    Item,
    Parsed,
    Reading,
    Turn,
    arguments_object,
    in_words,
    media_label,
    media_source,
    read,
)
from bobctx.core.types import Body, Json, Message
from bobctx.core.violation import Violation, violation

RULES = Rules(
    dialect="gemini", thinking=frozenset({"thought"}), system="never", first_user=True, call_order=True, id_limit=64
)
_NATIVE = frozenset({"gemini"})


# -- reading ---------------------------------------------------------------------------


def read_list(messages: Sequence[Message | Mapping[str, Any]]) -> Reading:
    """Contents of Gemini, or chat messages; calls without an id are paired by name, in order."""
    waiting: list[tuple[str, str]] = []

    def parse(body: Body, index: int) -> Parsed | None:
        parts = body.get("parts")
        if not isinstance(parts, list):
            return None
        said = [{"text": p} if isinstance(p, str) else p for p in parts]
        found = [_item(p, index, at, waiting) for at, p in enumerate(said) if isinstance(p, Mapping) and p]
        native = _NATIVE if all(map(_well_formed, parts)) else frozenset[str]()
        return str(body.get("role") or "user"), tuple(found), native

    return read(messages, parse)


def _well_formed(part: Json) -> bool:
    """Whether a part says something, a text is one, and a call or response names a tool."""
    if not isinstance(part, Mapping) or not part or not isinstance(part.get("text", ""), str):
        return False
    named = [part[field] for field in ("functionCall", "functionResponse") if field in part]
    return all(isinstance(n, Mapping) and isinstance(n.get("name"), str) and n["name"] for n in named)


def _item(part: Mapping[str, Any], index: int, at: int, waiting: list[tuple[str, str]]) -> Item:
    native = dict(part)
    call, response = part.get("functionCall"), part.get("functionResponse")
    if isinstance(call, Mapping):
        name = str(call.get("name") or "tool")
        call_id = str(call.get("id") or f"{name}-{index}-{at}")
        waiting.append((name, call_id))
        text = json.dumps(call.get("args") or {}, ensure_ascii=False)
        return Item(kind="call", origin=index, text=text, call_id=call_id, name=name, native=native)
    if isinstance(response, Mapping):
        name = str(response.get("name") or "tool")
        call_id = _answered(name, response.get("id"), waiting) or f"{name}-{index}-{at}-alone"
        text = _response_text(response.get("response"))
        return Item(kind="result", origin=index, text=text, call_id=call_id, name=name, native=native)
    if part.get("thought"):
        thought = {"type": "thought", "part": native}
        return Item(kind="thinking", origin=index, text=str(part.get("text") or ""), native=thought)
    if isinstance(part.get("text"), str):
        return Item(kind="text", origin=index, text=part["text"], native=native)
    if "inlineData" in part or "fileData" in part:
        return Item(kind="media", origin=index, name="media", native=native)
    return Item(kind="opaque", origin=index, name=next(iter(part), "part"), native=native)


def _response_text(response: Json) -> str:
    """A response's only text as it is, anything else as JSON."""
    values = list(response.values()) if isinstance(response, Mapping) else []
    if len(values) == 1 and isinstance(values[0], str):
        return values[0]
    return json.dumps(response, ensure_ascii=False)


def _answered(name: str, given: Json, waiting: list[tuple[str, str]]) -> str | None:
    """Id of the call that a response answers: its own id, else the oldest open call of that name."""
    for place, (called, call_id) in enumerate(waiting):
        if (call_id == given) if given else (called == name):
            del waiting[place]
            return call_id
    return str(given) if given else None


# -- writing ---------------------------------------------------------------------------


def write(turns: Sequence[Turn], reading: Reading) -> list[dict[str, Json]]:
    """Turns as contents; neighbours of one role are one content, responses first."""
    out: list[dict[str, Json]] = []
    names: dict[str | None, str | None] = {}
    group: list[Turn] = []
    for turn in [*turns, None]:
        if turn is not None and (not group or _role(group[-1]) == _role(turn)):
            group.append(turn)
            continue
        items = [i for t in group for i in t.items]
        names.update((i.call_id, i.name) for i in items if i.kind == "call")
        if items:
            body = reading.unchanged(items, "gemini")
            ordered = [*(i for i in items if i.kind == "result"), *(i for i in items if i.kind != "result")]
            parts = [_part(i, names) for i in ordered]
            out.append(dict(body) if body is not None else {"role": _role(group[0]), "parts": parts})
        group = [turn] if turn is not None else []
    return out


def _role(turn: Turn) -> str:
    return "model" if turn.role == "assistant" else "user"


def _own(item: Item) -> bool:
    native = item.native
    return isinstance(native, Mapping) and "type" not in native and "function" not in native and item.origin >= 0


def _part(item: Item, names: Mapping[str | None, str | None]) -> Json:
    if item.kind == "thinking" and isinstance(item.native, Mapping):
        return dict(item.native["part"]) if "part" in item.native else {"text": item.text}
    own = dict(item.native) if _own(item) and _well_formed(item.native) else None
    if item.kind == "call":
        if own is not None and "functionCall" in own:
            return own
        return {"functionCall": {"id": item.call_id, "name": item.name or "tool", "args": arguments_object(item.text)}}
    if item.kind == "result":
        if own is not None and "functionResponse" in own:
            return own
        # A result names the tool of the newest call of its id: ids may be used again.
        name = names.get(item.call_id) or item.name or "tool"
        field = "error" if item.is_error else "result"
        return {"functionResponse": {"id": item.call_id, "name": name, "response": {field: item.text}}}
    if own is not None:
        return own
    if item.kind == "media":
        mime, data, url = media_source(item)
        if data is not None and mime is not None:
            return {"inlineData": {"mimeType": mime, "data": data}}
        if url is not None:
            return {"fileData": {"mimeType": mime or "image/*", "fileUri": url}}
        return {"text": f"[{media_label(item)} not shown]"}
    return {"text": in_words(item)}


# -- checking --------------------------------------------------------------------------


def check(contents: Sequence[Mapping[str, Any]]) -> list[Violation]:
    """Everything Gemini would refuse in a list of contents."""
    found: list[Violation] = []
    asked: list[str] = []
    for index, content in enumerate(contents):
        role, parts = content.get("role"), content.get("parts")
        if isinstance(parts, list) and not all(map(_well_formed, parts)):
            found.append(violation("bad_part", index, "a part that says nothing, or names no tool"))
        parts = [p for p in parts if isinstance(p, Mapping)] if isinstance(parts, list) else []
        if role not in ("user", "model"):
            found.append(violation("unknown_role", index, f"role {role!r}"))
        if index == 0 and role != "user":
            found.append(violation("first_not_user", index, "the first content is not the user's"))
        if index and role == contents[index - 1].get("role"):
            found.append(violation("alternation", index, f"two {role} contents in a row"))
        if not parts or any(isinstance(p.get("text"), str) and not p["text"].strip() for p in parts):
            found.append(violation("empty_content", index, "content without parts, or a blank text"))
        found.extend(_check_responses(parts, index, asked))
        asked = [str(p["functionCall"].get("name")) for p in parts if isinstance(p.get("functionCall"), Mapping)]
    if asked:
        found.append(violation("unanswered_call", len(contents) - 1, f"no response for {asked}"))
    if not any(c.get("role") == "user" and _says_something(c) for c in contents):
        found.append(violation("no_user_message", max(0, len(contents) - 1), "no user content"))
    return found


def _check_responses(parts: Sequence[Mapping[str, Any]], index: int, asked: Sequence[str]) -> list[Violation]:
    """As many responses as the content before has calls, of the same names."""
    found = []
    open_names = list(asked)
    for part in parts:
        response = part.get("functionResponse")
        if not isinstance(response, Mapping):
            continue
        name = str(response.get("name"))
        if name in open_names:
            open_names.remove(name)
        else:
            found.append(violation("orphan_result", index, f"the response of {name!r} answers no call"))
        if not isinstance(response.get("response"), Mapping):
            found.append(violation("bad_response", index, f"the response of {name!r} is no object"))
    if open_names:
        found.append(violation("unanswered_call", index - 1, f"no response for {open_names}"))
    return found


def _says_something(content: Mapping[str, Any]) -> bool:
    parts = content.get("parts")
    return isinstance(parts, list) and any(isinstance(p, Mapping) and "functionResponse" not in p for p in parts)

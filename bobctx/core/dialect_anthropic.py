"""Anthropic messages: results in user turns, unique ids, signed thinking untouched. Pure."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping, Sequence, Set
from typing import Any

from bobctx.core.parts import block_type
from bobctx.core.repair import Rules
from bobctx.core.turns import (
    NOT_ANTHROPIC,
    Item,
    Reading,
    Turn,
    arguments_object,
    in_words,
    media_label,
    media_source,
    well_formed,
)
from bobctx.core.types import Json
from bobctx.core.violation import Violation, blank_content, violation

ID_CHARS = string.ascii_letters + string.digits + "_-"
RULES = Rules(
    dialect="anthropic",
    server_tools=True,
    thinking=frozenset({"thinking", "redacted_thinking"}),
    signed=True,
    unique_ids=True,
    id_chars=ID_CHARS,
    system="never",
    first_user=True,
    trailing_space=False,
)


# -- writing -------------------------------------------------------------------------


def _native(item: Item) -> dict[str, Json] | None:
    native = item.native
    if not isinstance(native, Mapping) or block_type(native) in NOT_ANTHROPIC or not well_formed(native):
        return None
    kind = native.get("type")
    known = {
        "text": kind == "text",
        "call": kind == "tool_use",
        "result": kind == "tool_result",
        "media": kind in ("image", "document"),
        "thinking": kind in ("thinking", "redacted_thinking"),
        "server": isinstance(kind, str),
        "opaque": isinstance(kind, str) and item.origin >= 0,
    }
    return dict(native) if known[item.kind] else None


def _block(item: Item) -> Json:
    """One item as an Anthropic block."""
    own = _native(item)
    if item.kind == "call":
        if own is not None:
            return {**own, "id": item.call_id}
        return {
            "type": "tool_use",
            "id": item.call_id,
            "name": item.name or "tool",
            "input": arguments_object(item.text),
        }
    if item.kind == "result":
        if own is not None:
            return {**own, "tool_use_id": item.call_id}
        result: dict[str, Json] = {"type": "tool_result", "tool_use_id": item.call_id}
        if (said := _result_content(item)) is not None:
            result["content"] = said
        if item.is_error:
            result["is_error"] = True
        return result
    if own is not None:
        return own
    if item.kind == "media":
        return _media(item)
    return {"type": "text", "text": in_words(item)}


def _result_content(item: Item) -> Json:
    """What a result says: blocks that can be sent, the others in words; else its text, None where it has none."""
    content = item.native.get("content") if isinstance(item.native, Mapping) else None
    if not isinstance(content, list) or all(not isinstance(b, Mapping) or block_type(b) == "text" for b in content):
        return item.text if item.text.strip() else None
    sent = [isinstance(b, Mapping) and well_formed(b) for b in content]
    words = ({"type": "text", "text": json.dumps(b, ensure_ascii=False)} for b in content)
    return [b if good else said for b, good, said in zip(content, sent, words, strict=True)]


def _media(item: Item) -> Json:
    """OpenAI media as an Anthropic block; what has no form there becomes a placeholder."""
    mime, data, url = media_source(item)
    if data is not None and mime is not None and (mime.startswith("image/") or mime == "application/pdf"):
        kind = "document" if mime == "application/pdf" else "image"
        return {"type": kind, "source": {"type": "base64", "media_type": mime, "data": data}}
    if url is not None and url.startswith(("https://", "http://")) and "file" not in (item.name or ""):
        return {"type": "image", "source": {"type": "url", "url": url}}
    return {"type": "text", "text": f"[{media_label(item)} not shown]"}


def write(turns: Sequence[Turn], reading: Reading) -> list[dict[str, Json]]:
    """Turns as Anthropic messages; neighbours of one role are one message, results of the calls before it first."""
    out: list[dict[str, Json]] = []
    group: list[Turn] = []
    called: set[str | None] = set()
    for turn in [*turns, None]:
        if turn is not None and (not group or _role(group[-1]) == _role(turn)):
            group.append(turn)
            continue
        if group:
            message = _message(group, reading, called)
            if message is not None:
                out.append(message)
            called = {i.call_id for t in group for i in t.items if i.kind == "call"}
        group = [turn] if turn is not None else []
    return out


def _role(turn: Turn) -> str:
    return "assistant" if turn.role == "assistant" else "user"


def _message(group: Sequence[Turn], reading: Reading, called: Set[str | None]) -> dict[str, Json] | None:
    items = [i for t in group for i in t.items]
    if not items:
        return None
    body = reading.unchanged(items, "anthropic")
    if body is not None:
        return dict(body)
    if len(items) == 1 and items[0].kind == "text" and (items[0].native or {}).keys() <= {"type", "text"}:
        return {"role": _role(group[0]), "content": items[0].text}
    # A result of no call before it will be sent in words, and keeps its place among them.
    results = [i for i in items if i.kind == "result" and i.call_id in called]
    rest = [i for i in items if not (i.kind == "result" and i.call_id in called)]
    return {"role": _role(group[0]), "content": [_block(i) for i in (*results, *rest)]}


# -- checking ------------------------------------------------------------------------


def check(messages: Sequence[Mapping[str, Any]]) -> list[Violation]:
    """Everything Anthropic would refuse in a message list."""
    found: list[Violation] = []
    seen: set[str] = set()
    waiting: list[str] = []
    for index, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        if role not in ("user", "assistant"):
            found.append(violation("unknown_role", index, f"role {role!r}"))
        if index == 0 and role != "user":
            found.append(violation("first_not_user", index, "the first message is not the user's"))
        if index and role == messages[index - 1].get("role"):
            found.append(violation("alternation", index, f"two {role} messages in a row"))
        if blank_content(content):
            found.append(violation("empty_content", index, f"{role} message without content"))
        blocks = [b for b in content if isinstance(b, Mapping)] if isinstance(content, list) else []
        found.extend(_check_results(blocks, index, waiting))
        waiting = []
        if role == "assistant":
            waiting = [str(b.get("id")) for b in blocks if b.get("type") == "tool_use"]
            found.extend(_check_calls(waiting, index, seen))
            found.extend(_check_thinking(blocks, index))
        found.extend(_check_server(blocks, index))
        found.extend(_check_texts(blocks, index))
        if not all(map(well_formed, blocks)):
            found.append(violation("bad_block", index, "a block without what its type needs"))
    if waiting:
        found.append(violation("unanswered_call", len(messages) - 1, f"no result for {waiting}"))
    return found + _check_ends(messages)


def _check_results(blocks: Sequence[Mapping[str, Any]], index: int, waiting: Sequence[str]) -> list[Violation]:
    """Results must answer the calls of the message before, all of them, once, and come first."""
    found = []
    open_ids = list(waiting)
    said_something = False
    for block in blocks:
        if block.get("type") != "tool_result":
            said_something = True
            continue
        call_id = str(block.get("tool_use_id"))
        if call_id in open_ids:
            open_ids.remove(call_id)
            if said_something:
                found.append(violation("result_not_first", index, f"the result of {call_id!r} follows other content"))
        else:
            found.append(violation("orphan_result", index, f"{call_id!r} answers no call of the message before"))
    if open_ids:
        found.append(violation("unanswered_call", index - 1, f"no result for {open_ids}"))
    return found


def _check_calls(ids: Sequence[str], index: int, seen: set[str]) -> list[Violation]:
    found = []
    for call_id in ids:
        if call_id in seen:
            found.append(violation("duplicate_call_id", index, f"{call_id!r} stands for two calls"))
        if not call_id or not set(call_id) <= set(ID_CHARS):
            found.append(violation("bad_call_id", index, f"{call_id!r}"))
        seen.add(call_id)
    return found


def _check_thinking(blocks: Sequence[Mapping[str, Any]], index: int) -> list[Violation]:
    found = []
    for block in blocks:
        unsigned = block.get("type") == "thinking" and not block.get("signature")
        sealed_away = block.get("type") == "redacted_thinking" and not block.get("data")
        if unsigned or sealed_away:
            found.append(violation("thinking", index, "thinking without its signature"))
    if blocks and blocks[-1].get("type") in ("thinking", "redacted_thinking"):
        found.append(violation("thinking", index, "the last block of a message is thinking"))
    return found


def _check_server(blocks: Sequence[Mapping[str, Any]], index: int) -> list[Violation]:
    """Tools that the provider runs are answered inside the same message."""
    found = []
    waiting: list[str] = []
    for block in blocks:
        kind = str(block.get("type"))
        call_id = str(block.get("tool_use_id"))
        if kind.endswith("_tool_use"):
            waiting.append(str(block.get("id")))
        elif kind.endswith("_tool_result") and call_id in waiting:
            waiting.remove(call_id)
        elif kind.endswith("_tool_result"):
            found.append(violation("orphan_result", index, f"server result of {call_id!r}"))
    if waiting:
        found.append(violation("unanswered_call", index, f"server calls {waiting} without result"))
    return found


def _check_texts(blocks: Sequence[Mapping[str, Any]], index: int) -> list[Violation]:
    for block in blocks:
        if block.get("type") == "text" and not str(block.get("text") or "").strip():
            return [violation("empty_content", index, "blank text block")]
    return []


def _check_ends(messages: Sequence[Mapping[str, Any]]) -> list[Violation]:
    found = []
    if not any(m.get("role") == "user" for m in messages):
        found.append(violation("no_user_message", max(0, len(messages) - 1), "no user message"))
    last = messages[-1] if messages else {}
    content = last.get("content")
    if isinstance(content, list) and content and isinstance(content[-1], Mapping):
        content = content[-1].get("text")
    if last.get("role") == "assistant" and isinstance(content, str) and content != content.rstrip():
        found.append(violation("trailing_space", len(messages) - 1, "the final assistant text ends in white space"))
    return found

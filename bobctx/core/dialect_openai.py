"""OpenAI chat messages, and the strict alternation that chat templates of open models demand. Pure."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import Any

from bobctx.core.parts import block_type
from bobctx.core.repair import Rules
from bobctx.core.turns import (
    OPENAI_BLOCKS,
    Item,
    Reading,
    Turn,
    in_words,
    media_label,
    media_source,
    well_formed,
    well_formed_call,
    well_formed_calls,
    well_formed_content,
)
from bobctx.core.types import Json
from bobctx.core.violation import Violation, blank_content, violation

ID_CHARS = string.ascii_letters + string.digits + "_-.:|"
RULES = Rules(dialect="openai", id_limit=64)
STRICT = Rules(dialect="strict", tools=False, system="first", first_user=True)


# -- writing -------------------------------------------------------------------------


def _native(item: Item) -> dict[str, Json] | None:
    """The item's own block, if OpenAI chat has blocks of its type and form."""
    native = item.native
    if isinstance(native, Mapping) and block_type(native) in OPENAI_BLOCKS and well_formed(native):
        return dict(native)
    return None


def media_block(item: Item) -> dict[str, Json]:
    """Media as an OpenAI block; what has no form there becomes a placeholder."""
    native = item.native if isinstance(item.native, Mapping) else {}
    own = _native(item)
    if own is not None:
        return own
    mime, data, url = media_source(item)
    if data is not None:
        url = f"data:{mime or 'application/octet-stream'};base64,{data}"
    if url is not None and (data is None or (mime or "").startswith("image/")) and native.get("type") != "document":
        return {"type": "image_url", "image_url": {"url": url}}
    if data is not None and mime == "application/pdf":
        return {"type": "file", "file": {"filename": str(native.get("title") or "document"), "file_data": url}}
    source = native.get("source")
    if isinstance(source, Mapping) and source.get("type") == "text" and isinstance(source.get("data"), str):
        return {"type": "text", "text": source["data"]}
    return {"type": "text", "text": f"[{media_label(item)} not shown]"}


def _content(items: Sequence[Item]) -> Json:
    """Items as message content: one plain text as a string, else blocks."""
    if len(items) == 1 and items[0].kind == "text":
        return items[0].text
    blocks: list[Json] = []
    for item in items:
        if item.kind == "media":
            blocks.append(media_block(item))
        else:
            own = _native(item) if item.kind == "text" else None
            blocks.append(own or {"type": "text", "text": in_words(item)})
    return blocks


def _call(item: Item) -> dict[str, Json]:
    native = item.native if isinstance(item.native, Mapping) else {}
    if well_formed_call(native):
        return {**native, "id": item.call_id}
    arguments = "{}" if item.text in ("", "null") else item.text
    function = {"name": item.name or "tool", "arguments": arguments}
    return {"id": item.call_id, "type": "function", "function": function}


def _assistant(items: Sequence[Item]) -> dict[str, Json] | None:
    said = [i for i in items if i.kind not in ("call", "thinking")]
    calls = [_call(i) for i in items if i.kind == "call"]
    if not said and not calls:
        return None
    message: dict[str, Json] = {"role": "assistant", "content": _content(said) if said else None}
    if calls:
        message["tool_calls"] = calls
    return message


def write(turns: Sequence[Turn], reading: Reading) -> list[dict[str, Json]]:
    """Turns as OpenAI chat messages."""
    out: list[dict[str, Json]] = []
    for turn in turns:
        body = reading.unchanged(turn.items, "openai")
        if body is not None:
            out.append(dict(body))
        elif turn.role == "assistant":
            message = _assistant(turn.items)
            if message is not None:
                out.append(message)
        else:
            out.extend(_user_messages(turn, reading))
    return out


def _user_messages(turn: Turn, reading: Reading) -> list[dict[str, Json]]:
    """Results as `tool` messages, in order, then what the user or system says."""
    out: list[dict[str, Json]] = []
    for item in turn.items:
        if item.kind == "result":
            body = reading.unchanged([item], "openai")
            out.append(
                dict(body)
                if body is not None
                else {"role": "tool", "tool_call_id": item.call_id, "content": item.text or "(empty)"}
            )
    said = [i for i in turn.items if i.kind != "result"]
    if said:
        body = reading.unchanged(said, "openai")
        out.append(dict(body) if body is not None else {"role": turn.role, "content": _content(said)})
    return out


def write_strict(turns: Sequence[Turn], reading: Reading) -> list[dict[str, Json]]:
    """Turns as text messages that alternate: at most one system message, then user and assistant."""
    out: list[dict[str, Json]] = []
    group: list[Turn] = []
    for turn in [*turns, None]:
        if turn is not None and (not group or group[-1].role == turn.role):
            group.append(turn)
            continue
        items = [i for t in group for i in t.items if i.kind != "thinking"]
        if items:
            body = reading.unchanged(items, "strict")
            plain = body is not None and not body.get("tool_calls") and body.get("role") in _ROLES
            out.append(dict(body or {}) if plain else {"role": group[0].role, "content": _joined(items)})
        group = [turn] if turn is not None else []
    return out


_ROLES = ("system", "user", "assistant")


def _joined(items: Sequence[Item]) -> Json:
    if all(i.kind != "media" for i in items):
        return "\n\n".join(in_words(i) for i in items)
    return _content(items)


# -- checking ------------------------------------------------------------------------


def check(messages: Sequence[Mapping[str, Any]]) -> list[Violation]:
    """Everything OpenAI chat would refuse in a message list."""
    found: list[Violation] = []
    waiting: set[str] = set()
    asked_at = -1
    for index, message in enumerate(messages):
        role = message.get("role")
        if role == "tool":
            call_id = message.get("tool_call_id")
            if call_id in waiting:
                waiting.discard(str(call_id))
            else:
                found.append(
                    violation("orphan_result", index, f"tool message answers {call_id!r}, which is no open call")
                )
            continue
        if waiting:
            found.append(violation("unanswered_call", asked_at, f"no result for {sorted(waiting)}"))
        waiting = set()
        if role not in ("system", "developer", "user", "assistant"):
            found.append(violation("unknown_role", index, f"role {role!r}"))
        found.extend(_check_forms(message, index))
        calls = _calls(message) if role == "assistant" else []
        if blank_content(message.get("content")) and not calls:
            found.append(violation("empty_content", index, f"{role} message without content"))
        for call_id in calls:
            if call_id in waiting:
                found.append(violation("duplicate_call_id", index, f"{call_id!r} twice in one batch"))
            waiting.add(call_id)
        asked_at = index
    if waiting:
        found.append(violation("unanswered_call", asked_at, f"no result for {sorted(waiting)}"))
    if not any(m.get("role") == "user" for m in messages):
        found.append(violation("no_user_message", max(0, len(messages) - 1), "no user message"))
    return found


def _check_forms(message: Mapping[str, Any], index: int) -> list[Violation]:
    found = []
    if not well_formed_content(message.get("content")):
        found.append(violation("bad_block", index, "a block without what its type needs"))
    if not well_formed_calls(message):
        found.append(violation("bad_call", index, "a call without a name, or with arguments that are no text"))
    return found


def _calls(message: Mapping[str, Any]) -> list[str]:
    calls = message.get("tool_calls")
    return [str(c.get("id")) for c in calls if isinstance(c, Mapping)] if isinstance(calls, list) else []


def check_strict(messages: Sequence[Mapping[str, Any]]) -> list[Violation]:
    """Everything a template of strict alternation would refuse."""
    found: list[Violation] = []
    expected = "user"
    for index, message in enumerate(messages):
        role = message.get("role")
        if role == "system" and index == 0:
            continue
        if role not in ("user", "assistant"):
            found.append(violation("unknown_role", index, f"role {role!r}"))
        elif role != expected:
            code = "first_not_user" if expected == "user" and index <= 1 else "alternation"
            found.append(violation(code, index, f"{role} message where {expected} is due"))
        if message.get("tool_calls"):
            found.append(violation("calls_not_supported", index, "tool calls"))
        found.extend(_check_forms(message, index))
        if blank_content(message.get("content")):
            found.append(violation("empty_content", index, f"{role} message without content"))
        expected = "assistant" if role == "user" else "user"
    if not any(m.get("role") == "user" for m in messages):
        found.append(violation("no_user_message", max(0, len(messages) - 1), "no user message"))
    return found

"""A message with some of its parts replaced, its body still in the form its host gave it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bobctx.core import parts as parts_module
from bobctx.core.speakers import counted_tokens
from bobctx.core.tokens import Count
from bobctx.core.turns import arguments_object
from bobctx.core.types import Json, Message, Part

Change = str | None
"""New text of a part, or None to leave the part out."""


def with_changes(message: Message, changes: Mapping[int, Change], count: Count) -> Message:
    """`message` with the text of some parts replaced or left out, counted again.

    A changed call gets its new text as arguments, changed media becomes a text block; id and
    content hash stay those of the original, which is what the text names.
    """
    if not changes:
        return message
    body = dict(message.body)
    content = body.get("content")
    at = 0
    if isinstance(content, str):
        at = 1 if content or body.get("role") == "tool" else 0
        if at and 0 in changes:
            body["content"] = changes[0] or ""
    elif isinstance(content, list):
        at = len(content)
        blocks = [(b, changes[i], message.parts[i]) if i in changes else (b, b, None) for i, b in enumerate(content)]
        body["content"] = [
            old if part is None else _block(old, str(new), part)
            for old, new, part in blocks
            if part is None or new is not None
        ]
    if len(message.parts) > at and message.parts[at].kind == "result":
        at += 1
    calls = body.get("tool_calls")
    if isinstance(calls, list):
        body["tool_calls"] = [_call(c, changes[at + i]) if at + i in changes else c for i, c in enumerate(calls)]
    parts = parts_module.parts_of(body)
    rebuilt = replace(message, body=body, parts=parts, text=parts_module.text_of(parts))
    return replace(rebuilt, tokens=counted_tokens(rebuilt, count))


def _block(old: Json, text: str, part: Part) -> Json:
    """A content block with another text."""
    if not isinstance(old, Mapping):
        return text
    if part.kind in ("media", "opaque", "thinking"):
        return {"type": "text", "text": text}
    if str(old.get("type", "")).endswith(("_tool_use", "_tool_result")):
        # What a provider ran itself has a form of its own; altered, it is text.
        return {"type": "text", "text": text}
    if part.kind == "call":
        return {**old, "input": arguments_object(text)}
    if part.kind == "result" and "tool_use_id" in old:
        return {**old, "content": text}
    return {**old, "text": text}


def _call(call: Any, text: Change) -> Json:
    """A tool call with other arguments."""
    if not isinstance(call, Mapping):
        return call
    for kind, field in (("function", "arguments"), ("custom", "input")):
        function = call.get(kind)
        if isinstance(function, Mapping):
            return {**call, kind: {**function, field: text or "{}"}}
    return call

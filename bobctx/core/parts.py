"""A host's message body, OpenAI chat or Anthropic, as one list of parts and one text. Pure.

Reading is lossless towards the body: nothing here changes it, and a block of an unknown kind
is an opaque part, never an error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bobctx.core import identity
from bobctx.core.types import Body, EgressClass, Json, Message, Part

TEXT_BLOCKS = frozenset({"text", "input_text", "output_text"})
MEDIA_BLOCKS = frozenset(
    {"image", "image_url", "input_image", "input_audio", "audio", "file", "input_file", "document"}
)
THINKING_BLOCKS = frozenset({"thinking", "redacted_thinking", "reasoning"})


def _arguments(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _result_text(content: Json) -> str:
    """Readable text of a tool result: a string, or the text blocks of a list."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [
            block if isinstance(block, str) else block.get("text", "")
            for block in content
            if isinstance(block, str) or (isinstance(block, Mapping) and isinstance(block.get("text", ""), str))
        ]
        return "\n".join(t for t in texts if t)
    return json.dumps(content, ensure_ascii=False)


def _block(block: Json, tool_call_id: str | None) -> Part:
    """One content block as a part."""
    if isinstance(block, str):
        return Part(kind="text", text=block)
    if not isinstance(block, Mapping):
        return Part(kind="opaque", native=block)
    kind = block_type(block)
    text = block.get("text")
    if kind in TEXT_BLOCKS and isinstance(text, str):
        if tool_call_id is not None:
            return Part(kind="result", call_id=tool_call_id, text=text, native=block)
        return Part(kind="text", text=text, native=block)
    if kind is not None and kind.endswith("tool_use"):
        return Part(
            kind="call",
            call_id=_opt(block.get("id")),
            name=_opt(block.get("name")),
            text=_arguments(block.get("input", {})),
            native=block,
        )
    if kind is not None and (kind.endswith("tool_result") or block.get("tool_use_id") is not None):
        return Part(
            kind="result",
            call_id=_opt(block.get("tool_use_id")),
            text=_result_text(block.get("content")),
            native=block,
            is_error=bool(block.get("is_error")),
        )
    if kind in THINKING_BLOCKS:
        thought = block.get("thinking") or block.get("text") or ""
        return Part(kind="thinking", text=thought if isinstance(thought, str) else "", native=block)
    if kind in MEDIA_BLOCKS:
        return Part(kind="media", name=kind, native=block)
    if kind == "refusal" and isinstance(block.get("refusal"), str):
        return Part(kind="text", text=block["refusal"], native=block)
    return Part(kind="opaque", name=kind, native=block)


def block_type(block: Mapping[str, Json]) -> str | None:
    """A content block's type; None where a host sent something else than text there."""
    return _opt(block.get("type"))


def _opt(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def parts_of(body: Body) -> tuple[Part, ...]:
    """The parts of a message body, in order; calls of `tool_calls` come after the content."""
    content = body.get("content")
    call_id = _opt(body.get("tool_call_id")) if body.get("role") == "tool" else None
    parts: list[Part] = []
    if isinstance(content, str):
        kind: Any = "result" if body.get("role") == "tool" else "text"
        if content or kind == "result":
            parts.append(Part(kind=kind, text=content, call_id=call_id, name=_opt(body.get("name"))))
    elif isinstance(content, list):
        parts.extend(_block(block, call_id) for block in content)
    if body.get("role") == "tool" and not any(p.kind == "result" for p in parts):
        parts.append(Part(kind="result", call_id=call_id, name=_opt(body.get("name"))))
    calls = body.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if not isinstance(call, Mapping):
            parts.append(Part(kind="opaque", native=call))
            continue
        function = call.get("function") or call.get("custom")
        function = function if isinstance(function, Mapping) else {}
        parts.append(
            Part(
                kind="call",
                call_id=_opt(call.get("id")),
                name=_opt(function.get("name")),
                text=_arguments(function.get("arguments", function.get("input", ""))),
                native=call,
            )
        )
    return tuple(parts)


def text_of(parts: tuple[Part, ...]) -> str:
    """What can be quoted and searched: prose, call arguments and results; no thinking, no media."""
    lines = []
    for part in parts:
        if part.kind == "call":
            lines.append(f"{part.name or 'tool'}({part.text})")
        elif part.kind in ("text", "result"):
            lines.append(part.text)
    return "\n".join(line for line in lines if line)


def read_message(
    posted: Mapping[str, Any],
    *,
    id: str | None = None,
    seq: int | None = None,
    tokens: int = 0,
    egress: EgressClass = "local",
    created_at: float | None = None,
    previous_id: str | None = None,
) -> Message:
    """A posted or stored message dict as a `Message`; an id that is missing is derived from `previous_id`.

    The caller has checked the role; surrogates are already scrubbed.
    """
    body = identity.body_of(posted)
    parts = parts_of(body)
    given = id if id is not None else posted.get("id")
    return Message(
        id=str(given) if given is not None else identity.derived_id(previous_id, body),
        role=body["role"],
        body=body,
        parts=parts,
        text=text_of(parts),
        sha256=identity.content_sha256(body),
        seq=seq,
        speaker=_opt(body.get("speaker")),
        created_at=created_at,
        tokens=tokens,
        egress=egress,
        injected=bool(posted.get("injected", False)),
    )

"""Texts of a conversation that look like ours and are not: shown so that nobody takes them for ours. Pure.

A block that was altered on its way through a host, or forged, is recorded as it came; in a prompt its
markup is changed, as it is in claims (design, section 3, Recording). So is that of a block which somebody
repeats: ours have been taken out of the user's messages before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import regex

from bobctx.core import identity, parts
from bobctx.core.sentinel import sealed_in
from bobctx.core.speakers import counted_tokens
from bobctx.core.tokens import Count
from bobctx.core.types import Json, Message

_OWN_MARKUP = regex.compile(
    r"[\[［]\s*(?=(?:compacted\s+history|not\s+shown|cites|bobctx|omitted)\b)|\((?=replaces\s)", regex.I
)
_SIGNS = ("[bobctx:", "[compacted history")
"""One of them stands in every text of ours; words of the user's own beside neither are left alone."""


def escaped(text: str) -> str:
    """`text` without our markup, its words kept."""
    return _OWN_MARKUP.sub(lambda m: "{" if m[0][0] == "(" else "(", text)


def told_apart(message: Message, key: bytes | None, count: Count) -> Message:
    """The message, what only looks like ours in it escaped; the same object where there is nothing of the kind.

    Without the database's key nothing can be told, and nothing is changed.
    """
    if key is None or not any(sign in message.text for sign in _SIGNS):
        return message
    content = _content(message.body.get("content"), key)
    if content == message.body.get("content"):
        return message
    body = {**message.body, "content": content}
    found = parts.parts_of(body)
    changed = replace(message, body=body, parts=found, text=parts.text_of(found), sha256=identity.content_sha256(body))
    return replace(changed, tokens=counted_tokens(changed, count))


def _content(content: Json, key: bytes) -> Json:
    """Message content, or that of a tool's result in it; thoughts and calls stay as they are."""
    if isinstance(content, str):
        return _unverified_escaped(content, key)
    if not isinstance(content, list):
        return content
    return [_block(block, key) for block in content]


def _block(block: Json, key: bytes) -> Json:
    if isinstance(block, str):
        return _unverified_escaped(block, key)
    if not isinstance(block, Mapping):
        return block
    kind = parts.block_type(block)
    if kind in parts.TEXT_BLOCKS and isinstance(block.get("text"), str):
        return {**block, "text": _unverified_escaped(block["text"], key)}
    if kind is not None and kind.endswith("tool_result"):
        return {**block, "content": _content(block.get("content"), key)}
    return block


def _unverified_escaped(text: str, key: bytes) -> str:
    if not any(sign in text for sign in _SIGNS):
        return text
    pieces: list[str] = []
    at = 0
    for ours in sealed_in(text, key):
        if ours.kind == "block":
            continue  # repeated by a model or a tool: what it says may no longer hold
        pieces += escaped(text[at : ours.start]), text[ours.start : ours.end]
        at = ours.end
    return "".join((*pieces, escaped(text[at:])))

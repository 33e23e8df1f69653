"""What of a posted call is bobctx's own text: its blocks are left out, its tools' results are never user text."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from bobctx.core import sentinel
from bobctx.core.tools import is_own
from bobctx.core.types import Message
from bobctx.ports import Incoming

_MARK = "[bobctx:"


def split_own(messages: Sequence[Incoming], key: bytes) -> tuple[list[tuple[Incoming, bool]], int]:
    """The messages to store, each with whether search may find it, and how many were ours alone.

    A block that a dialect merged into a user message is taken out of it; a result of `conv_expand` or
    `conv_search` stays, since its call needs it, but marked as injected and not searchable: it repeats
    originals. A block is ours only if its keyed seal verifies; a result also by the name of its tool, which
    can only lower what is made of it. Any other text is stored as it is.
    """
    kept: list[tuple[Incoming, bool]] = []
    ignored = 0
    asked: set[str | None] = set()
    for item in messages:
        message = item.message
        for part in message.parts:
            if part.kind == "call":  # an id may come again: the nearest call before a result is the one it answers
                (asked.add if is_own(part.name) else asked.discard)(part.call_id)
        if _only_own_results(message, asked):
            kept.append((replace(item, message=replace(message, injected=True)), False))
        elif _MARK not in message.text:
            kept.append((item, True))
        elif _only_blocks(message, key):
            ignored += 1
        elif _only_tool_results(message, key):
            kept.append((replace(item, message=replace(message, injected=True)), False))
        else:
            kept.append((_without_blocks(item, key), True))
    return kept, ignored


def _only_own_results(message: Message, asked: Set[str | None]) -> bool:
    """Whether a message holds nothing but results of our tools: of calls (`asked`) before it, or named as theirs."""
    texts = [p for p in message.parts if p.kind in ("text", "result") and p.text.strip()]
    return bool(texts) and all(
        p.kind == "result" and (is_own(p.name) or (p.call_id is not None and p.call_id in asked)) for p in texts
    )


def _only_blocks(message: Message, key: bytes) -> bool:
    """Whether nothing but blocks of ours stands there, one or several."""
    return sentinel.is_ours(message.text, key, kind="block") or sentinel.without_blocks(message, key) is None


def _only_tool_results(message: Message, key: bytes) -> bool:
    texts = [p for p in message.parts if p.kind in ("text", "result") and p.text.strip()]
    return bool(texts) and all(p.kind == "result" and sentinel.is_ours(p.text, key, kind="tool") for p in texts)


def _without_blocks(item: Incoming, key: bytes) -> Incoming:
    message, left = item.message, sentinel.without_blocks(item.message, key)
    if left is None or left is message:
        return item
    tokens = max(1, message.tokens * len(left.text) // max(1, len(message.text)))
    return replace(item, message=left.sized(tokens))

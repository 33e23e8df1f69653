"""What a provider would refuse in a message list, as data. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bobctx.core.types import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One thing a provider would refuse."""

    code: str
    """Stable: `orphan_result`, `unanswered_call`, `empty_content`, `alternation`, `first_not_user`,
    `no_user_message`, `duplicate_call_id`, `unknown_role`, `bad_call_id`, `thinking`, …"""
    index: int
    """Message of the list."""
    message: str


def violation(code: str, index: int, message: str) -> Violation:
    """A `Violation`."""
    return Violation(code=code, index=index, message=message)


def blank_content(content: Json) -> bool:
    """Whether content is nothing: null, blank text, or no block that says anything."""
    if content is None:
        return True
    if isinstance(content, str):
        return not content.strip()
    if isinstance(content, list):
        return all(_blank_block(block) for block in content)
    return False


def _blank_block(block: Json) -> bool:
    if isinstance(block, Mapping):
        text = block.get("text")
        return block.get("type") in ("text", "input_text", "output_text") and not (
            isinstance(text, str) and text.strip()
        )
    return not block

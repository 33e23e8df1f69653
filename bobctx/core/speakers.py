"""Who spoke, where several people share the user's role: said in the final list in the dialect's own way. Pure.

OpenAI chat has a `name` field for it, which takes few characters; everywhere else, and for names that do not fit,
the text begins with the speaker. Only recorded messages that carry a speaker are named (design, section 4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import regex

from bobctx.core.tokens import Count, message_tokens
from bobctx.core.types import Json, Message

NAME = regex.compile(r"[A-Za-z0-9_-]{1,64}")
"""What the `name` field takes."""
LONGEST = 80
"""Characters of a speaker that are shown."""
FRAME = 2
"""Tokens of the colon and space, or of the name's own frame."""


def shown(role: Json, speaker: str | None) -> str | None:
    """The speaker on one line, None where none is to be named: only people share a role."""
    if role != "user" or not speaker:
        return None
    return " ".join(speaker.split())[:LONGEST] or None


def speaker_of(message: Message | Mapping[str, Any]) -> str | None:
    """The speaker of a message or of a body, as it is shown."""
    if isinstance(message, Message):
        return shown(message.role, message.speaker)
    speaker = message.get("speaker")
    return shown(message.get("role"), speaker) if isinstance(speaker, str) else None


def field_name(speaker: str) -> str | None:
    """The speaker as a `name` field, if it is valid there."""
    return speaker if NAME.fullmatch(speaker) else None


def prefixed(text: str, speaker: str) -> str:
    """The text with its speaker in front, once."""
    return text if text.lstrip().startswith(f"{speaker}:") else f"{speaker}: {text}"


def counted_tokens(message: Message, count: Count) -> int:
    """Reference tokens of a message as it is sent, its speaker included."""
    speaker = speaker_of(message)
    return message_tokens(message.parts, count) + (count(speaker) + FRAME if speaker else 0)


def sizes(messages: Sequence[Message], count: Count) -> list[int]:
    """`counted_tokens` of each."""
    return [counted_tokens(m, count) for m in messages]

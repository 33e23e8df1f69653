"""Which user messages the host put there, told by how they begin where the host sets no flag. Pure.

Rules files, reminders and personas are often sent as the user's own messages; as such they would anchor the
opening and give orders (design, section 4, Opening).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bobctx.core.types import Message


def mark_injected(messages: Iterable[Message], prefixes: tuple[str, ...]) -> tuple[Message, ...]:
    """The messages, those that begin as the host's own texts do flagged `injected`.

    Args:
        messages: As posted; one that is flagged stays so.
        prefixes: What the host's texts begin with, white space before it apart; case counts.
    """
    if not prefixes:
        return tuple(messages)
    return tuple(replace(m, injected=True) if _is_injected(m, prefixes) else m for m in messages)


def _is_injected(message: Message, prefixes: tuple[str, ...]) -> bool:
    """Whether every text of a user message begins so: words of the user's own beside one make it the user's."""
    if message.role != "user" or message.injected:
        return False
    texts = [p.text.lstrip() for p in message.parts if p.kind == "text" and p.text.strip()]
    others = any(p.kind in ("media", "opaque") for p in message.parts)
    return bool(texts) and not others and all(t.startswith(prefixes) for t in texts)

"""One message's structure, computed once when it is recorded: flags, calls, results. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag

from bobctx.core.types import PREAMBLE_ROLES, Message, Part


class Flag(IntFlag):
    """What the structure of a conversation needs to know about one message."""

    GENUINE_USER = 1
    """Said by the user: has text or media of its own and was not put there by a host."""
    USER = 2
    ASSISTANT = 4
    TOOL = 8
    INJECTED = 16
    LOCAL = 32
    """Egress class `local`: never reaches a cloud seat or host."""
    SIGNED = 64
    """Ends in thinking whose continuation (text or call) comes in the next assistant message."""
    PREAMBLE = 128
    """A system or developer message before the first user message: stored, never on a spine."""
    CALLS = 256
    RESULTS = 512
    MEDIA = 1024


_ROLE_FLAGS = {"user": Flag.USER, "assistant": Flag.ASSISTANT, "tool": Flag.TOOL}
STRUCTURAL = int(Flag.GENUINE_USER | Flag.SIGNED | Flag.CALLS | Flag.RESULTS)
"""The flags that decide where safe cuts are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One message's structure, computed once when it is recorded and stored as columns."""

    id: str
    seq: int | None
    role: str
    sha256: str
    tokens: int
    flags: int
    calls: tuple[str, ...] = ()
    """Ids of calls that some other message has to answer, in order."""
    results: tuple[str, ...] = ()
    """Ids of calls of earlier messages that this one answers, in order."""


Row = tuple[str, int | None, str, str, int, int, Sequence[str], Sequence[str]]
"""An `Entry` as a plain tuple, in field order; empty `calls` and `results` may be any falsy value."""


def _pairs(parts: Sequence[Part]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Calls and results that reach beyond the message; server tools answer themselves inside it."""
    calls: list[str] = []
    results: list[str] = []
    for part in parts:
        if part.kind == "call":
            calls.append(part.call_id or "")
        elif part.kind == "result":
            key = part.call_id or ""
            if key in calls:
                calls.remove(key)
            elif key not in results:
                results.append(key)
    return tuple(calls), tuple(results)


def is_unfinished(parts: Sequence[Part]) -> bool:
    """Whether the message stops after a thought, so that the next assistant message continues it."""
    last = next((p for p in reversed(parts) if p.kind != "opaque"), None)
    return last is not None and last.kind == "thinking"


def flags_of(message: Message, *, preamble: bool = False) -> int:
    """The flags of one message (see `Flag`)."""
    calls, results = _pairs(message.parts)
    kinds = {p.kind for p in message.parts}
    flags = _ROLE_FLAGS.get(message.role, Flag(0))
    speaks = any(p.kind in ("media", "opaque") or (p.kind == "text" and p.text.strip()) for p in message.parts)
    if message.injected:
        flags |= Flag.INJECTED
    elif message.role == "user" and speaks:
        flags |= Flag.GENUINE_USER
    flags |= Flag.LOCAL if message.egress == "local" else Flag(0)
    flags |= Flag.CALLS if calls else Flag(0)
    flags |= Flag.RESULTS if results else Flag(0)
    flags |= Flag.MEDIA if "media" in kinds else Flag(0)
    flags |= Flag.PREAMBLE if preamble else Flag(0)
    if message.role == "assistant" and is_unfinished(message.parts):
        flags |= Flag.SIGNED
    return int(flags)


def entry_of(message: Message, *, preamble: bool = False) -> Entry:
    """The structure of one message; its `tokens` must be set."""
    calls, results = _pairs(message.parts)
    return Entry(
        id=message.id,
        seq=message.seq,
        role=message.role,
        sha256=message.sha256,
        tokens=message.tokens,
        flags=flags_of(message, preamble=preamble),
        calls=calls,
        results=results,
    )


def split_preamble(messages: Sequence[Message]) -> tuple[list[Message], list[Message]]:
    """Leading system and developer messages, and the rest, which is the spine."""
    end = next((i for i, m in enumerate(messages) if m.role not in PREAMBLE_ROLES), len(messages))
    return list(messages[:end]), list(messages[end:])

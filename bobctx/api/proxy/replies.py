"""The provider's answer as one message, read from a copy of its bytes; here a JSON body, in `streams` events.

No I/O. What was cut off, what reports an error and what cannot be read is no answer: it is not recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import orjson

from bobctx.api.proxy.asked import Wire
from bobctx.core.types import Json

MOST_BYTES = 32 * 1024 * 1024
"""Of an answer that is read; a longer one is forwarded all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One complete answer."""

    message: dict[str, Json]
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    written_tokens: int | None = None


class Reading(Protocol):
    """Reads an answer piece by piece."""

    def feed(self, chunk: bytes) -> None:
        """Take the bytes that were forwarded last."""
        ...

    @property
    def done(self) -> bool:
        """Whether the answer has ended for certain; else its end is that of the bytes."""
        ...

    @property
    def reply(self) -> Reply | None:
        """The answer, if the provider has said that it is complete."""
        ...


class Body:
    """A JSON body; it is complete when it is valid."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._chunks: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> None:
        """See `Reading.feed`."""
        self._size += len(chunk)
        if self._size <= MOST_BYTES:
            self._chunks.append(chunk)
        else:
            self._chunks.clear()

    @property
    def done(self) -> bool:
        """See `Reading.done`."""
        return False

    @property
    def reply(self) -> Reply | None:
        """See `Reading.reply`."""
        value = parsed(b"".join(self._chunks))
        if not isinstance(value, dict) or value.get("error"):
            return None
        return _of_chat(value) if self._wire == "openai" else _of_messages(value)


def _of_chat(value: Mapping[str, Any]) -> Reply | None:
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and len(choices) == 1 else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(message, Mapping) or not choice or not choice.get("finish_reason"):
        return None
    return reply_of({**message, "role": "assistant"}, value.get("usage"))


def _of_messages(value: Mapping[str, Any]) -> Reply | None:
    content = value.get("content")
    if value.get("type") != "message" or not isinstance(content, list) or not value.get("stop_reason"):
        return None
    return reply_of({"role": "assistant", "content": content}, value.get("usage"))


def reply_of(message: dict[str, Json], usage: Json) -> Reply | None:
    """A message with what the provider counted; None where nothing was said."""
    if not message.get("content") and not message.get("tool_calls"):
        return None
    usage = usage if isinstance(usage, Mapping) else {}
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else usage.get("cache_read_input_tokens")
    written = usage.get("cache_creation_input_tokens")
    prompt = usage.get("prompt_tokens")
    if prompt is None and isinstance(usage.get("input_tokens"), int):
        parts = (usage.get(k) for k in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"))
        prompt = sum(p for p in parts if isinstance(p, int))
    return Reply(
        message=message,
        prompt_tokens=prompt if isinstance(prompt, int) and prompt > 0 else None,
        cached_tokens=cached if isinstance(cached, int) and cached >= 0 else None,
        written_tokens=written if isinstance(written, int) and written >= 0 else None,
    )


def parsed(raw: bytes | str) -> Json:
    """A JSON value, None for what is none."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None

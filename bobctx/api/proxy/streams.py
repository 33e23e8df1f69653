"""An answer that comes as a stream of events, put together from a copy of their bytes. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from bobctx.api.proxy.asked import Wire
from bobctx.api.proxy.replies import MOST_BYTES, Body, Reading, Reply, parsed, reply_of
from bobctx.core.types import Json


def reading(wire: Wire, *, streamed: bool) -> Reading:
    """What reads an answer in this format."""
    if not streamed:
        return Body(wire)
    return Stream(ChatAnswer() if wire == "openai" else MessagesAnswer())


class Answer(Protocol):
    """Puts an answer together from the data of its events."""

    def take(self, data: bytes) -> None:
        """The data of one event."""
        ...

    @property
    def done(self) -> bool:
        """Whether the last event has come."""
        ...

    @property
    def reply(self) -> Reply | None:
        """The answer, if it is complete."""
        ...


class Stream:
    """Server-sent events, cut anywhere."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._rest = b""
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> None:
        """See `Reading.feed`."""
        self._size += len(chunk)
        if self._size > MOST_BYTES:
            self._rest, self._data = b"", []
            return
        for line in self._lines(chunk):
            if line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif not line and self._data:
                data, self._data = b"\n".join(self._data), []
                self._answer.take(data)

    def _lines(self, chunk: bytes) -> Iterator[bytes]:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return (line.removesuffix(b"\r") for line in lines)

    @property
    def done(self) -> bool:
        """See `Reading.done`."""
        return self._answer.done

    @property
    def reply(self) -> Reply | None:
        """See `Reading.reply`."""
        return self._answer.reply if self._size <= MOST_BYTES else None


@dataclass(slots=True)
class ChatAnswer:
    """OpenAI chat: deltas of one choice."""

    message: dict[str, Any] = field(default_factory=dict)
    calls: dict[int, dict[str, Any]] = field(default_factory=dict)
    usage: Json = None
    finished: bool = False
    done: bool = False
    broken: bool = False

    def take(self, data: bytes) -> None:
        """See `Answer.take`."""
        if data.strip() == b"[DONE]":
            self.done = True
            return
        value = parsed(data)
        if not isinstance(value, dict) or value.get("error"):
            self.broken = True
            return
        self.usage = value.get("usage") or self.usage
        for choice in value.get("choices") or ():
            if not isinstance(choice, Mapping) or choice.get("index", 0) != 0:
                self.broken = True
                continue
            self._add(choice.get("delta") or {})
            self.finished = self.finished or bool(choice.get("finish_reason"))

    def _add(self, delta: Mapping[str, Any]) -> None:
        for name, value in delta.items():
            if name == "tool_calls":
                for place, call in enumerate(value or ()):
                    self._add_call(call, place)
            elif isinstance(value, str) and name != "role":
                self.message[name] = str(self.message.get(name) or "") + value
            elif value is not None and name != "role":
                self.message[name] = value

    def _add_call(self, call: Mapping[str, Any], place: int) -> None:
        at = call.get("index")
        known = self.calls.setdefault(at if isinstance(at, int) else place, {})
        for name, value in call.items():
            if isinstance(value, Mapping):
                _grow_inside(known.setdefault(name, {}), value)
            elif value and name != "index":
                known[name] = value

    @property
    def reply(self) -> Reply | None:
        """See `Answer.reply`."""
        if self.broken or not self.finished:
            return None
        message: dict[str, Json] = {"role": "assistant", "content": None, **self.message}
        if self.calls:
            message["tool_calls"] = [self.calls[at] for at in sorted(self.calls)]
        return reply_of(message, self.usage)


def _grow_inside(inner: dict[str, Any], pieces: Mapping[str, Any]) -> None:
    """Arguments come in pieces, everything else at once (and from some servers again and again)."""
    for key, piece in pieces.items():
        if key in ("arguments", "input") and isinstance(piece, str):
            inner[key] = str(inner.get(key) or "") + piece
        elif piece:
            inner[key] = piece


@dataclass(slots=True)
class MessagesAnswer:
    """Anthropic messages: blocks that begin, grow and end."""

    blocks: dict[int, dict[str, Any]] = field(default_factory=dict)
    arguments: dict[int, str] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)
    done: bool = False
    broken: bool = False

    def take(self, data: bytes) -> None:
        """See `Answer.take`."""
        event = parsed(data)
        kind = event.get("type") if isinstance(event, dict) else None
        if not isinstance(event, dict) or kind == "error":
            self.broken = True
        elif kind == "message_start":
            message = event.get("message")
            self._use(message.get("usage") if isinstance(message, Mapping) else None)
        elif kind == "content_block_start":
            self.blocks[event.get("index", 0)] = dict(event.get("content_block") or {})
        elif kind == "content_block_delta":
            self._grow(event.get("index", 0), event.get("delta") or {})
        elif kind == "content_block_stop":
            self._end(event.get("index", 0))
        elif kind == "message_delta":
            self._use(event.get("usage"))
        elif kind == "message_stop":
            self.done = True

    def _use(self, usage: Json) -> None:
        if isinstance(usage, Mapping):
            self.usage.update({k: v for k, v in usage.items() if v is not None})

    def _grow(self, at: int, delta: Mapping[str, Any]) -> None:
        block = self.blocks.get(at)
        kind = delta.get("type")
        if block is None:
            self.broken = True
        elif kind == "input_json_delta":
            self.arguments[at] = self.arguments.get(at, "") + str(delta.get("partial_json") or "")
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or ()), delta.get("citation")]
        elif kind in ("text_delta", "thinking_delta", "signature_delta"):
            name = str(kind).removesuffix("_delta")
            block[name] = str(block.get(name) or "") + str(delta.get(name) or "")
        else:
            self.broken = True  # of a kind that came later than this code

    def _end(self, at: int) -> None:
        text = self.arguments.pop(at, "")
        if text:
            value = parsed(text)
            self.broken = self.broken or value is None
            self.blocks[at]["input"] = value

    @property
    def reply(self) -> Reply | None:
        """See `Answer.reply`."""
        if self.broken or not self.done:
            return None
        blocks = [self.blocks[at] for at in sorted(self.blocks)]
        return reply_of({"role": "assistant", "content": blocks}, self.usage)

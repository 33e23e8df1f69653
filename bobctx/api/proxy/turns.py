"""One proxied turn: what is recorded of it, and when. The copy of the answer is read here, after it was forwarded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bobctx import logs
from bobctx.api import posted as door
from bobctx.api.posted import Posted
from bobctx.api.proxy.asked import Asked, tidied
from bobctx.api.proxy.flights import Flight
from bobctx.api.proxy.naming import node_ids
from bobctx.api.proxy.replies import Reading, Reply
from bobctx.api.proxy.streams import reading
from bobctx.api.proxy.upstream import Headers
from bobctx.core.types import Json, Message, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A request whose answer will be recorded with it."""

    scope: Scope
    asked: Asked
    messages: tuple[Message, ...]
    """As read from `asked.messages`, with their ids."""
    flight: Flight
    trace_id: str | None = None
    """Set where the provider got just the list that was counted, so that its own count says something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A turn and its answer."""

    turn: Turn
    message: dict[str, Json]
    id: str
    reply: Reply


def messages_of(asked: Asked, ids: Sequence[str]) -> tuple[Message, ...]:
    """The request's messages as an assembly reads them, the preamble first. Raises `InvalidInput`."""
    leading = [door.check(tidied(m), "messages") for m in asked.preamble]
    rest = [door.check({**m, "id": i}, "messages") for m, i in zip(asked.messages, ids, strict=True)]
    preamble = [door.read(item, id=f"system-{n}") for n, item in enumerate(leading)]
    return (*preamble, *(door.read(item) for item in rest))


def text_message(text: str) -> Message:
    """A text as a message, to be counted like one."""
    return door.read(door.check({"role": "system", "content": text}, "messages"))


def answer_of(said: Said) -> Message:
    """The answer as it will be stored. Raises `InvalidInput`."""
    return door.read(door.check({**said.message, "id": said.id}, "messages"))


def posted_of(said: Said, first: int, *, now: float) -> list[Posted]:
    """The messages of a turn from the `first` on, with ids and parents, the answer last. Raises `InvalidInput`."""
    bodies: list[Mapping[str, Any]] = [*said.turn.asked.messages, said.message]
    ids = [*(m.id for m in said.turn.messages), said.id]
    new = 1 + max((i for i, m in enumerate(bodies[:-1]) if m.get("role") == "assistant"), default=-1)
    found = []
    for index in range(first, len(ids)):
        raw = {**bodies[index], "id": ids[index], "parents": ids[index - 1 : index] if index else []}
        found.append(door.check({**raw, "created_at": now} if index >= new else raw, "messages"))
    return found


class Tee:
    """Reads along, and says once what was said. Never raises, never waits."""

    def __init__(self, turn: Turn, then: Callable[[Said], object], failed: Callable[[int, bytes], object]) -> None:
        """`then` gets a complete answer; `failed` status and beginning of a refusal."""
        self._turn = turn
        self._then = then
        self._failed = failed
        self._reading: Reading | None = None
        self._left: int | None = None
        self._status = 0
        self._refusal = b""

    @contextmanager
    def _unheard(self) -> Iterator[None]:
        """What a provider sends may have any form: an answer that cannot be read is not recorded, but forwarded."""
        try:
            yield
        except Exception as exc:  # noqa: BLE001 - boundary: the client's answer goes on whatever fails here
            self._reading = None
            logs.get_logger().error(logs.PROXY_FAILED, where="answer", exc_info=exc)

    def begin(self, status: int, headers: Headers) -> None:
        """See `Listener.begin`."""
        with self._unheard():
            self._begin(status, dict(headers))

    def take(self, chunk: bytes) -> None:
        """See `Listener.take`."""
        with self._unheard():
            self._take(chunk)

    def end(self) -> None:
        """See `Listener.end`."""
        with self._unheard():
            self._end()

    def _begin(self, status: int, named: Mapping[bytes, bytes]) -> None:
        self._status = status
        length = named.get(b"content-length", b"")
        self._left = int(length) if length.isdigit() else None
        if status == 200 and named.get(b"content-encoding", b"identity") == b"identity":
            streamed = named.get(b"content-type", b"").startswith(b"text/event-stream")
            self._reading = reading(self._turn.asked.wire, streamed=streamed)

    def _take(self, chunk: bytes) -> None:
        if self._status >= 400 and len(self._refusal) < 10_000:
            self._refusal += chunk[:10_000]
        if self._left is not None:
            self._left -= len(chunk)
        if self._reading is not None:
            self._reading.feed(chunk)
            if self._reading.done or self._left == 0:
                self._end()

    def _end(self) -> None:
        found, self._reading = self._reading, None
        reply = None if found is None else found.reply
        if self._status >= 400:
            self._failed(self._status, self._refusal)
            self._status = 0
        if reply is None or self._turn.asked.answers > 1:
            return
        message = tidied(reply.message)
        [ident] = node_ids([message], self._turn.messages[-1].id)
        self._then(Said(turn=self._turn, message=message, id=ident, reply=reply))

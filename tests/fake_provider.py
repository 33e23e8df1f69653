"""A provider on a free local port, in both wire formats: it answers as it is told and keeps what it saw and sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

USAGE = {"prompt_tokens": 40, "completion_tokens": 5, "total_tokens": 45, "prompt_tokens_details": {"cached_tokens": 8}}
A_USAGE = {"input_tokens": 30, "output_tokens": 5, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


@dataclass
class FakeProvider:
    """Answers "ANSWER n"; `faults` are used up first, one a request."""

    port: int = 0
    faults: list[str] = field(default_factory=list)
    """`429`, `500`, `too_long`, `cut`, `hang`, `slow`, `call`, `thinking`, `gzip`."""
    seen: list[Seen] = field(default_factory=list)
    sent: list[bytes] = field(default_factory=list)
    """Bodies as they were sent, by request."""
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    """A client went away before its answer was complete."""
    release: asyncio.Event = field(default_factory=asyncio.Event)
    """Lets a `slow` stream go on."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._one(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            self.closed.set()
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except asyncio.IncompleteReadError:
            return False
        first, *lines = head.split("\r\n")
        method, path, _ = first.split(" ")
        headers = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines if ": " in line)}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        self.seen.append(Seen(method=method, path=path, headers=headers, raw=raw))
        self.sent.append(b"")
        fault = self.faults.pop(0) if self.faults else ""
        if fault in ("429", "500"):
            extra = "retry-after-ms: 1\r\n" if fault == "429" else ""
            await self._send(writer, int(fault), json.dumps({"error": {"message": f"fault {fault}"}}).encode(), extra)
        elif fault == "too_long":
            told = {"error": {"message": "This model's maximum context length is 8192 tokens."}}
            await self._send(writer, 400, json.dumps(told).encode())
        elif not path.partition("?")[0].endswith(("/chat/completions", "/messages")):
            await self._send(writer, 200, json.dumps({"path": path, "data": []}).encode(), "x-upstream: yes\r\n")
        else:
            body = json.loads(raw) if "content-encoding" not in headers else {}
            return await self._answer(writer, reader, fault, body, "/messages" in path)
        return True

    async def _send(self, writer: asyncio.StreamWriter, status: int, body: bytes, extra: str = "") -> None:
        head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n{extra}\r\n"
        self.sent[-1] += body
        writer.write(head.encode() + body)
        await writer.drain()

    async def _answer(
        self, writer: asyncio.StreamWriter, reader: asyncio.StreamReader, fault: str, body: Any, anthropic: bool
    ) -> bool:
        number = len(self.seen)
        text = f"ANSWER {number}: the port is {9000 + number}."
        message = (_anthropic if anthropic else _openai)(text, number, fault)
        if not body.get("stream"):
            whole = json.dumps(message).encode()
            if fault == "cut":
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n" + whole
                )
                await writer.drain()
                return False
            if fault == "hang":
                await reader.read(1)  # until the client goes away
                self.closed.set()
                return False
            await self._send(writer, 200, whole, "x-request-id: up-1\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n")
            return True
        kind = b"content-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n"
        writer.write(b"HTTP/1.1 200 OK\r\n" + kind + b"connection: close\r\n\r\n")
        events = list((_anthropic_events if anthropic else _openai_events)(message, body))
        for index, event in enumerate(events):
            if index == len(events) // 2:
                if fault == "cut":
                    writer.transport.abort()
                    return False
                if fault == "slow":
                    gone = asyncio.create_task(reader.read(1))
                    going = asyncio.create_task(self.release.wait())
                    await asyncio.wait({gone, going}, return_when=asyncio.FIRST_COMPLETED)
                    left = gone.done()
                    for task in (gone, going):
                        task.cancel()
                    if left:
                        self.closed.set()
                        return False
            half = len(event) // 2  # an event arrives in two pieces: nobody may count on whole ones
            for piece in (event[:half], event[half:]):
                self.sent[-1] += piece
                writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                await writer.drain()
                await asyncio.sleep(0)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return False


EMPTY: dict[str, dict[str, Any]] = {
    "text": {"text": ""},
    "thinking": {"thinking": "", "signature": ""},
    "tool_use": {"input": {}},
}
"""How a block begins in a stream."""
CALL = {"name": "look_up", "arguments": '{"city": "Paris"}'}


def _openai(text: str, number: int, fault: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None, "annotations": []}
    if fault == "call":
        message |= {"content": None, "tool_calls": [{"id": f"call_{number}", "type": "function", "function": CALL}]}
    finish = "tool_calls" if fault == "call" else "stop"
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    base = {"id": f"cmpl-{number}", "object": "chat.completion", "created": 1, "model": "fake"}
    return {**base, "choices": [choice], "usage": USAGE}


def _openai_events(whole: dict[str, Any], body: Any) -> Iterable[bytes]:
    message = whole["choices"][0]["message"]
    base = {k: whole[k] for k in ("id", "created", "model")} | {"object": "chat.completion.chunk"}

    def event(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}] if "usage" not in more else []
        return b"data: " + json.dumps({**base, "choices": choices, **more}).encode() + b"\n\n"

    yield event({"role": "assistant", "content": "" if message["content"] else None})
    for start in range(0, len(message["content"] or ""), 7):
        yield event({"content": message["content"][start : start + 7]})
    for index, call in enumerate(message.get("tool_calls") or ()):
        yield event({"tool_calls": [{**call, "index": index, "function": {"name": CALL["name"], "arguments": ""}}]})
        for start in range(0, len(CALL["arguments"]), 6):
            piece = {"arguments": CALL["arguments"][start : start + 6]}
            yield event({"tool_calls": [{"index": index, "function": piece}]})
    yield event({}, whole["choices"][0]["finish_reason"])
    if (body.get("stream_options") or {}).get("include_usage"):
        yield event({}, usage=USAGE)
    yield b"data: [DONE]\n\n"


def _anthropic(text: str, number: int, fault: str) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": text}]
    if fault == "thinking":
        content.insert(0, {"type": "thinking", "thinking": "Let me see.", "signature": f"sealed-{number}"})
    if fault == "call":
        content.append({"type": "tool_use", "id": f"toolu_{number}", "name": "look_up", "input": {"city": "Paris"}})
    stop = "tool_use" if fault == "call" else "end_turn"
    base = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "fake"}
    return {**base, "content": content, "stop_reason": stop, "stop_sequence": None, "usage": A_USAGE}


def _anthropic_events(whole: dict[str, Any], _: Any) -> Iterable[bytes]:
    def event(kind: str, **data: Any) -> bytes:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()

    yield event("message_start", message={**whole, "content": [], "stop_reason": None})
    yield event("ping")
    for index, block in enumerate(whole["content"]):
        empty = EMPTY[block["type"]]
        yield event("content_block_start", index=index, content_block={**block, **empty})
        if block["type"] == "tool_use":
            text = json.dumps(block["input"])
            deltas = [{"type": "input_json_delta", "partial_json": text[i : i + 5]} for i in range(0, len(text), 5)]
        elif block["type"] == "thinking":
            deltas = [
                {"type": "thinking_delta", "thinking": block["thinking"]},
                {"type": "signature_delta", "signature": block["signature"]},
            ]
        else:
            text = block["text"]
            deltas = [{"type": "text_delta", "text": text[i : i + 6]} for i in range(0, len(text), 6)]
        for delta in deltas:
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    yield event("message_delta", delta={"stop_reason": whole["stop_reason"]}, usage={"output_tokens": 5})
    yield event("message_stop")


@asynccontextmanager
async def fake_provider() -> AsyncIterator[FakeProvider]:
    """A running provider."""
    provider = FakeProvider()
    server = await asyncio.start_server(provider.serve, "127.0.0.1", 0)
    provider.port = server.sockets[0].getsockname()[1]
    try:
        yield provider
    finally:
        server.close()
        provider.release.set()

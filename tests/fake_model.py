"""A model server on a free local port that behaves as it is told: good, slow, broken, hostile."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

CLAIM = {"id": "c1", "type": "fact", "importance": 2, "text": "Port 9443.", "cites": ["m1"], "supersedes": None}
CLAIMS = json.dumps({"claims": [CLAIM]})
REASON = {
    200: "OK",
    302: "Found",
    400: "Bad Request",
    401: "Unauthorized",
    429: "Too Many Requests",
    500: "Server Error",
}


@dataclass
class FakeModel:
    """What the next requests get, in turn (the last one stays), and what was asked."""

    behaviours: list[str] = field(default_factory=lambda: ["plain"])
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    port: int = 0
    answer: Callable[[dict[str, Any]], str] | None = None
    """Writes what `plain` answers, from the request's body."""

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            lines = [line.split(": ", 1) for line in head.splitlines()[1:] if ": " in line]
            headers = {name.lower(): value for name, value in lines}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            self.headers.append(headers)
            self.requests.append(json.loads(body) if body else {})
            behaviour = self.behaviours.pop(0) if len(self.behaviours) > 1 else self.behaviours[0]
            await self._behave(behaviour, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _behave(self, behaviour: str, writer: asyncio.StreamWriter) -> None:
        name, _, argument = behaviour.partition(":")
        if name == "slow":
            await asyncio.sleep(float(argument or 30))
            name = "plain"
        if name == "no_schema" and self.requests[-1].get("response_format", {}).get("type") != "json_schema":
            name = "plain"
        if name == "over":  # a prompt over so many characters is over the window that the error states
            limit, _, stated = argument.partition("/")
            size = sum(len(m["content"]) for m in self.requests[-1]["messages"])
            text = f"This model's maximum context length is {stated} tokens" if stated else "prompt is too long"
            if size > int(limit):
                return await send(writer, 400, error(text), "")
            name = "plain"
        if name == "plain" and self.answer is not None:
            return await send(writer, 200, completion(self.answer(self.requests[-1])), "")
        if name == "stream" or name == "stream_cut":
            return await self._stream(writer, cut=name == "stream_cut")
        if name == "cut":
            writer.write(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"choices"')
            return await writer.drain()
        payload = completion("x" * 11_000_000) if name == "big" else PAYLOADS.get(name, b"")
        status, extra = STATUSES.get(name, (200, ""))
        await send(writer, status, payload, extra.format(argument or "0"))
        return None

    async def _stream(self, writer: asyncio.StreamWriter, *, cut: bool) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        pieces = [CLAIMS[i : i + 20] for i in range(0, len(CLAIMS), 20)]
        for piece in pieces[: len(pieces) // 2] if cut else pieces:
            writer.write(b"data: " + json.dumps({"choices": [{"delta": {"content": piece}}]}).encode() + b"\n\n")
            await writer.drain()
        if not cut:
            usage = {"prompt_tokens": 10, "completion_tokens": 5}
            end = {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": usage}
            writer.write(b"data: " + json.dumps(end).encode() + b"\n\ndata: [DONE]\n\n")
        await writer.drain()


def completion(text: str, *, finish: str = "stop", **message: Any) -> bytes:
    """A chat completion as bytes."""
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    made = {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}]
    }
    return json.dumps({**made, "usage": usage, "model": "fake", "object": "chat.completion", "id": "x"}).encode()


def error(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "invalid_request_error"}}).encode()


PAYLOADS: dict[str, bytes] = {
    "plain": completion(CLAIMS),
    "nothing": completion('{"claims": []}'),
    "fenced": completion(f"```json\n{CLAIMS}\n```"),
    "malformed": completion('{"claims": [{"id"'),
    "truncated": completion(CLAIMS[:60], finish="length"),
    "empty": completion(""),
    "reasoning_only": completion("", reasoning_content="I should think"),
    "refusal": completion("", refusal="I cannot"),
    "duplicate_keys": completion('{"claims": [], "claims": []}'),
    "not_json": b"<html>gateway</html>",
    "no_choices": b'{"object": "list"}',
    "no_schema": error("response_format json_schema is not supported"),
    "context": error("This model's maximum context length is 8192 tokens"),
    "unauthorized": error("bad key"),
    "rate": error("slow down"),
    "rate_no_header": error("slow down"),
    "broken": b"oops",
}
STATUSES: dict[str, tuple[int, str]] = {
    "no_schema": (400, ""),
    "context": (400, ""),
    "unauthorized": (401, ""),
    "rate": (429, "Retry-After: {}\r\n"),
    "rate_no_header": (429, ""),
    "broken": (500, ""),
    "redirect": (302, "Location: http://127.0.0.1:9/elsewhere\r\n"),
}


async def send(writer: asyncio.StreamWriter, status: int, payload: bytes, extra: str) -> None:
    head = f"HTTP/1.1 {status} {REASON[status]}\r\nContent-Type: application/json\r\nContent-Length: {len(payload)}\r\n"
    writer.write(f"{head}{extra}Connection: close\r\n\r\n".encode() + payload)
    await writer.drain()


@asynccontextmanager
async def fake_model(*behaviours: str) -> AsyncIterator[FakeModel]:
    """A running server with these behaviours."""
    model = FakeModel(behaviours=list(behaviours) or ["plain"])
    server = await asyncio.start_server(model.serve, "127.0.0.1", 0)
    model.port = server.sockets[0].getsockname()[1]
    async with server:
        yield model

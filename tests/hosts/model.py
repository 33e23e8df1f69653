"""A model server for hosts: OpenAI chat, responses and Anthropic messages, plain and streamed, tool calls, faults.

What it answers depends on the newest message alone: `call NAME {json}` from a user asks for that tool, if the
request offers it; anything else is answered with `reply N`, N being how many messages there were.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}


@dataclass
class Model:
    """What was asked, and how the next requests are answered."""

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    fault: str | None = None
    """`500`, or `cut`: a stream that ends in the middle."""
    failing: int = 0
    """Requests that fail with 500 before one is answered."""

    @property
    def last(self) -> dict[str, Any]:
        """The newest request's body."""
        return self.requests[-1]

    def texts(self, index: int = -1) -> list[str]:
        """The texts of one request's messages or input items, in order."""
        body = self.requests[index]
        items: Any = body.get("messages", body.get("input"))
        return [items] if isinstance(items, str) else [text_of(item) for item in items]


def text_of(item: dict[str, Any]) -> str:
    """The text of a message or an input item."""
    content = item.get("content", item.get("output"))
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content)
    return str(content or "")


def wanted_call(body: dict[str, Any]) -> tuple[str, str] | None:
    """The tool that the newest message asks for, with its arguments."""
    items: Any = body.get("messages", body.get("input"))
    last = {"role": "user", "content": items} if isinstance(items, str) else items[-1]
    name, _, arguments = text_of(last).removeprefix("call ").partition(" ")
    offered = [t.get("name") or t.get("function", {}).get("name") for t in body.get("tools") or ()]
    asks = last.get("role") == "user" and text_of(last).startswith("call ")
    return (name, arguments or "{}") if asks and name in offered else None


def chat(body: dict[str, Any], number: int) -> dict[str, Any]:
    """A chat completion."""
    call = wanted_call(body)
    message: dict[str, Any] = {"role": "assistant", "content": f"reply {len(body['messages'])}"}
    if call:
        asked = {"id": f"call_{number}", "type": "function", "function": {"name": call[0], "arguments": call[1]}}
        message = {"role": "assistant", "content": None, "tool_calls": [asked]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if call else "stop"}
    made = {"id": f"chat{number}", "object": "chat.completion", "created": 1, "model": body["model"]}
    return {**made, "choices": [choice], "usage": USAGE}


def chat_events(body: dict[str, Any], number: int) -> Iterator[dict[str, Any] | str]:
    """The same as a stream."""
    whole = chat(body, number)
    message = whole["choices"][0]["message"]
    base = {k: whole[k] for k in ("id", "created", "model")} | {"object": "chat.completion.chunk"}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    for call in message.get("tool_calls", ()):
        text = call["function"]["arguments"]
        yield chunk({"tool_calls": [{**call, "index": 0, "function": {**call["function"], "arguments": ""}}]})
        for piece in (text[:5], text[5:]):
            yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    for piece in (message["content"] or "").partition(" "):
        if piece:
            yield chunk({"content": piece})
    yield chunk({}, whole["choices"][0]["finish_reason"])
    if (body.get("stream_options") or {}).get("include_usage"):
        yield {**base, "choices": [], "usage": USAGE}
    yield "[DONE]"


def response(body: dict[str, Any], number: int) -> dict[str, Any]:
    """An answer of the responses API."""
    call = wanted_call(body)
    size = 1 if isinstance(body["input"], str) else len(body["input"])
    part = {"type": "output_text", "text": f"reply {size}", "annotations": []}
    item: dict[str, Any] = {"id": f"msg_{number}", "type": "message", "role": "assistant", "status": "completed"}
    item["content"] = [part]
    if call:
        item = {"id": f"fc_{number}", "type": "function_call", "call_id": f"call_{number}", "status": "completed"}
        item |= {"name": call[0], "arguments": call[1]}
    usage: dict[str, Any] = {"input_tokens": 11, "output_tokens": 3, "total_tokens": 14}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    made = {"id": f"resp_{number}", "object": "response", "created_at": 1, "model": body["model"], "tools": []}
    made |= {"status": "completed", "output": [item], "parallel_tool_calls": True, "tool_choice": "auto"}
    return {**made, "usage": usage}


def response_events(body: dict[str, Any], number: int) -> Iterator[dict[str, Any] | str]:
    """The same as a stream."""
    whole = response(body, number)
    item = whole["output"][0]
    yield {"type": "response.created", "sequence_number": 0, "response": {**whole, "output": []}}
    at = {"output_index": 0, "sequence_number": 1}
    yield {"type": "response.output_item.added", **at, "item": item}
    yield {"type": "response.output_item.done", **at, "item": item}
    yield {"type": "response.completed", "sequence_number": 2, "response": whole}


def message(body: dict[str, Any], number: int) -> dict[str, Any]:
    """An answer of the Anthropic API."""
    content = [{"type": "text", "text": f"reply {len(body['messages'])}"}]
    made = {"id": f"m{number}", "type": "message", "role": "assistant", "model": body["model"], "content": content}
    return {**made, "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 1}}


@contextmanager
def serving() -> Iterator[Model]:
    """A running server."""
    model = Model()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            model.requests.append(body)
            model.paths.append(self.path)
            failing, model.failing = model.failing, max(0, model.failing - 1)
            if failing or model.fault == "500":
                return self._send(500, {"error": {"message": "upstream failed", "type": "server_error"}})
            plain, events = (chat, chat_events)
            if self.path.endswith("/responses"):
                plain, events = (response, response_events)
            elif "/messages" in self.path:
                plain = message
            if body.get("stream"):
                return self._stream(events(body, len(model.requests)))
            return self._send(200, plain(body, len(model.requests)))

        def _send(self, status: int, value: dict[str, Any]) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, events: Iterator[dict[str, Any] | str]) -> None:
            self.close_connection = True
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            for index, event in enumerate(events):
                if model.fault == "cut" and index == 2:
                    return
                data = event if isinstance(event, str) else json.dumps(event)
                name = f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else ""
                self.wfile.write(f"{name}data: {data}\n\n".encode())

        def log_message(self, *_: Any) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

"""A provider that answers at once, for measuring what the proxy adds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

MESSAGE = {"role": "assistant", "content": "Noted, as agreed before."}
BODY = json.dumps(
    {
        "id": "x",
        "object": "chat.completion",
        "model": "bench",
        "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }
).encode()
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(BODY), BODY)


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = next((line for line in head.split(b"\r\n") if line.startswith(b"content-length:")), b":0")
            await reader.readexactly(int(length.split(b":")[1]))
            writer.write(ANSWER)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


@asynccontextmanager
async def provider() -> AsyncIterator[str]:
    """Its address while the block runs."""
    server = await asyncio.start_server(_serve, "127.0.0.1", 0, limit=2**24)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        await asyncio.sleep(0.1)  # connections whose other end has gone end by themselves
        server.close()

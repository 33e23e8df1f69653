"""An app of ours on a real port, in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bobctx.api.server import Server, listen


@asynccontextmanager
async def served(app: Any) -> AsyncIterator[str]:
    """Serve `app` on a free port; its address."""
    listener, url = listen("127.0.0.1", 0)
    ready = asyncio.Event()
    server = Server(app, drain_s=1, on_ready=ready.set)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    await ready.wait()
    try:
        yield url
    finally:
        server.stop()
        await task

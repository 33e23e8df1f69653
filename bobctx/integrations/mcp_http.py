"""The MCP server at `/mcp` of the daemon: each call is a call of the daemon's own API, with the caller's own key.

The MCP library is imported with the first request, on a thread: a daemon that nobody asks for tools starts
without it, and one that lacks it says what to install.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from starlette.types import ASGIApp, Receive, Scope, Send

from bobctx.errors import BobctxError

if TYPE_CHECKING:
    from bobctx.integrations.mcp_server import Reader

CONVERSATION_HEADER = "x-bobctx-conversation"
USER_HEADER = "x-bobctx-user"
IN_PROCESS = "http://localhost"
START_S = 10.0
"""Seconds that the server may take to start once it is imported."""
CLOSE_S = 5.0

Handle = Callable[[Scope, Receive, Send], Awaitable[None]]


class McpMissing(BobctxError):
    """MCP needs a further package: run `pip install -e '.[mcp]'` in the checkout, then start the daemon again."""

    code = "mcp_not_installed"
    status = 501


class McpFailed(BobctxError):
    """The MCP server could not be started; the next call tries again."""

    code = "mcp_failed"
    status = 503


class McpEndpoint:
    """An ASGI app for one path."""

    def __init__(self) -> None:
        self.api: ASGIApp | None = None
        """The daemon's app, which every tool call goes through: keys, scopes and the access log are its own."""
        self._starting: asyncio.Task[Handle] | None = None
        self._running: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request. Raises `McpMissing`."""
        handle = await self._ready()
        await handle(scope, receive, send)

    async def _ready(self) -> Handle:
        """The server, started with the first call; a start that failed is tried again with the next one."""
        if self._starting is None or _failed(self._starting) or (self._running is not None and self._running.done()):
            self._starting = asyncio.create_task(self._start(), name="bobctx-mcp-start")
        return await asyncio.shield(self._starting)

    async def close(self) -> None:
        """Stop serving."""
        self._stop.set()
        tasks = [t for t in (self._starting, self._running) if t is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSE_S)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _start(self) -> Handle:
        importlib.invalidate_caches()  # it may have been installed since the last try
        try:
            module = await asyncio.to_thread(importlib.import_module, "bobctx.integrations.mcp_server")
            security = await asyncio.to_thread(importlib.import_module, "mcp.server.transport_security")
        except ModuleNotFoundError as exc:
            if not (exc.name or "").startswith("mcp"):
                raise
            raise McpMissing() from exc
        mcp = module.server(self._reader)
        checked = security.TransportSecuritySettings(enable_dns_rebinding_protection=False)  # the gate has done that
        mcp.streamable_http_app(stateless_http=True, json_response=True, transport_security=checked)
        manager = mcp.session_manager
        started = asyncio.Event()

        async def run() -> None:
            async with manager.run():
                started.set()
                await self._stop.wait()

        running = self._running = asyncio.create_task(run(), name="bobctx-mcp")
        ready = asyncio.create_task(started.wait())
        try:
            await asyncio.wait({ready, running}, timeout=START_S, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ready.cancel()
        if not started.is_set():
            running.cancel()
            [error] = await asyncio.gather(running, return_exceptions=True)
            raise McpFailed() from error if isinstance(error, BaseException) else None
        handle: Handle = manager.handle_request
        return handle

    def _reader(self, context: Any) -> Reader:
        """Whose conversation one call reads: the owner of the key that the gate has checked."""
        import httpx

        from bobctx.client import AsyncClient, Daemon, DaemonError
        from bobctx.integrations.mcp_server import Reader

        request = context.request_context.request
        conversation = request.headers.get(CONVERSATION_HEADER)
        if not conversation:
            raise DaemonError(f"Which conversation? Set the header `{CONVERSATION_HEADER}` in this server's settings.")
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        transport = httpx.ASGITransport(self._as_from(request.scope), raise_app_exceptions=False)
        daemon = Daemon(url=IN_PROCESS, key=key.strip() if scheme.lower() == "bearer" else None)
        client = AsyncClient(daemon, transport=transport)
        return Reader(client, conversation=conversation, user=request.headers.get(USER_HEADER))

    def _as_from(self, outer: Scope) -> ASGIApp:
        """The daemon's app for a call that came the way `outer` did: over the Unix socket no key is needed."""

        async def inner(scope: Scope, receive: Receive, send: Send) -> None:
            if self.api is None:
                raise McpMissing("The daemon is not ready.")
            await self.api({**scope, "server": outer.get("server"), "client": outer.get("client")}, receive, send)

        return inner


def _failed(start: asyncio.Task[Handle]) -> bool:
    return start.done() and (start.cancelled() or start.exception() is not None)

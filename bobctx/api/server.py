"""One HTTP server on a bound socket: when it is ready, and how it stops (design, section 9).

The first SIGTERM or SIGINT stops intake and lets running requests end, bounded; a second one does not wait.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

KEEP_ALIVE_S = 75
"""A turn may take a minute; a fresh connection costs more than an idle one."""
BACKLOG = 2048


class Server(uvicorn.Server):
    """The library's server with our signals: a stop that was asked for is exit code 0."""

    def __init__(self, app: ASGIApp, *, drain_s: float, on_ready: Callable[[], object]) -> None:
        """`drain_s`: longest wait for running requests, seconds; `on_ready` is called once requests are answered."""
        super().__init__(
            uvicorn.Config(
                app,
                lifespan="off",
                access_log=False,
                log_config=None,
                server_header=False,
                proxy_headers=False,
                ws="none",
                http="httptools",
                timeout_keep_alive=KEEP_ALIVE_S,
                timeout_graceful_shutdown=max(1, round(drain_s)),
            )
        )
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        self._on_ready()

    def capture_signals(self) -> contextlib.AbstractContextManager[None]:  # type: ignore[override]  # none of its own
        """Signals are handled by `run`, which does not raise them again afterwards."""
        return contextlib.nullcontext()

    def stop(self) -> None:
        """Stop intake and drain; asked again, do not wait."""
        self.force_exit = self.should_exit
        self.should_exit = True


async def run(
    app: ASGIApp,
    listener: socket.socket,
    *,
    drain_s: float,
    on_ready: Callable[[], object],
    on_stop: Callable[[], object],
) -> None:
    """Serve on a listening socket until SIGTERM or SIGINT; `on_stop` is called at the first of them."""
    server = Server(app, drain_s=drain_s, on_ready=on_ready)
    loop = asyncio.get_running_loop()

    def stop() -> None:
        on_stop()
        server.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    try:
        await server.serve(sockets=[listener])
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)

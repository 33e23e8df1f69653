"""One HTTP server on a bound socket: when it is ready, and how it stops (design, section 9).

The first SIGTERM or SIGINT stops intake and lets running requests end, bounded; a second one does not wait.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from bobctx.errors import ConfigurationError

KEEP_ALIVE_S = 75
"""A turn may take a minute; a fresh connection costs more than an idle one."""
BACKLOG = 2048


def listen(host: str, port: int, path: Path | None = None) -> tuple[socket.socket, str]:
    """A listening socket, on a Unix socket `path` or on `host` and `port` (0: a free one), and its address.

    Raises `ConfigurationError`.
    """
    family = socket.AF_UNIX if path is not None else socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if path is not None:
            _bind_private(listener, path)
            url = "http://localhost"
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            url = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
    except OSError as exc:
        listener.close()
        place = str(path) if path is not None else f"{host}:{port}"
        taken = path is None and exc.errno == errno.EADDRINUSE
        do = "; take another with `--port N` or BOBCTX_PORT (0: any free one)" if taken else ""
        field = "socket" if path is not None else "port" if taken else "host"
        raise ConfigurationError(f"cannot listen on {place}: {exc.strerror or exc}{do}", field=field) from exc
    listener.listen(BACKLOG)
    listener.setblocking(False)
    return listener, url


def _bind_private(listener: socket.socket, path: Path) -> None:
    """Bind a Unix socket that only this account can open; one that a dead daemon left is replaced."""
    if path.is_socket():
        with socket.socket(socket.AF_UNIX) as probe:
            if probe.connect_ex(str(path)) == 0:
                raise OSError(errno.EADDRINUSE, "another daemon listens there")
        path.unlink()
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    finally:
        os.umask(before)


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

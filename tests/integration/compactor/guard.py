"""Watches every connection this process opens: where text went is proved, not believed."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch


@dataclass(slots=True)
class Guard:
    """Destinations of all connections, and the ports that were open to be used."""

    allowed: set[int]
    reached: list[tuple[str, int]] = field(default_factory=list)

    def ports(self) -> set[int]:
        return {port for _, port in self.reached}


@contextmanager
def socket_guard(*allowed: int) -> Iterator[Guard]:
    """Only these loopback ports may be connected to; every try is noted, any other is an error."""
    guard = Guard(set(allowed))
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def check(address: Any) -> None:
        if not isinstance(address, tuple):
            return
        host, port = address[:2]
        guard.reached.append((host, port))
        if host not in ("127.0.0.1", "::1") or port not in guard.allowed:
            raise AssertionError(f"connected to {host}:{port}")

    def guarded(self: socket.socket, address: Any) -> None:
        check(address)
        connect(self, address)

    def guarded_ex(self: socket.socket, address: Any) -> int:
        check(address)
        return connect_ex(self, address)

    cls = socket.socket
    with patch.object(cls, "connect", guarded), patch.object(cls, "connect_ex", guarded_ex):
        yield guard

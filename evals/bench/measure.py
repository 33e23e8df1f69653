"""Percentiles and the smallest HTTP client that does not get in the way of what it measures."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """Milliseconds of many calls."""

    p50: float
    p99: float
    n: int

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Timings:
        """Percentiles by nearest rank."""
        ordered = sorted(seconds)
        return cls(p50=_rank(ordered, 0.5) * 1000, p99=_rank(ordered, 0.99) * 1000, n=len(ordered))

    def as_json(self) -> dict[str, float | int]:
        """Rounded for reading."""
        return {"p50_ms": round(self.p50, 3), "p99_ms": round(self.p99, 3), "n": self.n}


def _rank(ordered: Sequence[float], share: float) -> float:
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


async def timed(call: Callable[[int], Awaitable[object]], times: int, *, warm: int = 20) -> Timings:
    """Run `call(i)` one after another; the first `warm` runs do not count."""
    seconds = []
    for index in range(times + warm):
        start = time.perf_counter()
        await call(index)
        if index >= warm:
            seconds.append(time.perf_counter() - start)
    return Timings.of(seconds)


class Connection:
    """One keep-alive HTTP/1.1 connection: requests out, whole bodies in."""

    def __init__(self, url: str, key: str) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "127.0.0.1", parts.port or 80
        self._head = (
            f"Host: {self._host}:{self._port}\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n"
        )
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def post(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Status and body of one POST."""
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(self._host, self._port, limit=2**24)
        head = f"POST {path} HTTP/1.1\r\n{self._head}Content-Length: {len(body)}\r\n\r\n"
        self._writer.write(head.encode() + body)
        raw = await self._reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1]) for line in raw.lower().split(b"\r\n") if line.startswith(b"content-length:")
        )
        return int(raw.split(b" ", 2)[1]), await self._reader.readexactly(length)

    async def close(self) -> None:
        """End the connection."""
        if self._writer is not None:
            self._writer.close()
            self._reader = self._writer = None


async def throughput(
    url: str, key: str, path: str, bodies: Callable[[int], bytes], *, clients: int, total: int
) -> float:
    """Requests per second of `clients` connections that send `total` requests between them."""
    issued = iter(range(total))

    async def client() -> None:
        connection = Connection(url, key)
        for index in issued:
            status, body = await connection.post(path, bodies(index))
            if status != 200:
                raise RuntimeError(f"{path} answered {status}: {body[:300]!r}")
        await connection.close()

    start = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    return total / (time.perf_counter() - start)

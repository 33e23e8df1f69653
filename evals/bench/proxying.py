"""What the reverse proxy adds: the same requests to the provider itself and through the daemon, in turn."""

from __future__ import annotations

import json
import os
import random
import time
from pathlib import Path
from typing import Any

from evals.bench import fill
from evals.bench.http_path import daemon
from evals.bench.measure import Connection, Timings
from evals.bench.provider import MESSAGE, provider

SIZES = (20, 200)
"""Messages of history in a request."""
USER = "u1"


def _history(rng: random.Random, size: int) -> list[dict[str, Any]]:
    turns = [m for number in range(size // 2 + 1) for m in fill.turn(rng, number)]
    return [{"role": m["role"], "content": m["content"]} for m in turns[:size]]


async def proxying(folder: Path, times: int) -> dict[str, Any]:
    """By history size: a request straight to the provider and through the proxy, and the difference of the medians."""
    found: dict[str, Any] = {}
    async with provider() as address:
        env = {"BOBCTX_OPENAI_UPSTREAM": f"{address}/v1", "BOBCTX_PROXY_USER": USER}
        with daemon(folder / "proxy.db", env=env) as (url, key, pid):
            straight, proxied = Connection(address, key), Connection(url, key)
            for size in SIZES:
                found[str(size)] = await _measured(straight, proxied, size, times, pid)
            await straight.close()
            await proxied.close()
    return found


def cpu_s(pid: int) -> float:
    """Processor seconds of a process so far: they do not depend on what else the machine does."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _measured(straight: Connection, proxied: Connection, size: int, times: int, pid: int) -> dict[str, Any]:
    """A conversation that grows by a turn with each request, as a client's does."""
    messages = _history(random.Random(size), size)
    direct, through = [], []
    began = cpu_s(pid)
    for index in range(times + 10):
        if index % 20 == 0:
            messages = _history(random.Random(size + index), size)  # else it would grow without end
        messages.append({"role": "user", "content": f"And number {index}?"})
        body = json.dumps({"model": "gpt-5", "messages": messages}).encode()
        start = time.perf_counter()
        await straight.post("/v1/chat/completions", body)
        middle = time.perf_counter()
        status, answer = await proxied.post("/openai/v1/chat/completions", body)
        end = time.perf_counter()
        if status != 200:
            raise RuntimeError(f"the proxy answered {status}: {answer[:200]!r}")
        if index >= 10:
            direct.append(middle - start)
            through.append(end - middle)
        messages.append(MESSAGE)
    both = Timings.of(direct), Timings.of(through)
    overhead = round(both[1].p50 - both[0].p50, 3)
    return {
        "direct": both[0].as_json(),
        "proxied": both[1].as_json(),
        "overhead_p50_ms": overhead,
        "daemon_cpu_ms": round((cpu_s(pid) - began) / (times + 10) * 1000, 3),
        "bytes": len(body),
    }

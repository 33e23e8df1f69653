"""Over HTTP: assembling against an empty route, under compaction and under recording; recording; memory; start."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx

from evals.bench import fill
from evals.bench.measure import Connection, Timings, throughput, timed
from evals.bench.prompt_path import WINDOW, scope

CLIENTS = 32
SIZE = 1_000
NEXT = iter(range(20_000_000, 2**62))


@contextlib.contextmanager
def daemon(
    db: Path, *, compacting: bool = False, env: Mapping[str, str] | None = None
) -> Iterator[tuple[str, str, int]]:
    """The bench server as a process with further variables of `env`: URL, key, pid."""
    command = [sys.executable, "-m", "evals.bench.server", str(db), *(["compacting"] if compacting else [])]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **(env or {})}
    )
    try:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        key = db.with_name(db.stem + ".keys.default").read_text().strip()
        yield url, key, process.pid
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()


def rss_mb(pid: int) -> float:
    """Resident megabytes of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return float("nan")


def turn_body(rng: random.Random, size: int = 400) -> bytes:
    """A recording of one new exchange."""
    return json.dumps({"user_id": "u1", "backend": "local", "messages": fill.turn(rng, next(NEXT), size)}).encode()


ASSEMBLE = json.dumps({"user_id": "u1", "window": WINDOW, "tools": ["conv_expand", "conv_search"]}).encode()


async def against_empty(url: str, key: str, times: int) -> dict[str, Any]:
    """Assemble right after an append, and the empty route with the same bytes, in turn."""
    rng = random.Random(3)
    path = f"/v1/conversations/{scope(SIZE).conversation_id}"
    connection = Connection(url, key)
    _, answer = await connection.post(f"{path}/assemble", ASSEMBLE)
    await connection.post("/bench/keep", answer)
    real, empty = [], []
    for index in range(times + 20):
        await connection.post(f"{path}/messages", turn_body(rng))
        start = time.perf_counter()
        status, _ = await connection.post(f"{path}/assemble", ASSEMBLE)
        middle = time.perf_counter()
        await connection.post("/bench/empty", ASSEMBLE)
        if index >= 20:
            real.append(middle - start)
            empty.append(time.perf_counter() - middle)
        if status != 200:
            raise RuntimeError(f"assemble answered {status}")
    await connection.close()
    return {"assemble": Timings.of(real).as_json(), "empty": Timings.of(empty).as_json(), "bytes": len(answer)}


async def assembling(url: str, key: str, times: int, conversation: str) -> Timings:
    """Latency of assembling one conversation over and over."""
    connection = Connection(url, key)

    async def once(_: int) -> None:
        status, body = await connection.post(f"/v1/conversations/{conversation}/assemble", ASSEMBLE)
        if status != 200:
            raise RuntimeError(f"assemble answered {status}: {body[:200]!r}")
        await asyncio.sleep(0.002)

    async def only(index: int) -> None:
        await once(index)

    found = await timed(only, times)
    await connection.close()
    return Timings(p50=found.p50 - 2, p99=found.p99 - 2, n=found.n)


@contextlib.asynccontextmanager
async def recorders(url: str, key: str, clients: int = CLIENTS) -> AsyncIterator[None]:
    """So many clients that record turns into conversations of their own, each as a gateway does, in a process apart."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "evals.bench.load", url, key, str(clients), stdin=asyncio.subprocess.PIPE
    )
    try:
        await asyncio.sleep(1.5)
        yield
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()


@contextlib.asynccontextmanager
async def compaction(url: str, key: str) -> AsyncIterator[None]:
    """Regions being compacted for as long as the block runs."""
    stop = asyncio.Event()

    async def keep_compacting() -> None:
        rng = random.Random(5)
        async with httpx.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=120) as http:
            for number in range(10_000):
                if stop.is_set():
                    return
                messages = [m for _ in range(150) for m in fill.turn(rng, next(NEXT))]
                cid = f"busy{number}"
                await http.post(
                    f"/v1/conversations/{cid}/messages",
                    json={"user_id": "u1", "backend": "local", "messages": messages},
                )
                answer = await http.post(f"/v1/conversations/{cid}/compact", json={"user_id": "u1"})
                answer.raise_for_status()

    task = asyncio.create_task(keep_compacting())
    try:
        await asyncio.sleep(1.5)
        yield
    finally:
        stop.set()
        await task


async def recording(url: str, key: str, total: int) -> dict[str, Any]:
    """Requests per second at 32 clients, 2 KB a turn: record, only validate, validate and hash and count."""
    rng = random.Random(9)
    found: dict[str, Any] = {}

    def paths(kind: str, index: int) -> str:
        return f"/v1/conversations/load{index % 64}/messages" if kind == "record" else f"/bench/{kind}"

    for kind in ("validate", "hash", "record"):
        bodies = [turn_body(rng, 1000) for _ in range(total)]
        rates = []
        for part in range(2):
            chosen = bodies[part * total // 2 : (part + 1) * total // 2]
            path = paths(kind, part)
            rates.append(await throughput(url, key, path, chosen.__getitem__, clients=CLIENTS, total=len(chosen)))
        found[f"{kind}_per_s"] = round(max(rates))
    found["record_to_validate"] = round(found["record_per_s"] / found["validate_per_s"], 3)
    found["record_to_hash"] = round(found["record_per_s"] / found["hash_per_s"], 3)
    return found


def start() -> dict[str, Any]:
    """Seconds from the command to a ready daemon, and its resident memory when idle; the median of three."""
    ready, idle = [], []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o700)
            env = {**os.environ, "CONTEXT_DB": f"{folder}/lane.db", "BOBCTX_PORT": "0", "BOBCTX_LOG_LEVEL": "error"}
            began = time.perf_counter()
            process = subprocess.Popen(
                [sys.executable, "-m", "bobctx.cli", "serve"],
                env=env,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            try:
                ready.append(_await_ready(Path(folder) / "lane.daemon.json", began))
                time.sleep(2)
                idle.append(rss_mb(process.pid))
            finally:
                process.terminate()
                process.wait(timeout=30)
    return {"ready_s": round(sorted(ready)[1], 2), "idle_mb": round(sorted(idle)[1], 1)}


def _await_ready(announced: Path, began: float) -> float:
    while time.perf_counter() - began < 60:
        with contextlib.suppress(OSError, ValueError, httpx.HTTPError):
            url = json.loads(announced.read_text())["url"]
            if httpx.get(f"{url}/readyz", timeout=1).status_code == 200:
                return time.perf_counter() - began
        time.sleep(0.01)
    raise RuntimeError("the daemon did not get ready")

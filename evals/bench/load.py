"""Clients that record turns until the standard input ends: `python -m evals.bench.load URL KEY CLIENTS`."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys

from evals.bench import fill
from evals.bench.measure import Connection


async def client(url: str, key: str, number: int, stop: asyncio.Event) -> None:
    """Record one exchange after another into a conversation of its own, ten a second."""
    rng, connection, index = random.Random(number), Connection(url, key), 0
    prefix = f"{os.getpid()}-{number}"
    while not stop.is_set():
        messages = [{**m, "id": f"{prefix}-{m['id']}"} for m in fill.turn(rng, index, 1000)]
        body = json.dumps({"user_id": "u1", "backend": "local", "messages": messages}).encode()
        status, answer = await connection.post(f"/v1/conversations/chat{number}/messages", body)
        if status != 200:
            raise RuntimeError(f"recording answered {status}: {answer[:200]!r}")
        index += 1
        await asyncio.sleep(0.1)
    await connection.close()


async def main(url: str, key: str, clients: int) -> None:
    """Run the clients."""
    stop = asyncio.Event()
    asyncio.get_running_loop().run_in_executor(None, sys.stdin.read).add_done_callback(lambda _: stop.set())
    await asyncio.gather(*(client(url, key, n, stop) for n in range(clients)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))

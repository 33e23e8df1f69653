"""Search at 100,000 messages against the raw FTS5 query it stands on; validation of a full region."""

from __future__ import annotations

import random
import sqlite3
import time
from pathlib import Path
from typing import Any

from bobctx import runtime as composition
from evals.bench import fill
from evals.bench.measure import Timings, timed
from evals.bench.prompt_path import SIZES, scope, settings


def _queries(count: int) -> list[str]:
    rng = random.Random(11)
    return [
        f"node-{rng.randrange(97)} OPS-{rng.randrange(SIZES[1] // 2)} {rng.choice(fill.WORDS)}" for _ in range(count)
    ]


async def search(folder: Path, times: int) -> dict[str, Any]:
    """p50 of the store's search and of the bare index query for the same words."""
    queries = _queries(times + 20)
    async with composition.open(settings(folder), background=False) as runtime:

        async def once(index: int) -> None:
            if not await runtime.store.search(scope(SIZES[1]), queries[index], limit=10):
                raise RuntimeError(f"nothing found for {queries[index]!r}")

        found = await timed(once, times)
    raw = _raw(folder / "bench.db", queries[20:])
    return {"search": found.as_json(), "raw_fts": raw.as_json(), "ratio": round(found.p50 / raw.p50, 2)}


def _raw(path: Path, queries: list[str]) -> Timings:
    """The FTS5 query alone, on a connection of its own."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    seconds = []
    try:
        for query in queries:
            words = " OR ".join(f'"{word}"' for word in query.lower().replace("-", " ").split())
            start = time.perf_counter()
            connection.execute(
                "SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? ORDER BY rank LIMIT 10", (words,)
            ).fetchall()
            seconds.append(time.perf_counter() - start)
    finally:
        connection.close()
    return Timings.of(seconds)

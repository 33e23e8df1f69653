"""Compile over 10,000 claims of one conversation against the raw FTS5 query it stands on, and against few claims."""

from __future__ import annotations

import random
import sqlite3
import time
from pathlib import Path
from typing import Any

from bobctx import runtime as composition
from bobctx.api.compile import CompileCall
from bobctx.core.types import Scope
from bobctx.runtime import Runtime
from bobctx.settings import Settings, load
from evals.bench import fill
from evals.bench.measure import Timings, timed

SIZES = (1_000, 10_000)
"""Claims."""


def _settings(folder: Path) -> Settings:
    return load(db=folder / "compile.db", compactor_enabled=False)


def scope(claims: int) -> Scope:
    """The conversation with so many claims."""
    return Scope(conversation_id=f"k{claims}", user_id="u1")


def _tasks(count: int) -> list[str]:
    rng = random.Random(7)
    return [
        f"keep ticket OPS-{rng.randrange(5_000)} on node-{rng.randrange(97)} open until the {rng.choice(fill.WORDS)}"
        for _ in range(count)
    ]


async def _filled(runtime: Runtime, claims: int) -> None:
    messages = -(-claims // fill.DENSE_CLAIMS) * fill.DENSE_REGION + 200
    await fill.fill(runtime, scope(claims), messages)
    links = -(-claims // fill.DENSE_CLAIMS)
    made = await fill.chain(runtime, scope(claims), region=fill.DENSE_REGION, claims=fill.DENSE_CLAIMS, limit=links)
    if made < links:
        raise RuntimeError(f"{made} links instead of {links}")


async def compiling(folder: Path, times: int) -> dict[str, Any]:
    """p50 of the whole compile (trace put aside) at both sizes, of the bare index query, and the ratios."""
    tasks = _tasks(times + 20)
    found: dict[str, Any] = {}
    async with composition.open(_settings(folder), background=False) as runtime:
        compiler = runtime.lane.compiler
        for claims in SIZES:
            await _filled(runtime, claims)
        await runtime.lane.assembler.warm()
        for claims in SIZES:

            async def once(index: int, claims: int = claims) -> None:
                answer = await compiler.compile(scope(claims), CompileCall(task=tasks[index]), "req")
                if not answer["items"]:
                    raise RuntimeError(f"nothing found for {tasks[index]!r}")
                await compiler.traces.settle()

            found[str(claims)] = (await timed(once, times)).as_json()
    raw = _raw(folder / "compile.db", tasks[20:])
    small, large = (found[str(claims)]["p50_ms"] for claims in SIZES)
    return {**found, "raw_fts": raw.as_json(), "ratio": round(large / raw.p50, 2), "growth": round(large / small, 2)}


def _raw(path: Path, tasks: list[str]) -> Timings:
    """The FTS5 query alone: the task's words, ranked, over the same index."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    seconds = []
    try:
        for task in tasks:
            words = " OR ".join(f'"{word}"' for word in task.lower().replace("-", " ").split())
            start = time.perf_counter()
            connection.execute(
                "SELECT rowid FROM claims_fts WHERE claims_fts MATCH ? ORDER BY rank LIMIT 200", (f"words : ({words})",)
            ).fetchall()
            seconds.append(time.perf_counter() - start)
    finally:
        connection.close()
    return Timings.of(seconds)

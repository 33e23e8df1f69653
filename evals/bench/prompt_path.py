"""Assembling in process: right after an append, short and long conversations, and first after a restart."""

from __future__ import annotations

import random
import sqlite3
import time
from pathlib import Path
from typing import Any

from bobctx import runtime as composition
from bobctx.api.assemble import AssembleCall
from bobctx.core.types import Scope, ToolSet
from bobctx.runtime import Runtime
from bobctx.settings import Settings, load
from evals.bench import fill
from evals.bench.measure import Timings

SIZES = (1_000, 100_000)
RESTART = 10_000
WINDOW = 12_000  # about 50 messages back
CALL = AssembleCall(model=None, window=WINDOW, tools=ToolSet(expand=True, search=True))


def settings(folder: Path, **more: Any) -> Settings:
    """A lane of the bench: its own database, no background work."""
    return load(db=folder / "bench.db", compactor_enabled=False, assemble_deadline_ms=10_000, **more)


def scope(messages: int) -> Scope:
    """The conversation with so many messages."""
    return Scope(conversation_id=f"n{messages}", user_id="u1")


async def prepare(folder: Path) -> dict[str, int]:
    """Record the conversations and chain them; links by size."""
    links = {}
    async with composition.open(settings(folder), background=False) as runtime:
        for size in (*SIZES, RESTART):
            await fill.fill(runtime, scope(size), size)
            links[str(size)] = await fill.chain(runtime, scope(size))
    return links


async def after_append(runtime: Runtime, size: int, times: int) -> tuple[Timings, int]:
    """Assemble right after two new messages, `times` over; also how many messages were shown."""
    seconds, shown = [], 0
    rng = random.Random(size)
    await runtime.store.snapshot(scope(size))
    for index in range(times + 20):
        await fill.record(runtime, scope(size), fill.turn(rng, 10_000_000 + index))
        start = time.perf_counter()
        answer = await runtime.lane.assembler.assemble(scope(size), CALL)
        if index >= 20:
            seconds.append(time.perf_counter() - start)
        shown = len(answer.assembled.messages)
        if answer.reason is not None or not answer.assembled.decision["claims_shown"]:
            raise RuntimeError(f"not the path that was to be measured: {answer.reason} {answer.assembled.decision}")
    return Timings.of(seconds), shown


async def in_process(folder: Path, times: int) -> dict[str, Any]:
    """p50 and p99 at each size, and the ratio of the sizes."""
    found: dict[str, Any] = {}
    async with composition.open(settings(folder), background=False) as runtime:
        await runtime.lane.assembler.warm()
        medians = {}
        for size in SIZES:
            timings, shown = await after_append(runtime, size, times)
            medians[size] = timings.p50
            found[str(size)] = {**timings.as_json(), "messages_shown": shown}
        found["p50_ratio"] = round(medians[SIZES[1]] / medians[SIZES[0]], 3)
    return found


async def after_restart(folder: Path, times: int = 7) -> dict[str, Any]:
    """First assembly of a fresh process's caches at 10,000 messages, against one plain SELECT of the metadata."""
    firsts, plains = [], []
    for _ in range(times):
        async with composition.open(settings(folder), background=False) as runtime:
            await runtime.lane.assembler.warm()
            await runtime.store.secret()
            start = time.perf_counter()
            answer = await runtime.lane.assembler.assemble(scope(RESTART), CALL)
            firsts.append(time.perf_counter() - start)
            if answer.reason is not None or answer.assembled.decision["chain"]["break"] is not None:
                raise RuntimeError(f"the chain was not trusted: {answer.assembled.decision}")
        plains.append(_plain_select(folder / "bench.db"))
    first, plain = sorted(firsts)[len(firsts) // 2], sorted(plains)[len(plains) // 2]
    return {"first_ms": round(first * 1000, 2), "select_ms": round(plain * 1000, 2), "ratio": round(first / plain, 2)}


def _plain_select(path: Path) -> float:
    """Seconds of one SELECT of the columns that structure is made from, on a fresh connection."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        start = time.perf_counter()
        rows = connection.execute(
            "SELECT message_id, seq, role, sha256, tokens, flags, calls, results FROM messages"
            " WHERE conv = (SELECT conv FROM conversations WHERE conversation_id = ? AND user_id = ?) ORDER BY id",
            (scope(RESTART).conversation_id, "u1"),
        ).fetchall()
        seconds = time.perf_counter() - start
        if len(rows) < RESTART:
            raise RuntimeError(f"only {len(rows)} rows")
        return seconds
    finally:
        connection.close()

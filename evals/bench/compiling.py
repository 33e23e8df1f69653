"""Compile over 10,000 claims of one conversation against the index queries it stands on, and against few claims.

Tasks of common words, tasks that one claim answers, and one subject that hundreds of claims speak of.
"""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bobctx import runtime as composition
from bobctx.api.compile import CompileCall
from bobctx.core.types import Scope
from bobctx.runtime import Runtime
from bobctx.settings import Settings, load
from bobctx.store import claim_words
from bobctx.store.finding import COUNTED, ROWS_A_TERM
from bobctx.store.statements import SQL
from evals.bench import fill
from evals.bench.measure import Timings, timed

SIZES = (1_000, 10_000)
"""Claims."""
ONE_SUBJECT = 400
"""Claims that say one of two values of one subject."""


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


def _selective(count: int, claims: int) -> list[str]:
    """Each is answered by one claim: its number, and a word that none holds."""
    rng = random.Random(11)
    return [f"escalate {rng.randrange(100, claims)} overnight" for _ in range(count)]


def _valued(number: int, label: int) -> str:
    """A claim with a value and a subject of its own."""
    mine = number * fill.DENSE_CLAIMS + label
    name = "".join(chr(ord("g") + int(digit)) for digit in str(mine))
    return f"Node node-{number % 97} keeps ticket OPS-{mine} of shelf q{name} open for {mine} hours until it is whole."


def _one_subject(number: int, label: int) -> str:
    return f"The boiler temperature is {20 + label % 2} degrees."


async def _filled(runtime: Runtime, of: Scope, claims: int, say: Any) -> None:
    links = -(-claims // fill.DENSE_CLAIMS)
    await fill.fill(runtime, of, links * fill.DENSE_REGION + 200)
    made = await fill.chain(runtime, of, region=fill.DENSE_REGION, claims=fill.DENSE_CLAIMS, limit=links, say=say)
    if made < links:
        raise RuntimeError(f"{made} links instead of {links}")


async def compiling(folder: Path, times: int) -> dict[str, Any]:
    """p50 of the whole compile (trace put aside) by size and kind of task, of the bare index queries, and ratios."""
    small, large = SIZES
    tasks = _tasks(times + 20)
    one = Scope(conversation_id="boiler", user_id="u2")
    found: dict[str, Any] = {}
    async with composition.open(_settings(folder), background=False) as runtime:
        for claims in SIZES:
            await _filled(runtime, scope(claims), claims, _valued)
        await _filled(runtime, one, ONE_SUBJECT, _one_subject)
        await runtime.lane.assembler.warm()
        for claims in SIZES:
            found[str(claims)] = (await _timed(runtime, scope(claims), tasks, times)).as_json()
            selective = _selective(times + 20, claims)
            found[f"selective_{claims}"] = (await _timed(runtime, scope(claims), selective, times)).as_json()
        found["one_subject"] = (await _timed(runtime, one, ["boiler temperature"] * (times + 20), times)).as_json()
        conv = await runtime.store._read(lambda conn: _conv(conn, scope(large)))
    path = folder / "compile.db"
    raw, raw_selective = (_raw(path, conv, scope(large), t[20:]) for t in (tasks, _selective(times + 20, large)))

    def p50(name: str) -> float:
        return float(found[name]["p50_ms"])

    return {
        **found,
        "raw_fts": raw.as_json(),
        "raw_fts_selective": raw_selective.as_json(),
        "ratio": round(p50(str(large)) / raw.p50, 2),
        "growth": round(p50(str(large)) / p50(str(small)), 2),
        "growth_selective": round(p50(f"selective_{large}") / p50(f"selective_{small}"), 2),
        "one_subject_ratio": round(p50("one_subject") / p50(str(large)), 2),
    }


async def _timed(runtime: Runtime, of: Scope, tasks: Sequence[str], times: int) -> Timings:
    compiler = runtime.lane.compiler

    async def once(index: int) -> None:
        answer = await compiler.compile(of, CompileCall(task=tasks[index]), "req")
        if not answer["items"]:
            raise RuntimeError(f"nothing found for {tasks[index]!r}")
        await compiler.traces.settle()

    return await timed(once, times)


def _conv(conn: Any, of: Scope) -> int:
    return int(conn.execute(SQL["conversation"], (of.user_id, of.conversation_id)).fetchone()[0])


def _raw(path: Path, conv: int, of: Scope, tasks: Sequence[str]) -> Timings:
    """What compile asks the index about a task: for each word its newest rows and its count, and nothing else."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    seconds = []
    seen = claim_words.scope_match(of, conv, claim_words.visible("local"))
    try:
        for task in tasks:
            start = time.perf_counter()
            for term in claim_words.terms_of(task):
                match = f"{seen} AND words : {term.match}"
                found = connection.execute(SQL["claims_match"], (match, ROWS_A_TERM)).fetchall()
                if len(found) == ROWS_A_TERM:
                    connection.execute(SQL["claims_count"], (match, COUNTED)).fetchone()
            seconds.append(time.perf_counter() - start)
    finally:
        connection.close()
    return Timings.of(seconds)

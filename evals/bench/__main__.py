"""`python -m evals.bench [--quick] [--json]`: every speed figure that the project promises, from one run."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from bobctx import logs
from evals import peers
from evals.bench import compiling, hooking, hostile, http_path, prompt_path, proxying, searching, validation
from evals.datasets import DATA

TARGETS: tuple[tuple[str, str, float], ...] = (
    ("in_process.1000.p50_ms", "<=", 3.0),
    ("in_process.1000.p99_ms", "<=", 10.0),
    ("in_process.100000.p50_ms", "<=", 3.0),
    ("in_process.100000.p99_ms", "<=", 10.0),
    ("in_process.p50_ratio", "<=", 1.3),
    ("http.p50_over_allowed", "<=", 1.0),
    ("http.p99_compacting_ratio", "<=", 3.0),
    ("http.p99_recording_ms", "<=", 25.0),
    ("restart.ratio", "<=", 3.0),
    ("compile.ratio", "<=", 5.0),
    ("compile.growth", "<=", 3.0),
    ("compile.growth_selective", "<=", 3.0),
    ("compile.one_subject_ratio", "<=", 2.0),
    ("recording.record_to_validate", ">=", 0.25),
    ("recording.record_to_hash", ">=", 0.5),
    ("start.ready_s", "<=", 1.5),
    ("start.idle_mb", "<=", 160.0),
    ("memory_after_mb", "<=", 256.0),
    ("validation.ms", "<=", 150.0),
    ("hostile.worst", "<=", hostile.MOST),
    ("proxy.20.overhead_p50_ms", "<=", 8.0),
    ("proxy.200.overhead_p50_ms", "<=", 20.0),
    ("hook.prompt.to_python", "<=", 1.0),
    ("hook.stop.to_python", "<=", 1.25),
)


def note(text: str) -> None:
    """Say what is being measured."""
    print(text, file=sys.stderr, flush=True)


async def run(folder: Path, times: int) -> dict[str, Any]:
    """All figures."""
    note("start of the daemon")
    found: dict[str, Any] = {"start": http_path.start()}
    note("hooks")
    found["hook"] = hooking.hooking(folder)
    note("validation")
    found["validation"] = validation.validation()
    note("hostile texts")
    found["hostile"] = hostile.hostile()
    note("recording and chaining the conversations")
    found["links"] = await prompt_path.prepare(folder)
    note("peers")
    found["peers"] = peers.as_json(DATA)
    note("in process")
    found["in_process"] = await prompt_path.in_process(folder, times)
    note("after a restart")
    found["restart"] = await prompt_path.after_restart(folder)
    note("search")
    found["search"] = await searching.search(folder, times)
    note("compile")
    found["compile"] = await compiling.compiling(folder, times)
    note("through the proxy")
    found["proxy"] = await proxying.proxying(folder, min(times, 200))
    for size, figures in found["proxy"].items():
        note(f"  {size} messages: {figures['overhead_p50_ms']} ms more, {figures['daemon_cpu_ms']} ms of processor")
    note("over HTTP")
    with http_path.daemon(folder / "bench.db", compacting=True) as (url, key, pid):
        cid = prompt_path.scope(http_path.SIZE).conversation_id
        http = await http_path.against_empty(url, key, times)
        quiet = await http_path.assembling(url, key, times, cid)
        async with http_path.compaction(url, key):
            busy = await http_path.assembling(url, key, times, cid)
        async with http_path.recorders(url, key):
            recorded = await http_path.assembling(url, key, times, cid)
        allowed = http["empty"]["p50_ms"] + 1.5 * found["in_process"]["1000"]["p50_ms"]
        http["p50_over_allowed"] = round(http["assemble"]["p50_ms"] / allowed, 3)
        http |= {"quiet": quiet.as_json(), "compacting": busy.as_json(), "recording": recorded.as_json()}
        http["p99_compacting_ratio"] = round(busy.p99 / quiet.p99, 2)
        http["p99_recording_ms"] = round(recorded.p99, 2)
        found["http"] = http
        note("recording over HTTP")
        found["recording"] = await http_path.recording(url, key, max(640, times * 8))
        found["memory_after_mb"] = round(http_path.rss_mb(pid), 1)
    return found


def at(found: dict[str, Any], path: str) -> float:
    """The figure at a dotted path."""
    value: Any = found
    for name in path.split("."):
        value = value[name]
    return float(value)


def judged(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Each target with its figure."""
    rows = []
    for path, sign, limit in TARGETS:
        value = at(found, path)
        rows.append({"figure": path, "value": value, "target": f"{sign} {limit}", "ok": _holds(value, sign, limit)})
    search = found["search"]
    fast = search["ratio"] <= 2.0 or search["search"]["p50_ms"] <= 3.0
    rows.append({"figure": "search", "value": search["ratio"], "target": "<= 2 x raw or <= 3 ms", "ok": fast})
    return rows


def _holds(value: float, sign: str, limit: float) -> bool:
    return value <= limit if sign == "<=" else value >= limit


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=400, help="calls behind each percentile")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    logs.configure(level="error")
    with tempfile.TemporaryDirectory(prefix="bobctx-bench-") as folder:
        os.chmod(folder, 0o700)
        found = asyncio.run(run(Path(folder), args.times))
    rows = judged(found)
    if args.json:
        print(json.dumps({**found, "targets": rows}))
    else:
        for row in rows:
            print(f"{'ok  ' if row['ok'] else 'MISS'} {row['figure']:32} {row['value']:>9.3f}  {row['target']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

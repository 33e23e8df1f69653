"""What a coding agent waits for: processor time of an installed hook, beside that of a Python that does nothing."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bobctx.hooks.install import command_line, leanest
from evals.bench.http_path import daemon

TIMES = 30


def hooking(folder: Path) -> dict[str, Any]:
    """Each event with a running daemon; `floor` starts the same Python and ends it, `python` without its switches."""
    transcript = folder / "session.jsonl"
    line = {"type": "user", "uuid": "q1", "parentUuid": None, "message": {"role": "user", "content": "Hello."}}
    transcript.write_text(json.dumps(line) + "\n")
    hook = [*leanest(sys.executable), "hook", "claude-code"]
    with daemon(folder / "hooks.db") as (url, key, _):
        environ = {**_plain(), "BOBCTX_URL": url, "BOBCTX_KEY": key, "BOBCTX_DB": str(folder / "hooks.db")}
        events = {name: _event(name, transcript) for name in ("UserPromptSubmit", "Stop", "PreCompact")}
        subprocess.run(hook, input=events["Stop"], env=environ, check=True)  # what comes is recorded already
        runs: dict[str, tuple[Sequence[str], bytes]] = {
            "floor": ([sys.executable, "-I", "-S", "-c", "pass"], b""),
            "python": ([sys.executable, "-c", "pass"], b""),
            "prompt": (hook, events["UserPromptSubmit"]),
            "stop": (hook, events["Stop"]),
            "before_compaction": (hook, events["PreCompact"]),
        }
        spent: dict[str, list[float]] = {name: [] for name in runs}
        for _ in range(TIMES):  # in turn, so that whatever else the machine does meets all of them
            for name, (words, given) in runs.items():
                spent[name].append(_cpu_s(words, given, environ))
    found: dict[str, Any] = {name: {"cpu_ms": _ms(statistics.median(spent[name]))} for name in runs}
    for name in runs:
        over = [mine - floor for mine, floor in zip(spent[name], spent["floor"], strict=True)]
        found[name]["over_floor_ms"] = _ms(statistics.median(over))
        found[name]["to_python"] = round(found[name]["cpu_ms"] / found["python"]["cpu_ms"], 2)
    return {**found, "n": TIMES, "command": command_line(leanest("python"), "claude-code", db=None, keep=())}


def _event(name: str, transcript: Path) -> bytes:
    return json.dumps({"hook_event_name": name, "session_id": "bench", "transcript_path": str(transcript)}).encode()


def _plain() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith(("BOBCTX_", "BOB_", "CONTEXT_DB"))}


def _cpu_s(words: Sequence[str], given: bytes, environ: dict[str, str]) -> float:
    """Processor seconds of one process, of the system too."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, input=given, stdout=subprocess.DEVNULL, env=environ, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)

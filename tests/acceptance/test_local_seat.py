"""A real small model compacts a stretch of the bundled conversation; what code accepts and stops is reported.

Opt in with `BOBCTX_LOCAL_SEAT=1`, `BOBCTX_LOCAL_SEAT_PYTHON` (an interpreter with `xllamacpp`) and
`BOBCTX_LOCAL_SEAT_MODEL` (a GGUF file of an instruct model); `-s` shows the report. Nothing here asserts wording, and
no duration: the same request may give two answers, and the machine may be busy.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from bobctx import runtime
from bobctx.compactor.worker import run_job
from bobctx.core.example import OWN_WORDS
from bobctx.core.types import Compaction, Region, Scope
from bobctx.core.versions import PROMPT_VERSION
from bobctx.demo import conversation
from bobctx.ports import Job, JobResult, StoredReply
from bobctx.settings import Settings

WINDOW = 8_192
PATIENCE_S = 300.0
SCOPE = Scope(conversation_id="demo", user_id="you")
STRETCH = (*range(1, 7), *range(19, 23), *range(35, 37), *range(83, 85), *range(89, 104))
"""Numbers of messages: rules, values, the corrected port before and after, small talk, tool output."""


def wanted() -> tuple[Path, Path]:
    """Interpreter and model; skips, visibly, where nobody asked for this."""
    if os.environ.get("BOBCTX_LOCAL_SEAT") != "1":
        pytest.skip("opt in with BOBCTX_LOCAL_SEAT=1: needs a local model (see docs/seats.md)")
    found = [Path(os.environ.get(f"BOBCTX_LOCAL_SEAT_{name}", "")) for name in ("PYTHON", "MODEL")]
    for path in found:
        assert path.is_file(), f"BOBCTX_LOCAL_SEAT=1 needs BOBCTX_LOCAL_SEAT_PYTHON and _MODEL: {path} is no file"
    return found[0], found[1]


@pytest.fixture
def endpoint() -> Iterator[str]:
    """A running model server, with one thread unless `LLM_THREADS` says otherwise."""
    python, model = wanted()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script = Path(__file__).with_name("local_seat_server.py")
    argv = [str(python), str(script), str(model), str(port), str(WINDOW), os.environ.get("LLM_THREADS", "1")]
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + PATIENCE_S
        while not _healthy(port):
            assert process.poll() is None, "the model server ended; start it by hand to see why"
            assert time.monotonic() < end, "the model server did not get ready"
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def _healthy(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/health", timeout=5.0).status_code == 200
    except httpx.HTTPError:
        return False


async def call(lane: runtime.Runtime, method: str, path: str, body: Any = None) -> Any:
    transport = httpx.ASGITransport(app=lane.local_app)
    async with httpx.AsyncClient(base_url="http://localhost", transport=transport, timeout=None) as http:
        answer = await http.request(method, path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.slow
async def test_a_real_small_model_is_held_to_the_messages(
    endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {
        "COMPACTOR_MODEL": "local",
        "COMPACTOR_BASE_URL": endpoint,
        "COMPACTOR_WINDOW": str(WINDOW),
        "SEAT_PROFILE": "small",
        "SEAT_TIMEOUT_S": str(PATIENCE_S),
    }.items():  # the worker process reads the same
        monkeypatch.setenv(f"BOBCTX_{name}", value)
    history = {int(m["id"][1:]): m for m in conversation.messages()}
    async with runtime.open(Settings(db=tmp_path / "lane" / "b.db"), background=False) as lane:
        body = {"user_id": SCOPE.user_id, "messages": [history[n] for n in STRETCH]}
        await call(lane, "POST", f"/v1/conversations/{SCOPE.conversation_id}/messages", body)
        started = time.monotonic()
        path = f"/v1/conversations/{SCOPE.conversation_id}/compact"
        answer = await call(lane, "POST", path, {"user_id": SCOPE.user_id})
        took = time.monotonic() - started
        rows = [row for row in await lane.store.compactions(SCOPE) if row.reply_key]
        passes = [found for row in rows for found in await passes_of(lane, row)]
    with capsys.disabled():
        print(report(passes, took))
    assert {r["seat"] for r in answer["regions"]} <= {"local", "extractive"}
    assert passes, "the model's replies are stored"
    assert {reply.host for reply, _ in passes} == {"127.0.0.1"}
    accepted = [claim.text for row in rows for claim in row.claims]
    assert accepted
    assert not any(word in text.casefold() for text in accepted for word in OWN_WORDS)
    said = " ".join(str(history[n].get("content")) for n in STRETCH)
    for row in rows:
        for claim in row.claims:
            assert claim.cites
            assert all(e.literal in said for e in claim.evidence if e.kind in ("port", "path", "date"))


async def passes_of(lane: runtime.Runtime, row: Compaction) -> list[tuple[StoredReply, JobResult]]:
    """The stored replies about a region, oldest first, each validated again without a call."""
    spine = (await lane.store.snapshot(SCOPE)).spine
    start = spine.ids.index(row.first_id)
    messages = await lane.store.load(SCOPE, spine.ids[start : start + row.count])
    region = Region(messages=tuple(messages), start=start)
    replies = await lane.store.replies_for(SCOPE, [m.sha256 for m in messages], prompt_version=PROMPT_VERSION)
    found = []
    for reply in sorted(replies, key=lambda r: r.created_ts):
        job = Job(scope=SCOPE, region=region, prior=(), prefix="r1", seat="local", raw=reply.raw, aliases=reply.aliases)
        found.append((reply, await run_job({}, job)))
    return found


def report(passes: Sequence[tuple[StoredReply, JobResult]], took: float) -> str:
    """What each pass wrote, and what was accepted and stopped by which check."""
    lines = ["", f"{len(passes)} passes, {took:.0f} s"]
    for reply, result in passes:
        checked, usage = result.report, reply.usage
        lines += [
            f"{reply.ask}: {usage['windows']} windows, lost {usage['windows_lost']}, {usage['requests']} requests, "
            f"{usage['prompt_tokens']} prompt and {usage['completion_tokens']} completion tokens",
            f"  {checked.raw} claims, {checked.accepted} accepted, {len(checked.duplicates)} duplicates, "
            f"links dropped {dict(Counter(w.code for w in checked.warnings))}, "
            f"stopped {dict(Counter(r.code for r in checked.rejections))}",
            *(f"  + {c.type} {c.importance}: {c.text}{' (replaces)' if c.supersedes else ''}" for c in result.claims),
            *(f"  - {r.code}: {r.text} {dict(r.data)}" for r in checked.rejections),
            *(f"  ? {dict(u)}" for u in checked.uncovered),
        ]
    return "\n".join(lines)

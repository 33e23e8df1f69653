"""Planted keys through the real daemon and its worker: in no log, trace, metric, seat prompt, claim or narrative."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.daemon import DaemonProcess
from tests.fake_model import FakeModel, completion, send

pytestmark = pytest.mark.slow

CANARIES = {
    "openai": "sk-proj-" + "aB3dE5gH7jK9mN1pQ3sT5vW7xY9z",
    "github": "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "aws": "AKIA" + "Z7QX2W4E6R8T1Y3U",
    "url": "hunter2correcthorse",
    "pair": "tr0ub4dor-and-3",
}
CONVERSATION = "/v1/conversations/c1"
U = {"user_id": "u1"}


class Echoing(FakeModel):
    """A seat that quotes the whole of each user message of its prompt, as a careless model would."""

    async def _behave(self, behaviour: str, writer: Any) -> None:
        prompt = json.dumps(self.requests[-1], ensure_ascii=False)
        marks = [word for word in prompt.split() if "<secret:" in word]
        text = f"The service uses {' '.join(marks[:2])}"[:500]
        claim = {"id": "c1", "type": "fact", "importance": 2, "text": text, "cites": ["m3"], "supersedes": None}
        narrative = {"goal": text}
        await send(writer, 200, completion(json.dumps({"claims": [claim], "narrative": narrative})), "")


@pytest.fixture
def model() -> Iterator[FakeModel]:
    """The seat's server on a thread of its own."""
    made, loop, ready = Echoing(), asyncio.new_event_loop(), threading.Event()

    async def serve() -> None:
        server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
        made.port = server.sockets[0].getsockname()[1]
        ready.set()
        async with server:
            await asyncio.Event().wait()

    task = loop.create_task(serve())

    def run() -> None:
        try:
            loop.run_until_complete(task)
        except asyncio.CancelledError:
            loop.run_until_complete(loop.shutdown_asyncgens())

    thread = threading.Thread(target=run)
    thread.start()
    assert ready.wait(10)
    yield made
    loop.call_soon_threadsafe(task.cancel)
    thread.join(10)
    loop.close()


def turns() -> list[dict[str, Any]]:
    filler = "We spoke about the migration of the billing cluster and its owners. " * 12
    planted = [
        f"My key is {CANARIES['openai']} for the proxy service.",
        f"Use token {CANARIES['github']} for the mirror service.",
        f"The bucket id is {CANARIES['aws']} for the backup service.",
        f"Connect to postgres://admin:{CANARIES['url']}@db.internal/app for the billing service.",
        f"DB_PASSWORD={CANARIES['pair']} is what the worker service reads.",
    ]
    made: list[dict[str, Any]] = []
    for number in range(40):
        text = planted[number // 2 - 1] if number in (2, 4, 6, 8, 10) else f"{number}: {filler}"
        made += [
            {"id": f"q{number}", "role": "user", "content": text},
            {"id": f"r{number}", "role": "assistant", "content": f"Noted {number}."},
        ]
    return made


def test_planted_keys_are_nowhere_but_in_the_originals(tmp_path: Path, model: FakeModel) -> None:
    extra = {
        "BOBCTX_COMPACTOR_MODEL": "echo",
        "BOBCTX_COMPACTOR_BASE_URL": model.base_url,
        "BOBCTX_COMPACTOR_REGION_TOKENS": "1500",
        "BOBCTX_WINDOW": "8000",
        "BOBCTX_LOG_LEVEL": "debug",
    }
    daemon = DaemonProcess(tmp_path, extra).start()
    try:
        with daemon.client() as http:
            http.post(f"{CONVERSATION}/messages", json={**U, "messages": turns()}).raise_for_status()
            http.post(f"{CONVERSATION}/compact", json=U).raise_for_status()
            made = http.post(f"{CONVERSATION}/assemble", json=U).json()
            claims = http.get(f"{CONVERSATION}/claims", params=U).json()
            rows = http.get(f"{CONVERSATION}/compactions", params={**U, "rejected": "true"}).json()
            metrics = http.get("/metrics").text
            status = http.get("/v1/status").text
            original = http.post(f"{CONVERSATION}/expand", json={**U, "ids": ["q2"]}).text
        daemon.term()
        with closing(sqlite3.connect(daemon.db)) as conn:
            derived = {
                table: repr(conn.execute(f"SELECT * FROM {table}").fetchall())
                for table in ("replies", "compactions", "claims", "runs", "access_log", "spend", "feedback")
            }
    finally:
        daemon.stop()
    assert CANARIES["openai"] in original
    assert model.requests, "the seat was asked"
    prompts = json.dumps(model.requests)
    assert prompts.count("<secret:") > 3
    block = "".join(str(m.get("content")) for m in made["messages"] if "[bobctx:block" in str(m.get("content")))
    places = {
        "log": daemon.log, "metrics": metrics, "status": status, "prompts": prompts, "claims": json.dumps(claims),
        "compactions": json.dumps(rows), "block": block, **derived,
    }  # fmt: skip
    found = [(place, kind) for place, text in places.items() for kind, secret in CANARIES.items() if secret in text]
    assert found == []

"""What `bobctx status` tells of a lane whose compaction is held up, and of what seats cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from bobctx import runtime
from bobctx.cli.frame import cli
from bobctx.cli.status import _lines
from bobctx.compactor import wire
from bobctx.compactor.worker import run_job
from bobctx.core.advice import FIXES
from bobctx.core.types import Scope
from bobctx.ports import Job, JobResult
from bobctx.seats.extractive import ExtractiveSeat
from bobctx.settings import Settings


class Down:
    """A seat that cannot be reached, until it can."""

    up = False

    async def dispatch(self, job: Job) -> JobResult:
        if self.up:
            return wire.failed_result(job, "malformed") if job.seat != "extractive" else await self.works(job)
        return wire.failed_result(job, "unreachable")

    async def works(self, job: Job) -> JobResult:
        return await run_job({"extractive": ExtractiveSeat()}, job)

    async def close(self) -> None:
        return None


def told(status: dict[str, Any], reason: str | None = None) -> list[str]:
    """The report of a daemon with this state of its compactor; `reason`: why it is not ready."""
    daemon = {"pid": 1, "url": "http://127.0.0.1:1", "ready": reason is None, "reason": reason}
    store = {"path": "x", "ok": True, "size_bytes": 0, "wal_bytes": 0, "reason": None, "index_lag": 0}
    counts = {"conversations": 1, "messages": 1, "tokens": 1, "claims": 0, "regions": 0, "waiting": [], "breaks": []}
    times = {"last_recorded_ts": None, "last_compaction_ts": None}
    head = {"version": "0", "ok": True, "mode": "live", "daemon": daemon, "store": store, "windows": {}}
    return _lines({**head, **counts, **times, "compactor": status}, 0.0)


async def test_a_guard_that_is_closed_is_told_with_what_to_do_until_it_opens(tmp_path: Path) -> None:
    """Fails if a seat that cannot be reached shows only in the log: history grows and nobody is told."""
    script = tmp_path / "replies.json"
    script.write_text('[{"claims": []}]')
    settings = Settings(db=tmp_path / "lane" / "b.db", compactor_model=f"scripted:{script}", cooldown_s=1_000)
    seat = Down()
    async with runtime.open(settings, dispatcher=seat, background=False) as lane:
        transport = httpx.ASGITransport(app=lane.local_app)
        async with httpx.AsyncClient(base_url="http://localhost", transport=transport) as http:
            turns = [
                {"role": "user" if n % 2 == 0 else "assistant", "content": f"{n} " + "some words " * 60}
                for n in range(80)
            ]
            body = {"user_id": "u", "messages": turns}
            assert (await http.post("/v1/conversations/c/messages", json=body)).status_code == 200
            scope = Scope(conversation_id="c", user_id="u")
            assert told(dict(lane.compactor.status()))[-1].startswith("seat")
            for reason, says in (("disk_full", "-> the disk is full"), ("starting", "-> the daemon runs and is not")):
                assert told(dict(lane.compactor.status()), reason)[-1].startswith(says), "no other is to be started"
            assert "bobctx serve" in told(dict(lane.compactor.status()), "it is a command, not a daemon")[-1]
            await lane.compactor.run_now(scope)
            line = f"-> unreachable: {FIXES['unreachable']}"
            assert line in told(dict(lane.compactor.status()))
            seat.up = True
            await lane.compactor.run_now(scope)
            status = dict(lane.compactor.status())
            assert status["cooling_down"] == 0
            assert line not in told(status)
            assert any(text.startswith("spent ") and " in " in text for text in told(status))


def test_compaction_that_is_switched_off_is_told_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOBCTX_COMPACTOR_ENABLED", "false")
    db = tmp_path / "lane" / "b.db"
    who = ("-c", "c1", "-u", "ann", "--db", str(db))
    turn = json.dumps({"id": "a0", "role": "user", "content": "hello"})
    assert CliRunner().invoke(cli, ["record", *who], input=turn).exit_code == 0
    shown = CliRunner().invoke(cli, ["status", "--db", str(db)]).stdout
    assert f"-> disabled: {FIXES['disabled']}" in shown


async def test_a_seat_that_is_refused_is_told_with_what_to_do(tmp_path: Path) -> None:
    """Fails if a reason without a next step is counted and not explained."""
    settings = Settings(db=tmp_path / "lane" / "b.db")
    async with runtime.open(settings, background=False) as lane:
        lane.compactor._standings.failed(Scope(conversation_id="c", user_id="u"), 9e9, "provider_error")
        shown = told({**lane.compactor.status(), "cooling_down": 1})
    assert f"-> provider_error: {FIXES['provider_error']}" in shown


async def test_a_cloud_seat_without_its_key_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    settings = Settings(db=tmp_path / "lane" / "b.db", compactor_model="deepseek/deepseek-chat")
    async with runtime.open(settings, background=False) as lane:
        shown = "\n".join(told(dict(lane.compactor.status())))
    assert "without its key: DEEPSEEK_API_KEY is not set" in shown
    assert f"-> key_missing: {FIXES['key_missing']}" in shown


def test_compacting_with_a_seat_that_fails_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails if a region that failed is shown as one without claims, and nothing is advised."""
    db = tmp_path / "lane" / "b.db"
    who = ("-c", "c1", "-u", "ann", "--db", str(db))
    turns = [{"role": "user" if n % 2 == 0 else "assistant", "content": f"{n} " + "words " * 80} for n in range(40)]
    text = "\n".join(json.dumps(turn) for turn in turns)
    assert CliRunner().invoke(cli, ["record", *who], input=text).exit_code == 0
    monkeypatch.setenv("BOBCTX_COMPACTOR_MODEL", "m")
    monkeypatch.setenv("BOBCTX_COMPACTOR_BASE_URL", "http://127.0.0.1:9/v1")
    shown = CliRunner().invoke(cli, ["compact", *who]).stdout
    assert " failed " in shown
    assert f"-> unreachable: {FIXES['unreachable']}" in shown

"""The demo is a real run: every promise holds, its JSON has exactly the named keys, nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from bobctx.core.parts import parts_of
from bobctx.demo import conversation
from bobctx.demo.player import last_window

KEYS = {
    "recorded", "tokens_before", "tokens_after", "regions", "claims_accepted", "claims_rejected", "block_tokens",
    "block_share", "importance_floor", "covered", "announced", "search_hits", "expanded", "promises",
}  # fmt: skip
TIMEOUT_S = 120


def demo(*args: str, tmp: Path, columns: int = 100) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bobctx.cli", "demo", *args],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
        env={**os.environ, "TMPDIR": str(tmp), "BOBCTX_MODE": "off", "COLUMNS": str(columns)},
    )


@pytest.mark.slow
def test_every_promise_holds_and_nothing_is_left_behind(tmp_path: Path) -> None:
    """Also with settings of another lane in the environment: the demo shows the defaults."""
    done = demo("--json", tmp=tmp_path)
    found = json.loads(done.stdout)
    assert set(found) == KEYS
    assert [p["name"] for p in found["promises"] if not p["ok"]] == []
    assert all(set(p) == {"name", "ok"} for p in found["promises"])
    assert done.returncode == 0
    assert found["recorded"] == 299
    assert found["tokens_after"] < found["tokens_before"]
    assert 0 < found["block_share"] <= 0.15
    assert found["claims_rejected"] >= 3
    assert list(tmp_path.iterdir()) == []


def test_the_window_beside_it_fills_the_same_budget() -> None:
    """Fails when the comparison is with a window that was given less."""
    stored = [{"tokens_est": 30, "n": n} for n in range(100)]
    assert [m["n"] for m in last_window(stored, 305)] == list(range(90, 100))
    assert last_window(stored, 10) == stored[-1:]


@pytest.mark.slow
def test_the_screen_fits_and_keep_leaves_a_daemon_that_answers(tmp_path: Path) -> None:
    done = demo("--keep", tmp=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    screen, _, after = done.stdout.partition("\nthe daemon runs on (pid ")
    pid = int(after.split(")", 1)[0])
    try:
        lines = screen.splitlines()
        assert len(lines) <= 40
        assert max(map(len, lines)) <= 100
        assert not [line for line in lines if line.startswith("✓") and "…" in line], "a promise is read to its end"
        url = after.split("'http://", 1)[1].split("/", 1)[0]
        with urllib.request.urlopen(f"http://{url}/readyz", timeout=10) as answer:
            assert json.load(answer)["ok"]
    finally:
        os.kill(pid, signal.SIGTERM)
        folder = next(Path(tmp_path).iterdir())
        deadline = time.monotonic() + 20
        while (folder / "demo.daemon.json").exists() and time.monotonic() < deadline:
            time.sleep(0.1)


@pytest.mark.slow
def test_a_pipe_is_as_wide_as_columns_says(tmp_path: Path) -> None:
    screen = demo(tmp=tmp_path, columns=80).stdout.splitlines()
    assert max(map(len, screen)) <= 80
    assert len(screen) <= 50
    assert not [line for line in screen if line.startswith("✓") and "…" in line], "a promise is read to its end"
    assert any("newest 170" in line for line in screen)


def test_the_bundled_conversation_is_what_the_demo_says_it_is() -> None:
    messages = conversation.messages()
    assert len(messages) == 299
    assert len({m["id"] for m in messages}) == len(messages)
    by_id = {m["id"]: m for m in messages}
    assert "never enable zeta-sync" in by_id[conversation.RULE]["content"]
    assert messages[2]["id"] == conversation.RULE
    assert "7448" in by_id[conversation.CORRECTION]["content"]
    assert "7484" in by_id[conversation.CORRECTION]["content"]
    assert by_id[conversation.INJECTION]["role"] == "tool"
    assert "BCC" in by_id[conversation.INJECTION]["content"]
    calls = [p.call_id for m in messages for p in parts_of(m) if p.kind == "call"]
    results = [p.call_id for m in messages for p in parts_of(m) if p.kind == "result"]
    assert calls == results
    assert [m for turn in conversation.turns(messages) for m in turn] == messages
    halves = ["\n".join(str(m["content"]) for m in part) for part in (messages[:150], messages[150:])]
    known = [[probe.needle in half for probe in conversation.PROBES] for half in halves]
    assert [sum(k) for k in known] == [6, 2], "a window knows some of it: the comparison is no straw man"
    for probe in conversation.PROBES:
        assert probe.needle in by_id[probe.source]["content"]

"""Hooks where something goes wrong: no daemon, bad input, a stopped server, kills. Nothing here asserts a duration."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bobctx.hooks.memory import Memory
from tests.acceptance.daemon import PATIENCE_S, DaemonProcess
from tests.acceptance.hooks.host import ROOT, Host, fill, turn

pytestmark = pytest.mark.slow

EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "PostCompact", "SessionEnd", "Unheard", "")


@pytest.mark.parametrize("event", EVENTS)
def test_without_a_daemon_every_event_passes(daemon: DaemonProcess, tmp_path: Path, event: str) -> None:
    host = Host(daemon, tmp_path / "session.jsonl")
    daemon.db.parent.mkdir(mode=0o700)
    host.write(*turn(0, "first", "one"))
    assert host.process(event, source="compact", compact_summary="s") == {}


@pytest.mark.parametrize(
    "given",
    [
        b"",
        b"{",
        b"null",
        b"[1]",
        b"{}",
        b'{"session_id": 5}',
        b"\xff\xfe\x00",
        b'{"session_id": "s", "hook_event_name": ["Stop"], "transcript_path": 7}',
        b'{"session_id": "\\ud800", "hook_event_name": "Stop", "transcript_path": "/dev/zero"}',
        b'{"session_id": "s", "hook_event_name": "Stop", "transcript_path": "/no/such/file"}',
        b'{"session_id": "s", "hook_event_name": "PreCompact", "transcript_path": "/"}',
        b"[" * 100_000,
    ],
)
def test_malformed_input_is_answered_with_nothing(daemon: DaemonProcess, tmp_path: Path, given: bytes) -> None:
    daemon.db.parent.mkdir(mode=0o700)
    assert Host(daemon, tmp_path / "s.jsonl").process("Stop", given=given) == {}


def test_a_fifo_in_place_of_the_transcript_does_not_hold_the_host_up(host: Host) -> None:
    os.mkfifo(host.transcript)
    assert host.process("Stop") == {}


@pytest.mark.parametrize("event", ["Stop", "PreCompact", "SessionStart", "PostCompact"])
def test_a_daemon_that_is_stopped_costs_the_limit_and_nothing_else(host: Host, event: str) -> None:
    """SIGSTOP: it takes connections and never answers."""
    host.write(*turn(0, "first", "one"))
    host.recorded()
    assert host.daemon.process is not None
    host.daemon.process.send_signal(signal.SIGSTOP)
    try:
        assert host.process(event, source="compact", compact_summary="s") == {}
    finally:
        host.daemon.process.send_signal(signal.SIGCONT)
    host.call("Stop")
    assert len(host.recorded()) == 4


def test_a_server_that_answers_nonsense_is_no_daemon(daemon: DaemonProcess, tmp_path: Path) -> None:
    daemon.db.parent.mkdir(mode=0o700)
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        daemon.db.with_suffix(".daemon.json").write_text(json.dumps({"url": url}))

        def babble() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello")
                connection.close()

        threading.Thread(target=babble, daemon=True).start()
        host = Host(daemon, tmp_path / "session.jsonl")
        host.write(*turn(0, "first", "one"))
        for event in EVENTS:
            assert host.process(event, source="compact", compact_summary="s") == {}


def test_stdin_that_never_ends_does_not_hold_the_host_up(daemon: DaemonProcess) -> None:
    daemon.db.parent.mkdir(mode=0o700)
    command = [sys.executable, "-m", "bobctx.cli", "hook", "claude-code", "--db", str(daemon.db)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b'{"session')
    process.stdin.flush()
    assert process.wait(60) == 0
    process.stdin.close()
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.read() == b""


def test_a_wrong_key_is_said_and_stops_nothing(host: Host) -> None:
    host.write(*turn(0, "first", "one"))
    host.environ["BOBCTX_KEY"] = "bobctx_wrong"
    assert host.call("Stop") == {"systemMessage": "bobctx: the daemon refused (unauthorized); see `bobctx doctor`"}


def test_a_killed_hook_leaves_nothing_that_the_next_one_cannot_go_on_from(host: Host) -> None:
    host.write(*turn(0, "first", "one"))
    folder = host.daemon.db.with_suffix(".hooks")
    folder.mkdir(mode=0o700, exist_ok=True)
    for name in ("junk.json", "x.json.1"):
        (folder / name).write_text("{half")
    host.call("Stop")
    Path(Memory(str(folder)).file(host.session)).write_text('{"offset": "no", "end": -5, "kept": 3, "path"')
    host.write(*turn(1, "second", "two"))
    host.call("Stop")
    assert len(host.recorded()) == 8


def test_many_hooks_at_once_record_every_message_once(host: Host) -> None:
    fill(host)
    with ThreadPoolExecutor(6) as pool:
        events = ["Stop", "PreCompact", "Stop", "UserPromptSubmit", "PreCompact", "SessionEnd"]
        list(pool.map(lambda event: host.call(event, trigger="auto"), events))
    ids = [m["id"] for m in host.recorded()]
    assert len(ids) == len(set(ids)) == 16


def test_over_the_unix_socket(daemon: DaemonProcess, tmp_path: Path) -> None:
    path = tmp_path / "s.sock"
    daemon.process = daemon.spawn("--socket", str(path))
    host = Host(daemon, tmp_path / "session.jsonl")
    host.write(*turn(0, "first", "one"))
    info = daemon.db.with_suffix(".daemon.json")
    for _ in range(600):
        if info.exists():
            break
        threading.Event().wait(0.05)
    daemon.db.with_suffix(".keys.default").unlink()
    host.call("Stop")
    assert host.memory()["end"] == host.transcript.stat().st_size


# -- what it costs -------------------------------------------------------------------------


@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop", "PreCompact"])
def test_a_hook_loads_nothing_but_the_standard_library(host: Host, event: str) -> None:
    """Fails when something heavy is imported on the way of a hook: it would be waited for on every prompt."""
    host.write(*turn(0, "first", "one"))
    code = (
        "import os, sys\n"
        "ended = os._exit\n"
        "def told(code):\n"
        "    os.write(2, ' '.join(sorted(sys.modules)).encode())\n"
        "    ended(code)\n"
        "os._exit = told\n"
        f"sys.path.append({str(ROOT)!r})\n"
        "from bobctx.hooks.run import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, "hook", "claude-code", *host.args],
        input=host.given(event),
        capture_output=True,
        env=host.environ,
        timeout=PATIENCE_S,
        check=True,
    )
    loaded = {name.split(".")[0] for name in done.stderr.decode().split()}
    assert "bobctx" in loaded
    assert not loaded & {"pydantic", "httpx", "rich", "click", "regex", "fastapi", "orjson", "aiosqlite", "tiktoken"}
    own = {name for name in done.stderr.decode().split() if name.startswith("bobctx.")}
    assert own <= {"bobctx.places", *(n for n in own if n.startswith("bobctx.hooks"))}
    assert not loaded & {"re", "json", "enum", "dataclasses", "http", "socket", "urllib", "signal"}, "they cost more"
    assert ("bobctx.hooks.asking" in done.stderr.decode().split()) == (event != "UserPromptSubmit")


@pytest.mark.parametrize("args", [("hook", "claude"), ("hook", "cursor", "--keep", "x")])
def test_an_unknown_host_ends_with_one(args: tuple[str, ...]) -> None:
    """Hosts read 2 as a wish to block what they are about to do."""
    done = subprocess.run([sys.executable, "-m", "bobctx.cli", *args], capture_output=True, timeout=60, check=False)
    assert done.returncode == 1
    assert b"is no host known here" in done.stderr


def test_a_host_that_does_not_read_what_a_hook_says_does_not_keep_it_waiting(
    running: DaemonProcess, tmp_path: Path
) -> None:
    """Fails if the time limit ends before the answer is written: a full pipe would hold the hook for ever."""
    options: list[str] = []
    for number in range(12):
        path = tmp_path / f"rules{number}.md"
        path.write_text(f"Rule {number}. " * 700)
        options += ["--keep", str(path)]
    host = Host(running, tmp_path / "t.jsonl", options=tuple(options))
    command = [sys.executable, "-m", "bobctx.cli", "hook", host.name, *host.args]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=host.environ)
    try:
        assert process.stdin is not None
        process.stdin.write(host.given("SessionStart", source="startup"))
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()

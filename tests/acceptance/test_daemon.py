"""The daemon as a process: it starts, answers, stops in order, and survives being killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from bobctx import keys
from bobctx.integrations.vectors import missing
from tests.acceptance.daemon import PATIENCE_S, DaemonProcess, turn

pytestmark = pytest.mark.slow
C = "/v1/conversations/c1"


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[DaemonProcess]:
    found = DaemonProcess(tmp_path)
    yield found
    found.stop()


def record(http: httpx.Client, number: int) -> dict[str, object]:
    answer = http.post(f"{C}/messages", json={"user_id": "u1", "messages": turn(number)})
    assert answer.status_code == 200, answer.text
    found: dict[str, object] = answer.json()
    return found


def test_it_starts_answers_and_stops_with_exit_code_0(daemon: DaemonProcess) -> None:
    daemon.start()
    with daemon.client() as http:
        assert http.get("/healthz").json()["ok"] is True
        assert http.get("/readyz").json()["ok"] is True
        assert record(http, 0)["indexed"] == 2
        assert http.get("/v1/status").json()["store"]["ok"] is True
    assert daemon.term() == 0
    assert not daemon.db.with_suffix(".daemon.json").exists()
    assert "daemon: stopped" in daemon.log
    assert "Traceback" not in daemon.log


def test_its_files_are_private(daemon: DaemonProcess) -> None:
    daemon.start()
    assert stat.S_IMODE(daemon.db.parent.stat().st_mode) == 0o700
    for path in daemon.db.parent.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path.name


def test_what_people_wrote_is_in_no_log_line(daemon: DaemonProcess) -> None:
    daemon.extra = {"BOBCTX_LOG_LEVEL": "debug", "BOB_COMPACTOR_REGION_TOKENS": "1000"}
    daemon.start()
    with daemon.client() as http:
        for number in range(60):
            record(http, number)
        http.post(f"{C}/compact", json={"user_id": "u1"})
        http.post(f"{C}/assemble", json={"user_id": "u1", "window": 8192})
        http.post(f"{C}/search", json={"user_id": "u1", "query": "tenant-3"})
        http.post(f"{C}/messages", content=b'{"tenant-": ', headers={"content-type": "application/json"})
    daemon.term()
    assert "context: compaction" in daemon.log
    assert "context: claims in prompt" in daemon.log
    assert "tenant-" not in daemon.log
    assert daemon.key not in daemon.log


def test_compaction_happens_in_the_worker_process_without_being_asked(daemon: DaemonProcess) -> None:
    daemon.extra = {"BOBCTX_WINDOW": "8192", "BOB_COMPACTOR_REGION_TOKENS": "2000"}
    daemon.start()
    with daemon.client() as http:
        for number in range(60):
            record(http, number)
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            found = http.post(f"{C}/assemble", json={"user_id": "u1"}).json()
            if found["decision"]["claims_shown"]:
                break
            time.sleep(0.1)
        assert found["decision"]["claims_shown"] > 0
        assert found["decision"]["mode"] == "live"
    assert daemon.term() == 0


def test_a_turn_acknowledged_before_a_kill_is_there_after_it(daemon: DaemonProcess) -> None:
    """Fails if an answer is sent before COMMIT. A few kills here; the drill runs many."""
    acknowledged: list[int] = []
    for round_ in range(4):
        daemon.start()
        stop = threading.Event()

        def write(start: int = round_ * 1_000, stop: threading.Event = stop) -> None:
            with daemon.client() as http:
                number = start
                while not stop.is_set():
                    try:
                        record(http, number)
                    except httpx.TransportError:
                        return
                    acknowledged.append(number)
                    number += 1

        writer = threading.Thread(target=write)
        writer.start()
        before, until = len(acknowledged), time.monotonic() + PATIENCE_S
        while len(acknowledged) < before + 3 + round_ and time.monotonic() < until:
            time.sleep(0.003)
        daemon.kill()
        stop.set()
        writer.join(PATIENCE_S)
    daemon.start()
    with daemon.client() as http:
        assert len(acknowledged) >= 4
        for number in acknowledged:
            answer = http.post(f"{C}/expand", json={"user_id": "u1", "ids": [f"q{number}", f"r{number}"]})
            assert [m["content"] for m in answer.json()["messages"]] == [m["content"] for m in turn(number)]
        assert http.get(f"{C}/chain", params={"user_id": "u1"}).json()["break"] is None
        assert http.get("/readyz").json()["ok"] is True
    assert daemon.term() == 0


def test_a_request_in_flight_is_answered_before_it_stops(daemon: DaemonProcess) -> None:
    """Fails if the stop closes connections that are in the middle of a request."""
    daemon.start()
    body = json.dumps({"user_id": "u1", "messages": turn(0)}).encode()
    address = urlsplit(daemon.url)
    with socket.create_connection((str(address.hostname), int(address.port or 0)), PATIENCE_S) as connection:
        head = (
            f"POST {C}/messages HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {daemon.key}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\nexpect: 100-continue\r\n\r\n"
        )
        connection.sendall(head.encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 100")  # the route is reading the body now
        assert daemon.process is not None
        daemon.process.send_signal(signal.SIGTERM)
        until = time.monotonic() + PATIENCE_S
        while "daemon: stopping" not in daemon.log and time.monotonic() < until:
            time.sleep(0.02)
        connection.sendall(body)
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
    assert daemon.process.wait(PATIENCE_S) == 0


def test_the_worker_ends_with_the_daemon(daemon: DaemonProcess) -> None:
    daemon.start()
    assert daemon.process is not None
    with daemon.client() as http:
        for number in range(30):
            record(http, number)
        http.post(f"{C}/compact", json={"user_id": "u1"})
    children = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(daemon.process.pid)], capture_output=True, text=True, check=False
    ).stdout.split()
    assert children
    daemon.kill()
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and any(_alive(int(pid)) for pid in children):
        time.sleep(0.05)
    assert not any(_alive(int(pid)) for pid in children)


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_second_daemon_on_the_same_file_is_refused_and_the_first_goes_on(daemon: DaemonProcess) -> None:
    daemon.start()
    second = daemon.spawn()
    assert second.wait(PATIENCE_S) == 4
    assert "another process" in daemon.log
    assert "`bobctx status`" in daemon.log
    with daemon.client() as http:
        assert record(http, 0)["indexed"] == 2


def test_a_misspelt_setting_is_said_at_the_start(daemon: DaemonProcess) -> None:
    daemon.extra["BOBCTX_PROT"] = "1"
    daemon.start()
    assert daemon.log.count("BOBCTX_PROT") == 1


def test_a_port_in_use_is_said_clearly(daemon: DaemonProcess) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        process = daemon.spawn("--port", str(taken.getsockname()[1]))
        assert process.wait(PATIENCE_S) != 0
    assert "cannot listen on 127.0.0.1" in daemon.log
    assert "`--port N` or BOBCTX_PORT" in daemon.log
    assert "Traceback" not in daemon.log


def test_the_unix_socket_is_private_and_needs_no_key(daemon: DaemonProcess) -> None:
    path = daemon.folder / "s.sock"
    daemon.start("--socket", str(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with httpx.Client(transport=httpx.HTTPTransport(uds=str(path)), base_url="http://localhost") as http:
        assert http.get("/v1/status").json()["store"]["ok"] is True
        assert http.get("/v1/status", headers={"authorization": "Bearer no"}).status_code == 401
    daemon.kill()
    daemon.start("--socket", str(path))  # what a killed daemon left there is replaced
    assert daemon.term() == 0


def test_a_key_added_while_it_runs_counts_at_once(daemon: DaemonProcess) -> None:
    daemon.start()
    key = keys.add(daemon.db.with_suffix(".keys.json"), "gw", "gateway")
    with httpx.Client(base_url=daemon.url, headers={"authorization": f"Bearer {key}"}) as http:
        assert http.get("/v1/tools").status_code == 200
        assert http.get("/v1/status").status_code == 403


def test_heavy_libraries_stay_out_of_the_daemon(daemon: DaemonProcess) -> None:
    """Fails when litellm or rich is imported anywhere on the daemon's way."""
    code = (
        "import sys, bobctx.runtime, uvicorn, uvloop, httptools;"
        "sys.exit(' '.join(sorted({'litellm', 'rich', 'tiktoken', 'openai'} & set(sys.modules))) or 0)"
    )
    import sys

    assert subprocess.run([sys.executable, "-c", code], check=False, env=os.environ.copy()).returncode == 0


def test_sigint_stops_it_like_sigterm(daemon: DaemonProcess) -> None:
    daemon.start()
    assert daemon.process is not None
    daemon.process.send_signal(signal.SIGINT)
    assert daemon.process.wait(PATIENCE_S) == 0


def test_a_call_repeated_after_a_kill_gets_its_first_answer(daemon: DaemonProcess) -> None:
    """Fails if keys live in memory only: the second try would pin a second time."""
    pin = {"user_id": "u1", "text": "Answer in French."}
    headers = {"idempotency-key": "pinning"}
    daemon.start()
    with daemon.client() as http:
        record(http, 0)
        first = http.post(f"{C}/pins", json=pin, headers=headers)
        assert first.status_code == 200
    daemon.kill()
    daemon.start()
    with daemon.client() as http:
        again = http.post(f"{C}/pins", json=pin, headers=headers)
        assert (again.content, again.headers.get("idempotent-replayed")) == (first.content, "true")
        other = http.post(f"{C}/pins", json={**pin, "text": "No."}, headers=headers)
        assert other.status_code == 422
        assert len(http.get(f"{C}/pins", params={"user_id": "u1"}).json()["pins"]) == 1
        gone = [http.delete(C, params={"user_id": "u1"}, headers=headers) for _ in range(2)]
        assert [answer.status_code for answer in gone] == [200, 200]
    assert b"in French" not in b"".join(p.read_bytes() for p in daemon.db.parent.iterdir() if p.is_file())


@pytest.mark.skipif(not missing(), reason="the packages of the extra are installed")
def test_vectors_without_their_packages_are_said_at_the_start(daemon: DaemonProcess) -> None:
    daemon.extra["BOBCTX_VECTORS"] = "true"
    daemon.start()
    assert daemon.term() == 0
    (line,) = [json.loads(line) for line in daemon.log.splitlines() if "packages are missing" in line]
    assert line["names"] == missing()
    assert "pip install -e '.[vectors]'" in line["do"]

"""Kills the daemon or its worker at random moments while turns are recorded, and counts what was lost.

`python -m evals.kill --cycles 50 --seed 1 --json` starts the real daemon on a fresh database, records turns from
several clients, kills with SIGKILL, starts again, and at the end compares every acknowledged turn, byte by byte, with
what the daemon gives back; checks that compaction goes on and that the chain is whole (design, section 11, I12).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

USER = "u1"
READY_TIMEOUT = 30.0  # seconds


@dataclass(slots=True)
class Tally:
    """What the run saw."""

    daemon_kills: int = 0
    worker_kills: int = 0
    acknowledged: int = 0
    lost: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    chain_breaks: list[str] = field(default_factory=list)
    regions: int = 0
    stuck: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether every promise held."""
        return not (self.lost or self.changed or self.chain_breaks or self.stuck) and self.regions > 0

    def as_json(self) -> dict[str, Any]:
        """The tally for `--json`."""
        return {
            "daemon_kills": self.daemon_kills,
            "worker_kills": self.worker_kills,
            "acknowledged": self.acknowledged,
            "lost": len(self.lost),
            "changed": len(self.changed),
            "chain_breaks": self.chain_breaks,
            "regions": self.regions,
            "stuck": self.stuck,
            "seconds": round(self.seconds, 1),
            "ok": self.ok,
        }


class Lane:
    """One daemon process on one database, started and killed over and over."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.db = folder / "lane.db"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None
        self.log = folder / "daemon.log"

    @property
    def url(self) -> str:
        """Base URL of the daemon."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the daemon and wait until it is ready."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("BOB_", "BOBCTX_", "CONTEXT_DB"))}
        env |= {"CONTEXT_DB": str(self.db), "BOBCTX_PORT": str(self.port), "BOBCTX_KEY": ""}
        env |= {"BOB_COMPACTOR_REGION_TOKENS": "1500", "BOBCTX_WINDOW": "8000"}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "bobctx.cli", "serve"], env=env, stdout=log, stderr=log, start_new_session=True
            )
        deadline = time.monotonic() + READY_TIMEOUT
        while time.monotonic() < deadline:
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"{self.url}/readyz", timeout=1).status_code == 200:
                    return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError(f"the daemon did not get ready:\n{self.log.read_text()[-2000:]}")

    def client(self) -> httpx.Client:
        """A client with the lane's key."""
        key = next(self.folder.glob("*.default")).read_text().strip()
        return httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {key}"}, timeout=20)

    def worker_pids(self) -> list[int]:
        """Processes started by the daemon."""
        if self.process is None:
            return []
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        with contextlib.suppress(OSError):
            return [int(pid) for pid in children.read_text().split()]
        return []

    def kill(self) -> None:
        """SIGKILL the daemon; its worker ends by itself when the pipe closes."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None


def sentences(rng: random.Random, index: int) -> str:
    """A turn that holds something worth a claim."""
    host = f"edge-{rng.randrange(100, 999)}"
    port = rng.randrange(2000, 9999)
    filler = " ".join(
        rng.choice(("the queue drains", "logs look calm", "retries settle", "load is even")) for _ in range(20)
    )
    return f"Turn {index}: the service on {host} must listen on port {port} and never on port {port + 1}. {filler}."


def record_turns(lane: Lane, conversation: str, seed: int, stop: threading.Event, acked: dict[str, str]) -> None:
    """Record turn after turn; a turn counts as acknowledged only when the daemon answered 200."""
    rng = random.Random(seed)
    index = 0
    while not stop.is_set():
        user, assistant = f"{conversation}-{index}u", f"{conversation}-{index}a"
        messages = [
            {"id": user, "role": "user", "content": sentences(rng, index)},
            {"id": assistant, "role": "assistant", "content": f"Noted for turn {index}."},
        ]
        sent = False
        while not sent and not stop.is_set():
            try:
                with lane.client() as http:
                    response = http.post(
                        f"/v1/conversations/{conversation}/messages",
                        json={"user_id": USER, "backend": "local", "messages": messages},
                    )
                sent = response.status_code == 200
            except (httpx.HTTPError, StopIteration, OSError):
                time.sleep(0.05)
        if sent:
            acked.update({m["id"]: m["content"] for m in messages})
            index += 1


def await_turns(acked: dict[str, dict[str, str]], more: int, within: float = 10.0) -> None:
    """Wait until so many further messages were acknowledged, so that every kill falls into real work."""
    before, deadline = sum(map(len, acked.values())), time.monotonic() + within
    while sum(map(len, acked.values())) < before + more and time.monotonic() < deadline:
        time.sleep(0.01)


def await_worker(lane: Lane, within: float = 5.0) -> list[int]:
    """The worker's process, once the daemon has started it."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if pids := lane.worker_pids():
            return pids
        time.sleep(0.02)
    return []


def stored(http: httpx.Client, conversation: str, ids: list[str]) -> Iterator[tuple[str, Any]]:
    """What the daemon gives back for the ids, 20 at a time."""
    for at in range(0, len(ids), 20):
        batch = ids[at : at + 20]
        answer = http.post(f"/v1/conversations/{conversation}/expand", json={"user_id": USER, "ids": batch})
        if answer.status_code != 200:
            yield from ((i, None) for i in batch)
            continue
        found = {m["id"]: m["content"] for m in answer.json()["messages"]}
        yield from ((i, found.get(i)) for i in batch)


def check(lane: Lane, acked: dict[str, dict[str, str]], tally: Tally) -> None:
    """Compare every acknowledged turn, then the chain, then that eligible work gets done."""
    with lane.client() as http:
        for conversation, turns in acked.items():
            tally.acknowledged += len(turns)
            for message_id, content in stored(http, conversation, list(turns)):
                if content is None:
                    tally.lost.append(message_id)
                elif content != turns[message_id]:
                    tally.changed.append(message_id)
            done = http.post(f"/v1/conversations/{conversation}/compact", json={"user_id": USER}, timeout=120)
            if done.status_code != 200:
                tally.stuck.append(f"{conversation}: {done.text[:200]}")
            chain = http.get(f"/v1/conversations/{conversation}/chain", params={"user_id": USER}).json()
            if chain.get("break"):
                tally.chain_breaks.append(f"{conversation}: {chain['break']}")
            tally.regions += len(chain.get("links", []))


def run(cycles: int, seed: int, clients: int, folder: Path) -> Tally:
    """The whole experiment."""
    rng = random.Random(seed)
    tally, started = Tally(), time.monotonic()
    lane, stop = Lane(folder), threading.Event()
    acked: dict[str, dict[str, str]] = {f"c{n}": {} for n in range(clients)}
    lane.start()
    threads = [
        threading.Thread(target=record_turns, args=(lane, name, seed + n, stop, turns), daemon=True)
        for n, (name, turns) in enumerate(acked.items())
    ]
    for thread in threads:
        thread.start()
    try:
        for cycle in range(cycles):
            await_turns(acked, rng.randrange(1, 40))
            workers = await_worker(lane) if cycle % 2 else []
            time.sleep(rng.uniform(0.0, 0.3))
            if workers:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(rng.choice(workers), signal.SIGKILL)
                tally.worker_kills += 1
            else:
                lane.kill()
                tally.daemon_kills += 1
                lane.start()
        stop.set()
        for thread in threads:
            thread.join(timeout=30)
        check(lane, acked, tally)
    finally:
        stop.set()
        lane.kill()
    tally.seconds = time.monotonic() - started
    return tally


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cycles", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bobctx-kill-") as folder:
        os.chmod(folder, 0o700)
        tally = run(args.cycles, args.seed, args.clients, Path(folder))
    result = tally.as_json()
    print(json.dumps(result) if args.json else "\n".join(f"{k:>15}  {v}" for k, v in result.items()))
    return 0 if tally.ok else 1


if __name__ == "__main__":
    sys.exit(main())

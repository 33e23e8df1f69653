"""A real daemon in its own process, for acceptance tests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from bobctx import keys

PATIENCE_S = 30.0
"""Generous: other work may share the machine. Nothing here asserts a duration."""


@dataclass(slots=True)
class DaemonProcess:
    """Starts, asks, stops and kills one daemon on one database."""

    folder: Path
    extra: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    url: str = ""

    @property
    def db(self) -> Path:
        return self.folder / "lane" / "b.db"

    @property
    def key(self) -> str:
        found = keys.default_key(self.db.with_suffix(".keys.json"))
        assert found
        return found

    @property
    def log(self) -> str:
        path = self.folder / "daemon.log"
        return path.read_text("utf-8", "replace") if path.exists() else ""

    def spawn(self, *args: str) -> subprocess.Popen[bytes]:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("BOBCTX_", "BOB_", "CONTEXT_DB"))}
        with (self.folder / "daemon.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "bobctx.cli", "serve", "--db", str(self.db), *(args or ("--port", "0"))],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**clean, **self.extra},
            )

    def start(self, *args: str) -> DaemonProcess:
        """Start and wait until it answers."""
        info = self.db.with_suffix(".daemon.json")
        info.unlink(missing_ok=True)
        self.process = self.spawn(*args)
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            assert self.process.poll() is None, self.log
            if info.exists():
                self.url = str(json.loads(info.read_text())["url"])
                return self
            time.sleep(0.02)
        raise AssertionError(f"not ready: {self.log}")

    def client(self) -> httpx.Client:
        headers = {"authorization": f"Bearer {self.key}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=PATIENCE_S)

    def term(self) -> int:
        """SIGTERM; the exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)

    def kill(self) -> None:
        """SIGKILL."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(PATIENCE_S)

    def stop(self) -> None:
        """Whatever state it is in."""
        if self.process is not None and self.process.poll() is None:
            self.kill()


def turn(number: int) -> list[dict[str, Any]]:
    """One exchange with a rule in it."""
    text = f"Never route tenant-{number} through gateway {7000 + number}. " + "padding words " * 60
    return [
        {"id": f"q{number}", "role": "user", "content": text},
        {"id": f"r{number}", "role": "assistant", "content": f"Noted for tenant-{number}."},
    ]

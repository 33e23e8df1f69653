"""A real daemon for the demo: its own process, a fresh database, a free port."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bobctx.errors import StoreUnavailable

START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 15.0
WINDOW = 16_384
"""Tokens of the pretended model: half of it is history."""
REGION_TOKENS = 2_000
"""Small regions, so that a conversation of this length has several."""


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """This process's environment without settings of bobctx: the demo shows the defaults."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("BOBCTX_", "BOB_")) and name not in ("CONTEXT_DB", "MEMORY_SQLITE_PATH")
    }
    return {**kept, **extra}


SETTINGS = {
    "BOB_COMPACTOR_REGION_TOKENS": str(REGION_TOKENS),
    "BOBCTX_WINDOW": str(WINDOW),
    "BOBCTX_ASSEMBLE_DEADLINE_MS": "10000",  # a busy machine must not change what the demo shows
}


@dataclass(slots=True)
class Daemon:
    """A running daemon and where it keeps its things."""

    folder: Path
    process: subprocess.Popen[bytes]
    url: str
    key: str
    log: IO[bytes]

    @property
    def db(self) -> Path:
        """Its database."""
        return self.folder / "demo.db"

    @property
    def died(self) -> bool:
        """Whether it ended by itself."""
        return self.process.poll() is not None

    def stop(self, *, keep_files: bool = False) -> None:
        """SIGTERM, wait, and remove the folder."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()
        if not keep_files:
            for path in sorted(self.folder.glob("*"), reverse=True):
                with contextlib.suppress(OSError):
                    path.unlink()
            with contextlib.suppress(OSError):
                self.folder.rmdir()


def start() -> Daemon:
    """Start a daemon and wait until it is ready. Raises `StoreUnavailable` with the end of its log."""
    folder = Path(tempfile.mkdtemp(prefix="bobctx-demo-"))  # 0700
    log = (folder / "daemon.log").open("wb")
    db = folder / "demo.db"
    process = subprocess.Popen(  # noqa: S603 - our own interpreter and module, no input of anyone's
        [sys.executable, "-m", "bobctx.cli", "serve", "--db", str(db), "--port", "0"],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        env=environment(SETTINGS),
        start_new_session=True,  # Ctrl-C reaches the demo, which then stops the daemon in order
    )
    info = db.with_suffix(".daemon.json")
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError, ValueError, KeyError):
            found = json.loads(info.read_text("utf-8"))
            from bobctx.keys import default_key

            key = default_key(db.with_suffix(".keys.json"))
            if key is not None and _answers(str(found["url"])):
                return Daemon(folder=folder, process=process, url=str(found["url"]), key=key, log=log)
        time.sleep(0.02)
    process.kill()
    process.wait()
    log.close()
    raise StoreUnavailable(f"the daemon did not start; {log_tail(folder)}")


def _answers(url: str) -> bool:
    """Whether the daemon answers at this address."""
    try:
        with urllib.request.urlopen(f"{url}/healthz", timeout=2.0) as answer:  # noqa: S310 - the address it wrote itself
            return bool(answer.status == 200)
    except OSError:
        return False


def log_tail(folder: Path) -> str:
    """The last lines of a daemon's log, for an error message."""
    lines = (folder / "daemon.log").read_text("utf-8", "replace").strip().splitlines()[-2:]
    return f"its log in {folder} ends with: {' / '.join(lines) or 'nothing'}"

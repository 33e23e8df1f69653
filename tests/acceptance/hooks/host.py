"""A coding agent for the tests: it writes a transcript and calls the hook."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bobctx.hooks.memory import Memory
from bobctx.hooks.run import answer
from tests.acceptance.daemon import PATIENCE_S, DaemonProcess
from tests.integration.importers.lines import claude_line, result, text, use

GOAL = "Let us clean up the cluster."
RULE = "Never enable zeta-sync on the billing cluster."
PORT = "Decision: the admin API listens on port 9443 from now on."
FILLER = "padding words "
ROOT = Path(__file__).resolve().parents[3]


def _clean() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith(("BOBCTX_", "BOB_", "CONTEXT_DB"))}


@dataclass(slots=True)
class Host:
    """A coding agent: writes a transcript and calls the hook."""

    daemon: DaemonProcess
    transcript: Path
    name: str = "claude-code"
    options: tuple[str, ...] = ()
    environ: dict[str, str] = field(default_factory=lambda: {**_clean(), "BOBCTX_USER": "u1"})
    session: str = field(default_factory=lambda: str(uuid.uuid4()))

    def call(self, event: str, **fields: Any) -> dict[str, Any]:
        """One event in this process, with more time than a hook has: other work may share the machine."""
        deadline = time.monotonic() + PATIENCE_S
        told = answer([self.name, *self.args], self.given(event, **fields), self.environ, deadline=deadline)
        return dict(json.loads(told)) if told else {}

    def process(self, event: str, *, given: bytes | None = None, **fields: Any) -> dict[str, Any]:
        """One event as the host runs it. The exit code is 0 and the output empty or one JSON object, always."""
        done = subprocess.run(
            [sys.executable, "-m", "bobctx.cli", "hook", self.name, *self.args],
            input=self.given(event, **fields) if given is None else given,
            capture_output=True,
            env=self.environ,
            timeout=PATIENCE_S,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return dict(json.loads(done.stdout)) if done.stdout else {}

    @property
    def args(self) -> list[str]:
        return ["--db", str(self.daemon.db), *self.options]

    def given(self, event: str, **fields: Any) -> bytes:
        body = {
            "session_id": self.session,
            "transcript_path": str(self.transcript),
            "cwd": "/",
            "hook_event_name": event,
        }
        return json.dumps({**body, **fields}).encode()

    def write(self, *lines: dict[str, Any]) -> None:
        with self.transcript.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)

    def recorded(self) -> list[dict[str, Any]]:
        with self.daemon.client() as http:
            answer = http.get(f"/v1/conversations/{self.session}/messages", params={"user_id": "u1", "limit": 1000})
        return list(answer.json()["messages"]) if answer.status_code == 200 else []

    def memory(self) -> dict[str, Any]:
        return vars(Memory(str(self.daemon.db.with_suffix(".hooks"))).read(self.session))


def turn(number: int, asked: str, answered: str) -> list[dict[str, Any]]:
    """A prompt, a call with its result, and an answer in two lines of one API message."""
    q, a = f"q{number}", f"a{number}"
    before = f"b{number - 1}-2" if number else None
    return [
        claude_line("user", q, before, asked),
        claude_line("assistant", a, q, [use(f"t{number}")], message_id=f"api-{a}"),
        claude_line("user", f"r{number}", a, [result(f"t{number}", f"file {number}: ok")]),
        claude_line("assistant", f"b{number}-1", f"r{number}", [text(answered)], message_id=f"api-b{number}"),
        claude_line("assistant", f"b{number}-2", f"b{number}-1", [text("Done.")], message_id=f"api-b{number}"),
    ]


def boundary(after: str) -> dict[str, Any]:
    return {"type": "system", "subtype": "compact_boundary", "uuid": "cb", "parentUuid": None,
            "logicalParentUuid": after, "content": "Conversation compacted"}  # fmt: skip


def summary(words: str) -> dict[str, Any]:
    return claude_line("user", "sum", "cb", words, isCompactSummary=True)


def fill(host: Host) -> None:
    """A session long enough for several regions."""
    host.write(*turn(0, f"{GOAL} " + FILLER * 60, "Fine. " + FILLER))
    host.write(*turn(1, f"{RULE} " + FILLER * 60, "Understood. " + FILLER))
    host.write(*turn(2, f"{PORT} " + FILLER * 60, "Noted. " + FILLER))
    host.write(*turn(3, "What is next? " + FILLER * 60, "Nothing."))


# -- recording -----------------------------------------------------------------------

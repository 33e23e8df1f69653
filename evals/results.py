"""Kept results: one JSON line for each unit of work, so that a run resumes and a rescore needs no call.

A line carries revision, seed, prompt version, model and seat. Lines of another revision are not taken over; a
working tree with changes has a revision of its own at every run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bobctx.core.versions import PROMPT_VERSION, VALIDATOR_VERSION

Row = dict[str, Any]


def revision(root: Path = Path(__file__).parents[1]) -> str:
    """The checkout's commit; with changes, that and the time."""
    try:
        head = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=root, capture_output=True, text=True)  # noqa: S607
        changes = ["git", "status", "--porcelain", "-uno", "--", ".", ":!evals/results"]
        dirty = subprocess.run(changes, cwd=root, capture_output=True, text=True)
    except OSError:
        return "unknown"
    if head.returncode:
        return "unknown"
    return head.stdout.strip() + (f"+{int(time.time())}" if dirty.stdout.strip() else "")


def note(text: str) -> None:
    """Progress, on standard error."""
    print(text, file=sys.stderr, flush=True)


@dataclass(slots=True)
class Ledger:
    """The units of one eval, kept in a file if there is a folder."""

    name: str
    folder: Path | None = None
    seat: str = "extractive"
    model: str | None = None
    say: Callable[[str], None] = note
    rows: list[Row] = field(default_factory=list)
    _revision: str = ""

    def __post_init__(self) -> None:
        """Read what an earlier run of this revision left."""
        self._revision = revision()
        if self.folder is not None and self.path.exists():
            lines = [json.loads(line) for line in self.path.read_text("utf-8").splitlines() if line.strip()]
            self.rows = [r for r in lines if self._same(r)]

    @property
    def path(self) -> Path:
        """Where the lines go."""
        assert self.folder is not None
        return self.folder / f"{self.name}.jsonl"

    def _same(self, row: Mapping[str, Any]) -> bool:
        wanted = (self._revision, self.seat, self.model, PROMPT_VERSION, VALIDATOR_VERSION)
        return tuple(row.get(k) for k in ("revision", "seat", "model", "prompt_version", "validator_version")) == wanted

    def unit(self, seed: int, key: str, work: Callable[[], Mapping[str, Any]]) -> Row:
        """The result of one unit: from the file, else made now and kept."""
        known = next((r for r in self.rows if r["seed"] == seed and r["unit"] == key), None)
        if known is not None:
            self.say(f"{self.name} {key} seed {seed}: kept from an earlier run")
            return known
        start = time.monotonic()
        self.say(f"{self.name} {key} seed {seed} …")
        row: Row = {
            "eval": self.name,
            "unit": key,
            "seed": seed,
            "revision": self._revision,
            "seat": self.seat,
            "model": self.model,
            "reader": self.model or "deterministic",
            "prompt_version": PROMPT_VERSION,
            "validator_version": VALIDATOR_VERSION,
            **work(),
        }
        row["seconds"] = round(time.monotonic() - start, 1)
        self.rows.append(row)
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        self.say(f"{self.name} {key} seed {seed}: {row['seconds']} s")
        return row

"""A rollout around a real daemon: a changed tree is deployed, one that cannot serve is undone, and nothing is lost.

The service manager is a script of our own; trees, database and daemon are real.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from bobctx import __version__, keys
from tests.acceptance.daemon import PATIENCE_S, turn

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "deploy" / "rollout.py"
MANAGER = """\
import os, pathlib, signal, subprocess, sys, time
here = pathlib.Path(__file__).parent
note = here / "pid"

def runs():
    try:
        return pathlib.Path("/proc", note.read_text(), "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False

if sys.argv[1] in ("stop", "restart") and runs():
    os.kill(int(note.read_text()), signal.SIGTERM)
    while runs():
        time.sleep(0.05)
if sys.argv[1] in ("start", "restart"):
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("BOBCTX_", "BOB_", "CONTEXT_DB"))}
    environ["PYTHONPATH"] = str(here / "live")
    command = [sys.executable, "-m", "bobctx.cli", "serve", "--db", str(here / "lane" / "b.db"), "--port", "0"]
    with (here / "daemon.log").open("ab") as log:
        child = subprocess.Popen(command, env=environ, cwd=here, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                 start_new_session=True)
    note.write_text(str(child.pid))
"""


@dataclass(slots=True)
class Site:
    """A live tree with its daemon, and a stage."""

    folder: Path

    @property
    def db(self) -> Path:
        return self.folder / "lane" / "b.db"

    def manage(self, verb: str) -> None:
        subprocess.run([sys.executable, str(self.folder / "manager.py"), verb, "bobctx"], check=True)

    def rollout(self, command: str, *more: str) -> tuple[int, str]:
        trees = [str(self.folder / "stage"), str(self.folder / "live")]
        tests = ["--tests", "true"] if command == "deploy" else []
        done = subprocess.run(
            [sys.executable, str(SCRIPT), command, *trees[command == "undo" :], *tests, "--service", "bobctx",
             "--database", str(self.db), "--patience", str(PATIENCE_S),
             "--manager", f"{sys.executable} {self.folder / 'manager.py'}", *more],
            capture_output=True, text=True, check=False, cwd=self.folder,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    def stage(self, change: dict[str, tuple[str, str]]) -> None:
        """A tree in which some texts of some files are replaced."""
        shutil.rmtree(self.folder / "stage", ignore_errors=True)
        copy_of_the_package(self.folder / "stage")
        for name, (old, new) in change.items():
            path = self.folder / "stage" / name
            text = path.read_text("utf-8")
            assert old in text
            path.write_text(text.replace(old, new), "utf-8")
        seal(self.folder / "stage")

    def client(self) -> httpx.Client:
        url = json.loads(self.db.with_suffix(".daemon.json").read_text())["url"]
        key = keys.default_key(self.db.with_suffix(".keys.json"))
        return httpx.Client(base_url=url, headers={"authorization": f"Bearer {key}"}, timeout=PATIENCE_S)

    def version(self) -> str:
        with self.client() as http:
            return str(http.get("/v1/status").json()["version"])

    def record(self, number: int) -> None:
        with self.client() as http:
            body = {"user_id": "u1", "messages": turn(number)}
            assert http.post("/v1/conversations/c1/messages", json=body).status_code == 200

    def recorded(self) -> list[Any]:
        with self.client() as http:
            found = http.get("/v1/conversations/c1/messages", params={"user_id": "u1"}).json()
        return [m["id"] for m in found["messages"]]


def copy_of_the_package(tree: Path) -> None:
    shutil.copytree(ROOT / "bobctx", tree / "bobctx", ignore=shutil.ignore_patterns("__pycache__"))


def seal(tree: Path) -> None:
    subprocess.run([sys.executable, str(SCRIPT), "seal", str(tree)], check=True, capture_output=True)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = Site(tmp_path)
    (tmp_path / "manager.py").write_text(MANAGER)
    yield found
    found.manage("stop")


VERSION = {"bobctx/__init__.py": (f'__version__ = "{__version__}"', '__version__ = "9.9.9"')}
CANNOT_SERVE = {"bobctx/api/server.py": ("def listen(", "def listen(*_):\n    raise OSError\n\n\ndef _listen(")}


def test_a_daemon_is_replaced_and_a_bad_one_is_undone_without_losing_a_turn(site: Site) -> None:
    site.stage({})
    code, said = site.rollout("deploy", "--first")
    assert (code, "check_health passed" in said) == (0, True), said
    assert site.version() == __version__
    site.record(0)

    site.stage(VERSION)
    code, said = site.rollout("deploy")
    assert code == 0, said
    assert site.version() == "9.9.9"
    assert site.recorded() == ["q0", "r0"]
    site.record(1)

    site.stage({**VERSION, **CANNOT_SERVE})
    code, said = site.rollout("deploy", "--patience", str(PATIENCE_S / 3))
    assert code == 2, said
    assert "check_health FAILED" in said
    assert "undone" in said
    assert site.version() == "9.9.9"
    site.record(2)
    assert site.recorded() == ["q0", "r0", "q1", "r1", "q2", "r2"]

    code, said = site.rollout("undo")
    assert code == 2, said
    assert site.version() == __version__
    assert site.recorded() == ["q0", "r0", "q1", "r1", "q2", "r2"]


def test_without_a_daemon_the_health_check_does_not_pass(site: Site) -> None:
    """Fails when `bobctx status` calls a lane healthy on which nothing runs."""
    site.stage({})
    (site.folder / "manager.py").write_text("")
    code, said = site.rollout("deploy", "--first", "--patience", "0")
    assert code != 0, said
    assert "check_health FAILED: health:" in said

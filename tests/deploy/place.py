"""A place to deploy to, with a service manager of our own that writes down what it was asked for."""

from __future__ import annotations

import importlib.util
import sqlite3
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

SCRIPT = Path(__file__).resolve().parents[2] / "deploy" / "rollout.py"
MANAGER = """\
import pathlib, sys
here = pathlib.Path(__file__).parent
with (here / "asked").open("a") as file:
    file.write(" ".join(sys.argv[1:]) + "\\n")
(here / "runs").write_text((here / "live" / "VERSION").read_text() if sys.argv[1] != "stop" else "")
refused = here / ("refuse-" + sys.argv[1])
if refused.exists():
    more = int(refused.read_text() or 1) - 1
    refused.write_text(str(more)) if more else refused.unlink()
    sys.exit("Job failed. See the journal.")
"""
HEALTH = """\
import pathlib, sys
here = pathlib.Path(__file__).parent
bad = (here / "unhealthy").read_text().split() if (here / "unhealthy").exists() else []
running = (here / "runs").read_text().strip()
sys.exit(f"version {running} is not ready" if running in bad or not running else 0)
"""


def load() -> ModuleType:
    sys.path.insert(0, str(SCRIPT.parent))  # as Python does for a script
    spec = importlib.util.spec_from_file_location("rollout", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["rollout"] = module
    spec.loader.exec_module(module)
    return module


rollout = load()
MANIFEST = sys.modules["rollout_files"].MANIFEST


@dataclass(slots=True)
class Site:
    """A stage, a live tree, a service and a database."""

    folder: Path

    @property
    def live(self) -> Path:
        return self.folder / "live"

    @property
    def stage(self) -> Path:
        return self.folder / "stage"

    @property
    def database(self) -> Path:
        return self.folder / "lane.db"

    def deploy(self, *more: str, command: str = "deploy") -> int:
        trees = [str(self.stage), str(self.live)] if command == "deploy" else [str(self.live)]
        tests = ["--tests", f"{sys.executable} check.py"] if command == "deploy" else []
        found: int = rollout.main(
            [command, *trees, *tests, "--service", "bobctx", "--database", str(self.database), "--patience", "0",
             "--manager", f"{sys.executable} {self.folder / 'manager.py'}",
             "--health", f"{sys.executable} {self.folder / 'health.py'}", *more]
        )  # fmt: skip
        return found

    @property
    def asked(self) -> list[str]:
        path = self.folder / "asked"
        return path.read_text().splitlines() if path.exists() else []

    def state(self) -> tuple[dict[str, str], str, list[int]]:
        """What must be the same after an undo: the live tree, what runs, the database."""
        with closing(sqlite3.connect(self.database)) as connection:
            rows = [int(row[0]) for row in connection.execute("SELECT n FROM t")]
        return rollout.hashes_of(self.live), (self.folder / "runs").read_text(), rows


def tree(path: Path, version: str) -> None:
    for name in ("bobctx", "bobctx/cli", "bobctx/compactor", "bobctx/hooks"):
        (path / name).mkdir(parents=True, exist_ok=True)
        (path / name / "__init__.py").write_text("")
    for name in ("cli/frame", "runtime", "compactor/worker", "hooks/run"):
        (path / "bobctx" / f"{name}.py").write_text("")
    (path / "VERSION").write_text(version)
    (path / "check.py").write_text("import bobctx.runtime\n")
    rollout.seal(path)


def damaged_database(site: Site) -> None:
    site.database.write_bytes(b"no database at all, but long enough to be read as one" * 100)


def unhealthy(site: Site) -> None:
    (site.folder / "unhealthy").write_text("new")

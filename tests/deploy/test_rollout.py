"""The deployment script: every gate is broken once, and every time things are as they were before.

The service manager is a script of our own that writes down what it was asked for; nothing needs root.
"""

from __future__ import annotations

import importlib.util
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

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


@pytest.fixture
def site(tmp_path: Path) -> Site:
    found = Site(tmp_path)
    tree(found.live, "old")
    tree(found.stage, "new")
    (tmp_path / "manager.py").write_text(MANAGER)
    (tmp_path / "health.py").write_text(HEALTH)
    (tmp_path / "runs").write_text("old")
    with closing(sqlite3.connect(found.database)) as connection:
        connection.executescript("PRAGMA user_version = 3; CREATE TABLE t(n); INSERT INTO t VALUES (1); ")
    return found


def test_every_gate_passes_and_the_new_tree_runs(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    assert site.deploy() == rollout.DONE
    lines = [line for line in capsys.readouterr().out.splitlines() if line.endswith("passed")]
    assert [line.split()[1] for line in lines] == [gate.__name__ for gate in rollout.GATES]
    assert (site.live / "VERSION").read_text() == "new"
    assert site.asked == ["restart bobctx"]
    assert sorted(p.name for p in site.folder.iterdir() if p.name.startswith("live")) == ["live", "live.backups"]


def test_what_was_deployed_can_be_undone_later(site: Site) -> None:
    before = site.state()
    assert site.deploy() == rollout.DONE
    assert site.deploy(command="undo") == rollout.UNDONE
    assert site.state() == before
    assert site.asked == ["restart bobctx", "stop bobctx", "start bobctx"]


def test_the_first_deployment_needs_no_live_tree(site: Site, tmp_path: Path) -> None:
    rollout.shutil.rmtree(site.live)
    assert site.deploy() == rollout.REFUSED
    assert site.deploy("--first") == rollout.DONE


# -- gates before anything is changed ---------------------------------------------------


def changed_stage(site: Site) -> None:
    (site.stage / "bobctx" / "runtime.py").write_text("x = 1\n")


def added_to_stage(site: Site) -> None:
    (site.stage / "bobctx" / "extra.py").write_text("")


def missing_in_stage(site: Site) -> None:
    (site.stage / "bobctx" / "runtime.py").unlink()


def unsealed_stage(site: Site) -> None:
    (site.stage / MANIFEST).unlink()


def changed_live(site: Site) -> None:
    (site.live / "bobctx" / "runtime.py").write_text("# fixed by hand\n")


def no_room_for_backups(site: Site) -> None:
    site.live.with_name("live.backups").write_text("a file")


def damaged_database(site: Site) -> None:
    site.database.write_bytes(b"no database at all, but long enough to be read as one" * 100)


@pytest.mark.parametrize(
    ("break_it", "gate"),
    [
        (changed_stage, "check_drift"),
        (added_to_stage, "check_drift"),
        (missing_in_stage, "check_drift"),
        (unsealed_stage, "check_drift"),
        (changed_live, "check_drift"),
        (no_room_for_backups, "back_up"),
        (damaged_database, "back_up"),
    ],
)
def test_a_gate_before_the_copy_refuses_and_changes_nothing(
    site: Site, capsys: pytest.CaptureFixture[str], break_it: Callable[[Site], None], gate: str
) -> None:
    break_it(site)
    before = rollout.hashes_of(site.live)
    assert site.deploy() == rollout.REFUSED
    assert f"{gate} FAILED" in capsys.readouterr().out
    assert rollout.hashes_of(site.live) == before
    assert site.asked == []


# -- gates after the copy ---------------------------------------------------------------


def stage_with(name: str, text: str) -> Callable[[Site], None]:
    def break_it(site: Site) -> None:
        (site.stage / name).write_text(text)
        rollout.seal(site.stage)

    break_it.__name__ = name
    return break_it


def refused_restart(site: Site) -> None:
    (site.folder / "refuse-restart").touch()


def unhealthy(site: Site) -> None:
    (site.folder / "unhealthy").write_text("new")


@pytest.mark.parametrize(
    ("break_it", "gate", "asked"),
    [
        (stage_with("bobctx/runtime.py", "def broken(:\n"), "compile_all", []),
        (stage_with("bobctx/runtime.py", "import no_such_module\n"), "import_all", []),
        (stage_with("check.py", "raise SystemExit('1 failed')\n"), "test", []),
        (refused_restart, "restart", ["restart bobctx", "stop bobctx", "start bobctx"]),
        (unhealthy, "check_health", ["restart bobctx", "stop bobctx", "start bobctx"]),
    ],
)
def test_a_gate_after_the_copy_is_undone(
    site: Site, capsys: pytest.CaptureFixture[str], break_it: Callable[[Site], None], gate: str, asked: list[str]
) -> None:
    """Before the restart the service is never touched; after it the old tree runs again and is healthy."""
    before = site.state()
    break_it(site)
    assert site.deploy() == rollout.UNDONE
    out = capsys.readouterr().out
    assert f"{gate} FAILED" in out
    assert "undone" in out
    assert site.state() == before
    assert site.asked == asked
    assert rollout.drift(site.live) == []


@pytest.mark.parametrize("error", [OSError("no space left"), KeyboardInterrupt()])
@pytest.mark.parametrize("at", ["copytree", "_put_in_place"])
def test_a_copy_that_breaks_off_is_undone(
    site: Site, monkeypatch: pytest.MonkeyPatch, error: BaseException, at: str
) -> None:
    before = site.state()
    whole, where = (rollout.shutil, "copytree") if at == "copytree" else (rollout, at)
    real, calls = getattr(whole, where), []

    def breaks(*args: object, **more: object) -> object:
        calls.append(args)
        if len(calls) == (2 if at == "copytree" else 1):  # the first copy is the backup
            raise error
        return real(*args, **more)

    monkeypatch.setattr(whole, where, breaks)
    assert site.deploy() in (rollout.REFUSED, rollout.UNDONE)
    assert site.state() == before
    assert site.asked == []


def test_an_import_from_another_installation_is_no_import(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails when the gate would be passed by the package that is installed anyway."""
    monkeypatch.setattr(rollout, "_run", lambda *_: "/usr/lib/python3/bobctx/__init__.py\n")
    monkeypatch.setattr(rollout, "compile_all", lambda _: None)
    plan = rollout.Plan(
        stage=site.stage, live=site.live, backups=site.folder, service="s", manager=[], health=[], tests=[]
    )
    with pytest.raises(rollout.GateFailed, match="not from"):
        rollout.import_all(plan)


def test_a_schema_that_the_new_program_changed_goes_back_with_it(site: Site) -> None:
    """The old program would refuse the newer schema; what was recorded meanwhile is kept beside the copy."""
    before = site.state()
    unhealthy(site)
    (site.folder / "manager.py").write_text(
        MANAGER
        + f"""
import sqlite3
if sys.argv[1] == "restart":
    with sqlite3.connect({str(site.database)!r}) as c:
        c.execute("INSERT INTO t VALUES (2)")
        c.execute("PRAGMA user_version = 4")
    c.close()
"""
    )
    assert site.deploy() == rollout.UNDONE
    assert site.state() == before
    (newer,) = site.folder.glob("live.backups/*/lane.db.newer")
    with closing(sqlite3.connect(newer)) as connection:
        assert [row[0] for row in connection.execute("SELECT n FROM t")] == [1, 2]


def test_an_undo_that_fails_says_where_things_stand(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    (site.folder / "unhealthy").write_text("new old")
    assert site.deploy() == rollout.BROKEN
    out = capsys.readouterr().out
    assert "the undo FAILED: health: version old is not ready" in out
    assert "live.backups" in out


# -- undo, and what stands in its way -----------------------------------------------------


def times(site: Site, verb: str, number: int) -> None:
    (site.folder / f"refuse-{verb}").write_text(str(number))


def test_a_start_that_fails_at_first_is_tried_again(site: Site) -> None:
    before = site.state()
    unhealthy(site)
    times(site, "start", rollout.STARTS - 1)
    assert site.deploy() == rollout.UNDONE
    assert site.state() == before
    assert site.asked.count("start bobctx") == rollout.STARTS


def test_a_service_that_does_not_start_again_leaves_the_old_tree_and_can_be_undone_later(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    before = site.state()
    unhealthy(site)
    times(site, "start", rollout.STARTS)
    assert site.deploy() == rollout.BROKEN
    assert "the undo FAILED: start bobctx: Job failed" in capsys.readouterr().out
    assert rollout.hashes_of(site.live) == before[0]
    assert site.deploy() == rollout.REFUSED
    assert "was cut off" in capsys.readouterr().out
    assert site.deploy(command="undo") == rollout.UNDONE
    assert site.state() == before
    (site.folder / "unhealthy").unlink()
    assert site.deploy() == rollout.DONE


def test_a_service_that_does_not_stop_is_restarted_on_the_old_tree(site: Site) -> None:
    before = site.state()
    unhealthy(site)
    times(site, "stop", 1)
    assert site.deploy() == rollout.UNDONE
    assert site.state() == before
    assert site.asked == ["restart bobctx", "stop bobctx", "restart bobctx"]


def lost_file(place: Path) -> None:
    (place / "tree" / "bobctx" / "runtime.py").unlink()


def changed_file(place: Path) -> None:
    (place / "tree" / "VERSION").write_text("other")


def lost_tree(place: Path) -> None:
    rollout.shutil.rmtree(place / "tree")


def cut_database(place: Path) -> None:
    (place / "lane.db").write_bytes((place / "lane.db").read_bytes()[:1000])


def lost_database(place: Path) -> None:
    (place / "lane.db").unlink()


@pytest.mark.parametrize("break_it", [lost_file, changed_file, lost_tree, cut_database, lost_database])
def test_half_a_backup_is_not_put_back(
    site: Site, capsys: pytest.CaptureFixture[str], break_it: Callable[[Path], None]
) -> None:
    """Fails when the service is stopped or the tree replaced first: then neither version would run."""
    assert site.deploy() == rollout.DONE
    after, asked = site.state(), site.asked
    (place,) = (p for p in site.live.with_name("live.backups").iterdir() if p.is_dir())
    break_it(place)
    assert site.deploy(command="undo") == rollout.BROKEN
    assert "nothing was touched" in capsys.readouterr().out
    assert (site.state(), site.asked) == (after, asked)


def test_a_backup_that_breaks_off_is_not_kept(site: Site) -> None:
    assert site.deploy() == rollout.DONE
    damaged_database(site)
    assert site.deploy() == rollout.REFUSED
    assert len([p for p in site.live.with_name("live.backups").iterdir() if p.is_dir()]) == 1


def test_two_rollouts_at_the_same_time(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    before = site.state()
    with rollout.alone(site.live) as mine:
        assert mine
        assert site.deploy() == rollout.REFUSED
        assert site.deploy(command="undo") == rollout.REFUSED
    assert capsys.readouterr().out.count("another rollout is at work") == 2
    assert site.state() == before
    assert site.deploy() == rollout.DONE


def test_a_rollout_that_was_killed_is_undone_by_the_next_command(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    """The one before went through: the undo must not go back behind it."""
    assert site.deploy() == rollout.DONE
    before = site.state()
    tree(site.stage, "newest")
    command = [sys.executable, str(SCRIPT), "deploy", str(site.stage), str(site.live), "--service", "bobctx",
               "--manager", f"{sys.executable} {site.folder / 'manager.py'}", "--tests", "sh -c 'kill -9 $PPID'",
               "--database", str(site.database)]  # fmt: skip
    assert subprocess.run(command, capture_output=True, check=False).returncode == -9
    assert (site.live / "VERSION").read_text() == "newest"
    assert site.deploy() == rollout.REFUSED
    assert "was cut off" in capsys.readouterr().out
    assert site.deploy(command="undo") == rollout.UNDONE
    assert site.state() == before


def test_no_log_of_the_operators_own_is_left_beside_the_database(site: Site) -> None:
    """SQLite makes one for a reader where there is none; the daemon, another account, would refuse to start."""
    with closing(sqlite3.connect(site.database)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    unhealthy(site)
    assert site.deploy() == rollout.UNDONE
    assert sorted(p.name for p in site.folder.glob("lane.db*")) == ["lane.db"]


def test_the_manifest_is_not_part_of_what_it_lists(site: Site) -> None:
    names = json.loads((site.live / MANIFEST).read_text())["files"]
    assert MANIFEST not in names
    (site.live / "bobctx" / "__pycache__").mkdir()
    (site.live / "bobctx" / "__pycache__" / "x.pyc").write_text("x")
    assert rollout.drift(site.live) == []

"""The deployment script: every gate is broken once, and every time things are as they were before.

Nothing needs root.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.deploy.place import MANAGER, MANIFEST, Site, damaged_database, rollout, unhealthy


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

"""Undoing a deployment: starts that fail, half a backup, a killed rollout, two at the same time."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.deploy.place import MANIFEST, SCRIPT, Site, damaged_database, rollout, tree, unhealthy


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

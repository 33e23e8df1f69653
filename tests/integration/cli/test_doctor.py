"""`doctor` finds what would stop a lane or leave a coding agent's compactions unchecked, and says what to do."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from bobctx import settings
from bobctx.cli.checks import files, hosts, running, service
from bobctx.cli.checks.finding import Finding
from bobctx.errors import StoreRefused
from bobctx.hooks.install import command_line, install
from bobctx.integrations import vectors
from bobctx.settings import Settings
from bobctx.store import place
from tests.acceptance.daemon import DaemonProcess


@pytest.fixture
def lane(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    for name in list(os.environ):
        if name.startswith(("BOBCTX_", "CONTEXT_DB", "CLAUDE", "CODEX", "DISABLE_AUTO")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    path = tmp_path / "lane" / "b.db"
    place.prepare(path, readonly=False)
    monkeypatch.setenv("BOBCTX_DB", str(path))
    return settings.load()


def only(found: Any) -> Finding:
    (finding,) = found
    assert isinstance(finding, Finding)
    return finding


def owned_by(monkeypatch: pytest.MonkeyPatch, owners: dict[str, int]) -> None:
    """Files with these endings belong to these user ids."""
    real = Path.stat

    def stat(self: Path, **more: Any) -> os.stat_result:
        found = real(self, **more)
        uid = next((uid for ending, uid in owners.items() if self.name.endswith(ending)), None)
        return found if uid is None else os.stat_result((*found[:4], uid, *found[5:]))

    monkeypatch.setattr(Path, "stat", stat)


@pytest.mark.parametrize("ending", ["-wal", "-shm"])
def test_a_log_of_another_account_is_found_and_the_command_named(
    lane: Settings, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    """A process that runs for weeks hides it: it only keeps the lane from starting again."""
    path = lane.db_path.with_name(lane.db_path.name + ending)
    path.touch(mode=0o600)
    owned_by(monkeypatch, {ending: 4321})
    finding = only(files.owners(lane))
    assert finding.state == "problem"
    assert f"b.db{ending} to 4321" in finding.found
    assert "chown" in finding.do
    assert str(path) in finding.do
    with pytest.raises(StoreRefused, match=r"4321.*chown") as refused:
        place.prepare(lane.db_path, readonly=False)
    assert refused.value.data["reason"] == "owner"


def test_a_lane_of_another_account_is_a_note(lane: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    owned_by(monkeypatch, {"": 4321})
    assert only(files.owners(lane)).state == "note"


def test_one_owner_is_fine(lane: Settings) -> None:
    assert only(files.owners(lane)).state == "ok"


# -- hosts -----------------------------------------------------------------------------


def claude(tmp_path: Path, value: Any) -> Path:
    path = tmp_path / "home" / ".claude" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def test_without_a_coding_agent_nothing_is_said(lane: Settings) -> None:
    assert [*hosts.hooks(lane), *hosts.who_compacts_first(lane)] == []


def test_an_agent_without_hooks_is_a_note_with_the_command(lane: Settings, tmp_path: Path) -> None:
    claude(tmp_path, {})
    finding = only(hosts.hooks(lane))
    assert (finding.state, finding.do) == ("note", "run `bobctx hook install claude-code`")


def test_installed_hooks_are_fine_until_one_is_missing(lane: Settings, tmp_path: Path) -> None:
    path = claude(tmp_path, {})
    words = [sys.executable, "-m", "bobctx.cli"]
    install("claude-code", path, command_line(words, "claude-code", db=lane.db_path, keep=()))
    assert only(hosts.hooks(lane)).state == "ok"
    value = json.loads(path.read_text())
    del value["hooks"]["PreCompact"]
    path.write_text(json.dumps(value))
    finding = only(hosts.hooks(lane))
    assert finding.state == "problem"
    assert "PreCompact" in finding.found


@pytest.mark.parametrize(
    ("program", "db", "said"),
    [
        ("/no/such/bobctx", None, "is not there"),
        ("/bin/false", None, "does not start"),
        (sys.executable, "/other/lane.db", "uses the lane /other/lane.db"),
    ],
)
def test_hooks_that_cannot_work_are_a_problem(
    lane: Settings, tmp_path: Path, program: str, db: str | None, said: str
) -> None:
    words = [program, "-m", "bobctx.cli"]
    line = command_line(words, "claude-code", db=lane.db_path if db is None else Path(db), keep=())
    install("claude-code", claude(tmp_path, {}), line)
    finding = only(hosts.hooks(lane))
    assert finding.state == "problem"
    assert said in finding.found


def test_a_settings_file_that_is_not_json_is_a_problem(lane: Settings, tmp_path: Path) -> None:
    claude(tmp_path, "{")
    assert only(hosts.hooks(lane)).state == "problem"
    assert only(hosts.who_compacts_first(lane)).state == "ok"


@pytest.mark.parametrize(
    ("value", "state", "said"),
    [
        ({}, "ok", "160,000 tokens (assumed)"),
        ({"autoCompactWindow": 100_000}, "ok", "80,000 tokens (its settings)"),
        ({"env": {"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "20"}}, "note", "40,000 tokens (its settings)"),
        ({"autoCompactEnabled": False}, "ok", "does not compact by itself"),
        ({"env": "x", "autoCompactWindow": "many"}, "ok", "(assumed)"),
    ],
)
def test_who_compacts_first(lane: Settings, tmp_path: Path, value: Any, state: str, said: str) -> None:
    """Ours starts at a quarter of the window; a host that is earlier is said, with what to do."""
    claude(tmp_path, value)
    finding = only(hosts.who_compacts_first(lane))
    assert finding.state == state
    assert said in finding.found
    assert bool(finding.do) == (state == "note")


def test_a_lane_that_does_not_compact_is_never_first(lane: Settings, tmp_path: Path) -> None:
    claude(tmp_path, {})
    off = lane.model_copy(update={"compactor_enabled": False})
    assert only(hosts.who_compacts_first(off)).state == "note"


def test_codex_says_its_limit_in_its_own_file(lane: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "home" / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text("model_context_window = 400000\nmodel_auto_compact_token_limit = 50000\n")
    finding = only(hosts.who_compacts_first(lane))
    assert finding.state == "note"
    assert "50,000 tokens (its config.toml)" in finding.found


# -- the daemon ------------------------------------------------------------------------


def state(mode: str = "live", **compactor: Any) -> dict[str, Any]:
    """What a daemon says of itself."""
    usual = {"seat": "extractive", "seat_reason": "r", "seat_profile": "standard", "enabled": True, "fixes": {}}
    return {"mode": mode, "compactor": {**usual, "last_failure_reason": None, "cooling_down": 0, **compactor}}


def test_a_daemon_with_other_settings_than_the_shell_is_a_note_that_names_them() -> None:
    finding = only(running.differences(state("shadow", seat="m"), state()))
    assert finding.state == "note"
    assert "mode shadow (here live), seat m (here extractive)" in finding.found
    assert [*running.differences(state(), state())] == []
    assert [*running.differences(state(), {})] == []


def test_a_seat_of_the_daemon_that_fails_now_is_a_problem() -> None:
    """Fails if doctor is content while the daemon's seat cannot be reached and history grows."""
    fixes = {"unreachable": "check the address"}
    down = state(last_failure_reason="unreachable", cooling_down=1, fixes=fixes)["compactor"]
    finding = only(running.its_seat(down))
    assert (finding.state, finding.do) == ("problem", "check the address")
    assert "unreachable" in finding.found
    assert [*running.its_seat({**down, "cooling_down": 0})] == [], "it works again"
    assert only(running.its_seat({**down, "fixes": {}})).state == "problem"
    assert only(running.its_seat(state(fixes={"key_missing": "set it"})["compactor"])).state == "problem"
    assert only(running.its_seat(state(fixes={"other_provider": "add it"})["compactor"])).state == "note"


@pytest.mark.slow
def test_the_running_daemon_is_asked_how_it_is_set_and_how_its_seat_does(tmp_path: Path) -> None:
    """Fails if doctor looks at the shell's environment alone."""
    process = DaemonProcess(tmp_path, extra={"BOBCTX_MODE": "shadow", "BOBCTX_COMPACTOR_MODEL": "deepseek/m"})
    process.start()
    try:
        found = {finding.check: finding for finding in running.daemon(settings.load(db=process.db))}
    finally:
        process.stop()
    assert found["daemon"].state == "ok"
    assert "mode shadow (here live), seat deepseek/m (here extractive)" in found["its settings"].found
    assert "DEEPSEEK_API_KEY is not set" in found["its seat"].found


def test_a_cloud_seat_without_its_key_is_a_problem(lane: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails if a seat that no provider will answer looks healthy."""
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    cloud = lane.model_copy(update={"compactor_model": "deepseek/deepseek-chat"})
    finding = only(service.seat(cloud))
    assert finding.state == "problem"
    assert "DEEPSEEK_API_KEY is not set" in finding.found
    monkeypatch.setenv("DEEPSEEK_API_KEY", "k")
    assert only(service.seat(cloud)).state == "ok"


def test_vectors_without_their_packages_are_a_problem_with_the_command(
    lane: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails if claims are found by words alone and nobody is told why."""
    assert [*service.vectors(lane)] == []
    asked = lane.model_copy(update={"vectors": True})
    monkeypatch.setattr(vectors, "PACKAGES", ("json", "no_such_package"))
    finding = only(service.vectors(asked))
    assert finding.state == "problem"
    assert "no_such_package" in finding.found
    assert "pip install -e '.[vectors]'" in finding.do
    monkeypatch.setattr(vectors, "PACKAGES", ("json",))
    assert only(service.vectors(asked)).state == "ok"

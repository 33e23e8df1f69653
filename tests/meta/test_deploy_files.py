"""Files for machines hold together: settings exist, commands exist, the container is not root, paths agree."""

from __future__ import annotations

import configparser
import os
import re
import subprocess
from pathlib import Path

import pytest

from bobctx.cli.frame import COMMANDS
from bobctx.settings import table

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
KNOWN = {name for row in table() for name in row.env} | {"BOBCTX_TEST_CLAUDE"}
FILES = sorted(p for p in DEPLOY.iterdir() if p.is_file() and p.suffix != ".json")


@pytest.mark.parametrize(
    "path", [*FILES, ROOT / "docs" / "operating.md", ROOT / "docs" / "hooks.md"], ids=lambda p: p.name
)
def test_every_setting_that_is_named_is_one(path: Path) -> None:
    named = set(re.findall(r"\b((?:BOBCTX|BOB)_[A-Z_]+)\b", path.read_text("utf-8")))
    assert named - KNOWN - {"BOBCTX_USER"} == set()


@pytest.mark.parametrize(
    "path", [*FILES, ROOT / "docs" / "operating.md", ROOT / "docs" / "hooks.md"], ids=lambda p: p.name
)
def test_every_command_that_is_named_is_one(path: Path) -> None:
    text = path.read_text("utf-8")
    named = set(re.findall(r"(?:`|bin/|^|\n|&& |exec bobctx |-u bobctx )bobctx ([a-z]+)\b", text))
    named |= set(re.findall(r"(?:\n|&& |`)lane ([a-z]+)\b", text))  # what the runbook calls the same command
    assert named - set(COMMANDS) == set()


def unit(name: str) -> dict[str, str]:
    parser = configparser.RawConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # names keep their case
    parser.read_string((DEPLOY / name).read_text("utf-8"))
    return {key: value for section in parser.sections() for key, value in parser.items(section)}


def test_the_unit_is_hardened() -> None:
    """Fails when a line of the protection is taken out."""
    found = unit("bobctx.service")
    assert found["User"] == "bobctx"
    assert found["CapabilityBoundingSet"] == ""
    wanted = {
        "NoNewPrivileges",
        "PrivateTmp",
        "PrivateDevices",
        "ProtectHome",
        "ProtectKernelModules",
        "RestrictNamespaces",
    }
    assert {key for key in wanted if found.get(key) != "yes"} == set()
    assert (found["ProtectSystem"], found["StateDirectoryMode"], found["UMask"]) == ("strict", "0700", "0077")
    assert "ExecStart" in unit("bobctx-user.service")


def test_the_unit_of_one_account_says_how_its_program_gets_to_where_it_looks() -> None:
    """Fails if the path of the unit is one that no step of the installation makes."""
    place = unit("bobctx-user.service")["ExecStart"].removesuffix(" serve").replace("%h", "~")
    assert f'ln -s "$(command -v bobctx)" {place}' in (DEPLOY / "bobctx-user.service").read_text("utf-8")


def test_the_daemon_may_do_what_it_needs() -> None:
    """The worker is a process of the daemon: it must be ended with it, and the drain must fit before the kill."""
    found = unit("bobctx.service")
    assert found["KillMode"] == "mixed"
    drain = next(float(row.default) for row in table() if row.name == "drain_timeout_s")
    assert float(found["TimeoutStopSec"]) > drain


def test_the_container_runs_as_an_account_of_its_own_and_is_reachable_from_the_host_alone() -> None:
    text = (DEPLOY / "Containerfile").read_text("utf-8")
    assert "\nUSER bobctx\n" in text
    assert "127.0.0.1:8642:8642" in (DEPLOY / "compose.yml").read_text("utf-8")


def test_the_helper_of_the_runbook_runs_with_the_account_and_the_settings_of_the_daemon(tmp_path: Path) -> None:
    """Fails if `lane doctor` would look at other settings than the unit passes to the daemon."""
    text = (ROOT / "docs" / "operating.md").read_text("utf-8")
    helper = text[text.index("lane() {") : text.index("\nlane doctor\n")]
    (tmp_path / "bobctx.env").write_text((DEPLOY / "bobctx.env.example").read_text("utf-8") + "\nBOBCTX_ADMINS='a b'\n")
    for name, body in (("sudo", 'exec "$@"'), ("runuser", 'echo "$1 $2"; shift 3; exec "$@"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    shown = 'echo "$BOBCTX_MODE $BOBCTX_ADMINS $BOBCTX_DB $HOME"\nprintf "%s|" "$@"'
    (tmp_path / "bobctx").write_text(f"#!/bin/sh\n{shown}\n")
    (tmp_path / "bobctx").chmod(0o755)
    program = helper.replace("/etc/bobctx/", f"{tmp_path}/").replace("/opt/bobctx/venv/bin/", f"{tmp_path}/")
    environ = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    script = f"{program}\nlane pin 'two words' x"
    done = subprocess.run(["sh", "-ec", script], capture_output=True, text=True, env=environ, check=True)
    place = "/var/lib/bobctx/bobctx.db /var/lib/bobctx"
    assert done.stdout == f"-u bobctx\nfit a b {place}\npin|two words|x|"

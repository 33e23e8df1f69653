"""`bobctx hook install` and `uninstall`: the hooks of coding agents in the hosts' own settings.

The hook itself (`bobctx hook HOST`, called by the host) never comes here: see `bobctx.hooks.run`.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bobctx.cli.options import common, settings_for
from bobctx.cli.output import emit_json, plain_errors
from bobctx.hooks import HOSTS

if TYPE_CHECKING:
    from bobctx.hooks.install import Change

WORDS = {
    "installed": "hooks added to",
    "updated": "hooks brought up to date in",
    "unchanged": "nothing to change in",
    "removed": "hooks taken out of",
    "restored": "as it was before:",
    "not_installed": "no hooks of bobctx in",
}


@click.group("hook")
def hook_command() -> None:
    """Record a coding agent's sessions, and say again what its compactions lose.

    `bobctx hook claude-code` and `bobctx hook codex` are called by the host itself, with an event on stdin.
    """


@hook_command.command("install")
@click.argument("host", type=click.Choice(list(HOSTS)))
@click.option("--settings", type=click.Path(path_type=Path), help="The host's file; else the one for all projects.")
@click.option(
    "--keep",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Bring this rules file back after a compaction, unless it is still in the context.",
)
@common
@plain_errors
def install_command(host: str, settings: Path | None, keep: tuple[Path, ...], db: Path | None, as_json: bool) -> None:
    """Add the hooks to the host's settings; safe to repeat."""
    from bobctx.hooks.install import command_line, default_settings, install

    lane = settings_for(db).db_path
    standard = settings_for(None).model_copy(update={"db": None, "memory_sqlite_path": None, "xdg_data_home": None})
    command = command_line(program(host), host, db=None if lane == standard.db_path else lane, keep=keep)
    _tell(install(host, settings or default_settings(host, os.environ), command), as_json)


@hook_command.command("uninstall")
@click.argument("host", type=click.Choice(list(HOSTS)))
@click.option("--settings", type=click.Path(path_type=Path), help="The host's file; else the one for all projects.")
@common
@plain_errors
def uninstall_command(host: str, settings: Path | None, db: Path | None, as_json: bool) -> None:
    """Take the hooks out of the host's settings again."""
    from bobctx.hooks.install import default_settings, uninstall

    _tell(uninstall(host, settings or default_settings(host, os.environ)), as_json)


def program(host: str) -> list[str]:
    """The leanest way to start this installation that works here, whatever the host's PATH is."""
    from bobctx.hooks.install import leanest, works

    lean = leanest(sys.executable)
    if works(lean, host):
        return lean
    beside = Path(sys.executable).with_name("bobctx")
    found = str(beside) if beside.exists() else shutil.which("bobctx")
    return [found] if found else [sys.executable, "-m", "bobctx.cli"]


def _tell(changes: list[Change], as_json: bool) -> None:
    if as_json:
        rows = [
            {"path": str(c.path), "done": c.done, "copy": None if c.copy is None else str(c.copy), "note": c.note}
            for c in changes
        ]
        emit_json({"files": rows})
        return
    for change in changes:
        copy = "" if change.copy is None else f" (before: {change.copy})"
        click.echo(f"{WORDS[change.done]} {change.path}{copy}")
        if change.note:
            click.echo(f"note: {change.note}")

"""The command-line page names every command and exit code."""

from __future__ import annotations

from pathlib import Path

from bobctx.cli.frame import COMMANDS, EPILOG

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"


def test_every_command_is_documented() -> None:
    text = PAGE.read_text("utf-8")
    missing = [name for name, entry in COMMANDS.items() if not entry.hidden and f"`{name}" not in text]
    assert missing == []


def test_exit_codes_are_those_of_the_help() -> None:
    page = PAGE.read_text("utf-8").replace("`", "")
    for line in EPILOG.splitlines():
        code, _, meaning = line.strip().partition("  ")
        if code.isdigit():
            assert f"| {code} | {meaning} |" in page


def test_commands_can_all_be_loaded() -> None:
    """A table row that names a missing module or object fails here, not when somebody types it."""
    import importlib

    for name, entry in COMMANDS.items():
        module = importlib.import_module(f"bobctx.cli.{entry.module}")
        assert getattr(module, f"{name}_command").help

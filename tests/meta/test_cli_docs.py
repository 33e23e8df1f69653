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


def test_commands_offer_what_the_core_and_the_interface_take() -> None:
    from typing import get_args

    from bobctx.api.schemas import AssembleRequest
    from bobctx.cli import options
    from bobctx.core import dialect, packing

    fields = AssembleRequest.model_fields
    assert options.DIALECTS == dialect.DIALECTS == get_args(fields["dialect"].annotation)
    assert options.POLICIES == packing.POLICIES
    for name, offered in (("policy", options.POLICIES), ("profile", options.PROFILES)):
        assert offered == get_args(get_args(fields[name].annotation)[0])

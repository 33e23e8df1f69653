"""`bobctx check`: everything a provider would refuse in a message list, before it is sent."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bobctx.cli.options import DIALECTS, NewFile
from bobctx.cli.output import FAILED, emit_json, plain_errors, print_table, several

if TYPE_CHECKING:
    from bobctx.core.types import Json

LIST_FIELDS = ("messages", "input", "contents", "history")
"""Where request bodies of the dialects hold their list."""


@click.command("check")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--dialect", type=click.Choice(DIALECTS), default="openai", show_default=True)
@click.option("--repair", "fixed", type=NewFile(), help="Write the repaired list there.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@plain_errors
def check_command(file: Path, dialect: str, fixed: Path | None, as_json: bool) -> None:
    """Check a message list: JSON (a list or a request body) or JSONL. Exit 1 where a provider would refuse it."""
    from bobctx.core.dialect import check, repair, to_dialect

    messages = _messages(file)
    found = check(messages, dialect)
    notes: list[str] = []
    if fixed is not None:
        repaired, notes = repair(to_dialect(messages, dialect), dialect)
        fixed.write_text(json.dumps(repaired, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if as_json:
        emit_json(
            {
                "dialect": dialect,
                "messages": len(messages),
                "valid": not found,
                "violations": [{"code": v.code, "index": v.index, "message": v.message} for v in found],
                "repairs": notes,
            }
        )
    else:
        if found:
            print_table("", ("#message", "=code", "what"), [(str(v.index), v.code, v.message) for v in found])
        click.echo(
            f"{several(len(messages), 'message')}: "
            + (several(len(found), "violation") if found else f"valid for {dialect}")
        )
        if fixed is not None:
            click.echo(f"repaired: {fixed}" + (f" ({', '.join(dict.fromkeys(notes))})" if notes else ""))
    if found:
        raise SystemExit(FAILED)


def _messages(file: Path) -> list[Mapping[str, Any]]:
    """The list in the file as it stands there: nothing is converted before it is checked."""
    from bobctx.errors import InvalidInput
    from bobctx.importers.source import load, of_text

    source = of_text(sys.stdin.read(), file) if str(file) == "-" else load(file)
    if not source.is_json:
        raise InvalidInput(f"{file} holds no JSON list or object", field="file")
    value: Json = source.document if source.document is not None else [v for _, v in source.lines]
    if source.bad_lines:
        raise InvalidInput(f"line {source.bad_lines[0]} is not JSON", field="file")
    if isinstance(value, dict):
        value = next((value[f] for f in LIST_FIELDS if isinstance(value.get(f), list)), [value])
    if not isinstance(value, list) or any(not isinstance(m, dict) for m in value):
        raise InvalidInput("a message list is a JSON list of objects, or a body that holds one", field="file")
    return list(value)

"""Commands about one conversation as a whole: its further names, its mode, its pause."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from bobctx.cli.options import common, scoped
from bobctx.cli.output import emit_json, plain_errors


@click.command("alias")
@click.argument("name", required=False)
@scoped
@common
@plain_errors
def alias_command(name: str | None, conversation: str | None, user: str | None, db: Path | None, as_json: bool) -> None:
    """Let calls under NAME reach this conversation too; without NAME, list its further names."""
    from bobctx.cli.changing import change
    from bobctx.cli.reading import ask

    if name is None:
        found = ask(db, conversation, user, "GET", "/alias")
    else:
        found = change(db, conversation, user, "POST", "/alias", body={"alias": name})
    if as_json:
        emit_json(found)
        return
    names = ", ".join(found["aliases"])
    click.echo(f"{found['conversation_id']} " + (f"is also known as: {names}" if names else "has no other name"))


@click.command("mode")
@click.argument("mode", required=False, type=click.Choice(["off", "fit", "shadow", "live"]))
@scoped
@click.option("--pause/--resume", "paused", default=None, help="Stop compacting this conversation, or go on.")
@common
@plain_errors
def mode_command(
    mode: str | None,
    conversation: str | None,
    user: str | None,
    paused: bool | None,
    db: Path | None,
    as_json: bool,
) -> None:
    """A conversation's own MODE, before the lane's; without arguments, say what holds.

    A paused conversation is recorded and its claims are shown, but nothing more of it is compacted.
    """
    from bobctx.cli.changing import change
    from bobctx.cli.reading import ask

    body: dict[str, Any] = {k: v for k, v in (("mode", mode), ("paused", paused)) if v is not None}
    found = (change if body else ask)(db, conversation, user, "POST", "/mode", body=body)
    if as_json:
        emit_json(found)
        return
    own = f"mode {found['mode']}" if found["mode"] else "the lane's mode"
    click.echo(f"{own}; compaction is {'paused' if found['paused'] else 'not paused'}")

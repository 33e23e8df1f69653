"""`bobctx backup` and `bobctx restore`: a checked copy of the whole lane, while it runs, and back."""

from __future__ import annotations

from pathlib import Path

import click

from bobctx.cli.options import NewFile, common, settings_for
from bobctx.cli.output import confirm, emit_json, plain_errors, several, waiting


@click.command("backup")
@click.argument("out", type=NewFile())
@common
@plain_errors
def backup_command(out: Path, db: Path | None, as_json: bool) -> None:
    """Copy the database to OUT and check the copy; the daemon may run meanwhile. The copy holds all text."""
    from bobctx.store import copies

    with waiting("copying"):
        made = copies.back_up(settings_for(db).db_path, out)
    if as_json:
        emit_json({"path": str(made.path), "bytes": made.bytes, "schema": made.schema, "messages": made.messages})
    else:
        click.echo(f"{made.path}: {several(made.messages, 'message')}, {made.bytes / 1e6:,.1f} MB, checked")


@click.command("restore")
@click.argument("copy", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
@plain_errors
def restore_command(copy: Path, yes: bool, db: Path | None, as_json: bool) -> None:
    """Put a COPY in the database's place; the daemon must not run. The file from before is kept beside it."""
    from bobctx.store import copies, holder, in_use

    path = settings_for(db).db_path
    found = copies.inspect(copy)
    if not yes:
        if (held := holder(path)) is not None:
            raise in_use(held)
        confirm(f"Replace {path} by the copy with {several(found.messages, 'message')}?")
    kept = copies.restore(copy, path)
    if as_json:
        emit_json({"path": str(path), "messages": found.messages, "kept": None if kept is None else str(kept)})
        return
    click.echo(f"{path}: {several(found.messages, 'message')}" + (f"; the file from before is {kept}" if kept else ""))
    click.echo("what was erased after this copy was made is in it again: repeat those erasures now")

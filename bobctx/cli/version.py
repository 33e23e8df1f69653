"""`bobctx version`."""

from __future__ import annotations

import click

import bobctx
from bobctx.cli.output import emit_json


@click.command("version")
@click.option("--db", hidden=True, expose_value=False, help="Taken so that scripts can pass it everywhere.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def version_command(as_json: bool) -> None:
    """Print the version."""
    if as_json:
        emit_json({"version": bobctx.__version__})
    else:
        click.echo(f"bobctx {bobctx.__version__}")

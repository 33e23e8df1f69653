"""`bobctx tools`: what to offer a model so that it can read originals back."""

from __future__ import annotations

import click

from bobctx.cli.output import emit_json
from bobctx.core.tools import DIALECTS, definitions


@click.command("tools")
@click.option("--dialect", type=click.Choice(DIALECTS), default="openai", show_default=True)
@click.option("--db", hidden=True, expose_value=False, help="Taken so that scripts can pass it everywhere.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON (always: definitions are JSON).")
def tools_command(dialect: str, as_json: bool) -> None:
    """Print the definitions of conv_expand and conv_search for a dialect."""
    emit_json(definitions(dialect))

"""`bobctx mcp`: the tools for a model, over stdin and stdout."""

from __future__ import annotations

from pathlib import Path

import click

from bobctx.cli.options import scoped, settings_for
from bobctx.cli.output import plain_errors


@click.command("mcp")
@scoped
@click.option("--url", help="The daemon's address; else where it runs for this database.")
@click.option(
    "--db",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Database file; else CONTEXT_DB, else the default place.",
)
@plain_errors
def mcp_command(conversation: str | None, user: str | None, url: str | None, db: Path | None) -> None:
    """Serve conv_expand and conv_search to an MCP host, for one conversation, until stdin ends.

    The host starts this; whose conversation it is say -c and -u (or BOBCTX_CONVERSATION and BOBCTX_USER).
    """
    import asyncio

    from bobctx import runtime
    from bobctx.client import AsyncClient
    from bobctx.errors import ConfigurationError
    from bobctx.store import holder

    if not conversation:
        raise ConfigurationError("name the conversation with -c or BOBCTX_CONVERSATION", field="conversation")
    try:
        from bobctx.integrations.mcp_server import serve_stdio
    except ModuleNotFoundError as exc:
        raise ConfigurationError("this needs a further package: run `pip install -e '.[mcp]'` in the checkout") from exc
    settings = settings_for(db, url=url)
    note = {} if settings.url else holder(settings.db_path) or {}
    if note.get("socket"):
        settings = settings.model_copy(update={"socket": Path(note["socket"])})
    elif note.get("url"):
        settings = settings.model_copy(update={"url": note["url"]})
    client = AsyncClient(runtime.daemon_of(settings))
    asyncio.run(serve_stdio(client, conversation=conversation, user=user))

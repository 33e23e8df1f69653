"""`bobctx serve` and the hidden `bobctx worker`: the two long-running processes."""

from __future__ import annotations

from pathlib import Path

import click

from bobctx.cli.options import settings_for
from bobctx.cli.output import plain_errors


@click.command("serve")
@click.option(
    "--db",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Database file; else CONTEXT_DB, else the default place.",
)
@click.option("--host", help="Address to listen on; else BOBCTX_HOST, else 127.0.0.1.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0 takes a free one. Else BOBCTX_PORT, else 8642.")
@click.option("--socket", type=click.Path(path_type=Path), help="Listen on this Unix socket instead.")
@click.option("--mode", type=click.Choice(["off", "fit", "shadow", "live"]), help="Else BOBCTX_MODE, else live.")
@click.option("--log-format", type=click.Choice(["json", "console"]), help="Log lines as JSON or for reading.")
@plain_errors
def serve_command(
    db: Path | None,
    host: str | None,
    port: int | None,
    socket: Path | None,
    mode: str | None,
    log_format: str | None,
) -> None:
    """Run the daemon until SIGTERM or Ctrl-C."""
    from bobctx import runtime

    settings = settings_for(db, host=host, port=port, socket=socket, mode=mode, log_format=log_format)
    runtime.serve(settings)


@click.command("worker")
@plain_errors
def worker_command() -> None:
    """Serve compaction jobs over stdin and stdout until stdin ends; the daemon starts this."""
    from bobctx import runtime

    runtime.work(settings_for(None))

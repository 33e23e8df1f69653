"""`bobctx demo`: the real daemon, a long conversation, and what is still known."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from bobctx.cli.options import settings_for
from bobctx.cli.output import FAILED, OK, emit_json, plain_errors

if TYPE_CHECKING:
    from bobctx.demo.daemon import Daemon
    from bobctx.demo.player import Played
    from bobctx.demo.promises import Promise


@click.command("demo")
@click.option("--keep", is_flag=True, help="Leave the daemon running and print curl lines for it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@plain_errors
def demo_command(keep: bool, as_json: bool) -> None:
    """Play a bundled conversation of 299 messages and compare with a plain window. Exit 1 if a promise breaks."""
    from bobctx.demo import daemon as daemons
    from bobctx.demo.promises import promises
    from bobctx.errors import StoreUnavailable

    started = time.monotonic()
    daemon = daemons.start()
    kept = False
    try:
        with _progress() as advance:
            seen = asyncio.run(_play(daemon, advance))
        found = promises(seen)
        summary = summarise(seen, found)
        kept = keep
        if as_json:
            emit_json(summary)
        else:
            from bobctx.demo.screen import show

            show(seen, found, summary, time.monotonic() - started)
            if keep:
                _print_curl(daemon)
    except StoreUnavailable as error:
        if daemon.died:
            kept = True
            raise StoreUnavailable(f"the daemon ended; {daemons.log_tail(daemon.folder)}") from error
        raise
    finally:
        if not kept:
            daemon.stop()
    sys.exit(OK if all(p.ok for p in found) else FAILED)


async def _play(daemon: Daemon, advance: Callable[[str, float], None]) -> Played:
    from bobctx.cli.access import Access, open_access
    from bobctx.cli.why import explain, sentences
    from bobctx.core.types import Scope
    from bobctx.demo.conversation import CONVERSATION, USER
    from bobctx.demo.daemon import WINDOW, environment
    from bobctx.demo.player import play

    for name in set(os.environ) - environment({}).keys():
        del os.environ[name]  # settings of another lane have no say here
    settings = settings_for(daemon.db)
    scope = Scope(conversation_id=CONVERSATION, user_id=USER)

    async def why(access: Access) -> str:
        found = await explain(access, scope, "m3", window=WINDOW)
        return "\n".join(line.strip() for line in sentences(found)[2:])

    async with open_access(settings, writing=True) as access:

        async def call(method: str, rest: str, **more: Any) -> Any:
            return await access.conversation(method, scope, rest, **more)

        async def look() -> str:
            async with open_access(settings, writing=False) as reader:
                return await why(reader)

        return await play(call, look, advance, daemon.folder)


@contextmanager
def _progress() -> Iterator[Callable[[str, float], None]]:
    """A bar on stderr where someone is looking."""
    if not sys.stderr.isatty():
        yield lambda label, share: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (BarColumn(bar_width=30), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting the daemon", total=1.0)
        yield lambda label, share: bar.update(task, description=label, completed=share)


def summarise(seen: Played, found: list[Promise]) -> dict[str, Any]:
    """The figures of the demo, as `--json` prints them."""
    decision, budget = seen.assembled["decision"], seen.assembled["budget"]
    accepted = [c for row in seen.compactions if row["status"] == "shadow_ok" for c in row["claims"]]
    refused = sum(len(row["validation"].get("rejections", ())) for row in seen.compactions)
    refused += len(seen.refused.report.rejections) if seen.refused else 0
    return {
        "recorded": seen.recorded,
        "tokens_before": sum(item["tokens_est"] for item in seen.stored),
        "tokens_after": budget["used"],
        "regions": sum(link["status"] == "shadow_ok" for link in seen.chain["links"]),
        "claims_accepted": len(accepted),
        "claims_rejected": refused,
        "block_tokens": decision["tokens"],
        "block_share": round(decision["tokens"] / budget["history"], 4),
        "importance_floor": decision["importance_floor"],
        "covered": decision["messages_covered"],
        "announced": decision["messages_uncovered"],
        "search_hits": len(seen.hits),
        "expanded": len(seen.expanded),
        "promises": [{"name": p.name, "ok": p.ok} for p in found],
    }


def _print_curl(daemon: Daemon) -> None:
    from bobctx.demo.conversation import CONVERSATION, USER

    base = f"{daemon.url}/v1/conversations/{CONVERSATION}"
    head = '-H "Authorization: Bearer $KEY" -H "Content-Type: application/json"'
    click.echo(f"\nthe daemon runs on (pid {daemon.process.pid}); its files are in {daemon.folder}")
    click.echo(f"KEY=$(bobctx key --db {daemon.db})")
    click.echo(f"curl -s {head} '{base}/claims?user_id={USER}&active=true'")
    click.echo(f"""curl -s {head} {base}/search -d '{{"user_id":"{USER}","query":"gateway port"}}'""")
    click.echo(f"""curl -s {head} {base}/assemble -d '{{"user_id":"{USER}","window":16384}}'""")
    click.echo(f"kill {daemon.process.pid}   # stops it")

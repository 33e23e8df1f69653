"""`bobctx verify`: is every stored claim still borne out by its messages, and is the chain whole?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bobctx.cli.options import common, scoped, settings_for
from bobctx.cli.output import FAILED, OK, emit_json, plain_errors, print_table

if TYPE_CHECKING:
    from bobctx.cli.access import Access


@click.command("verify")
@scoped
@common
@plain_errors
def verify_command(conversation: str | None, user: str | None, db: Path | None, as_json: bool) -> None:
    """Validate every stored claim against its messages again, and check the chain. Exit 1 if anything fails."""
    from bobctx.api.answers import chain_json
    from bobctx.cli.access import run, scope_in
    from bobctx.cli.recheck import recheck
    from bobctx.core.chain import chain_of
    from bobctx.errors import NotFound

    async def work(access: Access) -> dict[str, Any]:
        scope = await scope_in(access, conversation, user)
        snapshot = await access.store.snapshot(scope)
        if not snapshot.exists:
            raise NotFound(f"no conversation {scope.conversation_id} of {scope.user_id}")
        chain = chain_of(snapshot)
        failures = await recheck(access.store, scope, snapshot, chain, access.settings.admins)
        claims = sum(len(link.compaction.claims) for link in chain.links)
        return {
            "claims": claims,
            "ok": claims - len(failures),
            "failed": len(failures),
            "failures": [failure.as_json() for failure in failures],
            "chain": chain_json(snapshot),
        }

    found = run(settings_for(db), work, writing=False)
    if as_json:
        emit_json(found)
    else:
        _show(found)
    sys.exit(FAILED if found["failed"] or found["chain"]["break"] is not None else OK)


def _show(found: dict[str, Any]) -> None:
    chain = found["chain"]
    click.echo(f"{found['ok']} of {found['claims']} claims stand in the messages they cite")
    click.echo(
        f"chain: {chain['trusted']} regions, {chain['covered_messages']} of {chain['messages']} messages covered, "
        f"head {chain['head_sha256'][:12]}"
    )
    if found["failed"]:
        rows = [(f["claim"], f["code"], f["text"], f["message"]) for f in found["failures"]]
        print_table("claims that fail", ("claim", "code", "text", "why"), rows)
    if chain["break"] is not None:
        click.echo(f"trust ends at position {chain['break']['position']}: {chain['break']['code']}")

"""`bobctx verify`: is every stored claim still borne out by its messages, and is the chain whole?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bobctx.cli.options import common, scoped, settings_for
from bobctx.cli.output import FAILED, OK, emit_json, held, plain_errors, print_table, several

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
    from bobctx.core.chain import chain_of, view_in
    from bobctx.errors import NotFound

    async def work(access: Access) -> tuple[dict[str, Any], int]:
        scope = await scope_in(access, conversation, user)
        snapshot = await access.store.snapshot(scope)
        if not snapshot.exists:
            raise NotFound(await access.missing(scope))
        chain = chain_of(snapshot)
        failures = await recheck(access.store, scope, snapshot, chain, access.settings.admins)
        claims = sum(len(link.compaction.claims) for link in chain.links)
        found = {
            "claims": claims,
            "ok": claims - len(failures),
            "failed": len(failures),
            "failures": [failure.as_json() for failure in failures],
            "chain": chain_json(snapshot),
        }
        return found, sum(not claim.active for claim in view_in(snapshot).claims)

    found, replaced = run(settings_for(db), work, writing=False)
    if as_json:
        emit_json(found)
    else:
        _show(found, replaced)
    sys.exit(FAILED if found["failed"] or found["chain"]["break"] is not None else OK)


def _show(found: dict[str, Any], replaced: int) -> None:
    chain = found["chain"]
    those = several(found["claims"], "claim")
    later = f" ({replaced} of them replaced by later ones)" if replaced else ""
    stand = "stands in the messages it cites" if found["claims"] == 1 else "stand in the messages they cite"
    click.echo(f"{found['ok']} of {those} {stand}{later}" if found["claims"] else "no claims to check")
    click.echo(f"chain: {held(chain)}")
    if chain["links"]:
        click.echo(f"head: {chain['head_sha256'][:12]}")
    if found["failed"]:
        rows = [(f["claim"], f["code"], f["text"], f["message"]) for f in found["failures"]]
        print_table("claims that fail", ("=claim", "=code", "text", "why"), rows)
    if chain["break"] is not None:
        click.echo(f"trust ends at position {chain['break']['position']}: {chain['break']['code']}")

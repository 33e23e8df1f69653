"""Commands that show what is stored: claims, chain, originals, search, conversations, export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bobctx.cli.options import common, scoped, settings_for
from bobctx.cli.output import age, emit_json, held, link_status, one_line, plain_errors, print_table, several

if TYPE_CHECKING:
    from bobctx.cli.access import Access
    from bobctx.core.types import Scope

PAGE = 500


def ask(db: Path | None, conversation: str | None, user: str | None, method: str, rest: str, **more: Any) -> Any:
    """One reading call about one conversation."""
    from bobctx.cli.access import run, scope_in

    async def work(access: Access) -> Any:
        scope = await scope_in(access, conversation, user)
        return await access.conversation(method, scope, rest, **more)

    return run(settings_for(db), work, writing=False)


@click.command("claims")
@scoped
@click.option("--all", "all_", is_flag=True, help="Also those that a later claim replaced.")
@common
@plain_errors
def claims_command(conversation: str | None, user: str | None, all_: bool, db: Path | None, as_json: bool) -> None:
    """List the claims of the trusted chain, oldest first."""
    found = ask(db, conversation, user, "GET", "/claims")
    if as_json:
        emit_json(found)
        return
    rows = [
        (
            claim["alias"],
            claim["type"],
            str(claim["importance"]),
            claim["text"] + ("" if claim["active"] else f"  [replaced by {claim['superseded_by'] or 'a lost claim'}]"),
            " ".join(claim["cites"]),
        )
        for claim in found["claims"]
        if all_ or claim["active"]
    ]
    replaced = _replaced(found)
    more = "" if not replaced else f", {replaced} of them replaced" if all_ else f"; {replaced} replaced (--all)"
    columns = ("=claim", "=type", "#importance", "text", "cites")
    print_table(several(len(rows), "claim" if all_ else "current claim") + more, columns, rows)


def _replaced(found: dict[str, Any]) -> int:
    """Claims of a conversation that a later one, or an operator, put out of force."""
    return sum(not claim["active"] for claim in found["claims"])


@click.command("chain")
@scoped
@common
@plain_errors
def chain_command(conversation: str | None, user: str | None, db: Path | None, as_json: bool) -> None:
    """Show the chain of compactions, and where and why trust ends."""
    from bobctx.cli.access import run, scope_in

    async def work(access: Access) -> tuple[Any, int]:
        scope = await scope_in(access, conversation, user)
        chain = await access.conversation("GET", scope, "/chain")
        return chain, 0 if as_json else _replaced(await access.conversation("GET", scope, "/claims"))

    found, replaced = run(settings_for(db), work, writing=False)
    if as_json:
        emit_json(found)
        return
    rows = [
        (
            link["region"],
            f"{link['first']}..{link['last']}",
            str(link["messages"]),
            link_status(link["status"] if link["claims"] else "empty"),
            str(link["claims"]),
            link["backend"],
            link["chain_sha256"][:12],
        )
        for link in found["links"]
    ]
    print_table(held(found), ("=region", "=from..to", "#messages", "=status", "#claims", "by", "=hash"), rows)
    if replaced:
        click.echo(f"of the claims, later ones replaced {replaced}: `bobctx claims` leaves those out (--all)")
    if found["break"] is not None:
        broken = found["break"]
        click.echo(f"trust ends at position {broken['position']}: {broken['code']} ({broken['compaction_id'][:12]})")


@click.command("expand")
@click.argument("ids", nargs=-1, required=True)
@scoped
@click.option("--offset", type=int, default=0, help="Messages of the list to pass over.")
@common
@plain_errors
def expand_command(
    ids: tuple[str, ...], conversation: str | None, user: str | None, offset: int, db: Path | None, as_json: bool
) -> None:
    """Read original messages back: `m12`, a message id, or a range `m20..m31`."""
    found = ask(db, conversation, user, "POST", "/expand", body={"ids": list(ids), "offset": offset})
    if as_json:
        emit_json(found)
        return
    from bobctx.core.parts import parts_of, text_of

    for item in found["messages"]:
        click.secho(f"{item['alias']} {item['role']} ({item['id']})", bold=True)
        click.echo(text_of(parts_of(item)))
        click.echo()
    if found["next_offset"] is not None:
        click.echo(f"{found['total'] - found['next_offset']} more: --offset {found['next_offset']}")


@click.command("search")
@click.argument("query", nargs=-1, required=True)
@scoped
@click.option("--limit", type=int, default=10, show_default=True)
@common
@plain_errors
def search_command(
    query: tuple[str, ...], conversation: str | None, user: str | None, limit: int, db: Path | None, as_json: bool
) -> None:
    """Search the original messages of a conversation."""
    found = ask(db, conversation, user, "POST", "/search", body={"query": " ".join(query), "limit": limit})
    if as_json:
        emit_json(found)
        return
    rows = [(hit["alias"], hit["role"], one_line(hit["snippet"], 160)) for hit in found["hits"]]
    print_table(several(len(rows), "message") + " found", ("=message", "=role", "text"), rows)
    if found["index_lag"]:
        lag = several(found["index_lag"], "message")
        click.echo(f"note: {lag} not yet in the identifier index: parts of names in them may not be found", err=True)


@click.command("conversations")
@click.option("--user", "-u", envvar="BOBCTX_USER", help="Whose; left out: everyone's in this database.")
@common
@plain_errors
def conversations_command(user: str | None, db: Path | None, as_json: bool) -> None:
    """List conversations, newest first."""
    from bobctx.cli.access import run, users_in

    async def work(access: Access) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for owner in [user] if user else await users_in(access):
            answer = await access.call("GET", "/v1/conversations", params={"user_id": owner})
            rows.extend(answer["conversations"])
        return sorted(rows, key=lambda row: -row["last_recorded_ts"])

    rows = run(settings_for(db), work, writing=False)
    if as_json:
        emit_json({"conversations": rows})
        return
    import time

    now = time.time()
    cells = [
        (
            age(now - row["last_recorded_ts"]) + " ago",
            f"{row['messages']:,}",
            f"{row['tokens']:,}",
            f"{row['claims']:,}",
            row["user_id"],
            row["conversation_id"],
            " ".join(row["aliases"]),
        )
        for row in rows
    ]
    columns = ("=recorded", "#messages", "#tokens", "#claims", "user", "+conversation", "+also known as")
    print_table(several(len(cells), "conversation"), columns, cells)


@click.command("export")
@scoped
@click.option("--out", "-o", type=click.File("w", encoding="utf-8"), default="-", help="File; else stdout.")
@common
@plain_errors
def export_command(conversation: str | None, user: str | None, out: Any, db: Path | None, as_json: bool) -> None:
    """Write the messages of a conversation as JSONL (`--json`: one object with claims and chain too)."""
    from bobctx.cli.access import run, scope_in

    async def work(access: Access) -> dict[str, Any]:
        scope = await scope_in(access, conversation, user)
        messages = await all_messages(access, scope)
        whole: dict[str, Any] = {"conversation_id": scope.conversation_id, "user_id": scope.user_id}
        whole["messages"] = [_exported(item) for item in messages]
        if as_json:
            whole["claims"] = (await access.conversation("GET", scope, "/claims"))["claims"]
            whole["compactions"] = (await access.conversation("GET", scope, "/compactions"))["compactions"]
            whole["chain"] = await access.conversation("GET", scope, "/chain")
        return whole

    whole = run(settings_for(db), work, writing=False)
    if as_json:
        out.write(json.dumps(whole, ensure_ascii=False, indent=2) + "\n")
        return
    for message in whole["messages"]:
        out.write(json.dumps(message, ensure_ascii=False) + "\n")


def _exported(item: dict[str, Any]) -> dict[str, Any]:
    """A message so that recording it again gives the same one."""
    body = {k: v for k, v in item.items() if k not in ("alias", "created_at", "injected", "tokens_est")}
    if item["created_at"] is not None:
        body["created_at"] = item["created_at"]
    if item["injected"]:
        body["injected"] = True
    return body


async def all_messages(access: Access, scope: Scope) -> list[dict[str, Any]]:
    """Every message of the active spine, page after page."""
    found: list[dict[str, Any]] = []
    offset: int | None = 0
    while offset is not None:
        params = {"offset": offset, "limit": PAGE}
        page = await access.conversation("GET", scope, "/messages", params=params)
        found.extend(page["messages"])
        offset = page["next_offset"]
    return found

"""Commands about people and places: erase, retention, egress class, the access log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from bobctx.cli.options import Share, common, scoped, settings_for
from bobctx.cli.output import age, confirm, emit_json, plain_errors, print_table, removed, several

if TYPE_CHECKING:
    from bobctx.cli.access import Access


def _call(db: Path | None, method: str, path: str, *, writing: bool = True, **more: Any) -> Any:
    from bobctx.cli.access import run

    async def work(access: Access) -> Any:
        return await access.call(method, path, **more)

    return run(settings_for(db), work, writing=writing)


@click.command("erase")
@click.argument("user_id", metavar="USER")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
@plain_errors
def erase_command(user_id: str, yes: bool, db: Path | None, as_json: bool) -> None:
    """Delete everything of one USER for good, and print the receipt; tombstones without text stay."""
    from bobctx.errors import BobctxError, NotFound

    unknown = f"nothing of a user {user_id} is stored; `bobctx conversations` lists users"
    if not yes:
        found = _call(db, "GET", "/v1/conversations", writing=False, params={"user_id": user_id})["conversations"]
        if not found:
            raise NotFound(unknown)
        stored = f"{several(len(found), 'conversation')}, {several(sum(c['messages'] for c in found), 'message')}"
        confirm(f"Erase everything of {user_id} for good ({stored})?")
    try:
        receipt = _call(db, "DELETE", f"/v1/users/{quote(user_id, safe='')}")
    except BobctxError as error:
        if error.code != NotFound.code:
            raise
        raise NotFound(unknown) from error
    if as_json:
        emit_json(receipt)
        return
    click.echo(f"erased {user_id}: {removed(receipt)}")


@click.command("retain")
@click.argument("user_id", metavar="USER")
@click.option("--days", type=Share(min=0, min_open=True), help="Keep messages so long; older ones go now.")
@click.option("--for-ever", is_flag=True, help="Keep them.")
@common
@plain_errors
def retain_command(user_id: str, days: float | None, for_ever: bool, db: Path | None, as_json: bool) -> None:
    """How long a USER's messages are kept; without an option, say it."""
    if days is not None and for_ever:
        raise click.UsageError("name --days or --for-ever, not both")
    path = f"/v1/users/{quote(user_id, safe='')}/retention"
    only_asked = days is None and not for_ever
    found = _call(db, "GET", path, writing=False) if only_asked else _call(db, "PUT", path, body={"max_age_days": days})
    kept = found["max_age_days"]
    text = "for ever" if kept is None else f"{kept:g} days"
    gone = found["deleted"].get("messages", 0)
    now = "" if only_asked else f"; {several(gone, 'message')} deleted now"
    emit_json(found) if as_json else click.echo(f"messages of {user_id} are kept {text}{now}")


@click.command("egress")
@click.argument("egress", type=click.Choice(["cloud_ok", "local"]))
@click.argument("ids", nargs=-1)
@scoped
@click.option("--all", "all_", is_flag=True, help="Every message of the conversation.")
@common
@plain_errors
def egress_command(
    egress: str,
    ids: tuple[str, ...],
    conversation: str | None,
    user: str | None,
    all_: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Change where messages may go (`m3` or an id, or --all); it is noted in the access log."""
    from bobctx.cli.changing import change

    if bool(ids) == all_:
        raise click.UsageError("name message ids, or use --all")
    body = {"egress": egress, **({"ids": list(ids)} if ids else {})}
    found = change(db, conversation, user, "POST", "/egress", body=body)
    if as_json:
        emit_json(found)
        return
    count = found["changed"]
    click.echo(f"{several(count, 'message')} changed to {egress}" if count else f"nothing changed: all were {egress}")


@click.command("access")
@click.option("--user", "-u", help="Only of this user's data.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 10_000))
@common
@plain_errors
def access_command(user: str | None, limit: int, db: Path | None, as_json: bool) -> None:
    """Who read originals, and what operators read or changed: ids only, newest first."""
    import time

    params = {"user_id": user, "limit": limit}
    found = _call(db, "GET", "/v1/access", writing=False, params=params)
    if as_json:
        emit_json(found)
        return
    now = time.time()
    rows = [
        (
            age(now - e["at"]),
            e["principal"],
            e["action"],
            str(len(e["ids"])),
            e["user_id"],
            e["conversation_id"],
        )
        for e in found["entries"]
    ]
    if not rows:
        click.echo("no line: what the command line reads is not logged, for it reads the file itself")
        return
    columns = ("=ago", "=key", "=action", "#ids", "+user", "+conversation")
    print_table(several(len(rows), "line"), columns, rows)

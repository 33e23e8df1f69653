"""Commands that change what is stored beside recording: compact, pin, delete."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bobctx.cli.options import common, scoped, settings_for
from bobctx.cli.output import (
    confirm,
    emit_json,
    link_status,
    one_line,
    plain_errors,
    print_table,
    removed,
    several,
    waiting,
)

if TYPE_CHECKING:
    from bobctx.cli.access import Access


def change(db: Path | None, conversation: str | None, user: str | None, method: str, rest: str, **more: Any) -> Any:
    """One writing call about one conversation."""
    from bobctx.cli.access import run, scope_in

    async def work(access: Access) -> Any:
        scope = await scope_in(access, conversation, user)
        return await access.conversation(method, scope, rest, **more)

    return run(settings_for(db), work, writing=True)


@click.command("compact")
@scoped
@click.option("--reseat", is_flag=True, help="Replace the newest part of the chain by the current seat's result.")
@click.option("--only-due", is_flag=True, help="Do nothing where the due rule says it is too early.")
@common
@plain_errors
def compact_command(
    conversation: str | None, user: str | None, reseat: bool, only_due: bool, db: Path | None, as_json: bool
) -> None:
    """Compact what is eligible now, and wait for it (a daemon's run at most BOBCTX_COMPACT_WAIT_S)."""
    body = {"reseat": reseat, "force": not only_due}
    with waiting("compacting"):
        found = change(db, conversation, user, "POST", "/compact", body=body, long=True)
    if as_json:
        emit_json(found)
        return
    if found.get("state") == "running":
        click.echo("still running; each region is in `bobctx chain` once it is done, and the same command waits again")
        return
    rows = [
        (
            region["prefix"],
            _status(region),
            str(_count(region["claims"])),
            str(_count(region["rejected"])),
            one_line(", ".join(map(str, region["reasons"])), 70),
        )
        for region in found["regions"]
    ]
    if not rows:
        click.echo("nothing is eligible: the newest messages and the opening stay as they are")
        return
    print_table(several(len(rows), "region"), ("=region", "=status", "#claims", "#refused", "reasons"), rows)
    for line in _next_steps(found["regions"]):
        click.echo(line)


def _status(region: dict[str, Any]) -> str:
    """For reading: a region that was read and gave no claims is another one than one that failed."""
    status = str(region["status"])
    return link_status("empty" if status == "shadow_ok" and not _count(region["claims"]) else status)


def _next_steps(regions: Sequence[dict[str, Any]]) -> list[str]:
    """What to do about regions that failed, each reason once."""
    from bobctx.core.advice import fix_for

    failed = dict.fromkeys(str(region["reasons"][0]) for region in regions if region["status"] == "failed")
    return [f"-> {reason}: {fix}" for reason in failed if (fix := fix_for(reason)) is not None]


def _count(value: Any) -> int:
    return len(value) if isinstance(value, list) else int(value)


@click.command("delete")
@click.argument("message_id", required=False)
@scoped
@click.option("--all", "all_", is_flag=True, help="The whole conversation.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
@plain_errors
def delete_command(
    message_id: str | None,
    conversation: str | None,
    user: str | None,
    all_: bool,
    yes: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Delete a message (`m3` or its id), or with --all the conversation. Claims that rest on it go with it."""
    from urllib.parse import quote

    if (message_id is None) != all_:
        raise click.UsageError("name one message, or use --all for the whole conversation")
    what = f"message {message_id}" if message_id else "the whole conversation"
    from bobctx.cli.access import id_of, run, scope_in

    async def there(access: Access) -> None:
        scope = await scope_in(access, conversation, user)
        if message_id is None:
            await access.conversation("GET", scope, "/pins")
        else:
            await id_of(access, scope, message_id)

    async def work(access: Access) -> Any:
        scope = await scope_in(access, conversation, user)
        if message_id is None:
            return await access.conversation("DELETE", scope)
        ident = await id_of(access, scope, message_id)
        return await access.conversation("DELETE", scope, f"/messages/{quote(ident, safe='')}")

    if not yes:
        run(settings_for(db), there, writing=False)  # nobody is asked about what is not there
        confirm(f"Delete {what} for good?")
    receipt = run(settings_for(db), work, writing=True)
    if as_json:
        emit_json(receipt)
        return
    if message_id is None:
        click.echo(f"deleted {what}: {removed(receipt)}")
        return
    counts = receipt["deleted"]
    gone = f": {several(counts['claims'], 'claim')} that rested on it went too" if counts.get("claims") else ""
    click.echo(f"deleted {what}{gone}")
    if counts.get("compactions"):
        click.echo("the other claims of its region come back with the next compaction (`bobctx compact`)")


@click.command("pin")
@click.argument("text", required=False)
@scoped
@click.option("--claim", help="Pin this claim (`r1.c2` or its id).")
@click.option("--remove", metavar="PIN", help="Unpin.")
@common
@plain_errors
def pin_command(
    text: str | None,
    conversation: str | None,
    user: str | None,
    claim: str | None,
    remove: str | None,
    db: Path | None,
    as_json: bool,
) -> None:
    """Show a TEXT or a claim verbatim in the claims block; without arguments, list the pins.

    The block stands in every prompt that leaves something out. While the whole conversation fits, it is sent as it is.
    """
    if remove is not None:
        answer = change(db, conversation, user, "DELETE", f"/pins/{remove}", thing=f"pin {remove}")
        emit_json(answer) if as_json else click.echo(f"unpinned {remove}")
        return
    if text is None and claim is None:
        from bobctx.cli.reading import ask

        found = ask(db, conversation, user, "GET", "/pins")
        if as_json:
            emit_json(found)
            return
        rows = [(pin["pin_id"], pin["by"], pin["text"]) for pin in found["pins"]]
        print_table(several(len(rows), "pin"), ("=pin", "=by", "text"), rows)
        return
    body = {key: value for key, value in (("text", text), ("claim_id", claim)) if value is not None}
    made = change(db, conversation, user, "POST", "/pins", body=body, thing=claim and f"claim {claim}")
    emit_json(made) if as_json else click.echo(f"pinned {made['pin_id']}: {made['text']}")

"""`bobctx key`: keys of the lane."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bobctx.cli.options import common, settings_for
from bobctx.cli.output import emit_json, plain_errors, print_table, several

if TYPE_CHECKING:
    from bobctx.keys import Role


@click.command("key")
@click.option("--add", metavar="NAME", help="Make a key, or replace the one of this name; it is shown once.")
@click.option(
    "--role",
    type=click.Choice(["user", "gateway", "operator"]),
    help="Left out: gateway; of a key that is replaced its own.",
)
@click.option("--for", "for_user", metavar="USER", help="The one user of a `user` key.")
@click.option("--revoke", metavar="NAME", help="Take a key away; counts from the next request on.")
@click.option("--list", "list_", is_flag=True, help="Names and roles; keys are stored as hashes only.")
@common
@plain_errors
def key_command(
    add: str | None,
    role: Role | None,
    for_user: str | None,
    revoke: str | None,
    list_: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Print the key that local clients send; make, list and revoke keys."""
    from bobctx import keys
    from bobctx.errors import NotFound
    from bobctx.store import place

    settings = settings_for(db)
    path = settings.keys_path
    if add is None and not path.exists() and not settings.db_path.exists():
        raise place.missing(settings.db_path)  # keys of a lane that is not there would be of no use
    keys.ensure(path)
    if add is not None:
        _add(path, add, role, for_user, as_json)
    elif revoke is not None:
        if not keys.revoke(path, revoke):
            raise NotFound(f"no key named {revoke}; see `bobctx key --list`")
        emit_json({"revoked": revoke}) if as_json else click.echo(f"revoked {revoke}")
    elif list_:
        rows = [(p.key_id, p.role, p.user_id or "") for p in keys.read(path).values()]
        if as_json:
            emit_json({"keys": [{"name": name, "role": r, "user": user or None} for name, r, user in rows]})
        else:
            print_table(several(len(rows), "key"), ("name", "role", "user"), rows)
    else:
        default = keys.default_key(path)
        if default is None:
            raise NotFound(
                f"the plain default key is not beside {path}; make one with `bobctx key --add default --role operator`"
            )
        emit_json({"key": default}) if as_json else click.echo(default)


def _add(path: Path, name: str, role: Role | None, user: str | None, as_json: bool) -> None:
    """A new key; in place of one of this name it may do what that one might, unless the caller says otherwise."""
    from bobctx import keys

    before = keys.named(path, name)
    given = role or (before.role if before else "gateway")
    if user is None and before is not None and given == "user":
        user = before.user_id
    made = keys.add(path, name, given, user_id=user, mode=None if before is None else before.mode)
    emit_json({"name": name, "role": given, "user": user, "key": made}) if as_json else click.echo(made)

"""`bobctx key`: keys of the lane."""

from __future__ import annotations

from pathlib import Path

import click

from bobctx.cli.options import common, settings_for
from bobctx.cli.output import emit_json, plain_errors, print_table, several


@click.command("key")
@click.option("--add", metavar="NAME", help="Make a key, or replace the one of this name; it is shown once.")
@click.option("--role", type=click.Choice(["user", "gateway", "operator"]), default="gateway", show_default=True)
@click.option("--for", "for_user", metavar="USER", help="The one user of a `user` key.")
@click.option("--revoke", metavar="NAME", help="Take a key away; counts from the next request on.")
@click.option("--list", "list_", is_flag=True, help="Names and roles; keys are stored as hashes only.")
@common
@plain_errors
def key_command(
    add: str | None,
    role: str,
    for_user: str | None,
    revoke: str | None,
    list_: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Print the key that local clients send; make, list and revoke keys."""
    from bobctx import keys
    from bobctx.errors import NotFound

    path = settings_for(db).keys_path
    keys.ensure(path)
    if add is not None:
        made = keys.add(path, add, role, user_id=for_user)  # type: ignore[arg-type]  # click checked the choice
        emit_json({"name": add, "role": role, "key": made}) if as_json else click.echo(made)
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
            raise NotFound(f"the plain default key is not beside {path}; make one with `bobctx key --add default`")
        emit_json({"key": default}) if as_json else click.echo(default)

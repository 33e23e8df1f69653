"""Commands about choosing claims for a task: compile, inspect, conflicts, feedback."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from bobctx.cli.options import Share, common, scoped, settings_for
from bobctx.cli.output import emit_json, one_line, plain_errors, print_table

if TYPE_CHECKING:
    from bobctx.cli.access import Access

KINDS = (
    "decision", "constraint", "definition", "commitment", "fact", "correction", "open_question", "failure",
    "artifact", "preference",
)  # fmt: skip
OUTCOMES = ("used", "useful", "irrelevant", "incorrect", "harmful")


async def _place(access: Access, conversation: str | None, user: str | None) -> tuple[str, str | None]:
    """The user, and the conversation unless only a user was named: then all of theirs."""
    if user and not conversation:
        return user, None
    from bobctx.cli.access import scope_in

    scope = await scope_in(access, conversation, user)
    return scope.user_id, scope.conversation_id


@click.command("compile")
@scoped
@click.option("--task", "-t", required=True, help="What the claims are for.")
@click.option("--max-tokens", type=int, help="Hard budget of the rendered text, 128 to 32000.  [default: 900]")
@click.option("--backend", help="Where the context goes; a cloud backend is given no local text.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this type; may be repeated.")
@click.option("--episodes", is_flag=True, help="Also source messages, in what is left of the budget.")
@click.option("--conflicts", type=click.Choice(("surface", "block")), help="Show both sides of a conflict, or neither.")
@click.option("--recall-floor", type=Share(), help="Largest cosine distance to the task; needs vectors.")
@click.option("--multi-hop", is_flag=True, help="Also claims that share a name with those chosen.")
@common
@plain_errors
def compile_command(
    conversation: str | None,
    user: str | None,
    task: str,
    max_tokens: int | None,
    backend: str | None,
    kinds: tuple[str, ...],
    episodes: bool,
    conflicts: str | None,
    recall_floor: float | None,
    multi_hop: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """The claims for a task. With -u alone: of all conversations of that user."""
    from bobctx.cli.access import run

    options = {
        "max_tokens": max_tokens,
        "backend": backend,
        "kinds": list(kinds) or None,
        "conflicts": conflicts,
        "recall_floor": recall_floor,
        "include_episodes": episodes or None,
        "multi_hop": multi_hop or None,
    }

    async def work(access: Access) -> Any:
        owner, name = await _place(access, conversation, user)
        body: dict[str, Any] = {"user_id": owner, "conversation_id": name, "task": task}
        body |= {key: value for key, value in options.items() if value is not None}
        return await access.call("POST", "/v1/context/compile", body=body)

    found = run(settings_for(db), work, writing=True)  # its trace is kept, so that it can be inspected and voted on
    if as_json:
        emit_json(found)
        return
    budget, meta = found["budget"], found["meta"]
    rows = [
        (
            f"{item['score']:.6f}",
            item["alias"] if found["scope"]["conversation_id"] else f"{item['conversation_id']} {item['alias']}",
            item["kind"],
            item["status"],
            one_line(item["claim"], 90),
        )
        for item in found["items"]
    ]
    print_table(f"{len(rows)} of {meta['candidates']} candidates", ("#score", "claim", "type", "status", "text"), rows)
    for episode in found["episodes"]:
        click.echo(f"episode {episode['alias']} {episode['role']}: {one_line(episode['excerpt'], 120)}")
    for warning in found["warnings"]:
        click.echo(f"warning: {warning}")
    if found["empty_reason"]:
        click.echo(f"empty: {found['empty_reason']}")
    used = f"{budget['used_tokens']} + {budget['envelope_tokens']} of {budget['max_tokens']} tokens"
    click.echo(f"{found['context_id']}  {used}, {budget['omitted']} omitted")


def _owner(user: str | None, found: list[str]) -> str:
    from bobctx.errors import InvalidInput

    if user:
        return user
    if len(found) == 1:
        return found[0]
    raise InvalidInput("name the user with -u", field="user_id")


@click.command("inspect")
@click.argument("trace_id")
@click.option("--user", "-u", envvar="BOBCTX_USER", help="Whose; may be left out where there is one user.")
@common
@plain_errors
def inspect_command(trace_id: str, user: str | None, db: Path | None, as_json: bool) -> None:
    """The trace of a context (`ctx_…`) or an assembly: a reason for every claim that was considered."""
    from bobctx.cli.access import run, users_in

    async def work(access: Access) -> Any:
        owner = _owner(user, [] if user else await users_in(access))
        return await access.call("GET", f"/v1/inspect/{quote(trace_id, safe='')}", params={"user_id": owner})

    found = run(settings_for(db), work, writing=False)
    if as_json:
        emit_json(found)
        return
    rows = [
        (claim["claim_id"][:16], claim["decision"], claim["reason"], _score(claim["score"]))
        for claim in found["claims"]
    ]
    title = f"{found['kind']} {trace_id}: {len(rows)} considered"
    print_table(title, ("claim", "decision", "reason", "#score"), rows)


def _score(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}"


@click.command("conflicts")
@scoped
@click.option("--resolve", metavar="CONFLICT", help="Decide this conflict (`cf_…`).")
@click.option("--keep", metavar="CLAIM", help="With --resolve: the claim that holds (`r1.c2` or its id).")
@click.option("--both", is_flag=True, help="With --resolve: all sides hold.")
@click.option("--reopen", metavar="CONFLICT", help="Withdraw the decision on this conflict.")
@common
@plain_errors
def conflicts_command(
    conversation: str | None,
    user: str | None,
    resolve: str | None,
    keep: str | None,
    both: bool,
    reopen: str | None,
    db: Path | None,
    as_json: bool,
) -> None:
    """Active claims that give one subject different values. With -u alone: of all conversations of that user."""
    if (resolve is not None) != (keep is not None or both) or (keep is not None and both):
        raise click.UsageError("name a conflict with --resolve, and either --keep CLAIM or --both")
    if resolve is not None and reopen is not None:
        raise click.UsageError("--resolve decides and --reopen withdraws: one of them at a time")
    from bobctx.cli.access import run

    async def work(access: Access) -> Any:
        owner, name = await _place(access, conversation, user)
        place = {"user_id": owner, "conversation_id": name}
        if reopen is not None:
            path = f"/v1/conflicts/{quote(reopen, safe='')}"
            return await access.call("DELETE", path, params={"user_id": owner})
        if resolve is None:
            return await access.call("GET", "/v1/conflicts", params=place)
        body = {**place, "keep": keep}
        return await access.call("POST", f"/v1/conflicts/{quote(resolve, safe='')}", body=body)

    found = run(settings_for(db), work, writing=resolve is not None or reopen is not None)
    if as_json:
        emit_json(found)
        return
    if reopen is not None:
        click.echo(f"withdrew the decision on {reopen}: it is open again")
        return
    if resolve is not None:
        click.echo(f"decided {resolve}: " + (f"{found['keep']} holds" if found["keep"] else "all sides hold"))
        return
    rows = [
        (
            conflict["conflict_id"] if index == 0 else "",
            f"{side['conversation_id']} {side['alias']}",
            side["value"],
            one_line(side["claim"], 90),
        )
        for conflict in found["conflicts"]
        for index, side in enumerate(conflict["sides"])
    ]
    print_table(f"{len(found['conflicts'])} open conflicts", ("conflict", "claim", "value", "text"), rows)
    if found["decided"]:
        decided = [
            (d["conflict_id"], d["conversation_id"], "all sides hold" if d["keep"] is None else f"{d['keep']} holds")
            for d in found["decided"]
        ]
        print_table(f"{len(decided)} decided (--reopen withdraws)", ("conflict", "conversation", "decision"), decided)


@click.command("feedback")
@click.argument("context_id")
@click.argument("outcome", type=click.Choice(OUTCOMES))
@click.option("--user", "-u", envvar="BOBCTX_USER", help="Whose; may be left out where there is one user.")
@click.option("--claim", help="The claim it is about (its id); left out: the whole context.")
@click.option("--reason", help="A reason code of your own, up to 64 characters.")
@click.option("--mutation", help="Makes a repeated call the same vote.")
@common
@plain_errors
def feedback_command(
    context_id: str,
    outcome: str,
    user: str | None,
    claim: str | None,
    reason: str | None,
    mutation: str | None,
    db: Path | None,
    as_json: bool,
) -> None:
    """Say what became of a context. From three votes on a claim, its rank moves; nothing else ever does."""
    from bobctx.cli.access import run, users_in

    body = {"outcome": outcome, "claim_id": claim, "reason_code": reason, "client_mutation_id": mutation}

    async def work(access: Access) -> Any:
        owner = _owner(user, [] if user else await users_in(access))
        sent = {"user_id": owner, **{k: v for k, v in body.items() if v is not None}}
        return await access.call("POST", f"/v1/context/{quote(context_id, safe='')}/feedback", body=sent)

    found = run(settings_for(db), work, writing=True)
    if as_json:
        emit_json(found)
        return
    again = " (was kept before)" if found["meta"]["replayed"] else ""
    click.echo(f"kept {found['feedback_id']}: {outcome}{again}")

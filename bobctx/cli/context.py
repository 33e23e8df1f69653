"""Commands about choosing claims for a task: compile, inspect, conflicts, feedback."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from bobctx.cli.options import Share, common, scoped, settings_for
from bobctx.cli.output import emit_json, one_line, plain_errors, print_table, several

if TYPE_CHECKING:
    from bobctx.cli.access import Access

KINDS = (
    "decision", "constraint", "definition", "commitment", "fact", "correction", "open_question", "failure",
    "artifact", "preference",
)  # fmt: skip
SHOWN_ID = 16
"""Characters of a claim's id that a table shows where it has no alias; as many name it."""
OUTCOMES = ("used", "useful", "irrelevant", "incorrect", "harmful")


async def _place(access: Access, conversation: str | None, user: str | None) -> tuple[str, str | None]:
    """The user, and the conversation unless only a user was named: then all of theirs."""
    if user and not conversation:
        return user, None
    from bobctx.cli.access import scope_in

    scope = await scope_in(access, conversation, user)
    return scope.user_id, scope.conversation_id


async def _asked(access: Access, owner: str, name: str | None, method: str, path: str, **more: Any) -> Any:
    """A call about a place. Raises `NotFound`, naming the conversation that is not there."""
    from bobctx.core.types import Scope
    from bobctx.errors import BobctxError, NotFound

    try:
        return await access.call(method, path, **more)
    except BobctxError as error:
        if error.code != NotFound.code or name is None:
            raise
        raise NotFound(await access.missing(Scope(conversation_id=name, user_id=owner))) from error


@click.command("compile")
@scoped
@click.option("--task", "-t", required=True, help="What the claims are for.")
@click.option("--max-tokens", type=int, help="Hard budget of the rendered text, 128 to 32000.  [default: 900]")
@click.option("--backend", help="Where the context goes; a cloud backend is given no local text.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this type; may be repeated.")
@click.option("--episodes", is_flag=True, help="Also source messages, in what is left of the budget.")
@click.option("--conflicts", type=click.Choice(("surface", "block")), help="Show both sides of a conflict, or neither.")
@click.option(
    "--recall-floor", type=Share(0, 2, min_open=True), help="Largest cosine distance to the task; needs vectors."
)
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
        return await _asked(access, owner, name, "POST", "/v1/context/compile", body=body)

    found = run(settings_for(db), work, writing=True)  # its trace is kept, so that it can be inspected and voted on
    if as_json:
        emit_json(found)
        return
    budget = found["budget"]
    one = found["scope"]["conversation_id"] is not None
    rows = [
        (
            _score(item["score"]),
            item["alias"],
            item["kind"],
            item["status"],
            one_line(item["claim"], 90) + ("" if one else f"\n({item['conversation_id']})"),
        )
        for item in found["items"]
    ]
    considered = budget["selected"] + budget["omitted"]
    title = f"{len(rows)} of {considered} claims considered" if considered else "no claims considered"
    print_table(title, ("#score", "=claim", "=type", "=status", "text"), rows)
    for episode in found["episodes"]:
        click.echo(f"episode {episode['alias']} {episode['role']}: {one_line(episode['excerpt'], 120)}")
    for warning in found["warnings"]:
        click.echo(f"warning: {warning}")
    if found["empty_reason"]:
        click.echo(f"empty: {found['empty_reason']}")
    used, around = budget["used_tokens"], budget["envelope_tokens"]
    click.echo(
        f"{found['context_id']}: {used} tokens of claims and {around} around them,\n"
        f"of {budget['max_tokens']} at most; {budget['omitted']} left out (`bobctx inspect` says why)"
    )


def _owner(user: str | None, found: list[str]) -> str:
    from bobctx.errors import InvalidInput

    if user:
        return user
    if len(found) == 1:
        return found[0]
    raise InvalidInput("name the user with -u; `bobctx conversations` lists them")


async def _trace(access: Access, owner: str, name: str) -> Any:
    """What is kept of a context or an assembly. Raises `NotFound`, saying what an id looks like."""
    from bobctx.errors import BobctxError, NotFound

    try:
        return await access.call("GET", f"/v1/inspect/{quote(name, safe='')}", params={"user_id": owner})
    except BobctxError as error:
        if error.code != NotFound.code:
            raise
        raise NotFound(
            f"no context or assembly {name} of {owner}; its id is the `ctx_…` that `bobctx compile` prints, "
            "or the `trace_id` of a daemon's assembly"
        ) from error


def _claim_id(trace: dict[str, Any], named: str) -> str:
    """The claim of a trace that an alias (`r4.c2`, or `CONVERSATION r4.c2`), an id or the start of one names.

    Raises `NotFound` and `InvalidInput`.
    """
    from bobctx.errors import InvalidInput, NotFound

    shown = [claim for claim in trace["claims"] if claim["decision"] == "included" and claim["reason"] != "episode"]
    exact = [c for c in shown if named in (c["claim_id"], c["alias"], f"{c['conversation_id']} {c['alias']}")]
    found = exact or [c for c in shown if len(named) >= SHOWN_ID and c["claim_id"].startswith(named)]
    if len(found) > 1:
        names = ", ".join(f'"{c["conversation_id"]} {c["alias"]}"' for c in found)
        raise InvalidInput(f"{named} is a claim of {len(found)} conversations; name one of {names}")
    if not found:
        raise NotFound(f"no claim {named} was shown there; `bobctx inspect {trace['trace_id']}` lists its claims")
    return str(found[0]["claim_id"])


@click.command("inspect")
@click.argument("trace_id")
@click.option("--user", "-u", envvar="BOBCTX_USER", help="Whose; may be left out where there is one user.")
@common
@plain_errors
def inspect_command(trace_id: str, user: str | None, db: Path | None, as_json: bool) -> None:
    """The trace of a context (`ctx_…`) or an assembly: a reason for every claim that was considered."""
    from bobctx.cli.access import run, users_in

    async def work(access: Access) -> Any:
        return await _trace(access, _owner(user, [] if user else await users_in(access)), trace_id)

    found = run(settings_for(db), work, writing=False)
    if as_json:
        emit_json(found)
        return
    one = found["scope"]["conversation_id"] is not None
    rows = [
        (
            claim["alias"] or claim["claim_id"][:SHOWN_ID],
            claim["decision"],
            claim["reason"],
            _score(claim["score"]),
            "" if one else claim["conversation_id"] or "",
        )
        for claim in found["claims"]
    ]
    print_table(
        f"{found['kind']} {trace_id}: {several(len(rows), 'claim')} considered",
        ("=claim", "=decision", "=reason", "#score", "+conversation"),
        rows,
    )


def _score(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


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
            return await _decide(access, "DELETE", path, reopen, params={"user_id": owner})
        if resolve is None:
            return await _asked(access, owner, name, "GET", "/v1/conflicts", params=place)
        path = f"/v1/conflicts/{quote(resolve, safe='')}"
        return await _decide(access, "POST", path, resolve, body={**place, "keep": keep})

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
            side["alias"],
            side["value"],
            f"{one_line(side['claim'], 90)}\n({side['conversation_id']})",
        )
        for conflict in found["conflicts"]
        for index, side in enumerate(conflict["sides"])
    ]
    print_table(several(len(found["conflicts"]), "open conflict"), ("=conflict", "=claim", "value", "text"), rows)
    if found["decided"]:
        decided = [(d["conflict_id"], d["conversation_id"], _decision(d["keep"], d["lost"])) for d in found["decided"]]
        print_table(f"{len(decided)} decided (--reopen withdraws)", ("=conflict", "+conversation", "decision"), decided)


async def _decide(access: Access, method: str, path: str, conflict: str, **more: Any) -> Any:
    """A call about one conflict. Raises `NotFound`, naming it."""
    from bobctx.errors import BobctxError, NotFound

    try:
        return await access.call(method, path, **more)
    except BobctxError as error:
        if error.code != NotFound.code:
            raise
        kind = "decision on a" if method == "DELETE" else "open"
        raise NotFound(f"no {kind} conflict {conflict} there; `bobctx conflicts` lists them") from error


def _decision(keep: str | None, lost: Sequence[str]) -> str:
    if keep is not None:
        return f"{keep} holds"
    return f"what held was deleted; {several(len(lost), 'claim')} stay out" if lost else "all sides hold"


@click.command("feedback")
@click.argument("context_id")
@click.argument("outcome", type=click.Choice(OUTCOMES))
@click.option("--user", "-u", envvar="BOBCTX_USER", help="Whose; may be left out where there is one user.")
@click.option("--claim", help="The claim it is about (`r4.c2` or its id); left out: the whole context.")
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

    body = {"outcome": outcome, "reason_code": reason, "client_mutation_id": mutation}

    async def work(access: Access) -> Any:
        owner = _owner(user, [] if user else await users_in(access))
        trace = await _trace(access, owner, context_id)
        named = None if claim is None else _claim_id(trace, claim)
        sent = {"user_id": owner, **{k: v for k, v in {**body, "claim_id": named}.items() if v is not None}}
        return await access.call("POST", f"/v1/context/{quote(context_id, safe='')}/feedback", body=sent)

    found = run(settings_for(db), work, writing=True)
    if as_json:
        emit_json(found)
        return
    again = " (was kept before)" if found["meta"]["replayed"] else ""
    click.echo(f"kept {found['feedback_id']}: {outcome}{again}")

"""`bobctx assemble`: what a model would get now."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bobctx.cli.options import DIALECTS, POLICIES, PROFILES, common, scoped, settings_for
from bobctx.cli.output import elided, emit_json, one_line, plain_errors, print_table, several

if TYPE_CHECKING:
    from bobctx.cli.access import Access
    from bobctx.core.types import Scope

SHOWN_ROWS = 24
"""Rows of the table for reading; `--json` gives all."""

NOTES = {
    "no_pending_turn": ": the last message is an answer (--ask TEXT adds a question)",
    "empty_conversation": ": nothing of it is stored",
    "head_truncated": ": the opening is cut to its share of the budget",
}
"""What a warning means, where its code does not say it."""


@click.command("assemble")
@scoped
@click.option("--window", type=int, help="The model's context window in tokens; else by --model.")
@click.option("--model", help="Model name, for its window.")
@click.option("--reserved", type=int, default=0, help="Tokens kept for system prompt, tools and answer.")
@click.option("--budget", type=int, help="Most tokens of history, whatever the window.")
@click.option("--profile", type=click.Choice(PROFILES), help="`long` gives history 75 % of the window.")
@click.option("--dialect", type=click.Choice(DIALECTS), default="openai", show_default=True)
@click.option("--backend", help="Where the prompt goes.")
@click.option("--leaf", help="Read the branch that ends in this message.")
@click.option("--ask", help="Append this user message, as a turn that is not recorded yet.")
@click.option("--tools/--no-tools", default=False, help="The model can call conv_expand and conv_search.")
@click.option("--policy", type=click.Choice(POLICIES), help="How claims are chosen.")
@click.option("--plan", is_flag=True, help="Ids to keep and the claims block, without contents.")
@common
@plain_errors
def assemble_command(
    conversation: str | None,
    user: str | None,
    window: int | None,
    model: str | None,
    reserved: int,
    budget: int | None,
    profile: str | None,
    dialect: str,
    backend: str | None,
    leaf: str | None,
    ask: str | None,
    tools: bool,
    policy: str | None,
    plan: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Print the message list of the next model request, and why it is what it is."""
    from bobctx.cli.access import run, scope_in

    asked: dict[str, Any] = {
        "window": window,
        "model": model,
        "reserved_tokens": reserved,
        "budget_tokens": budget,
        "profile": profile,
        "dialect": dialect,
        "backend": backend,
        "leaf_id": leaf,
        "append": [{"role": "user", "content": ask}] if ask else None,
        "tools": ["conv_expand", "conv_search"] if tools else None,
        "policy": policy,
        "return": "plan" if plan else "messages",
    }

    async def work(access: Access) -> tuple[dict[str, Any], list[str]]:
        scope = await scope_in(access, conversation, user)
        body = {k: v for k, v in asked.items() if v is not None}
        made: dict[str, Any] = await access.conversation("POST", scope, "/assemble", body=body)
        found = {**made, "trace_id": None}  # read-only: no trace of it is kept that could be inspected
        return found, [] if as_json else await _texts(access, scope, body, found)

    found, texts = run(settings_for(db), work, writing=False)
    if as_json:
        emit_json(found)
        return
    _show(found, texts)
    made = found.get("messages")
    if made and dialect != "openai":
        click.echo(f"in the dialect {dialect} this is a list of {several(len(made), 'message')}: --json prints it")


async def _texts(access: Access, scope: Scope, body: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """What each item of the plan says: dialects form, merge and split messages, so a list cannot be read beside it."""
    from bobctx.core.parts import parts_of, text_of

    plan, messages = found["plan"], found.get("messages")
    if messages and body["dialect"] == "openai" and len(messages) == len(plan):
        return [text_of(parts_of(message)) for message in messages]
    if messages:  # a plan holds the text of the block
        again = await access.conversation("POST", scope, "/assemble", body={**body, "return": "plan"})
        plan = again["plan"] if len(again["plan"]) == len(plan) else plan  # a daemon may have recorded meanwhile
    known = [str(item["id"]) for item in plan if item.get("alias")]
    said = {message.id: message.text for message in await access.store.load(scope, known)}
    asked = "".join(message["content"] for message in body.get("append", ()))
    return [item.get("text") or said.get(item["id"], asked if item["id"] else "") for item in plan]


def _show(found: dict[str, Any], texts: Sequence[str]) -> None:
    budget, decision = found["budget"], found["decision"]
    rows = [
        (item.get("alias") or "", item["kind"], f"{item['tokens']:,}", one_line(text, 90))
        for item, text in zip(found["plan"], texts, strict=True)
    ]
    print_table("", ("=message", "=part", "#tokens", "text"), elided(rows, SHOWN_ROWS))
    click.echo(f"{budget['used']:,} of {budget['history']:,} tokens that history may take; mode {decision['mode']}")
    click.echo(f"window {budget['window']:,} ({decision['window_source']})")
    covered, announced = decision["messages_covered"], decision["messages_uncovered"]
    if not (covered or announced):
        click.echo("nothing is left out")
    else:
        by = f" by {several(decision['claims_shown'], 'claim')}" if covered else ""
        click.echo(f"left out: {covered} covered{by}, {announced} announced")
        click.echo("room is left on purpose: the tail moves in large steps, so that a cache hits")
    for warning in found.get("warnings", []):
        text = warning if isinstance(warning, str) else json.dumps(warning)
        click.echo(f"note: {text}{NOTES.get(text, '')}")

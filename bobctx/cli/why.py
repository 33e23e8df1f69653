"""`bobctx why m3`: what became of a message."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bobctx.cli.options import common, scoped, settings_for
from bobctx.cli.output import age, emit_json, one_line, plain_errors, several

if TYPE_CHECKING:
    from bobctx.cli.access import Access
    from bobctx.core.records import MessageFate
    from bobctx.core.types import Scope

_CLAIM = re.compile(r"r\d+\.c\d+")
PARTS = {
    "preamble": "it is a system prompt: the host sends that with each request, and it is passed through untouched",
    "opening": "it is shown raw, in the protected opening",
    "kept": "it is shown raw, as the newest user message",
    "tail": "it is shown raw, among the newest messages",
    "covered": "it is left out of the prompt; its region is covered by claims",
    "announced": "it is left out of the prompt and announced there as left out",
    "branch": "it is on a branch that is not the active one",
    "deleted": "it was deleted; only its number remains",
}


@click.command("why")
@click.argument("message")
@scoped
@click.option("--window", type=int, help="For a model with this context window; else the default.")
@click.option("--model", help="For this model.")
@common
@plain_errors
def why_command(
    message: str,
    conversation: str | None,
    user: str | None,
    window: int | None,
    model: str | None,
    db: Path | None,
    as_json: bool,
) -> None:
    """Say what became of MESSAGE (`m3` or its id): raw, covered, announced, edited, deleted; who cites it."""
    from bobctx.cli.access import run, scope_in

    async def work(access: Access) -> dict[str, Any]:
        scope = await scope_in(access, conversation, user)
        return await explain(access, scope, message, window=window, model=model)

    found = run(settings_for(db), work, writing=False)
    if as_json:
        emit_json(found)
        return
    click.secho(f"{found['alias']} {found['role']} ({found['id']})", bold=True)
    for line in sentences(found):
        click.echo(line)


async def explain(
    access: Access, scope: Scope, ref: str, *, window: int | None = None, model: str | None = None
) -> dict[str, Any]:
    """Everything known of one message. Raises `NotFound`."""
    from bobctx.errors import NotFound

    try:
        fate = await access.store.fate(scope, ref)
    except NotFound as error:
        if _CLAIM.fullmatch(ref):
            text = f"{ref} is a claim, and this takes a message: `bobctx claims` shows claims and what they cite"
            raise NotFound(text) from error
        raise NotFound(await access.missing(scope, ref)) from error
    found = _known(fate)
    if fate.deleted:
        return {**found, "part": "deleted"}
    found["text"] = (await access.store.load(scope, [fate.id]))[0].text
    alias = found["alias"]
    claims = (await access.conversation("GET", scope, "/claims"))["claims"]
    chain = await access.conversation("GET", scope, "/chain")
    found["cited_by"] = [claim for claim in claims if alias in claim["cites"]]
    snapshot = await access.store.snapshot(scope)
    position = snapshot.spine.index_of(fate.id)
    found["position"] = position
    if position is not None:
        found["region"] = _region_at(chain["links"], position, snapshot.spine.opening_end)
    body: dict[str, Any] = {
        "return": "plan",
        **({"window": window} if window else {}),
        **({"model": model} if model else {}),
    }
    prompt = await access.conversation("POST", scope, "/assemble", body=body)
    found["window"] = prompt["budget"]["window"]
    found["part"] = _part(found, prompt)
    return found


def _known(fate: MessageFate) -> dict[str, Any]:
    from bobctx.core.types import alias_of

    return {
        "id": fate.id,
        "alias": alias_of(fate.id, fate.seq),
        "role": fate.role,
        "tokens": fate.tokens,
        "recorded_ts": fate.first_seen_ts,
        "edited_ts": fate.edited_ts,
        "deleted": fate.deleted,
        "injected": fate.injected,
        "text": None,
        "position": None,
        "region": None,
        "cited_by": [],
        "part": "branch",
    }


def _region_at(links: list[dict[str, Any]], position: int, start: int) -> dict[str, Any] | None:
    """The link of the chain that holds a spine position; links follow one another without a hole."""
    for link in links:
        if start <= position < start + link["messages"]:
            return link
        start += link["messages"]
    return None


def _part(found: dict[str, Any], prompt: dict[str, Any]) -> str:
    kind = next((item["kind"] for item in prompt["plan"] if item.get("id") == found["id"]), None)
    if kind is not None:
        return str(kind)
    if found["position"] is None:
        return "preamble" if found["role"] in ("system", "developer") else "branch"
    region = found["region"]
    covered = region is not None and region["region"] in prompt["decision"]["regions_covered"]
    return "covered" if covered else "announced"


def sentences(found: dict[str, Any]) -> list[str]:
    """The explanation as lines for reading."""
    now = time.time()
    lines = []
    if found["text"] is not None:
        lines.append(f'  "{one_line(found["text"], 160)}"')
    recorded = f"  recorded {age(now - found['recorded_ts'])} ago, {several(found['tokens'], 'token')}"
    lines.append(recorded + (", put there by the host" if found["injected"] else ""))
    if found["edited_ts"] is not None:
        lines.append(f"  edited {age(now - found['edited_ts'])} ago: what stood there before is gone")
    window = f" (window {found['window']:,})" if "window" in found else ""
    lines.append(f"  now: {PARTS[found['part']]}{window}")
    region = found["region"]
    if region is not None:
        fate = (
            f"{several(region['claims'], 'claim')} by {region['backend']}"
            if region["status"] == "shadow_ok"
            else "covers nothing now"
        )
        lines.append(f"  region {region['region']} {region['first']}..{region['last']}: {fate}")
    for claim in found["cited_by"]:
        state = "" if claim["active"] else f" (replaced by {claim['superseded_by'] or 'a lost claim'})"
        lines.append(f"  cited by {claim['alias']} [{claim['type']}] {claim['text']}{state}")
    if region is not None and region["status"] == "shadow_ok" and not found["cited_by"]:
        lines.append("  no claim cites it; its words stand in the originals (bobctx expand, bobctx search)")
    return lines

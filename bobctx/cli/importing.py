"""`bobctx import` and `bobctx record`: messages into the lane, in calls of a bounded size."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bobctx.cli.options import common, settings_for
from bobctx.cli.output import emit_json, one_line, plain_errors, print_table, several

if TYPE_CHECKING:
    from bobctx.cli.access import Access
    from bobctx.core.types import Scope

BATCH_MESSAGES = 500
BATCH_CHARACTERS = 8_000_000
"""Of one recording call, far under the daemon's limit of 64 MB."""
NOTES = {
    "deleted_not_stored": ": what was taken for a deleted message is not stored again (an id of its own stores it)"
}
"""What a warning of the recording means, where its code does not say it."""
EXPLAIN_LINES = 50
NAMED_LINES = 5


def batches(messages: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """`messages` in runs that one call can carry."""
    batch: list[dict[str, Any]] = []
    size = 0
    for message in messages:
        length = len(json.dumps(message))
        if batch and (len(batch) >= BATCH_MESSAGES or size + length > BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(message)
        size += length
    if batch:
        yield batch


async def record_all(
    access: Access,
    scope: Scope,
    messages: list[dict[str, Any]],
    *,
    backend: str | None,
    truncate_after: str | None = None,
) -> AsyncIterator[dict[str, Any]]:
    """Record in order; one answer of the API a call."""
    for number, batch in enumerate(batches(messages)):
        body: dict[str, Any] = {"messages": batch}
        if backend is not None:
            body["backend"] = backend
        if truncate_after is not None and number == 0:
            body["truncate_after"] = truncate_after
        yield await access.conversation("POST", scope, "/messages", body=body)


@contextmanager
def progress(label: str, total: int) -> Iterator[Any]:
    """A bar on stderr where someone is looking; yields a function that advances it."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda amount: bar.advance(task, amount)


async def _record(
    access: Access, scope: Scope, messages: list[dict[str, Any]], backend: str | None, truncate_after: str | None = None
) -> dict[str, Any]:
    """Totals, ids and warnings over all calls; the rest is what the last one says."""
    totals = dict.fromkeys(("indexed", "updated", "unchanged", "ignored"), 0)
    last: dict[str, Any] = {}
    ids: list[str] = []
    warnings: list[str] = []
    with progress("recording", len(messages)) as advance:
        async for last in record_all(access, scope, messages, backend=backend, truncate_after=truncate_after):
            for key in totals:
                totals[key] += last[key]
            ids += last["ids"]
            warnings += [w for w in last["warnings"] if w not in warnings]
            advance(totals["indexed"] + totals["updated"] + totals["unchanged"] + totals["ignored"])
    return {**last, **totals, "ids": ids, "warnings": warnings}


def _warn(warnings: list[str]) -> None:
    for warning in warnings:
        click.echo(f"note: {warning}{NOTES.get(warning, '')}", err=True)


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--conversation", "-c", envvar="BOBCTX_CONVERSATION", help="Conversation id.")
@click.option("--user", "-u", envvar="BOBCTX_USER", help="Whose conversation.")
@click.option("--format", "format_", help="Format of the file; detected if left out.")
@click.option("--pick", type=int, help="Which conversation of a file that holds several, from 1.")
@click.option("--backend", help="Where its prompts went, such as `anthropic`; decides what may leave this machine.")
@click.option("--explain", is_flag=True, help="List what was left out, line by line; nothing is recorded.")
@common
@plain_errors
def import_command(
    file: Path,
    conversation: str | None,
    user: str | None,
    format_: str | None,
    pick: int | None,
    backend: str | None,
    explain: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Record a transcript that another tool wrote (safe to repeat: known messages are left as they are)."""
    from bobctx.cli.access import run
    from bobctx.core.types import Scope
    from bobctx.errors import InvalidInput
    from bobctx.importers import read

    if not explain and not (conversation and user):
        raise InvalidInput("name the conversation and its user: -c ID -u USER", field="conversation")
    transcript = read(file, format_, pick=pick)
    if explain:
        _explain(transcript.notes, as_json)
        return
    scope = Scope(conversation_id=conversation or "", user_id=user or "")
    totals = run(
        settings_for(db), lambda access: _record(access, scope, transcript.messages, backend), writing=True, making=True
    )
    if as_json:
        emit_json(
            {
                "conversation_id": conversation,
                "format": transcript.format,
                "messages": len(transcript.messages),
                "skipped": transcript.skipped.total(),
                "skipped_reasons": dict(transcript.skipped),
                "warnings": [*transcript.warnings, *totals["warnings"]],
            }
        )
        return
    click.echo(
        f"{transcript.format}: {several(len(transcript.messages), 'message')} as {conversation} "
        f"({totals['indexed']:,} new, {totals['updated']:,} changed, {totals['unchanged']:,} known)"
    )
    for reason, count in transcript.skipped.most_common():
        click.echo(f"  left out: {count:,} {reason}{_which_lines(transcript.notes, reason)}")
    for warning in transcript.warnings:
        click.echo(f"  note: {warning}")
    _warn(totals["warnings"])


def _which_lines(notes: list[dict[str, Any]], reason: str) -> str:
    """Of lines that are not JSON: somebody may want to mend them. The rest is what `--explain` is for."""
    lines = [str(n["line"]) for n in notes if n["reason"] == reason == "bad_json" and n["line"]]
    more = ", …" if len(lines) > NAMED_LINES else ""
    return f" (line {', '.join(lines[:NAMED_LINES])}{more})" if lines else ""


def _explain(notes: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        emit_json({"left_out": notes})
        return
    rows = [(str(n["line"] or ""), n["reason"], one_line(str(n["what"]), 60)) for n in notes]
    print_table(several(len(rows), "line") + " left out", ("#line", "reason", "what"), rows[:EXPLAIN_LINES])
    if len(rows) > EXPLAIN_LINES:
        click.echo(f"… {len(rows) - EXPLAIN_LINES} more; --json lists all")


@click.command("record")
@click.argument("file", type=click.File("r", encoding="utf-8"), default="-")
@click.option("--conversation", "-c", required=True, envvar="BOBCTX_CONVERSATION", help="Conversation id.")
@click.option("--user", "-u", required=True, envvar="BOBCTX_USER", help="Whose conversation.")
@click.option("--backend", help="Where its prompts go, such as `openai`; decides what may leave this machine.")
@click.option("--truncate-after", help="First move the end of the conversation back to this message id.")
@common
@plain_errors
def record_command(
    file: Any,
    conversation: str,
    user: str,
    backend: str | None,
    truncate_after: str | None,
    db: Path | None,
    as_json: bool,
) -> None:
    """Record messages: a JSON list, `{"messages": [...]}`, one message, or JSONL, from FILE or stdin."""
    from bobctx.cli.access import run
    from bobctx.core.types import Scope

    messages = _posted(_read(file))
    scope = Scope(conversation_id=conversation, user_id=user)
    totals = run(
        settings_for(db),
        lambda access: _record(access, scope, messages, backend, truncate_after),
        writing=True,
        making=True,
    )
    if as_json:
        emit_json(totals)
        return
    click.echo(
        f"{conversation}: {totals['indexed']:,} new, {totals['updated']:,} changed, "
        f"{totals['unchanged']:,} known, {totals['ignored']:,} ignored"
    )
    _warn(totals["warnings"])


def _read(file: Any) -> str:
    """The text of a file. What a host records is its own: bytes that are no text are refused, not replaced."""
    from bobctx.errors import InvalidInput

    try:
        return str(file.read())
    except UnicodeDecodeError as error:
        raise InvalidInput("the messages are not UTF-8", field="messages") from error


def _posted(text: str) -> list[dict[str, Any]]:
    """Messages as given: the API checks them and names what is wrong."""
    from bobctx.errors import InvalidInput
    from bobctx.importers.source import of_text

    source = of_text(text, Path("stdin"))
    value = source.document if source.document is not None else [v for _, v in source.lines]
    if source.broken is not None or source.bad_lines:
        raise InvalidInput(source.broken or f"line {source.bad_lines[0]} is not JSON", field="messages")
    if isinstance(value, dict):
        value = value["messages"] if isinstance(value.get("messages"), list) else [value]
    if not value:
        raise InvalidInput('no messages: give a JSON list, `{"messages": [...]}`, or JSONL', field="messages")
    return list(value)

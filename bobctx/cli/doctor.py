"""`bobctx doctor`: checks the set-up from outside and says what to do."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from bobctx.cli.options import common, settings_for
from bobctx.cli.output import FAILED, age, console, emit_json, plain_errors

if TYPE_CHECKING:
    from bobctx.cli.access import Access
    from bobctx.settings import Settings

State = Literal["ok", "note", "problem"]

LOW_DISK = 256 * 1024 * 1024
"""Bytes; a write-ahead log of a busy day fits in this."""
CLOCK_SLACK_S = 120.0
WORKER_TIMEOUT_S = 60.0
MARKS = {"ok": "[green]ok[/]", "note": "[yellow]note[/]", "problem": "[red]problem[/]"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at."""

    check: str
    state: State
    found: str
    do: str = ""
    """What to do about it."""


@click.command("doctor")
@common
@plain_errors
def doctor_command(db: Path | None, as_json: bool) -> None:
    """Check database, permissions, daemon, seat, windows, worker, key file and clock. Exit 1 on a problem."""
    settings = settings_for(db)
    findings = [finding for check in CHECKS for finding in check(settings)]
    bad = [f for f in findings if f.state == "problem"]
    if as_json:
        rows = [{"check": f.check, "state": f.state, "found": f.found, "do": f.do} for f in findings]
        emit_json({"ok": not bad, "checks": rows})
    else:
        _show(findings)
    sys.exit(FAILED if bad else 0)


def _show(findings: list[Finding]) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        text = escape(finding.found) + (f"\n-> {escape(finding.do)}" if finding.do else "")
        table.add_row(MARKS[finding.state], finding.check, text)
    console().print(table)


def _database(settings: Settings) -> Iterator[Finding]:
    from bobctx.errors import BobctxError
    from bobctx.store import place

    path = settings.db_path
    if not path.exists():
        yield Finding(
            check="database",
            state="note",
            found=f"none yet at {path}",
            do="it is made by the first `bobctx serve` or import",
        )
        return
    try:
        place.prepare(path, readonly=True)
    except BobctxError as error:
        yield Finding(check="database", state="problem", found=error.message, do="fix the place or set CONTEXT_DB")
        return
    size = path.stat().st_size / 1_000_000
    yield Finding(check="database", state="ok", found=f"{path}, {size:,.1f} MB, private modes, local disk")
    yield _integrity(path)


def _integrity(path: Path) -> Finding:
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=5.0)
        try:
            result = [str(row[0]) for row in connection.execute("PRAGMA quick_check(5)")]
        finally:
            connection.close()
    except sqlite3.Error as error:
        return Finding(
            check="file",
            state="problem",
            found=f"cannot be read: {error}",
            do="restore it from a backup or move it away",
        )
    if result == ["ok"]:
        return Finding(check="file", state="ok", found="SQLite's quick check found nothing")
    return Finding(
        check="file", state="problem", found="; ".join(result), do="stop the daemon and restore the file from a backup"
    )


def _disk(settings: Settings) -> Iterator[Finding]:
    folder = settings.db_path.parent
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    state: State = "ok" if free > LOW_DISK else "problem"
    yield Finding(
        check="disk",
        state=state,
        found=f"{free / 1e9:,.1f} GB free",
        do="" if state == "ok" else f"make room in {folder}: recording stops when it is full",
    )


def _daemon(settings: Settings) -> Iterator[Finding]:
    from bobctx.cli.access import running_daemon

    found = running_daemon(settings)
    if found is None:
        yield Finding(check="daemon", state="note", found="not running", do="start it with `bobctx serve`")
    elif found.ready:
        yield Finding(check="daemon", state="ok", found=f"ready at {found.url} (pid {found.pid})")
    else:
        yield Finding(
            check="daemon",
            state="problem",
            found=f"process {found.pid} holds the database but is not ready: {found.reason}",
            do="see its log; a command that writes may be running",
        )


def _keys(settings: Settings) -> Iterator[Finding]:
    from bobctx import keys
    from bobctx.errors import ConfigurationError

    path = settings.keys_path
    if not path.exists():
        yield Finding(
            check="key file", state="note", found=f"none yet at {path}", do="made by the first `bobctx serve`"
        )
        return
    try:
        principals = keys.read(path)
        default = settings.key or keys.default_key(path)
    except ConfigurationError as error:
        yield Finding(
            check="key file", state="problem", found=error.message, do="fix it; the daemon does not start on it"
        )
        return
    except OSError as error:
        yield Finding(
            check="key file", state="problem", found=f"{path}: {error.strerror}", do="give this account access"
        )
        return
    if default is None or keys.hash_of(default) not in principals:
        yield Finding(
            check="key file",
            state="problem",
            found="the key that local clients send is not in it",
            do="set BOBCTX_KEY, or remove both files while no daemon runs",
        )
        return
    yield Finding(check="key file", state="ok", found=f"{path}, {len(principals)} keys, mode 0600")


def _settings(settings: Settings) -> Iterator[Finding]:
    from bobctx.settings import PREFIX, table

    known = {name for row in table() for name in row.env} | {f"{PREFIX}CONVERSATION", f"{PREFIX}USER"}
    odd = sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)
    if odd:
        yield Finding(
            check="settings",
            state="note",
            found=f"unknown: {', '.join(odd)}",
            do="check the spelling in docs/settings.md",
        )
    off = [
        name for name in ("compactor_enabled", "claims_in_prompt", "context_fit_enabled") if not getattr(settings, name)
    ]
    detail = f", switched off: {', '.join(off)}" if off else ""
    yield Finding(check="mode", state="note" if off or settings.mode != "live" else "ok", found=settings.mode + detail)


def _windows(settings: Settings) -> Iterator[Finding]:
    from bobctx import model_data
    from bobctx.core.budget import resolve_window

    catalog = model_data.window_catalog()
    window = resolve_window(None, setting=settings.window, catalog=catalog)
    yield Finding(
        check="windows",
        state="ok" if catalog else "note",
        found=f"{len(catalog):,} models known; an unknown one counts as {window.tokens:,} tokens ({window.source})",
        do="" if catalog else "litellm's model list was not found; set BOBCTX_WINDOW for models not in our own table",
    )
    counter = model_data.reference_counter()
    exact = "o200k" in counter.counter_id
    yield Finding(
        check="counting",
        state="ok" if exact else "note",
        found=counter.counter_id,
        do="" if exact else "the encoding file was not found; counts are estimates on the safe side",
    )


def _seat(settings: Settings) -> Iterator[Finding]:
    from bobctx.errors import ConfigurationError
    from bobctx.runtime import seating

    try:
        found = seating(settings)
    except ConfigurationError as error:
        yield Finding(check="seat", state="problem", found=error.message, do="set BOBCTX_COMPACTOR_MODEL or unset it")
        return
    local = found.seat.name == "extractive"
    detail = "the model-free extractor, no key needed, nothing leaves this machine" if local else found.reason
    detail += ", asked in windows of a few messages" if found.seat.small else ""
    yield Finding(check="seat", state="ok", found=f"{found.seat.name}: {detail}")


def _learned(settings: Settings) -> Iterator[Finding]:
    """Windows that providers' errors lowered, as the daemon found them."""
    from bobctx.cli.access import run
    from bobctx.errors import BobctxError

    if not settings.db_path.exists():
        return

    async def work(access: Access) -> dict[str, Any]:
        status: dict[str, Any] = await access.call("GET", "/v1/status")
        return status

    try:
        found = run(settings, work, writing=False)
    except BobctxError:
        return  # said by the checks of database and settings
    seat = found["compactor"].get("seat_window")
    if seat and seat["source"] == "learned":
        yield Finding(
            check="seat window",
            state="note",
            found=f"{seat['tokens']:,} tokens by the model's own error, configured as {seat['configured']:,}",
            do=found["compactor"]["fixes"]["seat_window_learned"],
        )
    for model, window in found["windows"].items():
        yield Finding(check="window", state="note", found=f"{model} reads {window:,} tokens, by its provider's error")


def _worker(settings: Settings) -> Iterator[Finding]:
    import asyncio

    from bobctx.compactor.supervisor import Supervisor
    from bobctx.core.parts import read_message
    from bobctx.core.records import Job
    from bobctx.core.types import Region, Scope

    said = {"role": "user", "content": "Never delete the backups in /var/backups."}
    job = Job(
        scope=Scope(conversation_id="doctor", user_id="doctor"),
        region=Region(messages=(read_message(said, id="m1", seq=1, tokens=12),)),
        prior=(),
        prefix="r1",
        seat="extractive",
        timeout_s=WORKER_TIMEOUT_S,
    )

    async def once() -> str | None:
        supervisor = Supervisor([sys.executable, "-m", "bobctx.cli", "worker"])
        try:
            result = await supervisor.dispatch(job)
        finally:
            await supervisor.close()
        return f"{result.error}: {result.error_detail}" if result.error else None

    started = time.monotonic()
    problem = asyncio.run(once())
    took = time.monotonic() - started
    if problem is None:
        yield Finding(check="worker", state="ok", found=f"started and answered in {took:.1f} s")
    else:
        yield Finding(check="worker", state="problem", found=problem, do="run `python -m bobctx.cli worker </dev/null`")


def _clock(settings: Settings) -> Iterator[Finding]:
    path = settings.db_path
    now = time.time()
    newest = max((p.stat().st_mtime for p in (path, path.with_name(path.name + "-wal")) if p.exists()), default=0.0)
    if newest > now + CLOCK_SLACK_S:
        yield Finding(
            check="clock",
            state="problem",
            found=f"the database was written {age(newest - now)} in the future",
            do="set the clock: cooldowns and retention follow it",
        )
    else:
        yield Finding(check="clock", state="ok", found=time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(now)))


CHECKS: tuple[Callable[[Settings], Iterator[Finding]], ...] = (
    _database,
    _disk,
    _daemon,
    _keys,
    _settings,
    _windows,
    _seat,
    _learned,
    _worker,
    _clock,
)

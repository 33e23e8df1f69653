"""`bobctx status`: is it working?"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bobctx.cli.options import common, settings_for
from bobctx.cli.output import FAILED, OK, age, emit_json, fail, plain_errors, several

if TYPE_CHECKING:
    from bobctx.cli.access import Access


TO_DO = {"disk_full": "the disk is full: make room; the daemon goes on by itself, what it refused has to be sent again"}
"""What to do about a daemon that runs and is not ready, by its reason."""
SHOWN = 5
"""Waiting conversations and breaks that are listed."""


@click.command("status")
@common
@plain_errors
def status_command(db: Path | None, as_json: bool) -> None:
    """Last record, last good compaction, seat, waiting work, breaks, size.

    Exit 1 if no daemon is ready, the database cannot be used, or work waits for over an hour.
    """
    from bobctx.cli.access import daemon_status, run
    from bobctx.cli.standing import is_late, lane_standing
    from bobctx.errors import StoreRefused, StoreUnavailable
    from bobctx.runtime import budget_for

    settings = settings_for(db)
    running, theirs = daemon_status(settings)
    now = time.time()

    async def work(access: Access) -> dict[str, Any]:
        own = await access.call("GET", "/v1/status")
        standing = await lane_standing(
            access.store,
            budget_for(settings)(None),
            region_cap=settings.compactor_region_tokens,
            profile=settings.profile,
            now=now,
        )
        return {**own, **standing}

    try:
        found = run(settings, work, writing=False)
    except (StoreUnavailable, StoreRefused) as error:
        data = {"code": error.code, "message": error.message}
        fail(error.message, FAILED, as_json=as_json, error=data)
    found["daemon"] = None if running is None else running.as_json()
    if theirs is not None:  # what the running process knows, not what this one would do
        found.update({key: theirs[key] for key in ("mode", "uptime_s", "counter_id", "compactor", "keys", "windows")})
    else:
        found["uptime_s"] = None
    ready = running is not None and running.ready and theirs is not None
    found["ok"] = bool(found["store"]["ok"]) and ready and not is_late(found)
    if as_json:
        emit_json(found)
    else:
        for line in _lines(found, now):
            click.echo(line)
    sys.exit(OK if found["ok"] else FAILED)


def _lines(found: dict[str, Any], now: float) -> list[str]:
    """The report for reading."""
    store, compactor = found["store"], found["compactor"]
    daemon = found["daemon"]
    state = "working" if found["ok"] else "NOT working" if daemon else "no daemon runs"
    lines = [f"bobctx {found['version']}: {state}, mode {found['mode']}"]
    if daemon is None:
        lines.append("daemon     not running (start it with `bobctx serve`)")
    else:
        state = "ready" if daemon["ready"] else "not ready"
        state += f": {daemon['reason']}" if daemon["reason"] else ""
        lines.append(f"daemon     {daemon['url'] or 'a command'} (pid {daemon['pid']}), {state}")
    problem = "" if store["ok"] else f", cannot be used: {store['reason']}"
    lines.append(f"database   {store['path']}, {(store['size_bytes'] + store['wal_bytes']) / 1e6:,.1f} MB{problem}")
    lines.append(
        f"history    {several(found['conversations'], 'conversation')}, {several(found['messages'], 'message')}, "
        f"{several(found['tokens'], 'token')}; last recorded {_ago(found['last_recorded_ts'], now)}"
    )
    lines.append(
        f"claims     {found['claims']:,} current in {several(found['regions'], 'region')}; last good compaction "
        f"{_ago(found['last_compaction_ts'], now)}"
    )
    why = f" ({compactor['seat_reason']})" if compactor.get("seat_reason") else ""
    lines.append(f"seat       {compactor['seat']}{why}{'' if compactor['enabled'] else ', switched off'}")
    window = compactor.get("seat_window")
    if window and window["source"] == "learned":
        lines.append(
            f"window     the seat reads {window['tokens']:,} tokens, by its own error, not {window['configured']:,}"
        )
    lines += [f"window     {model} reads {n:,} tokens, by its own error" for model, n in found["windows"].items()]
    if compactor.get("calls"):
        lines.append(
            f"spent      {compactor['cost_usd']:.4f} USD in {several(compactor['calls'], 'call')}, "
            f"{several(compactor['tokens_read'], 'token')} read and {compactor['tokens_written']:,} written"
        )
    if store.get("index_lag"):
        lines.append(f"search     {several(store['index_lag'], 'message')} not yet in the identifier index")
    lines += [
        f"waiting    {item['conversation_id']} of {item['user_id']}: {item['tokens']:,} tokens for "
        f"{age(item['age_s'])} ({item['reason']})"
        for item in found["waiting"][:SHOWN]
    ]
    lines += [
        f"break      {item['conversation_id']} at position {item['position']}: {item['code']}"
        for item in found["breaks"][:SHOWN]
    ]
    failed = compactor["last_failure_reason"] if not compactor["cooling_down"] else None  # it works again
    lines += [f"-> {reason}: {fix}" for reason, fix in compactor["fixes"].items() if reason != failed]
    if not found["ok"] and found["waiting"]:
        lines.append("-> compaction is late: see the daemon's log, or run `bobctx compact -c … -u …`")
    if daemon is None or "command" in (daemon["reason"] or ""):
        lines.append("-> no daemon is ready: start it with `bobctx serve`, or see its log")
    elif not daemon["ready"]:
        lines.append(f"-> {TO_DO.get(daemon['reason'], 'the daemon runs and is not ready: see its log')}")
    return lines


def _ago(moment: float | None, now: float) -> str:
    return "never" if moment is None else f"{age(now - moment)} ago"

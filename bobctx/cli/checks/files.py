"""The database and its files: there, whole, private, of one owner, on a disk with room, under a sane clock."""

from __future__ import annotations

import os
import pwd
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bobctx.cli.checks.finding import Finding, State
from bobctx.cli.output import age

if TYPE_CHECKING:
    from bobctx.settings import Settings

LOW_DISK = 256 * 1024 * 1024
"""Bytes; a write-ahead log of a busy day fits in this."""
CLOCK_SLACK_S = 120.0


def database(settings: Settings) -> Iterator[Finding]:
    """Its place, its modes, and whether SQLite can read it."""
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


def owners(settings: Settings) -> Iterator[Finding]:
    """Files of another account: a lane that starts as its own then cannot open its write-ahead log."""
    from bobctx.store import place

    path = settings.db_path
    files = [p for p in (path, *place.siblings(path), place.lock_path(path), settings.keys_path) if p.exists()]
    if not files:
        return
    belongs = {file: file.stat().st_uid for file in files}
    lane = belongs.get(path, os.geteuid())
    foreign = [file for file, uid in belongs.items() if uid != lane]
    if foreign:
        names = ", ".join(f"{file.name} to {_account(belongs[file])}" for file in foreign)
        yield Finding(
            check="owner",
            state="problem",
            found=f"{path.name} belongs to {_account(lane)}, but {names}: the lane does not start again like this",
            do=f"stop what has it open, then: chown {_account(lane)} {' '.join(str(file) for file in foreign)}",
        )
    elif lane != os.geteuid():
        yield Finding(
            check="owner",
            state="note",
            found=f"the lane belongs to {_account(lane)}, this command runs as {_account(os.geteuid())}",
            do=f"run the daemon and commands that write as {_account(lane)}",
        )
    else:
        yield Finding(check="owner", state="ok", found=f"every file belongs to {_account(lane)}")


def _account(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def disk(settings: Settings) -> Iterator[Finding]:
    """Room beside the database."""
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


def clock(settings: Settings) -> Iterator[Finding]:
    """No file from the future."""
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

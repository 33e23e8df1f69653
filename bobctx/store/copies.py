"""Whole copies of a database: taken while a daemon writes, checked, and put back where none runs."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from bobctx.errors import StoreRefused, StoreUnavailable
from bobctx.store import migrate, place

PAGES = 2_000
"""Copied at a time: a daemon's writer waits for no more than these (about 8 MB)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """A checked copy."""

    path: Path
    bytes: int
    schema: int
    messages: int


def back_up(source: Path, target: Path) -> Copied:
    """Copy a database, whether or not it is in use; the copy is private and was checked.

    Raises `StoreRefused` for a target that is there and a damaged source, `StoreUnavailable` where it cannot be done.
    """
    place.prepare(source, readonly=True)
    if target.exists():
        raise StoreRefused(f"{target} is there already; name a new file", reason="exists", path=str(target))
    try:
        _copied(source, target)
        return inspect(target)
    except (sqlite3.Error, OSError) as exc:
        _removed(target)
        raise StoreUnavailable(f"{source} cannot be copied to {target}: {_said(exc)}", reason="cannot_open") from exc
    except StoreRefused:
        _removed(target)
        raise


def _removed(path: Path) -> None:
    """Take away what was begun; where the disk does not let it (read-only), why it was begun in vain is told."""
    with suppress(OSError):
        path.unlink(missing_ok=True)


def inspect(copy: Path) -> Copied:
    """What a copy holds. Raises `StoreRefused` for a damaged, foreign or newer file, `StoreUnavailable` for none."""
    if not copy.is_file():
        raise StoreUnavailable(f"there is no file at {copy}", reason="missing", path=str(copy))
    try:
        with closing(_read_only(copy)) as conn:
            found = str(conn.execute("PRAGMA integrity_check(1)").fetchone()[0])
            if found != "ok":
                raise StoreRefused(f"{copy} is damaged: {found}", reason="damaged", path=str(copy))
            schema = migrate.check(conn, copy)
            if not schema:
                raise StoreRefused(f"{copy} is an empty database", reason="empty", path=str(copy))
            messages = int(conn.execute("SELECT count(*) FROM messages").fetchone()[0])
    except sqlite3.Error as exc:
        raise StoreRefused(f"{copy} is no database that can be read: {exc}", reason="damaged", path=str(copy)) from exc
    return Copied(path=copy, bytes=copy.stat().st_size, schema=schema, messages=messages)


def restore(copy: Path, path: Path) -> Path | None:
    """Put a checked copy in the database's place; where the file from before is kept, if there was one.

    Takes the lane's lock meanwhile: raises `StoreUnavailable` (reason `in_use`) while a daemon or a command has it,
    or where the disk does not let it. Raises `StoreRefused` for a copy that `inspect` refuses.
    """
    inspect(copy)
    place.prepare(path, readonly=False)
    lock = place.Lock(path)
    lock.acquire()
    try:
        new = path.with_name(path.name + ".restoring")
        new.unlink(missing_ok=True)
        _copied(copy, new)
        kept = _kept(path) if path.stat().st_size else None
        for file in place.siblings(path):
            file.unlink(missing_ok=True)
        os.replace(new, path)
        return kept
    except (sqlite3.Error, OSError) as exc:
        raise StoreUnavailable(f"{copy} cannot be put at {path}: {_said(exc)}", reason="cannot_open") from exc
    finally:
        lock.release()


def _kept(path: Path) -> Path:
    """A copy of the file from before, beside it; of a damaged one its bytes, for it is why a copy is put back."""
    kept = path.with_name(f"{path.name}.before-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}")
    try:
        _copied(path, kept)
    except sqlite3.DatabaseError:
        for file in (path, *place.siblings(path)):
            if file.exists():
                shutil.copy(file, kept.with_name(kept.name + file.name.removeprefix(path.name)))
    return kept


def _said(exc: sqlite3.Error | OSError) -> str:
    return str(getattr(exc, "strerror", None) or exc)


def _copied(source: Path, target: Path) -> None:
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, place.FILE_MODE))
    with closing(_read_only(source)) as given, closing(sqlite3.connect(target)) as made:
        given.backup(made, pages=PAGES)
        made.execute("PRAGMA journal_mode = DELETE")  # one file, whole without a log beside it


def _read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=30.0)

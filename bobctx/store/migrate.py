"""Numbered SQL steps from an empty file to the present schema, each in the transaction that records it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from bobctx.errors import StoreRefused
from bobctx.store import driver
from bobctx.store.place import FILE_MODE, siblings

APPLICATION_ID = 0x626F6263
"""`bobc`, in the file's header: a database of another program is refused, never migrated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step: the version it leads to and its statements."""

    version: int
    name: str
    statements: tuple[str, ...]


def statements_of(script: str) -> tuple[str, ...]:
    """The single statements of an SQL script; `executescript` would commit the open transaction first."""
    found, current = [], ""
    for line in script.splitlines(keepends=True):
        if not current and (not line.strip() or line.lstrip().startswith("--")):
            continue
        current += line
        if sqlite3.complete_statement(current):
            found.append(current.strip())
            current = ""
    if current.strip():
        raise ValueError(f"unfinished statement: {current[:80]}")
    return tuple(found)


def migrations() -> tuple[Migration, ...]:
    """All steps of this version of the program, in order."""
    folder = files("bobctx.store") / "sql" / "migrations"
    found = []
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".sql"):
            number, _, name = entry.name.removesuffix(".sql").partition("_")
            statements = statements_of(entry.read_text("utf-8"))
            found.append(Migration(version=int(number), name=name, statements=statements))
    return tuple(found)


def schema_version(conn: sqlite3.Connection | driver.Conn) -> int:
    """The version a database is at; 0 for an empty file."""
    return int(conn.execute("PRAGMA user_version").fetchone()[0])


def newest() -> int:
    """The version this program writes."""
    return migrations()[-1].version


def check(conn: sqlite3.Connection | driver.Conn, path: Path) -> int:
    """The version of a database that this program may use; raises `StoreRefused` for any other."""
    version = schema_version(conn)
    application = int(conn.execute("PRAGMA application_id").fetchone()[0])
    tables = int(conn.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0])
    if tables and application != APPLICATION_ID:
        raise StoreRefused(f"{path} is a database of another program", reason="foreign_file", path=str(path))
    if version > newest():
        raise StoreRefused(
            f"{path} was written by a newer version (schema {version}, this one knows {newest()})",
            reason="newer_schema",
            path=str(path),
        )
    return version


def backup_path(path: Path, version: int) -> Path:
    """Where the copy of a database at `version` is kept while and after it is migrated."""
    return path.with_name(f"{path.name}.v{version}.bak")


def backups(path: Path) -> list[Path]:
    """Copies that migrations of the database at `path` left behind."""
    return sorted(path.parent.glob(f"{path.name}.v*.bak"))


def migrate(path: Path) -> int:
    """Bring the database at `path` to the newest schema, with a backup first; returns its version.

    Raises `StoreRefused` for newer or foreign files and `StoreUnavailable` where the file cannot be used.
    """
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=2.0)) as conn:
            version = check(conn, path)
            mode = conn.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            if mode != "wal":
                raise StoreRefused(
                    f"{path} is on a file system without write-ahead logging", reason="no_wal", path=str(path)
                )
            pending = [m for m in migrations() if m.version > version]
            if version and pending:
                _back_up(conn, path, backup_path(path, version))
            for migration in pending:
                _apply(conn, migration)
            return schema_version(conn)
    except sqlite3.Error as exc:
        raise driver.unavailable(exc) from exc


def _apply(conn: sqlite3.Connection, migration: Migration) -> None:
    conn.execute("BEGIN IMMEDIATE")
    try:
        for statement in migration.statements:
            conn.execute(statement)
        conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        conn.execute(f"PRAGMA user_version = {migration.version}")
        conn.execute("COMMIT")
    finally:
        if conn.in_transaction:
            conn.execute("ROLLBACK")


def _back_up(conn: sqlite3.Connection, path: Path, target: Path) -> None:
    """A copy of the database before its migration; one that an earlier try made of the same file is kept."""
    if target.exists() and target.stat().st_mtime_ns > _changed_ns(path):
        return
    part = target.with_name(f"{target.name.removesuffix('.bak')}.part.bak")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, FILE_MODE))
    with closing(sqlite3.connect(part)) as copy:
        conn.backup(copy)
    os.replace(part, target)


def _changed_ns(path: Path) -> int:
    """When the database was last written, its log included; an empty log is made by every reader."""
    return max(f.stat().st_mtime_ns for f in (path, siblings(path)[0]) if f.exists() and f.stat().st_size)

"""What a rollout compares and copies: trees of files with a manifest of hashes, and SQLite files in use."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

MANIFEST = ".bobctx-manifest.json"
IGNORED = frozenset({"__pycache__", ".git", ".venv", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"})


class GateFailed(Exception):
    """A gate did not let the deployment through; its text says why."""


# -- trees ----------------------------------------------------------------------------


def files_of(tree: Path) -> Iterator[Path]:
    """Every file that counts, in order; links are not followed."""
    for folder, names, files in os.walk(tree):
        names[:] = sorted(n for n in names if n not in IGNORED)
        for name in sorted(files):
            if name != MANIFEST and not name.endswith(".pyc"):
                yield Path(folder, name)


def hashes_of(tree: Path) -> dict[str, str]:
    """Path in the tree -> SHA-256."""
    return {path.relative_to(tree).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files_of(tree)}


def seal(tree: Path) -> int:
    """Note what the tree holds now; how many files."""
    found = hashes_of(tree)
    (tree / MANIFEST).write_text(json.dumps({"sealed": time.time(), "files": found}, indent=1) + "\n")
    return len(found)


def drift(tree: Path) -> list[str]:
    """What is not as it was sealed. Raises `GateFailed` for a tree that never was."""
    try:
        known = json.loads((tree / MANIFEST).read_bytes())["files"]
    except (OSError, ValueError, KeyError, TypeError):
        raise GateFailed(f"{tree} was never sealed; run its tests, then: rollout.py seal {tree}") from None
    found = hashes_of(tree)
    changed = sorted(name for name in known.keys() & found.keys() if known[name] != found[name])
    return [
        *(f"changed {name}" for name in changed),
        *(f"missing {name}" for name in sorted(known.keys() - found.keys())),
        *(f"added {name}" for name in sorted(found.keys() - known.keys())),
    ]


# -- databases ------------------------------------------------------------------------


def schema_of(path: Path) -> int:
    """Its number, as the program that made it wrote it."""
    with contextlib.closing(read_only(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def read_only(path: Path) -> sqlite3.Connection:
    """A connection that leaves nothing behind: without a log SQLite would make one, and it would be root's."""
    log = path.with_name(path.name + "-wal")
    still = "" if log.exists() else "&immutable=1"
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro{still}", uri=True, timeout=30)


def copy_database(source: Path, target: Path) -> None:
    """A checked copy, taken while others write. Raises `GateFailed`."""
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        with (
            contextlib.closing(read_only(source)) as given,
            contextlib.closing(sqlite3.connect(target)) as made,
        ):
            given.backup(made)
            result = made.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise GateFailed(f"{source} cannot be copied: {error}") from error
    if result != "ok":
        raise GateFailed(f"the copy of {source} is damaged: {result}")

"""Named statements: parsed whole, used, valid, and never reading beyond one scope by accident."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import bobctx.store
from bobctx.store import migrate
from bobctx.store.statements import SQL, parse

SOURCES = "".join(p.read_text("utf-8") for p in Path(bobctx.store.__file__).parent.glob("*.py"))

WHOLE_TABLE = {
    # Lane-wide on purpose: maintenance of the one database, never a caller's read.
    "scopes": "the scheduler's search for due work",
    "queue_take": "the substring index catches up in row order",
    "queue_length": "the index's lag",
    "rows_indexed": "everything is indexed again",
    "claims_to_describe": "every claim is indexed again",
    "conversations_with_claims": "every claim is indexed again",
    "claims_without_facts": "once, at a start: whether an older file was migrated",
    "body_holds": "whether a piece of deleted text lives elsewhere",
    "retention_all": "every user's limit",
    "learned_all": "once, at a start",
    "own_modes": "conversations by mode, for the metrics",
    "learned_trim": "keeps the table small: it reads what a cap allows",
    "aliases": "kept in memory, refreshed by the upkeep",
    "access_newest": "the operator's reading of the log, newest first and bounded",
    "repeats_trim": "the oldest few answers of the lane, bounded",
    "stale_scopes": "once, at a start with another counter",
}


@pytest.fixture
def conn() -> sqlite3.Connection:
    opened = sqlite3.connect(":memory:")
    for migration in migrate.migrations():
        for statement in migration.statements:
            opened.execute(statement)
    return opened


def test_names_and_comments_are_parsed() -> None:
    assert parse("-- head\n-- name: a\n-- why\nSELECT 1\nFROM t;\n\n-- name: b\nSELECT 2;\n") == {
        "a": "SELECT 1 FROM t",
        "b": "SELECT 2",
    }
    with pytest.raises(ValueError, match="twice"):
        parse("-- name: a\nSELECT 1;\n-- name: a\nSELECT 2;\n")


def nothing(sql: str) -> Any:
    """Null for every parameter, numbered or named."""
    names = re.findall(r"(?<![\w:]):([a-z]\w*)", sql)
    return dict.fromkeys(names) if names else (None,) * sql.count("?")


@pytest.mark.parametrize("name", sorted(SQL))
def test_statement_is_valid_and_used(conn: sqlite3.Connection, name: str) -> None:
    conn.execute(f"EXPLAIN {SQL[name]}", nothing(SQL[name]))
    stem = name.removeprefix("fts_").removeprefix("substring_")
    assert f'"{name}"' in SOURCES or f'_{stem}"' in SOURCES, f"{name} is used nowhere"


@pytest.mark.parametrize("name", sorted(SQL))
def test_statement_scans_no_whole_table(conn: sqlite3.Connection, name: str) -> None:
    """Fails for a query whose cost grows with other conversations: it would also be an unscoped read."""
    plan = conn.execute(f"EXPLAIN QUERY PLAN {SQL[name]}", nothing(SQL[name])).fetchall()
    steps = [row[3] for row in plan]
    scans = [s for s in steps if s.startswith("SCAN") and "wanted VIRTUAL" not in s and "VIRTUAL TABLE INDEX" not in s]
    scans = [s for s in scans if "CONSTANT ROW" not in s and not s.startswith("SCAN (")]
    made = {s.split()[1] for s in steps if s.startswith(("MATERIALIZE ", "CO-ROUTINE "))}  # of the statement itself
    scans = [s for s in scans if s.split()[1] not in made]
    assert not scans or name in WHOLE_TABLE, f"{name}: {scans}"

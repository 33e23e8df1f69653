"""Migrations: all or nothing, backed up, refused for what this version does not know, equal to schema.sql."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from bobctx.core.shortlist import ShortlistQuery
from bobctx.core.types import EgressClass
from bobctx.errors import StoreRefused
from bobctx.store import SqliteStore, migrate
from bobctx.store.migrate import Migration
from tests.integration.store.making import PROMPT, SCOPE, VALIDATOR, chain_of, compact, ids, put, texts, turns


def shape(conn: sqlite3.Connection) -> list[tuple[str, str, str]]:
    return conn.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").fetchall()


def test_all_migrations_together_are_the_present_schema(path: Path) -> None:
    migrate.migrate(path)
    script = (files("bobctx.store") / "sql" / "schema.sql").read_text("utf-8")
    with closing(sqlite3.connect(path)) as migrated, closing(sqlite3.connect(":memory:")) as whole:
        for statement in migrate.statements_of(script):
            whole.execute(statement)
        assert shape(migrated) == shape(whole)


def test_migrations_are_numbered_without_a_hole() -> None:
    assert [m.version for m in migrate.migrations()] == list(range(1, migrate.newest() + 1))


def test_migrating_twice_does_nothing_more(path: Path) -> None:
    assert migrate.migrate(path) == migrate.migrate(path) == migrate.newest()
    assert migrate.backups(path) == []


def test_a_failing_migration_leaves_the_file_as_it_was_and_a_backup(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails with `executescript`, which commits the open transaction first and leaves half a schema."""
    migrate.migrate(path)
    known = migrate.migrations()
    broken = Migration(
        version=migrate.newest() + 1, name="broken", statements=("CREATE TABLE half (x)", "CREATE TABLE half (x)")
    )
    monkeypatch.setattr(migrate, "migrations", lambda: (*known, broken))
    with pytest.raises(Exception, match="cannot be used"):
        migrate.migrate(path)
    with closing(sqlite3.connect(path)) as conn:
        assert migrate.schema_version(conn) == known[-1].version
        assert not conn.execute("SELECT 1 FROM sqlite_schema WHERE name = 'half'").fetchall()
    [backup] = migrate.backups(path)
    assert backup.stat().st_mode & 0o777 == 0o600


async def test_a_migration_that_fails_again_copies_the_database_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails if a daemon that tries again every few seconds writes the whole file each time."""
    async with await SqliteStore.open(path) as store:
        await put(store, turns(1, 3))
    broken = Migration(version=migrate.newest() + 1, name="broken", statements=("CREATE TABLE half (x)", "nonsense"))
    backup = migrate.backup_path(path, migrate.newest())
    with monkeypatch.context() as patch:
        known = migrate.migrations()
        patch.setattr(migrate, "migrations", lambda: (*known, broken))
        written = set()
        for _ in range(4):
            with pytest.raises(Exception, match="cannot be used"):
                migrate.migrate(path)
            written.add((backup.stat().st_ino, backup.stat().st_mtime_ns))
        assert len(written) == 1
    async with await SqliteStore.open(path) as store:
        await put(store, turns(4, 6))
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "migrations", lambda: (*known, broken))
        with pytest.raises(Exception, match="cannot be used"):
            migrate.migrate(path)
    assert migrate.backups(path) == [backup]
    with closing(sqlite3.connect(backup)) as conn:
        assert conn.execute("SELECT count(*) FROM messages").fetchone() == (18,), "it was written since: copied again"


async def test_a_newer_file_is_refused_and_left_alone(path: Path) -> None:
    async with await SqliteStore.open(path) as store:
        await put(store, turns(1, 1))
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("PRAGMA user_version = 99")
    for readonly in (False, True):
        with pytest.raises(StoreRefused) as caught:
            await SqliteStore.open(path, readonly=readonly)
        assert caught.value.data["reason"] == "newer_schema"
        assert "99" in caught.value.message
    with closing(sqlite3.connect(path)) as conn:
        conn.execute(f"PRAGMA user_version = {migrate.newest()}")
    async with await SqliteStore.open(path) as store:
        assert await ids(store) == ["u1", "a1"]


async def test_a_database_of_another_program_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("CREATE TABLE memories (text)")
        conn.commit()
    os.chmod(path, 0o600)
    with pytest.raises(StoreRefused) as caught:
        await SqliteStore.open(path)
    assert caught.value.data["reason"] == "foreign_file"
    with closing(sqlite3.connect(path)) as conn:
        assert conn.execute("SELECT name FROM sqlite_schema").fetchall() == [("memories",)]


async def test_the_readable_view_has_the_columns_of_the_design(path: Path) -> None:
    async with await SqliteStore.open(path) as store:
        await put(store, turns(1, 1))
        assert SCOPE.user_id == "ana"
    with closing(sqlite3.connect(path)) as conn:
        conn.row_factory = sqlite3.Row
        rows = conn.execute("SELECT * FROM conv_messages ORDER BY id").fetchall()
    assert dict(rows[1]).items() >= {
        "conversation_id": "talk", "user_id": "ana", "message_id": "a1", "seq": 2, "role": "assistant",
        "content": "answer 1", "parents_json": '["u1"]', "egress": "cloud_ok", "injected": 0, "deleted": 0,
        "tokens_est": 100, "counter_id": "test", "body_json": '{"role":"assistant","content":"answer 1"}',
    }.items()  # fmt: skip
    assert rows[0]["parents_json"] == "[]"


def _at_version(full: Path, version: int, path: Path) -> None:
    """The database `full` as the program of an earlier schema version left it: its tables, the rows they had."""
    path.touch(mode=0o600)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        for migration in migrate.migrations()[:version]:
            migrate._apply(conn, migration)
        conn.execute("PRAGMA foreign_keys = OFF")
        conn.execute("ATTACH ? AS whole", (str(full),))
        rows = conn.execute("SELECT name FROM main.sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRT%'")
        indexes = "SELECT sql FROM {}.sqlite_schema WHERE name = 'claims_fts'"
        remade = conn.execute(indexes.format("main")).fetchone() != conn.execute(indexes.format("whole")).fetchone()
        for (table,) in rows.fetchall():
            if table.startswith("sqlite_") or (remade and table.startswith("claims_fts")):
                continue
            ours = {row[1] for row in conn.execute(f"PRAGMA main.table_info({table})")}
            theirs = {row[1] for row in conn.execute(f"PRAGMA whole.table_info({table})")}
            columns = ", ".join(sorted(ours & theirs))
            conn.execute(f"INSERT OR REPLACE INTO main.{table} ({columns}) SELECT {columns} FROM whole.{table}")


@pytest.mark.parametrize("version", range(1, migrate.newest()))
async def test_a_database_of_every_earlier_version_is_brought_up_with_all_it_holds(path: Path, version: int) -> None:
    """Fails when a migration drops a table of messages, replies or links, or forgets to fill what is derived."""
    old = path.with_name("old.db")
    async with await SqliteStore.open(path, prompt_version=PROMPT, validator_version=VALIDATOR) as store:
        await put(store, turns(1, 6))
        await compact(store, 6, [("c1", "the port of 3 is 8003", 2)])
        said = await texts(store, await ids(store))
    _at_version(path, version, old)
    async with await SqliteStore.open(old, prompt_version=PROMPT, validator_version=VALIDATOR) as store:
        assert await texts(store, await ids(store)) == said
        assert len(chain_of(await store.snapshot(SCOPE)).links) == 1
        classes: tuple[EgressClass, ...] = ("local", "cloud_ok")
        for egress in classes:
            asked = ShortlistQuery(task="the port of 3", now=2000.0, egress=egress)
            found = await store.shortlist(SCOPE, asked)
            assert [row.text for row in found.rows] == ["the port of 3 is 8003"]
            assert found.statistics.claims == 1
        assert (await store.shortlist(SCOPE, replace(asked, now=0.0))).statistics.claims == 0
        assert await store.search(SCOPE, "question 3", limit=3)
    assert [p.name for p in migrate.backups(old)] == [f"old.db.v{version}.bak"]

"""Copies are whole although the lane is written to, and a damaged or foreign file never takes a database's place."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from bobctx.cli.frame import cli
from bobctx.core.types import Scope
from bobctx.errors import StoreRefused, StoreUnavailable
from bobctx.ports import Incoming
from bobctx.store import SqliteStore, copies
from tests.chains import message

SCOPE = Scope(conversation_id="c1", user_id="u1")


async def say(store: SqliteStore, number: int) -> None:
    made = message(f"message {number}", id=f"m{number}")
    await store.record(SCOPE, [Incoming(message=made, counter_id="t")], backend=None, truncate_after=None, now=1.0)


async def count(path: Path) -> int:
    async with await SqliteStore.open(path, readonly=True) as store:
        return (await store.snapshot(SCOPE)).spine.n


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    return tmp_path / "lane" / "b.db"


async def test_a_copy_is_taken_while_the_lane_is_open_and_put_back(lane: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    async with await SqliteStore.open(lane) as store:
        for number in range(5):
            await say(store, number)
        made = copies.back_up(lane, copy)
        await say(store, 5)
        with pytest.raises(StoreUnavailable) as busy:
            copies.restore(copy, lane)
        assert busy.value.data["reason"] == "in_use"
    assert (made.messages, stat.S_IMODE(copy.stat().st_mode)) == (5, 0o600)
    assert await count(lane) == 6
    kept = copies.restore(copy, lane)
    assert await count(lane) == 5
    assert kept is not None
    assert copies.inspect(kept).messages == 6
    async with await SqliteStore.open(lane) as store:
        await say(store, 9)
    assert await count(lane) == 6


async def test_a_restore_into_an_empty_place_makes_it_private(lane: Path, tmp_path: Path) -> None:
    async with await SqliteStore.open(lane) as store:
        await say(store, 1)
    copies.back_up(lane, tmp_path / "copy.db")
    other = tmp_path / "other" / "b.db"
    assert copies.restore(tmp_path / "copy.db", other) is None
    assert stat.S_IMODE(other.stat().st_mode) == 0o600
    assert await count(other) == 1


async def test_a_copy_takes_the_place_of_a_damaged_database_whose_bytes_are_kept(lane: Path, tmp_path: Path) -> None:
    async with await SqliteStore.open(lane) as store:
        await say(store, 1)
    copies.back_up(lane, tmp_path / "copy.db")
    damaged = b"no database any more" * 400
    await asyncio.to_thread(lane.write_bytes, damaged)
    kept = copies.restore(tmp_path / "copy.db", lane)
    assert kept is not None
    assert await asyncio.to_thread(kept.read_bytes) == damaged
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert await count(lane) == 1


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("CREATE TABLE t(n); INSERT INTO t VALUES (1);")


def newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("PRAGMA application_id = 1651466851; CREATE TABLE t(n); PRAGMA user_version = 999;")


@pytest.mark.parametrize(
    "make",
    [foreign, newer, lambda p: p.write_bytes(b"x" * 5_000), lambda p: p.touch(), lambda p: None, lambda p: p.mkdir()],
    ids=["foreign", "newer", "damaged", "empty", "none", "folder"],
)
async def test_what_is_no_copy_of_a_lane_is_refused_and_changes_nothing(
    lane: Path, tmp_path: Path, make: object
) -> None:
    async with await SqliteStore.open(lane) as store:
        await say(store, 1)
    copy = tmp_path / "copy.db"
    make(copy)  # type: ignore[operator]
    with pytest.raises((StoreRefused, StoreUnavailable)):
        copies.restore(copy, lane)
    assert await count(lane) == 1


async def test_a_copy_never_overwrites_a_file(lane: Path, tmp_path: Path) -> None:
    async with await SqliteStore.open(lane) as store:
        await say(store, 1)
    (tmp_path / "there").write_text("mine")
    with pytest.raises(StoreRefused):
        copies.back_up(lane, tmp_path / "there")
    assert (tmp_path / "there").read_text() == "mine"
    with pytest.raises(StoreUnavailable):
        copies.back_up(lane, tmp_path / "no" / "folder" / "copy.db")


async def test_on_the_command_line(lane: Path, tmp_path: Path) -> None:
    async with await SqliteStore.open(lane) as store:
        await say(store, 1)
    copy = tmp_path / "copy.db"
    run = CliRunner()
    assert "1 message, " in run.invoke(cli, ["backup", str(copy), "--db", str(lane)]).output
    assert run.invoke(cli, ["backup", str(copy), "--db", str(lane)]).exit_code == 4
    done = run.invoke(cli, ["restore", str(copy), "--yes", "--db", str(lane)])
    assert done.exit_code == 0
    assert "repeat those erasures" in done.output

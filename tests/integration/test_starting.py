"""A daemon on a disk that is full or cannot be written: it starts, and says in one line what it could not do."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest
import structlog

from bobctx import keys, logs, runtime
from bobctx.api.upkeep import Upkeep
from bobctx.settings import Settings
from tests.integration.api.conftest import InProcess


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_without_a_place_to_announce_itself_a_daemon_starts_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also: what a killed daemon announced there leads nowhere, so it goes."""
    lane = Settings(db=tmp_path / "b.db")
    lane.daemon_path.write_text(json.dumps({"url": "http://127.0.0.1:1"}))
    monkeypatch.setattr(keys, "write_private", full)
    with structlog.testing.capture_logs() as lines, runtime._announced(lane, {"url": "http://127.0.0.1:2"}):
        assert not lane.daemon_path.exists()
    [line] = lines
    assert (line["event"], line["log_level"], line["reason"]) == (
        logs.NOT_ANNOUNCED, "warning", "No space left on device",
    )  # fmt: skip


def test_a_daemon_announces_itself_while_it_runs(tmp_path: Path) -> None:
    lane = Settings(db=tmp_path / "b.db")
    with runtime._announced(lane, {"url": "http://127.0.0.1:2"}):
        assert json.loads(lane.daemon_path.read_text())["url"] == "http://127.0.0.1:2"
    assert not lane.daemon_path.exists()


async def test_a_damaged_database_is_logged_as_that(tmp_path: Path) -> None:
    path = tmp_path / "lane" / "b.db"
    path.parent.mkdir(mode=0o700)
    path.touch(mode=0o600)
    path.write_bytes(b"not a database at all" * 500)
    async with runtime.open(Settings(db=path), dispatcher=InProcess(), tolerate=True, background=False) as opened:
        with structlog.testing.capture_logs() as lines:
            assert not await Upkeep(opened.lane, every_s=60.0).once()
    assert [(line["where"], line["reason"]) for line in lines] == [("retention", "corrupt")]


async def test_of_a_key_file_that_cannot_be_read_the_log_tells_once(tmp_path: Path) -> None:
    lane = Settings(db=tmp_path / "lane" / "b.db")
    async with runtime.open(lane, dispatcher=InProcess(), background=False) as opened:
        key = keys.default_key(lane.keys_path)
        assert key
        lane.keys_path.write_text('{"keys": ' + "[" * 200_000)
        with structlog.testing.capture_logs() as lines:
            for _ in range(3):
                assert opened.lane.keyring.who("wrong") is None
                assert opened.lane.keyring.who(key) is not None
    assert [line["event"] for line in lines] == [logs.KEYS_UNREADABLE]

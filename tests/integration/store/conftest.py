"""A real SQLite file for each test."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from bobctx.store import SqliteStore
from tests.integration.store.making import PROMPT, VALIDATOR


@pytest.fixture(autouse=True)
def little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """The substring index does not wait long for a quiet moment."""
    monkeypatch.setattr("bobctx.store.catching_up.QUIET_SECONDS", 0.01)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the database is; the directory is private already."""
    folder = tmp_path / "lane"
    folder.mkdir(mode=0o700)
    return folder / "test.db"


@pytest_asyncio.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    """An open store."""
    async with await SqliteStore.open(path, prompt_version=PROMPT, validator_version=VALIDATOR) as opened:
        yield opened


@pytest.fixture
def sql(path: Path) -> Callable[[str], list[tuple[object, ...]]]:
    """Read the file with a connection of the test's own."""

    def run(query: str) -> list[tuple[object, ...]]:
        conn = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
        try:
            return conn.execute(query).fetchall()
        finally:
            conn.close()

    return run

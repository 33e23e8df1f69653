"""The place that a test deploys to."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.deploy.place import HEALTH, MANAGER, Site, tree


@pytest.fixture
def site(tmp_path: Path) -> Site:
    found = Site(tmp_path)
    tree(found.live, "old")
    tree(found.stage, "new")
    (tmp_path / "manager.py").write_text(MANAGER)
    (tmp_path / "health.py").write_text(HEALTH)
    (tmp_path / "runs").write_text("old")
    with closing(sqlite3.connect(found.database)) as connection:
        connection.executescript("PRAGMA user_version = 3; CREATE TABLE t(n); INSERT INTO t VALUES (1); ")
    return found

"""What hooks remember: fields of another hook survive, odd session names get files, old ones go."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from bobctx.hooks.memory import KEPT_S, Memory


@pytest.mark.parametrize("session", ["s", "a-b_c", "../../etc/x", "ü", "x" * 500, "a/b", "", "\ud800"])
def test_every_session_has_one_file_in_the_folder(tmp_path: Path, session: str) -> None:
    memory = Memory(str(tmp_path / "hooks"))
    memory.change(session, end=7)
    assert memory.read(session).end == 7
    (path,) = (tmp_path / "hooks").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_change_leaves_the_other_fields(tmp_path: Path) -> None:
    memory = Memory(str(tmp_path))
    memory.change("s", pending=("c1",), kept={"R": "1"})
    memory.change("s", end=5)
    found = memory.read("s")
    assert (found.pending, found.kept, found.end) == (("c1",), {"R": "1"}, 5)


def test_long_ended_sessions_are_dropped(tmp_path: Path) -> None:
    memory = Memory(str(tmp_path))
    for session in ("old", "new"):
        memory.change(session, end=1)
    os.utime(memory.file("old"), (0, 0))
    memory.tidy(time.time())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["new.json"]
    assert KEPT_S > 86_400
    Memory(str(tmp_path / "none")).tidy(time.time())

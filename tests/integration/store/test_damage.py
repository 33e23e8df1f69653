"""A damaged file: what only some calls meet is still said by the health check."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bobctx.errors import StoreUnavailable
from bobctx.store import database
from tests.integration.store.making import SCOPE, opened, put, turns


async def test_damage_that_only_some_calls_meet_is_reported_until_the_file_is_sound(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails if only the pages that a health check happens to read decide whether it is healthy."""
    store = await opened(path)
    await put(store, turns(1, 200))
    await store.close()
    sound = await asyncio.to_thread(path.read_bytes)
    page = 4096
    with closing(sqlite3.connect(path)) as conn:
        pages = {row[0] for row in conn.execute("SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'messages'")}
    broken = bytearray(sound)
    for number in pages:
        broken[(number - 1) * page : number * page] = b"\xff" * page
    await asyncio.to_thread(path.write_bytes, bytes(broken))
    store = await opened(path, tolerate=True)
    with pytest.raises(StoreUnavailable):
        await store.snapshot(SCOPE)
    assert (await store.health()).reason == "corrupt"
    monkeypatch.setattr(database, "RECHECK_SECONDS", 0.0)
    assert (await store.health()).reason == "corrupt"
    await store.close()
    await asyncio.to_thread(path.write_bytes, sound)
    store = await opened(path)
    store._database._note_damage(StoreUnavailable("as if", reason="corrupt"))
    assert (await store.health()).ok
    await store.close()

"""A hook finds the same database as the settings do, whatever is set."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from bobctx import places, settings
from bobctx.hooks.environment import database_of
from bobctx.hooks.lane import Lane

NAMES = ("BOBCTX_DB", "CONTEXT_DB", "BOBCTX_MEMORY_SQLITE_PATH", "MEMORY_SQLITE_PATH", "BOBCTX_XDG_DATA_HOME",
         "XDG_DATA_HOME")  # fmt: skip


@pytest.mark.parametrize("given", [c for n in range(4) for c in itertools.combinations(NAMES, n)])
@pytest.mark.parametrize("empty", ["", "CONTEXT_DB"])
def test_the_database_is_that_of_the_settings(
    monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...], empty: str
) -> None:
    environ = {name: f"~/some/{name.lower()}/x.db" for name in given}
    if empty:
        environ[empty] = ""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    known = settings.load()
    assert Path(database_of(environ)) == known.db_path
    assert Path(places.key_file(database_of(environ))) == known.keys_path
    assert Path(places.daemon_note(database_of(environ))) == known.daemon_path


@pytest.mark.parametrize(
    "environ",
    [{}, {"BOBCTX_HOST": "::1", "BOBCTX_PORT": "9"}, {"BOBCTX_URL": "http://h:1/"}, {"BOBCTX_HOST": "h"}],
)
def test_the_address_is_that_of_the_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, environ: dict[str, str]
) -> None:
    for name in ("BOBCTX_HOST", "BOBCTX_PORT", "BOBCTX_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    lane = Lane.find({**environ, "BOBCTX_USER": "u"}, db=str(tmp_path / "x.db"), deadline=0.0)
    assert lane.url == settings.load().base_url


def test_a_key_that_others_may_read_is_not_sent(tmp_path: Path) -> None:
    key = tmp_path / "x.keys.default"
    key.write_text("bobctx_k\n")
    key.chmod(0o640)
    assert Lane.find({"BOBCTX_USER": "u"}, db=str(tmp_path / "x.db"), deadline=0.0).key is None
    key.chmod(0o600)
    assert Lane.find({"BOBCTX_USER": "u"}, db=str(tmp_path / "x.db"), deadline=0.0).key == "bobctx_k"

"""The key file: made once, never wide open, rotated while the daemon runs."""

from __future__ import annotations

import errno
import json
import os
import stat
import time
from pathlib import Path

import pytest

from bobctx import keys
from bobctx.errors import ConfigurationError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "lane.keys.json"
    keys.ensure(path)
    return path


def touch_later(path: Path) -> None:
    moment = path.stat().st_mtime + 5
    os.utime(path, (moment, moment))


def test_first_start_makes_both_files_0600_and_the_second_changes_nothing(path: Path) -> None:
    before = path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(keys.plain_path(path).stat().st_mode) == 0o600
    assert keys.ensure(path) is False
    assert path.read_bytes() == before


def test_the_key_file_holds_no_plain_key(path: Path) -> None:
    key = keys.default_key(path)
    assert key
    assert key not in path.read_text()
    principal = keys.Keyring(path).who(key)
    assert principal is not None
    assert principal.role == "operator"


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o660])
def test_a_key_file_that_others_can_read_is_refused(path: Path, mode: int) -> None:
    path.chmod(mode)
    with pytest.raises(ConfigurationError, match="chmod 600"):
        keys.Keyring(path)


def test_added_rotated_and_revoked_keys_count_without_a_restart(path: Path) -> None:
    ring = keys.Keyring(path, recheck_s=0)
    first = keys.add(path, "app", "user", user_id="u1")
    touch_later(path)
    found = ring.who(first)
    assert found is not None
    assert (found.role, found.user_id) == ("user", "u1")
    second = keys.add(path, "app", "user", user_id="u1")
    touch_later(path)
    assert ring.who(first) is None
    assert ring.who(second) is not None
    assert keys.revoke(path, "app") is True
    assert ring.who(second) is None
    assert keys.revoke(path, "app") is False


def test_a_new_key_counts_at_once_and_a_revoked_one_a_moment_later(path: Path) -> None:
    ring = keys.Keyring(path, recheck_s=0.05)
    key = keys.add(path, "app", "gateway")
    assert ring.who(key) is not None
    keys.revoke(path, "app")
    time.sleep(0.06)
    assert ring.who(key) is None


def test_rotating_the_default_key_rewrites_the_plain_file(path: Path) -> None:
    old = keys.default_key(path)
    new = keys.add(path, "default", "operator")
    assert keys.default_key(path) == new != old


def test_a_broken_file_keeps_the_keys_read_before_and_says_so(path: Path) -> None:
    ring = keys.Keyring(path, recheck_s=0)
    key = keys.default_key(path)
    assert key
    path.write_text("{")
    assert ring.who(key) is not None
    assert ring.problem
    path.unlink()
    assert ring.who(key) is not None
    assert ring.problem


@pytest.mark.parametrize("text", ["{", "[]", '{"keys": ' + "[" * 200_000 + "]" * 200_000 + "}"], ids=len)
def test_of_each_file_that_cannot_be_read_is_told_once(path: Path, text: str) -> None:
    told: list[str] = []
    ring = keys.Keyring(path, recheck_s=0, told=told.append)
    key = keys.default_key(path)
    assert key
    path.write_text(text)
    for _ in range(3):
        assert ring.who(key) is not None
    assert told == [ring.problem]


def test_what_the_disk_does_not_let_us_write_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(keys, "write_private", full)
    with pytest.raises(ConfigurationError, match=r"lane\.keys.* cannot be written: No space left on device"):
        keys.ensure(tmp_path / "lane.keys.json")


@pytest.mark.parametrize(
    "entry",
    [
        {"id": "x", "role": "user", "user": None},  # a user key without a user
        {"id": "x", "role": "gateway", "user": "u1"},  # another one with
        {"id": "x", "role": "root", "user": None},
        {"id": None, "role": "operator", "user": None},
        {"id": "x", "role": "operator", "user": None, "mode": "loud"},
    ],
)
def test_an_invalid_entry_is_refused(path: Path, entry: dict[str, object]) -> None:
    path.write_text(json.dumps({"keys": [{"sha256": "0" * 64, **entry}]}))
    with pytest.raises(ConfigurationError):
        keys.read(path)


def test_a_user_key_needs_a_user_and_no_other_key_has_one(path: Path) -> None:
    with pytest.raises(ConfigurationError):
        keys.add(path, "x", "user")
    with pytest.raises(ConfigurationError):
        keys.add(path, "x", "gateway", user_id="u")


def test_without_the_plain_file_there_is_no_default_key(path: Path) -> None:
    keys.plain_path(path).unlink()
    assert keys.default_key(path) is None

"""Keys from the command line: a key that is replaced may do no more than before, and nothing is made by asking."""

from __future__ import annotations

from pathlib import Path

import pytest

from bobctx import keys
from tests.acceptance.test_cli import as_json, bobctx


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "lane" / "b.db"
    bobctx("record", "-c", "c1", "-u", "ann", db=path, stdin='{"role": "user", "content": "hi"}')
    return path


def test_a_key_that_is_replaced_keeps_its_role_its_user_and_its_mode(db: Path) -> None:
    """Fails if rotating a user's key makes it one for every user's data."""
    path = db.with_suffix(".keys.json")
    first = keys.add(path, "ann", "user", user_id="ann", mode="shadow")
    made = as_json("key", "--add", "ann", db=db)
    assert (made["role"], made["user"]) == ("user", "ann")
    assert made["key"] != first
    found = keys.named(path, "ann")
    assert found is not None
    assert (found.role, found.user_id, found.mode) == ("user", "ann", "shadow")
    assert as_json("key", "--add", "default", db=db)["role"] == "operator"
    assert as_json("key", "--add", "ann", "--for", "bob", db=db)["user"] == "bob"


def test_a_role_changes_where_it_is_named(db: Path) -> None:
    assert as_json("key", "--add", "app", db=db)["role"] == "gateway"
    assert as_json("key", "--add", "app", "--role", "user", "--for", "ann", db=db)["user"] == "ann"
    assert as_json("key", "--add", "app", "--role", "gateway", db=db)["user"] is None
    assert "--role user --for USER" in bobctx("key", "--add", "other", "--for", "ann", db=db, code=2)


def test_the_list_says_whose_a_user_key_is(db: Path) -> None:
    bobctx("key", "--add", "phone", "--role", "user", "--for", "ann", db=db)
    (line,) = [line for line in bobctx("key", "--list", db=db).splitlines() if "phone" in line]
    assert line.split() == ["phone", "user", "ann"]


@pytest.mark.parametrize("options", [(), ("--list",), ("--revoke", "x")])
def test_asking_for_keys_of_a_lane_that_is_not_there_leaves_no_files(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Fails if a mistyped path gets keys of its own, which no daemon knows."""
    db = tmp_path / "none.db"
    assert "there is no database" in bobctx("key", *options, db=db, code=4)
    assert [*tmp_path.iterdir()] == []


def test_the_first_key_can_be_made_before_the_first_start(tmp_path: Path) -> None:
    db = tmp_path / "lane" / "b.db"
    bobctx("key", "--add", "app", db=db)
    assert bobctx("key", db=db).startswith(keys.KEY_PREFIX)

"""Erase, retain, egress and the access log from the command line, without a daemon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from bobctx.cli.frame import cli


def run(db: Path, *args: str, text: str | None = None) -> Any:
    answer = CliRunner().invoke(cli, [*args, "--db", str(db), "--json"], input=text)
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.stdout)


def test_one_persons_data_is_governed_from_the_command_line(tmp_path: Path) -> None:
    db = tmp_path / "lane" / "b.db"
    turns = [
        {"id": "a0", "role": "user", "content": "the zebra is in bay 7", "created_at": 1_000.0},
        {"id": "a1", "role": "assistant", "content": "noted"},
    ]
    run(db, "record", "-c", "c1", "-u", "ann", text="\n".join(json.dumps(t) for t in turns))
    assert run(db, "egress", "cloud_ok", "a1", "-c", "c1", "-u", "ann")["changed"] == 1
    assert run(db, "egress", "cloud_ok", "m2", "-c", "c1", "-u", "ann")["changed"] == 0, "by its alias: the same one"
    assert run(db, "egress", "cloud_ok", "--all", "-c", "c1", "-u", "ann")["changed"] == 1
    assert run(db, "retain", "ann")["max_age_days"] is None
    assert run(db, "retain", "ann", "--days", "30")["deleted"]["messages"] == 1
    assert run(db, "retain", "ann")["max_age_days"] == 30
    assert b"zebra" not in db.read_bytes()
    assert run(db, "erase", "ann", "--yes")["deleted"]["messages"] == 1
    actions = [entry["action"] for entry in run(db, "access", "-u", "ann")["entries"]]
    assert actions == ["erase", "retention", *["egress:cloud_ok"] * 3]


def test_a_conversation_gets_names_a_mode_and_a_pause_from_the_command_line(tmp_path: Path) -> None:
    db = tmp_path / "lane" / "b.db"
    who = ("-c", "c1", "-u", "ann")
    run(db, "record", *who, text=json.dumps({"id": "a0", "role": "user", "content": "hello"}))
    assert run(db, "alias", *who) == {"conversation_id": "c1", "aliases": []}
    assert run(db, "alias", "later", *who)["aliases"] == ["later"]
    assert run(db, "alias", "-c", "later", "-u", "ann") == {"conversation_id": "c1", "aliases": ["later"]}
    assert [c["aliases"] for c in run(db, "conversations")["conversations"]] == [["later"]]
    table = CliRunner().invoke(cli, ["conversations", "--db", str(db)]).stdout
    assert "also known as" in table
    assert "later" in table
    for named in (("-c", "later", "-u", "ann"), ("-c", "later")):
        assert run(db, "why", "a0", *named)["id"] == "a0", "commands that read the database know the name too"
        run(db, "verify", *named)
        assert run(db, "search", "hello", *named)["hits"]
    assert run(db, "mode", *who) == {"mode": None, "paused": False}
    assert run(db, "mode", "fit", "--pause", *who) == {"mode": "fit", "paused": True}
    assert run(db, "mode", "--resume", *who) == {"mode": "fit", "paused": False}
    assert run(db, "mode", *who) == {"mode": "fit", "paused": False}
    read = CliRunner().invoke(cli, ["mode", *who, "--db", str(db)])
    assert read.stdout == "mode fit; compaction is not paused\n"
    read = CliRunner().invoke(cli, ["alias", *who, "--db", str(db)])
    assert read.stdout == "c1 is also known as: later\n"
    for command in ("alias", "mode"):
        missing = CliRunner().invoke(cli, [command, "-c", "none", "-u", "ann", "--db", str(db)])
        assert missing.exit_code == 3
    taken = CliRunner().invoke(cli, ["alias", "c1", *who, "--db", str(db)])
    assert taken.exit_code == 5


def test_a_mode_that_does_not_exist_is_a_bad_argument(tmp_path: Path) -> None:
    answer = CliRunner().invoke(cli, ["mode", "loud", "-c", "c1", "-u", "ann", "--db", str(tmp_path / "b.db")])
    assert answer.exit_code == 2

"""What a command says of a broken file or a missing conversation names the line or the id."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from bobctx.cli.frame import COMMANDS, cli
from bobctx.store import place
from tests.acceptance.test_cli import bobctx

GOOD = '{"role": "user", "content": "hi"}'
BAD = '{"role": "user" "content": "x"}'


@pytest.fixture
def db(tmp_path: Path) -> Path:
    folder = tmp_path / "lane"
    folder.mkdir(mode=0o700)
    return folder / "bobctx.db"


@pytest.mark.parametrize("command", ["import", "record"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"[\n {GOOD},\n {BAD}\n]", "line 3, column 18"),
        (f'{{"messages": [\n{GOOD},\n]}}', "line 3, column 1"),
        (BAD, "line 1, column 17"),
        (f"{GOOD}\n{BAD}\n{BAD}\n", "line 2 is not JSON"),
    ],
)
def test_broken_json_is_said_with_its_line(db: Path, tmp_path: Path, command: str, text: str, said: str) -> None:
    path = tmp_path / "chat.json"
    path.write_text(text)
    assert said in bobctx(command, path, "-c", "c1", "-u", "u1", db=db, code=2)


def test_a_line_that_is_left_out_is_named(db: Path, tmp_path: Path) -> None:
    """A live tool leaves a half-written line: the rest is taken."""
    path = tmp_path / "chat.jsonl"
    path.write_text(f"{GOOD}\n{GOOD}\n{BAD}\n{GOOD}\n")
    assert "1 bad_json (line 3)" in bobctx("import", path, "-c", "c1", "-u", "u1", db=db)
    assert "line 3 is not JSON" in bobctx("record", path, "-c", "c1", "-u", "u1", db=db, code=2)


@pytest.mark.parametrize(
    "command",
    [
        ["why", "m1"],
        ["claims"],
        ["chain"],
        ["expand", "m1"],
        ["export"],
        ["verify"],
        ["assemble"],
        ["compile", "-t", "x"],
        ["conflicts"],
        ["delete", "--all"],
        ["delete", "m1"],
    ],
)
def test_a_conversation_that_is_not_there_is_named(db: Path, tmp_path: Path, command: list[str]) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(f"{GOOD}\n")
    bobctx("import", path, "-c", "c1", "-u", "u1", db=db)
    assert "no conversation nope of u9; see `bobctx conversations`" in bobctx(
        *command, "-c", "nope", "-u", "u9", db=db, code=3
    )
    assert "no conversation nope;" in bobctx(*command, "-c", "nope", db=db, code=3)


@pytest.mark.parametrize("command", ["why", "expand"])
def test_a_message_that_is_not_there_is_said_with_its_conversation(db: Path, tmp_path: Path, command: str) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(f"{GOOD}\n")
    bobctx("import", path, "-c", "c1", "-u", "u1", db=db)
    assert "in the conversation c1 of u1" in bobctx(command, "m77", "-c", "c1", "-u", "u1", db=db, code=3)


TURNS = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["replay", "--plot", "{}/nowhere/x.svg"], "there is no folder"),
        (["check", "--repair", "{}/nowhere/x.json"], "there is no folder"),
        (["replay", "--jitter", "nan"], "is not a number"),
    ],
)
def test_an_option_that_cannot_work_is_refused_before_the_work(tmp_path: Path, command: list[str], said: str) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(TURNS))
    name, *options = [part.format(tmp_path) for part in command]
    assert said in bobctx(name, path, *options, code=2)


@pytest.mark.parametrize("command", [["replay"], ["check"], ["import", "--explain"]])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path, command: list[str]) -> None:
    path = tmp_path / "chat.jsonl"
    os.mkfifo(path)
    assert "is no regular file" in bobctx(*command, path, code=2)
    assert "1 file is no transcript" in bobctx("audit", path)


@pytest.mark.parametrize("text", ["null", "3", '"text"'])
def test_json_that_holds_no_list_is_called_so(tmp_path: Path, text: str) -> None:
    path = tmp_path / "chat.json"
    path.write_text(text)
    assert "holds no JSON list or object" in bobctx("check", path, code=2)


def test_a_conflict_that_is_not_there_is_named(db: Path) -> None:
    bobctx("record", "-c", "c1", "-u", "u1", db=db, stdin=GOOD)
    who = ("-c", "c1", "-u", "u1")
    assert "no open conflict cf_x" in bobctx("conflicts", *who, "--resolve", "cf_x", "--both", db=db, code=3)
    assert "conflict cf_x there" in bobctx("conflicts", *who, "--reopen", "cf_x", db=db, code=3)


CHANGING = [
    ["compact"], ["pin", "x"], ["alias", "x"], ["mode", "fit"], ["egress", "local", "--all"], ["compile", "-t", "x"],
    ["delete", "--all", "--yes"],
]  # fmt: skip


@pytest.mark.parametrize("command", [*([*c, "-c", "c1", "-u", "u1"] for c in CHANGING), ["erase", "u1", "--yes"]])
def test_a_command_that_changes_a_lane_makes_none(tmp_path: Path, command: list[str]) -> None:
    """Fails if a mistyped path becomes a database."""
    assert "there is no database" in bobctx(*command, db=tmp_path / "lane" / "none.db", code=4)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["erase", "nobody"], "nothing of a user nobody is stored"),
        (["delete", "m9", "-c", "c1", "-u", "u1"], "no message m9"),
        (["restore", "/nowhere/copy.db"], "there is no file at"),
    ],
)
def test_nobody_is_asked_about_what_is_not_there(db: Path, command: list[str], said: str) -> None:
    bobctx("record", "-c", "c1", "-u", "u1", db=db, stdin=GOOD)
    text = bobctx(*command, db=db, stdin="y\n", code=None)
    assert said in text
    assert "for good" not in text


@pytest.mark.parametrize("command", [["erase", "u1"], ["delete", "m1", "-c", "c1", "-u", "u1"], ["restore", "{}"]])
def test_where_nobody_answers_the_way_on_is_named_and_nothing_is_done(
    db: Path, tmp_path: Path, command: list[str]
) -> None:
    bobctx("record", "-c", "c1", "-u", "u1", db=db, stdin=GOOD)
    copy = tmp_path / "copy.db"
    bobctx("backup", copy, db=db)
    words = [word.format(copy) for word in command]
    done = CliRunner().invoke(cli, [*words, "--db", str(db)], input="")
    assert done.exit_code == 2
    assert "--yes" in done.stderr
    scripted = CliRunner().invoke(cli, [*words, "--db", str(db), "--json"], input="")
    assert scripted.exit_code == 2, "a format is no consent"
    assert "--yes" in json.loads(scripted.stdout)["error"]["message"]
    assert CliRunner().invoke(cli, [*words, "--db", str(db)], input="n\n").exit_code == 1
    assert "hi" in bobctx("export", "-c", "c1", "-u", "u1", db=db)
    assert CliRunner().invoke(cli, [*words, "--db", str(db)], input="y\n").exit_code == 0


def test_a_copy_is_not_offered_while_the_database_is_in_use(db: Path, tmp_path: Path) -> None:
    bobctx("record", "-c", "c1", "-u", "u1", db=db, stdin=GOOD)
    bobctx("backup", tmp_path / "copy.db", db=db)
    lock = place.Lock(db)
    lock.acquire()
    try:
        text = bobctx("restore", tmp_path / "copy.db", db=db, stdin="y\n", code=4)
    finally:
        lock.release()
    assert "has this database" in text


def test_a_range_is_described_by_its_bounds() -> None:
    assert "0<x<=2" in bobctx("compile", "--help")
    for name, entry in COMMANDS.items():
        assert "None]" not in bobctx(name, "--help"), entry.module


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["compile"], "Missing option '--task'"),
        (["assemble", "--window", "abc"], "'abc' is not a valid integer"),
        (["nothing"], "No such command 'nothing'"),
        (["delete"], "name one message"),
    ],
)
def test_a_mistake_in_the_words_of_a_command_is_json_too(command: list[str], said: str) -> None:
    done = CliRunner().invoke(cli, [*command, "--json"])
    assert done.exit_code == 2
    error = json.loads(done.stdout)["error"]
    assert (error["code"], said in error["message"]) == ("invalid_input", True)
    assert said in CliRunner().invoke(cli, command).stderr


@pytest.mark.parametrize(
    ("command", "said"), [(["--claim", "r9.c9"], "no claim r9.c9 in"), (["--remove", "p"], "no pin p in")]
)
def test_a_claim_or_a_pin_that_is_not_there_is_named(db: Path, command: list[str], said: str) -> None:
    who = ("-c", "c1", "-u", "u1")
    bobctx("record", *who, db=db, stdin=GOOD)
    assert said in bobctx("pin", *command, *who, db=db, code=3)
    assert "no conversation nope of u1" in bobctx("pin", *command, "-c", "nope", "-u", "u1", db=db, code=3)

"""What stands on the terminal: one line where there is nothing, no empty columns, nothing wider than the screen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bobctx import settings
from bobctx.cli.options import DIALECTS
from bobctx.cli.output import held, print_table, removed, several
from bobctx.demo import conversation
from tests.acceptance.test_cli import bobctx

UUID = "0b1c7f0e-7a52-4a55-9b4e-2f1d9c3a6e10"
WHO = ("-c", UUID, "-u", "ann")


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "80")
    folder = tmp_path / "lane"
    folder.mkdir(mode=0o700)
    path = folder / "bobctx.db"
    bobctx("record", *WHO, db=path, stdin='{"role": "user", "content": "hi", "id": "a"}')
    return path


@pytest.mark.parametrize(("count", "said"), [(0, "no keys"), (1, "1 key"), (2_000, "2,000 keys")])
def test_counts_have_their_nouns(count: int, said: str) -> None:
    assert several(count, "key") == said


def test_a_table_leaves_out_what_is_empty(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("no pins", ("pin", "text"), [])
    assert capsys.readouterr().out == "no pins\n"
    print_table("2 turns", ("#turn", "problems"), [("1", ""), ("2", "")])
    assert "problems" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["claims"], "no current claims\n"),
        (["search", "nowhere"], "no messages found\n"),
        (["pin"], "no pins\n"),
        (["conflicts"], "no open conflicts\n"),
        (["access"], "no line: what the command line reads is not logged, for it reads the file itself\n"),
    ],
)
def test_nothing_is_one_line(db: Path, command: list[str], said: str) -> None:
    assert bobctx(*command, db=db) == said


def test_a_conversation_id_stands_on_one_line(db: Path) -> None:
    text = bobctx("conversations", db=db)
    assert UUID in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_region_without_claims_is_not_called_covered() -> None:
    links = [{"messages": 4, "claims": 2}, {"messages": 3, "claims": 0}]
    assert held({"links": links, "messages": 9}) == "2 regions of 7 messages (of 9); claims stand for 4 of them"


def test_one_of_something_has_words_for_one(tmp_path: Path) -> None:
    """Fails if a figure of one is followed by a plural."""
    db = tmp_path / "lane" / "one.db"
    turns = [
        {"role": "user" if n % 2 == 0 else "assistant", "content": text}
        for n, text in enumerate(["hello", "hi", "Never restart alpha.", "Understood.", "so", "yes"] * 2)
    ]
    bobctx("record", *WHO, db=db, stdin="\n".join(map(json.dumps, turns)))
    bobctx("compact", *WHO, db=db)
    assert "1 of 1 claim stands in the message" in bobctx("verify", *WHO, db=db)
    assert "1 claim by extractive" in bobctx("why", "m3", *WHO, db=db)
    assert held({"links": [{"messages": 1, "claims": 1}], "messages": 1}).startswith("1 region of 1 message (")


def test_a_receipt_names_what_people_know() -> None:
    counts = {"compactions": 1, "replies": 4, "messages": 1, "claims": 2, "pins": 0, "feedback": 1, "purged": 1}
    assert removed({"deleted": counts}) == "1 message, 2 claims, 1 vote"


def test_a_misspelt_variable_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in settings.unknown_variables():
        monkeypatch.delenv(name)
    monkeypatch.setenv("BOBCTX_PROT", "1")
    monkeypatch.setenv("BOBCTX_USER", "ann")
    monkeypatch.setenv("BOBCTX_PORT", "1")
    assert settings.unknown_variables() == ["BOBCTX_PROT"]


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(json.dumps(m) + "\n" for m in conversation.messages()), encoding="utf-8")
    return path


def test_replay_and_audit_fit_the_screen(db: Path, transcript: Path) -> None:
    """Every heading whole, no empty column, and the costs of table and total in one unit."""
    played = bobctx("replay", transcript, "--window", "4096", db=None)
    assert max(map(len, played.splitlines())) <= 80
    assert "announced" in played
    assert "problems" not in played
    assert "millionths" in played
    audited = bobctx("audit", transcript, "--last", "20", db=None, code=None)
    assert max(map(len, audited.splitlines()[1:])) <= 80, "the first line is the file's own name"
    assert " not found " in audited


@pytest.mark.parametrize("columns", [60, 80])
def test_conversations_with_long_names_are_readable(db: Path, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """Fails if the owner's column is squeezed to nothing beside an id that is not broken."""
    monkeypatch.setenv("COLUMNS", str(columns))
    user = "discord:18374659283746"
    one, two = ("-c", UUID, "-u", user), ("-c", UUID[::-1], "-u", user)
    for who in (one, two):
        bobctx("record", *who, db=db, stdin='{"role": "user", "content": "hi", "id": "a"}')
        bobctx("alias", f"thread-{who[1]}", *who, db=db)
    text = bobctx("conversations", db=db)
    assert max(map(len, text.splitlines())) <= columns
    assert len(text.splitlines()) < 20
    whole = text.replace("\n", "").replace(" ", "")
    for name in (UUID, UUID[::-1]):
        assert f"conversation   {name}\n" in text
        assert f"alsoknownasthread-{name}" in whole
    assert whole.count(user) == 2


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("plan", [(), ("--plan",)])
def test_a_prompt_is_readable_in_every_dialect(
    tmp_path: Path, transcript: Path, dialect: str, plan: tuple[str, ...]
) -> None:
    """Fails if only the dialect whose list has one message for each item of the plan shows texts."""
    db = tmp_path / "other" / "bobctx.db"
    bobctx("import", transcript, *WHO, db=db)
    bobctx("compact", *WHO, db=db)
    asked = ("--window", "4096", "--ask", "and which port?", "--dialect", dialect, *plan)
    shown = bobctx("assemble", *WHO, *asked, db=db)
    assert "Hello! Over the next weeks" in shown
    assert "station_readings(" in shown
    assert "[compacted history" in shown
    assert "and which port?" in shown
    assert (f"in the dialect {dialect} this is a list of" in shown) == (dialect != "openai" and not plan)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["verify"], "no claims to check\nchain: nothing is compacted yet (of 1 message)\n"),
        (["alias"], f"{UUID} has no other name\n"),
        (["retain", "ann"], "messages of ann are kept for ever\n"),
        (["retain", "ann", "--for-ever"], "messages of ann are kept for ever; no messages deleted now\n"),
    ],
)
def test_what_is_not_there_is_not_counted(db: Path, command: list[str], said: str) -> None:
    assert bobctx(*command, db=db) == said


def test_a_prompt_that_holds_all_says_so(db: Path) -> None:
    shown = bobctx("assemble", *WHO, db=db)
    assert "nothing is left out" in shown
    assert "no claims" not in shown


def test_compile_and_inspect_count_the_same_claims(tmp_path: Path, transcript: Path) -> None:
    """Fails if a title says `3 of 3` above `2 left out`."""
    db = tmp_path / "lane" / "c.db"
    bobctx("import", transcript, *WHO, db=db)
    bobctx("compact", *WHO, db=db)
    made = bobctx("compile", "-t", "configure the exporter port", *WHO, db=db)
    context = next(word for word in made.split() if word.startswith("ctx_")).rstrip(":")
    shown, _, considered = made.split(" claims considered")[0].split()
    assert f"{int(considered) - int(shown)} left out" in made
    assert f"{considered} claims considered" in bobctx("inspect", context, db=db)

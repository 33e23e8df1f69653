"""What is recorded from files: bytes that are no text are counted where a tool wrote them, refused from a host."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bobctx.cli.frame import cli
from bobctx.cli.importing import BATCH_MESSAGES

WHO = ("-c", "c1", "-u", "ann")


def test_an_import_says_how_many_bytes_were_no_text(tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(b'{"role": "user", "content": "caf\xe9"}\n{"role": "assistant", "content": "ok"}\n')
    db = str(tmp_path / "lane" / "b.db")
    answer = CliRunner().invoke(cli, ["import", str(file), *WHO, "--db", db, "--json"])
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.stdout)
    assert (found["messages"], found["warnings"]) == (
        2,
        ["1 invalid UTF-8 sequences in the file were replaced by U+FFFD"],
    )


def test_a_record_that_is_no_text_is_refused_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "turn.json"
    file.write_bytes(b'{"id": "a", "role": "user", "content": "caf\xe9"}')
    answer = CliRunner().invoke(cli, ["record", str(file), *WHO, "--db", str(tmp_path / "lane" / "b.db"), "--json"])
    assert answer.exit_code == 2
    assert json.loads(answer.stdout)["error"]["message"] == "the messages are not UTF-8"


def test_what_is_taken_for_a_deleted_message_is_said_on_stderr(tmp_path: Path) -> None:
    """Fails if `record` keeps the warnings of the answer to itself, or only those of its last call."""
    db = str(tmp_path / "lane" / "b.db")
    texts = ["start", "sure?", *(f"more {n}" for n in range(BATCH_MESSAGES))]
    turns = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]
    lines = "\n".join(map(json.dumps, turns))

    def run(*args: str, **more: Any) -> Result:
        answer = CliRunner().invoke(cli, [*args, *WHO, "--db", db], **more)
        assert answer.exit_code == 0, answer.output
        return answer

    first = run("record", "--json", input=lines)
    assert len(json.loads(first.stdout)["ids"]) == len(turns)
    run("delete", "m1", "--yes")
    again = run("record", input=lines)
    assert again.stdout.count("\n") == 1
    assert again.stderr.startswith("note: deleted_not_stored: ")
    assert json.loads(run("record", "--json", input=lines).stdout)["warnings"] == ["deleted_not_stored"]


def test_a_search_says_on_stderr_what_is_not_in_the_index_yet(tmp_path: Path) -> None:
    """Fails if the answer's `index_lag` is shown with `--json` only: nothing found would look like nothing there."""
    db = str(tmp_path / "lane" / "b.db")
    CliRunner().invoke(cli, ["record", *WHO, "--db", db], input='{"role": "user", "content": "see /srv/ledger"}')
    answer = CliRunner().invoke(cli, ["search", "ledger", *WHO, "--db", db])
    assert answer.stdout.startswith("1 message found")
    assert answer.stderr.startswith("note: 1 message not yet in the identifier index")


def test_the_byte_budget_is_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails if `BOBCTX_MAX_PROMPT_BYTES` is read but not used."""
    monkeypatch.setenv("BOBCTX_MAX_PROMPT_BYTES", "10000")
    db = str(tmp_path / "lane" / "b.db")
    turns = [{"id": f"i{n}", "role": ("user", "assistant")[n % 2], "content": f"{n} " + "ж" * 3_000} for n in range(9)]
    done = CliRunner().invoke(cli, ["record", *WHO, "--db", db], input="\n".join(map(json.dumps, turns)))
    assert done.exit_code == 0, done.output
    answer = CliRunner().invoke(cli, ["assemble", *WHO, "--db", db, "--window", "400000", "--json"])
    messages = json.loads(answer.stdout)["messages"]
    assert messages[-1]["content"].startswith("8 ")
    assert sum(len(m["content"].encode()) for m in messages) <= 10_000

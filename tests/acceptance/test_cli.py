"""The command line as scripts use it: exact JSON forms, exit codes, no tracebacks.

Commands run in this process where that changes nothing (their worker is a process all the same),
the daemon and whatever shows what is imported in processes of their own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bobctx.cli.frame import cli
from bobctx.demo import conversation

pytestmark = pytest.mark.slow

TIMEOUT_S = 120


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith(("BOBCTX_", "BOB_", "CONTEXT_DB", "MEMORY_SQLITE_PATH")):
            monkeypatch.delenv(name)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    folder = tmp_path / "lane"
    folder.mkdir(mode=0o700)
    return folder / "bobctx.db"


def bobctx(*args: str | Path, db: Path | None = None, stdin: str | None = None, code: int | None = 0) -> str:
    """Stdout of a command; its exit code is checked and a traceback never passes."""
    own = [] if db is None else ["--db", str(db)]
    done = CliRunner().invoke(cli, [*map(str, args), *own], input=stdin)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert code is None or done.exit_code == code, (done.exit_code, done.stdout[-500:], done.stderr[-500:])
    return done.stdout if done.exit_code == 0 or done.stdout else done.stderr


def as_json(*args: str | Path, db: Path | None = None, stdin: str | None = None, code: int = 0) -> Any:
    return json.loads(bobctx(*args, "--json", db=db, stdin=stdin, code=code))


@contextmanager
def daemon(db: Path) -> Iterator[dict[str, Any]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bobctx.cli", "serve", "--db", str(db), "--port", "0"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    info = db.with_suffix(".daemon.json")
    deadline = time.monotonic() + 60
    try:
        while not info.exists():
            assert process.poll() is None, "the daemon ended"
            assert time.monotonic() < deadline, "the daemon did not start"
            time.sleep(0.05)
        yield json.loads(info.read_text("utf-8"))
    finally:
        process.terminate()
        assert process.wait(30) == 0


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "chat.jsonl"
    path.write_text("".join(json.dumps(m) + "\n" for m in conversation.messages()), encoding="utf-8")
    return path


C = ("-c", "c1", "-u", "u1")


def test_the_whole_way_without_a_daemon(db: Path, transcript: Path) -> None:
    """import, compact, assemble, verify and every reading command, each with its exact keys."""
    imported = as_json("import", transcript, *C, db=db)
    assert set(imported) == {"conversation_id", "format", "messages", "skipped", "skipped_reasons", "warnings"}
    assert (imported["conversation_id"], imported["format"], imported["messages"]) == ("c1", "openai", 299)
    assert as_json("import", transcript, *C, db=db) == imported

    compacted = as_json("compact", *C, db=db)
    assert set(compacted) == {"regions", "chain"}
    assert compacted["regions"]
    assert all({"prefix", "status", "claims", "rejected", "reasons"} <= set(r) for r in compacted["regions"])
    assert as_json("compact", *C, db=db)["regions"] == []

    prompt = as_json("assemble", *C, "--window", "8192", "--reserved", "500", "--dialect", "anthropic", db=db)
    assert prompt["budget"]["used"] <= prompt["budget"]["history"]
    assert prompt["decision"]["claims_shown"] > 0
    assert {"messages", "plan", "decision", "budget", "trace_id"} <= set(prompt)
    assert prompt["trace_id"] is None, "a read keeps no trace that could be inspected"

    verified = as_json("verify", *C, db=db)
    assert set(verified) == {"claims", "ok", "failed", "failures", "chain"}
    assert (verified["ok"], verified["failed"]) == (verified["claims"], 0)
    assert verified["claims"] == sum(r["claims"] for r in compacted["regions"])

    assert len(as_json("claims", *C, db=db)["claims"]) == verified["claims"]
    assert as_json("chain", *C, db=db)["break"] is None
    found = as_json("search", "zeta-sync", *C, db=db)
    assert "m3" in [hit["alias"] for hit in found["hits"]]
    assert as_json("expand", "m3", *C, db=db)["messages"][0]["id"] == "t003"
    exported = bobctx("export", *C, db=db).splitlines()
    assert [json.loads(line)["id"] for line in exported] == [m["id"] for m in conversation.messages()]
    assert as_json("conversations", db=db)["conversations"][0]["messages"] == 299
    active = sum(c["active"] for c in as_json("claims", *C, db=db)["claims"])
    replaced = verified["claims"] - active
    assert replaced > 0, "or this says nothing"
    assert bobctx("claims", *C, db=db).startswith(f"{active} current claims; {replaced} replaced (--all)\n")
    assert bobctx("claims", "--all", *C, db=db).startswith(
        f"{verified['claims']} claims, {replaced} of them replaced\n"
    )
    assert f"({replaced} of them replaced by later ones)" in bobctx("verify", *C, db=db)
    assert f"later ones replaced {replaced}:" in bobctx("chain", *C, db=db)
    assert f"{active} current in " in bobctx("status", db=db, code=1)
    status = as_json("status", db=db, code=1)
    assert not status["ok"]
    assert status["daemon"] is None
    assert status["messages"] == 299


def test_readable_forms_of_all_reading_commands(db: Path, transcript: Path) -> None:
    """Without --json; -c and -u may be left out where there is one conversation."""
    bobctx("import", transcript, *C, db=db)
    assert "regions" in bobctx("compact", db=db)
    for command in (["assemble", "--window", "8192"], ["claims"], ["chain"], ["verify"], ["expand", "m3"]):
        assert bobctx(*command, db=db).strip(), command
    status = bobctx("status", db=db, code=1)
    assert "no daemon runs" in status
    assert status.splitlines()[-1].startswith("-> no daemon is ready"), "what a health check shows"
    assert "zeta-sync" in bobctx("search", "zeta-sync", db=db)
    why = bobctx("why", "m3", "--window", "8192", db=db)
    assert "cited by r1." in why
    assert "never enable zeta-sync" in why
    assert "c1" in bobctx("conversations", db=db)
    assert bobctx("pin", "Use metres.", db=db).startswith("pinned ")
    assert "Use metres." in bobctx("pin", db=db)


def test_an_exported_conversation_imports_to_the_same_one(db: Path, transcript: Path) -> None:
    bobctx("import", transcript, *C, db=db)
    out = transcript.with_name("out.jsonl")
    bobctx("export", *C, "--out", out, db=db)
    again = bobctx("import", out, *C, db=db)
    assert "0 new, 0 changed, 299 known" in again


def test_writing_goes_through_a_running_daemon_and_reading_beside_it(
    db: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when a command that writes opens the database beside the daemon, or a reading one cannot."""
    with daemon(db) as where:
        bobctx("import", transcript, *C, db=db)
        assert as_json("compact", *C, db=db)["chain"]
        assert as_json("verify", *C, db=db)["failed"] == 0
        status = as_json("status", db=db)
        assert status["ok"]
        assert status["daemon"]["url"] == where["url"]
        assert status["uptime_s"] > 0
        assert status["counter_id"] != "loading", "the daemon's counter, not this process's"
        doctor = as_json("doctor", db=db)
        assert doctor["ok"], doctor
        assert bobctx("doctor", db=db).split()[:2] == ["ok", "database"], "no line of a log before it"
        assert bobctx("key", db=db).startswith("bobctx_")
        deleted = as_json("delete", "m3", *C, "--yes", db=db)
        assert deleted["deleted"]
        assert as_json("why", "m3", *C, db=db)["part"] == "deleted"
        refused = bobctx("serve", "--port", "0", db=db, code=4)
        assert f"another process (pid {where['pid']}) has this database: the daemon at {where['url']}" in refused
        monkeypatch.setenv("BOBCTX_KEY", "wrong")
        assert "`bobctx key`" in bobctx("delete", "m4", "--yes", *C, db=db, code=4)
    assert as_json("status", db=db, code=1)["daemon"] is None


def test_why_says_edited_covered_and_deleted(db: Path, transcript: Path) -> None:
    bobctx("import", transcript, *C, db=db)
    bobctx("compact", *C, db=db)
    before = as_json("why", "m89", *C, "--window", "8192", db=db)
    assert before["part"] == "covered"
    assert before["edited_ts"] is None
    assert any("7448" in claim["text"] for claim in before["cited_by"])
    assert as_json("why", "m299", *C, "--window", "8192", db=db)["part"] == "tail"
    assert as_json("why", "t001", *C, "--window", "8192", db=db)["part"] == "opening"

    edited = {"id": "t089", "role": "user", "content": "The ingest gateway listens on port 7450."}
    bobctx("record", *C, db=db, stdin=json.dumps([edited]))
    after = as_json("why", "m89", *C, "--window", "8192", db=db)
    assert after["edited_ts"] is not None
    assert after["part"] == "announced"
    assert after["cited_by"] == []

    receipt = bobctx("delete", "m90", *C, "--yes", db=db)
    assert "come back with the next compaction" in receipt
    assert "replies" not in receipt
    bobctx("delete", "m89", *C, "--yes", db=db)
    gone = as_json("why", "m89", *C, db=db)
    assert (gone["deleted"], gone["text"]) == (True, None)


def test_verify_finds_a_claim_that_was_changed_in_the_database(db: Path, transcript: Path) -> None:
    """Exit 1, and the chain names the break."""
    import sqlite3

    bobctx("import", transcript, *C, db=db)
    bobctx("compact", *C, db=db)
    with sqlite3.connect(db) as connection:
        connection.execute("UPDATE compactions SET claims_json = replace(claims_json, '7448', '7484')")
    connection.close()
    found = as_json("verify", *C, db=db, code=1)
    assert found["chain"]["break"]["code"] == "chain_hash"


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["import", "nowhere.jsonl", "-c", "c", "-u", "u"], 2, "no file at"),
        (["claims", "-c", "other", "-u", "u1"], 3, "no conversation other of u1"),
        (
            ["why", "m9999", "-c", "c1", "-u", "u1"],
            3,
            "no message m9999 in the conversation c1 of u1; name one as `m12`",
        ),
        (["why", "r4.c2", "-c", "c1", "-u", "u1"], 3, "`bobctx claims` shows claims"),
        (["expand", "m1", "nothing", "-c", "c1", "-u", "u1"], 3, "no message nothing in the conversation c1 of u1"),
        (["inspect", "abc", "-u", "u1"], 3, "no context or assembly abc of u1; its id is the `ctx_…`"),
        (["feedback", "abc", "useful", "-u", "u1"], 3, "no context or assembly abc of u1"),
        (["erase", "nobody", "--yes"], 3, "nothing of a user nobody is stored; `bobctx conversations`"),
        (["assemble", "-c", "c1", "-u", "u1", "--window", "-5"], 2, "window"),
        (["search", " ", "-c", "c1", "-u", "u1"], None, ""),
        (["import", "--format", "word", __file__, "-c", "c", "-u", "u"], 2, "unknown format"),
    ],
)
def test_mistakes_end_in_one_line_and_a_documented_exit_code(
    db: Path, args: list[str], code: int | None, says: str
) -> None:
    bobctx("record", *C, db=db, stdin='{"role": "user", "content": "hi", "id": "a"}')
    text = bobctx(*args, db=db, code=code)
    assert says in text
    if code:
        assert text.count("\n") == 1
        assert text.startswith("bobctx: ")
        error = as_json(*args, db=db, code=code)["error"]
        assert error["code"]
        assert error["message"]


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["record", *C, "/proc/self/mem"], 4),
        (["export", *C, "-o", "/dev/full"], 4),
        (["backup", "a" * 300], 2),
        (["restore", "a" * 300, "--yes"], 2),
        (["backup", "/proc/copy.db"], 4),
    ],
)
def test_a_full_or_failing_disk_and_a_name_that_is_too_long_end_in_one_line(
    db: Path, args: list[str], code: int
) -> None:
    """Fails if an error of the operating system that no command foresaw ends in a traceback."""
    bobctx("record", *C, db=db, stdin=json.dumps([{"role": "user", "content": "hi " * 9_000, "id": "a"}]))
    text = bobctx(*args, db=db, code=code)
    assert text.startswith("bobctx: ")
    assert text.count("\n") == 1
    assert as_json(*args, db=db, code=code)["error"]["message"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("conversations -u $'\\xff' --db {db}", 2),
        ("record -c $'\\xff' -u u1 --db {db} <<< '[]'", 2),
        ("conversations -u u1 --json --db {db} > /dev/full", 4),
        ("export -c c1 -u u1 --db {db} > /dev/full", 4),
        ("record -c c1 -u u1 --db {db} - <&-", 2),
    ],
)
def test_arguments_that_are_no_text_and_streams_that_are_full_or_closed_end_in_one_line(
    db: Path, line: str, code: int
) -> None:
    """In a shell of its own: fails if a tool of the operator's shows a traceback."""
    bobctx("record", *C, db=db, stdin='{"role": "user", "content": "hi", "id": "a"}')
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m bobctx.cli {line.format(db=db)}"], capture_output=True, timeout=TIMEOUT_S
    )
    text = (done.stdout + done.stderr).decode("utf-8", "replace")
    assert done.returncode == code, text
    assert "Traceback" not in text
    assert text.count("\n") == 1


def test_recording_refuses_bad_messages_and_stores_nothing(db: Path) -> None:
    bad = '[{"role": "user", "content": "kept?", "id": "a"}, {"role": "narrator", "content": "x"}]'
    assert "role" in bobctx("record", *C, db=db, stdin=bad, code=2)
    assert as_json("conversations", db=db)["conversations"] == []
    assert "not JSON" in bobctx("record", *C, db=db, stdin='{"role": "user"}\n{broken\n{"role": "user"}', code=2)


def test_the_database_can_be_named_before_the_command_or_by_the_environment(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bobctx("record", *C, db=db, stdin='{"role": "user", "content": "hi", "id": "a"}')
    monkeypatch.setenv("BOBCTX_DB", "")  # taken back after the test, whatever the command sets
    assert "c1" in bobctx("--db", db, "conversations")
    monkeypatch.delenv("BOBCTX_DB")
    monkeypatch.setenv("CONTEXT_DB", str(db))
    assert "c1" in bobctx("conversations")
    assert as_json("version", db=db)["version"]
    assert as_json("tools", db=db)


def test_no_database_is_said_with_a_next_step(db: Path) -> None:
    said = bobctx("claims", *C, db=db, code=4)
    assert "no database" in said
    assert "`bobctx serve`" in said
    assert "`bobctx import FILE" in said
    assert "no database" in bobctx("status", db=db, code=1)
    assert as_json("status", db=db, code=1)["error"]["code"] == "store_unavailable"
    assert as_json("doctor", db=db)["ok"]


def test_a_database_that_others_can_read_is_refused(db: Path) -> None:
    bobctx("record", *C, db=db, stdin='{"role": "user", "content": "hi", "id": "a"}')
    db.chmod(0o644)
    assert "chmod 600" in bobctx("claims", *C, db=db, code=4)
    assert as_json("doctor", db=db, code=1)["ok"] is False


def test_the_version_starts_without_the_rest_of_the_program() -> None:
    """Fails when a command's module is imported before the command runs."""
    code = (
        "import sys; from bobctx.cli import main\n"
        "try: main(['version'])\n"
        "except SystemExit: pass\n"
        "heavy = {'fastapi', 'pydantic', 'rich', 'httpx', 'litellm', 'aiosqlite', 'tiktoken'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
    assert done.stdout.startswith("bobctx ")

"""`replay`, `audit` and `check` as scripts use them: exact JSON, exit codes, no database touched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bobctx.cli.frame import cli

pytestmark = pytest.mark.slow

TOTAL = {
    "turns", "prompt_tokens", "new_tokens", "cached_tokens", "cost", "violations", "overruns", "omitting_turns",
    "compactions", "seconds",
}  # fmt: skip
TURN = {"prompt_tokens", "new_tokens", "cached_tokens", "cost", "violations", "overruns"}


@pytest.fixture(autouse=True)
def no_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    monkeypatch.setenv("BOBCTX_COMPACTOR_MODEL", "openai/some-paid-model")
    return home


def run(*args: str | int | Path, code: int = 0) -> str:
    done = CliRunner().invoke(cli, [*map(str, args)])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, (done.exit_code, done.stdout[-800:], done.stderr[-800:])
    return done.stdout


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "Be brief."}]
    for n in range(30):
        messages += [
            {"role": "user", "content": f"Service svc-{n} listens on port {7000 + n}. " + "More on it here. " * 60},
            {"role": "assistant", "content": f"Noted number {n}."},
        ]
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(messages))
    return path


def test_replay_prints_the_named_json_and_touches_no_database(transcript: Path, no_home: Path, tmp_path: Path) -> None:
    svg = tmp_path / "out.svg"
    found = json.loads(run("replay", transcript, "--window", 8192, "--dialect", "anthropic", "--plot", svg, "--json"))
    assert found.keys() == {"turns", "total"}
    assert found["total"].keys() >= TOTAL | {"prefix_share", "ceiling"}
    assert all(t.keys() >= TURN for t in found["turns"])
    total = found["total"]
    assert total["turns"] == len(found["turns"]) == 30
    assert (total["violations"], total["overruns"]) == (0, 0)
    assert total["omitting_turns"] > 0
    assert total["compactions"] > 0
    assert total["prompt_tokens"] == sum(t["prompt_tokens"] for t in found["turns"])
    assert svg.read_text().startswith("<svg ")
    assert list(no_home.iterdir()) == []


def test_replay_shows_a_table_and_says_what_is_wrong_with_its_arguments(transcript: Path) -> None:
    text = run("replay", transcript, "--window", 8192, "--arm", "window", "--price", "3,3.75,0.3,15")
    assert "30 turns" in text
    assert "violations 0, overruns 0" in text
    run("replay", transcript, "--price", "1,2", code=2)
    run("replay", transcript.with_name("absent.json"), code=2)


def test_check_names_each_violation_and_repairs_on_request(tmp_path: Path) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    path, fixed = tmp_path / "body.json", tmp_path / "fixed.json"
    body = {"model": "m", "messages": [
        {"role": "user", "content": "hi"}, {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "user", "content": "go on"},
    ]}  # fmt: skip
    path.write_text(json.dumps(body))
    found = json.loads(run("check", path, "--repair", fixed, "--json", code=1))
    assert [v["code"] for v in found["violations"]] == ["unanswered_call"]
    assert json.loads(run("check", fixed, "--json"))["valid"]
    assert "valid for" in run("check", fixed)
    path.write_text('"no list"')
    run("check", path, code=2)


def test_audit_exits_one_on_a_contradiction_and_never_says_lost(tmp_path: Path) -> None:
    lines = [
        {"type": "user", "uuid": "u1", "sessionId": "s", "isSidechain": False, "parentUuid": None,
         "message": {"role": "user", "content": "Never enable zeta-sync on the billing cluster. Keep port 9443."}},
        {"type": "assistant", "uuid": "u2", "sessionId": "s", "isSidechain": False, "parentUuid": "u1",
         "message": {"role": "assistant", "content": "Understood."}},
        {"type": "user", "uuid": "u3", "sessionId": "s", "isSidechain": False, "parentUuid": "u2",
         "isCompactSummary": True,
         "message": {"role": "user", "content": "zeta-sync is enabled on the billing cluster."}},
    ]  # fmt: skip
    folder = tmp_path / "projects" / "one"
    folder.mkdir(parents=True)
    (folder / "session.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "notes.txt").write_text("no transcript")
    found = json.loads(run("audit", tmp_path / "projects", "--json", code=1))
    assert found["total"]["contradicted"] == 1
    assert found["total"]["skipped"] == 1
    worst = found["files"][0]["compactions"][0]["findings"][0]
    assert (worst["status"], worst["line"]) == ("contradicted", 1)
    text = run("audit", tmp_path / "projects", code=1)
    assert "not found verbatim" in text
    assert "lost" not in text
    (folder / "session.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines[:2]))
    assert json.loads(run("audit", folder, "--json"))["total"]["files_without_compaction"] == 1


def test_import_explains_without_a_conversation_and_records_nothing(transcript: Path, no_home: Path) -> None:
    found = json.loads(run("import", transcript, "--explain", "--json"))
    assert found == {"left_out": []}
    assert list(no_home.iterdir()) == []
    run("import", transcript, code=2)

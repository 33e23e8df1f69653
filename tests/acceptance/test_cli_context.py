"""Choosing claims from the command line: the API's objects as JSON, tables for reading, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bobctx.demo import conversation
from tests.acceptance.test_cli import as_json, bobctx, db, no_settings

__all__ = ["db", "no_settings"]

pytestmark = pytest.mark.slow
HERE = ("-c", "c", "-u", "u")


@pytest.fixture
def filled(db: Path, tmp_path: Path) -> Path:
    """A database with the demo conversation, compacted."""
    source = tmp_path / "talk.jsonl"
    messages = [json.dumps(m) for m in conversation.messages()]
    source.write_text("\n".join(messages), encoding="utf-8")
    bobctx("record", source, *HERE, db=db)
    bobctx("compact", *HERE, db=db)
    return db


def test_compile_inspect_and_feedback_hang_together(filled: Path) -> None:
    claims = as_json("claims", *HERE, db=filled)["claims"]
    task = next(c["text"] for c in claims if c["active"] and c["importance"] == 3)
    made = as_json("compile", *HERE, "--task", task, "--max-tokens", "400", db=filled)
    assert made["budget"]["max_tokens"] == 400
    assert made["items"][0]["claim"] == task
    trace = as_json("inspect", made["context_id"], db=filled)
    assert {c["reason"] for c in trace["claims"]} <= {"top_score", "conflict_disputed", "over_budget", "superseded"}
    claim = made["items"][0]["claim_id"]
    vote = ("feedback", made["context_id"], "useful", "--claim", claim, "--mutation", "m1")
    first, again = as_json(*vote, db=filled), as_json(*vote, db=filled)
    assert (first["feedback_id"], again["meta"]["replayed"]) == (again["feedback_id"], True)


def test_a_claim_is_voted_on_by_every_name_that_the_tables_print(filled: Path) -> None:
    """Fails when `compile` or `inspect` shows a name that `feedback` refuses."""
    made = as_json("compile", *HERE, "--task", "deploy rollback gateway port", db=filled)
    context, item = made["context_id"], made["items"][0]
    traced = next(c for c in as_json("inspect", context, db=filled)["claims"] if c["claim_id"] == item["claim_id"])
    assert (traced["alias"], traced["conversation_id"]) == (item["alias"], "c")
    assert f" {item['alias']} " in bobctx("inspect", context, db=filled)
    for name in (item["alias"], f"c {item['alias']}", item["claim_id"], item["claim_id"][:16]):
        assert as_json("feedback", context, "useful", "--claim", name, db=filled)["claim_id"] == item["claim_id"]
    said = bobctx("feedback", context, "useful", "--claim", "r99.c1", db=filled, code=3)
    assert "no claim r99.c1 was shown there" in said


def test_an_alias_of_two_conversations_is_not_guessed(filled: Path, tmp_path: Path) -> None:
    bobctx("record", tmp_path / "talk.jsonl", "-c", "d", "-u", "u", db=filled)
    bobctx("compact", "-c", "d", "-u", "u", db=filled)
    made = as_json("compile", "-u", "u", "--task", "never enable zeta-sync", db=filled)
    twice = [i["alias"] for i in made["items"] if i["conversation_id"] == "c"]
    alias = next(i["alias"] for i in made["items"] if i["conversation_id"] == "d" and i["alias"] in twice)
    vote = ("feedback", made["context_id"], "useful", "--claim")
    assert f'name one of "c {alias}", "d {alias}"' in bobctx(*vote, alias, db=filled, code=2)
    chosen = next(i["claim_id"] for i in made["items"] if (i["conversation_id"], i["alias"]) == ("d", alias))
    assert as_json(*vote, f"d {alias}", db=filled)["claim_id"] == chosen


def test_tables_are_for_reading(filled: Path) -> None:
    text = bobctx("compile", "-u", "u", "--task", "deploy rollback", db=filled)
    assert "considered" in text
    assert "tokens" in text
    assert "open conflicts" in bobctx("conflicts", *HERE, db=filled)


def test_mistakes_have_exit_codes(filled: Path) -> None:
    bobctx("compile", *HERE, "--task", "x", "--max-tokens", "5", db=filled, code=2)
    bobctx("compile", "-c", "nowhere", "-u", "u", "--task", "x", db=filled, code=3)
    bobctx("inspect", "ctx_nothing", db=filled, code=3)
    bobctx("feedback", "ctx_nothing", "used", db=filled, code=3)
    bobctx("conflicts", *HERE, "--keep", "r1.c1", db=filled, code=2)
    bobctx("conflicts", *HERE, "--resolve", "cf_nothing", "--both", db=filled, code=3)
    bobctx("conflicts", *HERE, "--reopen", "cf_nothing", db=filled, code=3)

"""Every handed session file is detected and read into messages that pair and chain."""

from __future__ import annotations

from pathlib import Path

import pytest

from bobctx.core.parts import parts_of
from bobctx.core.types import ROLES
from bobctx.importers import read
from evals.datasets import DATASETS, write_jsonl

SESSIONS = {
    "claude_3fe1b6bc.jsonl": "claude_code",
    "claude_9eda1058.jsonl": "claude_code",
    "claude_incr_simple_turn1.jsonl": "claude_code",
    "claude_incr_simple_turn2.jsonl": "claude_code",
    "claude_incr_subagents_agent-a485154.jsonl": "claude_code",
    "claude_incr_subagents_turn1.jsonl": "claude_code",
    "claude_incr_subagents_turn2.jsonl": "claude_code",
    "codex_rollout-*.jsonl": "codex",
    "gemini_session-*.json": "gemini",
}


@pytest.mark.shared
@pytest.mark.parametrize(("pattern", "format"), SESSIONS.items())
def test_native_session_reads(shared: Path, pattern: str, format: str) -> None:
    (path,) = (shared / "data" / "native_sessions").glob(pattern)
    got = read(path)
    assert got.format == format
    assert len({m["id"] for m in got.messages}) == len(got.messages)
    assert all(m["role"] in ROLES for m in got.messages)
    assert any(m["role"] == "user" and not m.get("injected") for m in got.messages)
    known: set[str] = set()
    called: set[str | None] = set()
    for message in got.messages:
        assert set(message.get("parents", [])) <= known, "a parent stands before its child"
        known.add(message["id"])
        for part in parts_of(message):
            if part.kind == "call":
                called.add(part.call_id)
            elif part.kind == "result":
                assert part.call_id in called, "a result follows its call"


@pytest.mark.shared
def test_a_session_that_grew_starts_with_what_it_was(shared: Path) -> None:
    folder = shared / "data" / "native_sessions"
    before = read(folder / "claude_incr_simple_turn1.jsonl").messages
    assert read(folder / "claude_incr_simple_turn2.jsonl").messages[: len(before)] == before


@pytest.mark.shared
@pytest.mark.parametrize("name", DATASETS)
def test_data_set_becomes_openai_jsonl_that_reads_back(shared: Path, tmp_path: Path, name: str) -> None:
    chats = DATASETS[name](shared / "data")
    assert chats
    for ident, messages in (chats[0], chats[-1]):
        got = read(write_jsonl(ident, messages, tmp_path))
        assert got.format == "openai"
        assert len(got.messages) == len(messages)
        assert [m["content"] for m in got.messages] == [m["content"] for m in messages]

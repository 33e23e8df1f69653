"""Codex rollouts: items only, tool calls in OpenAI form, the tool's own texts flagged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bobctx.importers import read
from tests.integration.importers.lines import codex_call, codex_item, codex_output, codex_said, write_jsonl

META = {"timestamp": "2026-05-11T10:29:40.000Z", "type": "session_meta", "payload": {"id": "x", "cwd": "/repo"}}


def event(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-05-11T10:29:41.000Z", "type": "event_msg", "payload": {"type": kind, **payload}}


def test_items_are_read_and_events_that_repeat_them_are_not(tmp_path: Path) -> None:
    """Fails when a prompt is recorded twice, or the developer's text as the user's."""
    path = write_jsonl(
        tmp_path / "rollout.jsonl",
        [
            META,
            codex_said("developer", "be brief"),
            codex_said("user", "<environment_context>\n<cwd>/repo</cwd>\n</environment_context>"),
            codex_said("user", "# AGENTS.md instructions for /repo\n\nuse tabs"),
            codex_said("user", "list the files"),
            event("user_message", message="list the files"),
            codex_item({"type": "reasoning", "encrypted_content": "x"}),
            codex_call("c1"),
            codex_output("c1"),
            codex_said("assistant", "One file."),
            event("agent_message", message="One file."),
            {"type": "compacted", "payload": {"message": "summary of it all"}},
        ],
    )
    got = read(path)
    assert got.format == "codex"
    assert [(m["role"], bool(m.get("injected"))) for m in got.messages] == [
        ("user", True),
        ("user", True),
        ("user", False),
        ("assistant", False),
        ("tool", False),
        ("assistant", False),
    ]
    assert got.messages[2]["content"] == "list the files"
    assert got.messages[3]["tool_calls"][0]["function"] == {"name": "shell", "arguments": '{"cmd": "ls"}'}
    assert got.messages[4]["tool_call_id"] == "c1"
    assert got.skipped == {
        "session_meta": 1, "role_developer": 1, "event_msg": 2, "reasoning": 1, "compacted": 1,
    }  # fmt: skip


def test_the_answer_that_is_the_tools_own_summary_is_not_recorded(tmp_path: Path) -> None:
    """The tool asks for it and writes it down as an answer, then puts it behind a sentence of its own."""
    said = "The gateway may be opened."
    compacted = {"type": "compacted", "payload": {"message": f"Another model wrote this:\n{said}"}}
    other = {"type": "compacted", "payload": {"message": "", "replacement_history": []}}
    lines = [codex_said("user", "go"), codex_said("assistant", "Never open the gateway.")]
    got = read(write_jsonl(tmp_path / "a.jsonl", [*lines, codex_said("assistant", said + "\n"), compacted]))
    assert [m["content"] for m in got.messages] == ["go", "Never open the gateway."]
    assert got.skipped == {"host_summary": 1, "compacted": 1}
    for after in (compacted, other):
        assert read(write_jsonl(tmp_path / "b.jsonl", [*lines, after])).messages == got.messages


def test_prompts_that_stand_only_in_events_are_read_from_there(tmp_path: Path) -> None:
    path = write_jsonl(
        tmp_path / "rollout.jsonl",
        [META, event("user_message", message="list the files"), codex_call("c1"), codex_output("c1")],
    )
    got = read(path)
    assert [m["role"] for m in got.messages] == ["user", "assistant", "tool"]
    assert got.warnings == ["prompts stand only in event lines: read from there"]


def test_parallel_calls_are_one_message_and_late_results_stand_behind_it(tmp_path: Path) -> None:
    path = write_jsonl(
        tmp_path / "rollout.jsonl",
        [
            codex_said("user", "go"),
            codex_call("c1"),
            codex_call("c2"),
            codex_output("c1", "one"),
            codex_call("c3"),
            codex_output("c2", "two"),
            codex_output("c3", "three"),
            codex_said("assistant", "done"),
        ],
    )
    got = read(path).messages
    assert [m["role"] for m in got] == ["user", "assistant", "tool", "tool", "assistant", "tool", "assistant"]
    assert [c["id"] for c in got[1]["tool_calls"]] == ["c1", "c2"]
    assert [m["content"] for m in got if m["role"] == "tool"] == ["one", "two", "three"]
    assert [m["tool_call_id"] for m in got if m["role"] == "tool"] == ["c1", "c2", "c3"]


def test_custom_and_shell_calls_and_structured_outputs_are_tool_calls_too(tmp_path: Path) -> None:
    path = write_jsonl(
        tmp_path / "rollout.jsonl",
        [
            codex_said("user", "go"),
            codex_item({"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin", "call_id": "c1"}),
            codex_item({"type": "custom_tool_call_output", "call_id": "c1", "output": {"content": "applied"}}),
            codex_item({"type": "local_shell_call", "action": {"command": ["ls"]}, "call_id": "c2"}),
            codex_item(
                {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "a.txt"}]}
            ),
            codex_output("c9", "nobody asked"),
        ],
    )
    got = read(path)
    assert got.messages[1]["tool_calls"][0]["function"]["arguments"] == '{"input": "*** Begin"}'
    assert [m["content"] for m in got.messages if m["role"] == "tool"] == ["applied", "a.txt"]
    assert got.skipped == {"result_without_call": 1}


def test_missing_ids_are_chained_so_that_equal_texts_differ(tmp_path: Path) -> None:
    lines = [codex_said("user", "again"), codex_said("assistant", "ok")] * 2
    got = read(write_jsonl(tmp_path / "rollout.jsonl", lines)).messages
    assert len({m["id"] for m in got}) == 4
    assert read(write_jsonl(tmp_path / "short.jsonl", lines[:3])).messages == got[:3]

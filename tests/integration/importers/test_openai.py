"""OpenAI chat files: lists, request bodies, lines; bad input is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bobctx.errors import InvalidInput
from bobctx.importers import detect, read, read_all
from tests.integration.importers.lines import write_json, write_jsonl

CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "be kind"},
    {"role": "user", "content": "weather?", "id": "x1", "created_at": "2026-01-02T10:00:00Z"},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "w", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "sun"},
    {"role": "assistant", "content": "Sun."},
]  # fmt: skip


@pytest.mark.parametrize("shape", ["list", "body", "lines", "one body a line"])
def test_every_shape_gives_the_same_messages(tmp_path: Path, shape: str) -> None:
    path = tmp_path / "chat"
    if shape == "list":
        write_json(path, CHAT)
    elif shape == "body":
        write_json(path, {"model": "m", "messages": CHAT, "tools": []})
    elif shape == "lines":
        write_jsonl(path, CHAT)
    else:
        write_jsonl(path, [{"messages": CHAT}])
    got = read(path)
    assert got.format == "openai"
    assert [m["role"] for m in got.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert got.messages[1]["id"] == "x1"
    assert got.messages[1]["created_at"] == 1767348000.0
    assert all(m["id"].startswith("h") for i, m in enumerate(got.messages) if i != 1)
    assert got.messages[2]["tool_calls"] == CHAT[2]["tool_calls"]


def test_legacy_function_fields_become_tool_calls(tmp_path: Path) -> None:
    path = write_json(
        tmp_path / "old.json",
        [
            {"role": "user", "content": "weather?"},
            {"role": "assistant", "content": None, "function_call": {"name": "w", "arguments": "{}"}},
            {"role": "function", "name": "w", "content": "sun"},
        ],
    )
    got = read(path).messages
    assert got[1]["tool_calls"][0]["id"] == got[2]["tool_call_id"]
    assert got[2]["role"] == "tool"


def test_unknown_roles_and_broken_lines_are_counted(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "chat.jsonl", [*CHAT, {"role": "narrator", "content": "then"}, [1]])
    path.write_text(path.read_text("utf-8") + "{broken\n", encoding="utf-8")
    got = read(path)
    assert len(got.messages) == len(CHAT)
    assert got.skipped == {"unknown_role": 1, "not_an_object": 1, "bad_json": 1}


def test_one_id_at_two_different_messages_is_told_apart(tmp_path: Path) -> None:
    path = write_json(
        tmp_path / "chat.json",
        [{"role": "user", "content": "a", "id": "1"}, {"role": "user", "content": "b", "id": "1"}],
    )
    got = read(path)
    assert len({m["id"] for m in got.messages}) == 2
    assert got.warnings


def test_several_conversations_need_a_choice(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "train.jsonl", [{"messages": CHAT}, {"messages": CHAT[:2]}])
    assert [len(t.messages) for t in read_all(path)] == [5, 2]
    assert len(read(path, pick=2).messages) == 2
    with pytest.raises(InvalidInput, match="--pick"):
        read(path)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"just some prose without any speaker.", "no format known"),
        (b'{"a": NaN}', "not valid JSON: NaN is not JSON"),
        (b"[" * 100_000, "not valid JSON: nested too deep"),
        (b"\xff\xfe\x00binary", "no format known"),
        (b"[]", "no format known"),
    ],
)
def test_other_files_are_refused_with_a_next_step(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=says):
        read(path)


def test_a_missing_file_and_an_unknown_format_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no file at"):
        read(tmp_path / "none.json")
    with pytest.raises(InvalidInput, match="folder"):
        read(tmp_path)
    path = write_json(tmp_path / "chat.json", CHAT)
    with pytest.raises(InvalidInput, match="one of claude_code, codex"):
        read(path, "word")
    with pytest.raises(InvalidInput, match="no messages in the format codex"):
        read(path, "codex")
    assert detect(path) == "openai"


def test_bytes_that_are_no_text_are_replaced_and_counted(tmp_path: Path) -> None:
    """Fails without the warning, or if a U+FFFD that the tool itself wrote is counted too."""
    path = tmp_path / "chat.jsonl"
    path.write_bytes(
        b'{"role": "user", "content": "caf\xe9 and \xff"}\n'
        b'{"role": "assistant", "content": "kept: \xef\xbf\xbd, cut: \xe2\x82"}\n'
    )
    got = read(path)
    assert [m["content"] for m in got.messages] == ["caf\ufffd and \ufffd", "kept: \ufffd, cut: \ufffd"]
    assert got.warnings == ["3 invalid UTF-8 sequences in the file were replaced by U+FFFD"]


def test_a_file_of_good_text_has_no_warning(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "chat.jsonl", [{"role": "user", "content": "café \ufffd"}])
    assert read(path).warnings == []

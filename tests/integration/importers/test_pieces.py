"""A transcript in pieces gives the messages that it gives whole, wherever it is cut between two turns or inside one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bobctx.importers import read
from bobctx.importers.pieces import read_piece
from tests.integration.importers.lines import (
    claude_line,
    codex_call,
    codex_output,
    codex_said,
    result,
    text,
    use,
    write_jsonl,
)


def claude() -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = [{"type": "mode", "sessionId": "s"}]
    above = None
    for n in range(5):
        lines += [
            claude_line("user", f"q{n}", above, f"question {n}"),
            claude_line("assistant", f"a{n}", f"q{n}", [use(f"t{n}")], message_id=f"api{n}"),
            claude_line("user", f"r{n}", f"a{n}", [result(f"t{n}")]),
            claude_line("user", f"m{n}", f"r{n}", "<system-reminder>be quiet</system-reminder>", isMeta=True),
            claude_line("assistant", f"b{n}", f"m{n}", [text(f"answer {n}")], message_id=f"apib{n}"),
            claude_line("assistant", f"c{n}", f"b{n}", [text("more")], message_id=f"apib{n}"),
        ]
        above = f"c{n}"
    return lines


def codex() -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = [{"type": "session_meta", "payload": {"id": "x"}}]
    for n in range(5):
        lines += [
            codex_said("user", "again"),
            codex_call(f"c{n}"),
            codex_output(f"c{n}"),
            codex_said("assistant", "ok"),
        ]
    return lines


def played(format: str, lines: list[dict[str, Any]], cuts: list[int]) -> list[dict[str, Any]]:
    """The messages as a hook sends them: each reading goes on at the newest prompt of the one before."""
    kept: dict[str, dict[str, Any]] = {}
    start, previous = 0, None
    for cut in [*cuts, len(lines)]:
        stretch = "".join(json.dumps(line) + "\n" for line in lines[start:cut])
        piece = read_piece(format, stretch, previous)
        assert not piece.rewound
        for message in piece.messages:
            known = kept.get(message["id"], {})
            kept[message["id"]] = {**message, "parents": known.get("parents") or message.get("parents")}
        if piece.restart_line:
            start, previous = start + piece.restart_line - 1, piece.previous
    return list(kept.values())


@pytest.mark.parametrize(("format", "make"), [("claude_code", claude), ("codex", codex)])
@pytest.mark.parametrize("every", [1, 2, 3, 5, 7])
def test_pieces_add_up_to_the_whole(tmp_path: Path, format: str, make: Any, every: int) -> None:
    lines = make()
    whole = read(write_jsonl(tmp_path / "t.jsonl", lines), format).messages
    got = played(format, lines, list(range(every, len(lines), every)))
    assert [m["id"] for m in got] == [m["id"] for m in whole]
    assert [m["content"] for m in got] == [m["content"] for m in whole]
    assert [m.get("parents") for m in got[1:] if m.get("parents")] == [
        m.get("parents") for g, m in zip(got[1:], whole[1:], strict=True) if g.get("parents")
    ]


def test_a_prompt_that_continues_from_before_the_piece_asks_for_the_whole() -> None:
    lines = claude()
    lines.append(claude_line("user", "q9", "c0", "instead"))
    last_two = "".join(json.dumps(line) + "\n" for line in lines[-7:])
    assert read_piece("claude_code", last_two).rewound
    assert not read_piece("claude_code", "".join(json.dumps(line) + "\n" for line in lines)).rewound


@pytest.mark.parametrize("given", ["", "\n", "nonsense\n", "{}\n", '{"type": 1}\n{"payload": 3}\n', "[1]\n"])
@pytest.mark.parametrize("format", ["claude_code", "codex"])
def test_a_piece_without_messages_says_so(format: str, given: str) -> None:
    piece = read_piece(format, given, "before")
    assert (piece.messages, piece.restart_line, piece.previous) == ([], None, "before")

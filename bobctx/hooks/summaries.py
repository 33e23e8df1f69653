"""Summaries that hosts write into their transcripts in place of earlier messages."""

from __future__ import annotations

import os
import stat

from bobctx.hooks import json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TAIL = 4 * 1024 * 1024
"""Bytes from the end that are looked at: a summary is written when the context was just replaced."""


def newest_summary(path: str, format: str, start: int) -> str | None:
    """The text of the newest compaction behind byte `start`."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(start, size - TAIL))
            lines = file.read(TAIL).split(b"\n")
    except OSError:
        return None
    mark, read = (b"isCompactSummary", claude_summary) if format == "claude_code" else (b'"compacted"', codex_summary)
    for line in reversed(lines):
        if mark in line:
            try:
                found = json_text.loads(line)
            except (ValueError, RecursionError):
                continue
            text = read(found) if isinstance(found, dict) else None
            if text and text.strip():
                return text
    return None


def claude_summary(line: dict[str, Any]) -> str | None:
    """The summary on a line of a Claude Code session, if it is one."""
    message = line.get("message")
    if not line.get("isCompactSummary") or not isinstance(message, dict):
        return None
    return _text(message.get("content"))


def codex_summary(line: dict[str, Any]) -> str | None:
    """The summary on a line of a Codex rollout: its own text, else what replaces the history."""
    payload = line.get("payload")
    if line.get("type") != "compacted" or not isinstance(payload, dict):
        return None
    if isinstance(payload.get("message"), str) and payload["message"].strip():
        return str(payload["message"])
    items = payload.get("replacement_history")
    kept = items if isinstance(items, list) else []
    return "\n\n".join(_text(i.get("content")) for i in kept if isinstance(i, dict))


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(b["text"] for b in blocks if isinstance(b, dict) and isinstance(b.get("text"), str))

"""Claude Code session files: one JSON object a line, one API message over several lines.

Lines of one `message.id` are merged into one message at the first line's place. Side chains,
bookkeeping and the tool's own compaction summaries are left out: a summary is not what a user said.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import regex

from bobctx.core.types import Json
from bobctx.importers.source import Source, word
from bobctx.importers.transcript import LINE, Reading, Transcript, message, unix_seconds

NAME = "claude_code"
DESCRIPTION = "Claude Code session JSONL (main and subagent files)"

LINE_TYPES = frozenset({"user", "assistant"})
MARKS = frozenset({"parentUuid", "sessionId", "isSidechain", "leafUuid", "messageId", "isSnapshotUpdate"})
HOST_ELEMENT = regex.compile(
    r"\s*<(?P<tag>command-name|command-message|command-args|local-command-[a-z]+|bash-stdout|bash-stderr"
    r"|system-reminder|task-notification|ide_[a-z_]+|user-prompt-submit-hook|session-start-hook|new-diagnostics)"
    r"\b[^>]*>(?P<inner>.*?)</(?P=tag)>\s*",
    regex.DOTALL,
)
"""What the tool writes into user lines: echoes of commands, their output, hooks, reminders."""
INTERRUPTED = "[Request interrupted by user"


def matches(source: Source) -> bool:
    """Whether the lines carry Claude Code's own fields."""
    seen = [o for _, o in source.objects()][:50]
    return any(isinstance(o.get("type"), str) and "payload" not in o and len(MARKS & o.keys()) >= 1 for o in seen)


@dataclass(slots=True)
class _Tree:
    """Which message each line ended up in, so that parents can be named."""

    of_line: dict[str, str | None] = field(default_factory=dict)
    """uuid of a line -> id of its message, or of the nearest message above a line that was left out."""
    position: dict[str, int] = field(default_factory=dict)
    by_api_id: dict[str, int] = field(default_factory=dict)


def _has_block(content: Json, kind: str) -> bool:
    return isinstance(content, list) and any(isinstance(b, dict) and b.get("type") == kind for b in content)


def _injected(line: dict[str, Json], content: Json) -> bool:
    """Whether a user line was put there by the tool: meta lines, command echoes, hook and shell output."""
    if line.get("isMeta"):
        return True
    if _has_block(content, "tool_result"):
        return False
    texts = [content] if isinstance(content, str) else []
    if isinstance(content, list):
        if any(not isinstance(b, dict) or not isinstance(b.get("text"), str) for b in content):
            return False
        texts = [b["text"] for b in content]
    return bool(texts) and all(_host_text(text) for text in texts)


def _host_text(text: str) -> bool:
    """Whether nothing in the text is the user's own; what was typed behind a command is."""
    if text.lstrip().startswith(INTERRUPTED):
        return True
    position = 0
    while (found := HOST_ELEMENT.match(text, position)) is not None:
        if found["tag"] == "command-args" and found["inner"].strip():
            return False
        position = found.end()
    return position > 0 and not text[position:].strip()


def _left_out(line: dict[str, Json], sidechain_file: bool) -> str | None:
    """Why a line is not a message of the conversation, or None."""
    if word(line, "type") not in LINE_TYPES:
        return "bookkeeping"
    inner = line.get("message")
    if not isinstance(inner, dict) or word(inner, "role") not in LINE_TYPES:
        return "bookkeeping"
    if line.get("isCompactSummary"):
        return "compact_summary"
    if line.get("isSidechain") and not sidechain_file:
        return "sidechain"
    if line.get("isApiErrorMessage"):
        return "api_error"
    return None


def _blocks(content: Json) -> list[Json]:
    if isinstance(content, list):
        return list(content)
    return [{"type": "text", "text": content}] if isinstance(content, str) and content else []


def read(source: Source, previous: str | None = None) -> list[Transcript]:
    """The session, in file order; a rewound prompt names the message it continues from.

    `previous`: id of the message before the first one, where the text is a piece of a file.
    """
    reading = Reading(NAME, previous=previous)
    for number in source.bad_lines:
        reading.skip("bad_json", number)
    lines = list(source.objects())
    spoken = [o for _, o in lines if word(o, "type") in LINE_TYPES]
    sidechain_file = bool(spoken) and all(o.get("isSidechain") for o in spoken)
    if sidechain_file:
        reading.warn("every line belongs to a subagent: read as a conversation of its own")
    tree = _Tree()
    for number, line in lines:
        if line.get("type") == "summary" and isinstance(line.get("summary"), str):
            reading.title = line["summary"]
        _take(line, number, reading, tree, _left_out(line, sidechain_file))
    return [reading.done()]


def _take(line: dict[str, Json], number: int, reading: Reading, tree: _Tree, reason: str | None) -> None:
    uuid = line.get("uuid")
    last = reading.messages[-1]["id"] if reading.messages else None
    parent_line = line.get("parentUuid") or line.get("logicalParentUuid")
    above = tree.of_line.get(parent_line, last) if isinstance(parent_line, str) else last
    if reason is not None:
        reading.skip(reason, number, str(line.get("subtype") or line.get("type")))
        if isinstance(uuid, str) and reason != "sidechain":
            tree.of_line[uuid] = above
        return
    if isinstance(uuid, str) and uuid in tree.of_line:
        reading.skip("duplicate", number, uuid)
        return
    inner: dict[str, Json] = line["message"]
    outside = isinstance(parent_line, str) and parent_line not in tree.of_line
    reading.rewound_outside |= outside and bool(reading.messages) and _is_prompt(inner)
    api_id = inner.get("id")
    if inner["role"] == "assistant" and isinstance(api_id, str) and api_id in tree.by_api_id:
        target = reading.messages[tree.by_api_id[api_id]]
        target["content"] = _blocks(target["content"]) + _blocks(inner.get("content"))
        if isinstance(uuid, str):
            tree.of_line[uuid] = target["id"]
        return
    _add(line, number, inner, reading, tree, above)


def _add(
    line: dict[str, Json], number: int, inner: dict[str, Json], reading: Reading, tree: _Tree, above: str | None
) -> None:
    """A new message: its id is the line's uuid, its parent the message before it or where a rewind points."""
    content = inner.get("content")
    ident = line.get("uuid") or inner.get("id") or f"line-{len(reading.messages)}"
    new = message(
        inner["role"],
        content if isinstance(content, str | list) else "",
        id=str(ident),
        created_at=unix_seconds(line.get("timestamp")),
        injected=True if inner["role"] == "user" and _injected(line, content) else None,
        **{LINE: number},
    )
    if reading.messages:
        new["parents"] = [_parent(inner, reading, tree, above)]
    tree.position[new["id"]] = len(reading.messages)
    tree.of_line[new["id"]] = new["id"]
    api_id = inner.get("id")
    if inner["role"] == "assistant" and isinstance(api_id, str):
        tree.by_api_id[api_id] = len(reading.messages)
    reading.messages.append(new)


def _is_prompt(inner: dict[str, Json]) -> bool:
    return inner["role"] == "user" and not _has_block(inner.get("content"), "tool_result")


def _parent(inner: dict[str, Json], reading: Reading, tree: _Tree, above: str | None) -> str:
    """The message that the new one continues.

    Parallel calls make a fan of lines that is one turn, so only a prompt (a user line without
    results) can start a branch, and results that answer its parent stay on its path.
    """
    messages = reading.messages
    last: str = messages[-1]["id"]
    if not _is_prompt(inner) or above is None or above == last:
        return last
    position = tree.position[above]
    while position + 1 < len(messages) and _has_block(messages[position + 1]["content"], "tool_result"):
        if messages[position + 1]["parents"] != [messages[position]["id"]]:
            break
        position += 1
    found: str = messages[position]["id"]
    if found != last:
        reading.warn("prompts were rewound: earlier versions are kept as branches")
    return found

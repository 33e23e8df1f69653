"""Codex rollouts: `response_item` lines become OpenAI chat messages; events only repeat them.

Instructions and environment that the tool itself puts in as user messages are kept and flagged
`injected`; reasoning is encrypted and left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

import regex

from bobctx.core.types import Json
from bobctx.importers.source import Source, word
from bobctx.importers.transcript import LINE, Reading, Transcript, message, tool_call

NAME = "codex"
DESCRIPTION = "Codex rollout JSONL"

LINE_TYPES = frozenset(
    {"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state", "token_usage_record"}
)
ITEM_TYPES = frozenset({"message", "function_call", "function_call_output", "reasoning"})
HOST_TAG = regex.compile(
    r"\s*(<(environment_context|user_instructions|turn_aborted|permissions[ _]instructions|INSTRUCTIONS|skill"
    r"|user_shell_command|subagent_notification|apps_instructions|collaboration_mode)\b|# AGENTS\.md instructions)"
)
CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "mcp_tool_call"})
RESULTS = frozenset(
    {"function_call_output", "custom_tool_call_output", "local_shell_call_output", "mcp_tool_call_output"}
)


def _payload(line: dict[str, Json]) -> dict[str, Json] | None:
    """The item of a line; the oldest rollouts had no envelope around it."""
    payload = line.get("payload")
    if isinstance(payload, dict):
        return payload
    return line if word(line, "type") in ITEM_TYPES else None


def matches(source: Source) -> bool:
    """Whether the lines are rollout records."""
    seen = [o for _, o in source.objects()][:50]
    if any(isinstance(o.get("payload"), dict) and word(o, "type") in LINE_TYPES for o in seen):
        return True
    return any(word(o, "type") in ITEM_TYPES and ("role" in o or "call_id" in o) and "uuid" not in o for o in seen)


def _text(content: Json) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(b["text"] for b in content if isinstance(b, dict) and isinstance(b.get("text"), str))
    return ""


def _content(content: Json) -> Json:
    """Plain text where all blocks are text, else the blocks in chat form."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    if all(isinstance(b, dict) and isinstance(b.get("text"), str) for b in content):
        return _text(content)
    return [_chat_block(block) for block in content]


def _chat_block(block: Json) -> Json:
    if not isinstance(block, dict):
        return {"type": "text", "text": str(block)}
    if isinstance(block.get("text"), str):
        return {"type": "text", "text": block["text"]}
    url = block.get("image_url")
    if isinstance(url, str):
        return {"type": "image_url", "image_url": {"url": url}}
    return block


def _output(output: Json) -> str:
    """The text of a tool result: text, `{"content": …}`, or content blocks."""
    if isinstance(output, str):
        return output
    if isinstance(output, dict) and isinstance(output.get("content"), str):
        return str(output["content"])
    return _text(output) or json.dumps(output, ensure_ascii=False)


def read(source: Source, previous: str | None = None) -> list[Transcript]:
    """The rollout; results stand directly after the message that holds their calls.

    `previous`: id of the message before the first one, where the text is a piece of a file.
    """
    reading = Reading(NAME, previous=previous)
    for number in source.bad_lines:
        reading.skip("bad_json", number)
    lines = list(source.objects())
    said = _said_by_items(payload for _, o in lines if (payload := _item(o)) is not None)
    rollout = _Rollout(reading)
    for number, line in lines:
        item = _item(line)
        if item is not None:
            rollout.take(item, number, line.get("timestamp"))
            continue
        event = line.get("payload")
        if line.get("type") == "compacted" and isinstance(event, dict):
            rollout.summarised(event.get("message"), number)
        if _is_user_event(event) and isinstance(event, dict) and not _repeated(event["message"], said):
            reading.warn("prompts stand only in event lines: read from there")
            rollout.add(message("user", event["message"], created_at=line.get("timestamp"), **{LINE: number}))
            continue
        kind = event.get("type") if isinstance(event, dict) else None
        reading.skip(str(line.get("type") or "bookkeeping"), number, str(kind or ""))
    return [reading.done()]


def _item(line: dict[str, Json]) -> dict[str, Json] | None:
    if line.get("type") == "response_item":
        return _payload(line)
    return line if "payload" not in line and word(line, "type") in ITEM_TYPES | CALLS | RESULTS else None


def _is_user_event(event: Json) -> bool:
    return isinstance(event, dict) and event.get("type") == "user_message" and isinstance(event.get("message"), str)


def _said_by_items(items: Iterable[dict[str, Json]]) -> list[str]:
    return [_text(i.get("content")) for i in items if i.get("type") == "message" and i.get("role") == "user"]


def _repeated(text: str, said: list[str]) -> bool:
    """Whether an event only repeats a prompt that stands as an item (there it may carry more around it)."""
    return any(text.strip() in item for item in said)


class _Rollout:
    """Joins parallel calls into one message and puts late results behind their calls."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.open_calls: dict[str, int] = {}
        """call id -> place of the message that holds it."""
        self.joinable = False

    def add(self, new: dict[str, Json]) -> None:
        """Append a message that is neither call nor result."""
        self.reading.messages.append(new)
        self.joinable = False

    def summarised(self, summary: Json, number: int) -> None:
        """The tool asked for a summary and got it as an answer: nobody said it in the conversation."""
        last = self.reading.messages[-1] if self.reading.messages else {}
        answer = last.get("content")
        if not isinstance(summary, str) or not isinstance(answer, str) or last.get("role") != "assistant":
            return
        if answer.strip() and not last.get("tool_calls") and summary.strip().endswith(answer.strip()):
            self.reading.messages.pop()
            self.reading.skip("host_summary", number)
            self.joinable = False

    def take(self, item: dict[str, Json], number: int, timestamp: Json) -> None:
        """One response item."""
        kind = word(item, "type")
        if kind == "message":
            self._message(item, number, timestamp)
        elif kind in CALLS:
            self._call(item, timestamp)
        elif kind in RESULTS:
            self._result(item, number, timestamp)
        else:
            self.reading.skip(kind or "bookkeeping", number)

    def _message(self, item: dict[str, Json], number: int, timestamp: Json) -> None:
        role = item.get("role")
        if role not in ("user", "assistant"):
            self.reading.skip(f"role_{role}", number)
            return
        text = _text(item.get("content"))
        injected = role == "user" and HOST_TAG.match(text) is not None
        self.add(
            message(
                role,
                _content(item.get("content")),
                id=item.get("id"),
                created_at=timestamp,
                injected=True if injected else None,
                **{LINE: number},
            )
        )

    def _call(self, item: dict[str, Json], timestamp: Json) -> None:
        call_id = str(item.get("call_id") or item.get("id") or f"call_{len(self.reading.messages)}")
        name = str(item.get("name") or ("local_shell" if item.get("type") == "local_shell_call" else "tool"))
        call = tool_call(call_id, name, _arguments(item))
        messages = self.reading.messages
        if self.joinable:
            messages[-1]["tool_calls"].append(call)
        else:
            messages.append(message("assistant", None, id=item.get("id"), created_at=timestamp, tool_calls=[call]))
            self.joinable = True
        self.open_calls[call_id] = len(messages) - 1

    def _result(self, item: dict[str, Json], number: int, timestamp: Json) -> None:
        call_id = str(item.get("call_id") or "")
        place = self.open_calls.pop(call_id, None)
        if place is None:
            self.reading.skip("result_without_call", number, call_id)
            return
        messages = self.reading.messages
        at = place + 1
        while at < len(messages) and messages[at]["role"] == "tool":
            at += 1
        result = message("tool", _output(item.get("output")), created_at=timestamp, tool_call_id=call_id)
        messages.insert(at, result)
        if at + 1 < len(messages):
            self.open_calls = {k: v + 1 if v >= at else v for k, v in self.open_calls.items()}
        else:
            self.joinable = False


def _arguments(item: dict[str, Json]) -> str:
    """Arguments as a JSON text: a custom tool's free input is wrapped."""
    if isinstance(item.get("arguments"), str):
        return str(item["arguments"])
    for key in ("input", "action", "arguments"):
        if key in item:
            value = item[key]
            return json.dumps({"input": value} if isinstance(value, str) else value, ensure_ascii=False)
    return "{}"

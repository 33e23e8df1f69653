"""What two providers refuse in a message list, read from their documentation, message by message.

A second reading beside `bobctx.core.dialect.check`, which repairs rely on: both would have to be wrong in the same
way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

Body = dict[str, Any]
ANTHROPIC_ID = re.compile(r"[A-Za-z0-9_-]+")
OPENAI_NAME = re.compile(r"[^\s<|\\/>]{1,64}")


def _blank(content: Any) -> bool:
    if content is None or isinstance(content, str):
        return not (content or "").strip()
    texts = [b.get("text", "") for b in content if b["type"] == "text"]
    return not content or any(not t.strip() for t in texts)


def openai_refuses(messages: Sequence[Body]) -> Iterator[str]:
    """Chat completions: after calls come their results, all of them and nothing else, before anybody speaks."""
    if not any(m["role"] == "user" for m in messages):
        yield "nobody asks"
    due: list[str] = []
    for at, message in enumerate(messages):
        role = message["role"]
        if role == "tool":
            if message["tool_call_id"] not in due:
                yield f"{at}: a result of no call"
            else:
                due.remove(message["tool_call_id"])
            continue
        if due:
            yield f"{at}: results of {due} are missing"
        calls = message.get("tool_calls")
        due = [c["id"] for c in calls or []]
        if calls == [] or len(set(due)) < len(due) or any(len(i) > 64 for i in due):
            yield f"{at}: bad calls"
        if role not in ("system", "developer", "user", "assistant"):
            yield f"{at}: role {role}"
        if not calls and _blank(message.get("content")):
            yield f"{at}: empty"
        if "name" in message and not OPENAI_NAME.fullmatch(message["name"]):
            yield f"{at}: name"
    if due:
        yield f"results of {due} are missing at the end"


def anthropic_refuses(messages: Sequence[Body]) -> Iterator[str]:
    """Messages: user and assistant in turn, results first in the turn right after their calls, signed thoughts."""
    due: set[str] = set()
    seen: set[str] = set()
    for at, message in enumerate(messages):
        if set(message) != {"role", "content"}:
            yield f"{at}: fields {sorted(message)}"
        if message["role"] != ("user", "assistant")[at % 2]:
            yield f"{at}: out of turn"
        if _blank(message["content"]):
            yield f"{at}: empty"
        content = message["content"]
        blocks: list[Body] = [{"type": "text", "text": content}] if isinstance(content, str) else content
        kinds = [b["type"] for b in blocks]
        answered = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
        if sorted(answered) != sorted(due) or kinds[: len(answered)] != ["tool_result"] * len(answered):
            yield f"{at}: results {answered}, due were {sorted(due)}"
        due = {b["id"] for b in blocks if b["type"] == "tool_use"}
        if due & seen or any(not ANTHROPIC_ID.fullmatch(i) for i in due):
            yield f"{at}: ids {sorted(due)}"
        seen |= due
        if message["role"] == "assistant":
            yield from (f"{at}: {w}" for w in _assistant(blocks))
        elif {"thinking", "redacted_thinking", "tool_use"} & set(kinds):
            yield f"{at}: a user's {kinds}"
    if due:
        yield f"results of {sorted(due)} are missing at the end"
    last = messages[-1]["content"] if messages and messages[-1]["role"] == "assistant" else None
    if isinstance(last, list):
        last = last[-1].get("text")
    if isinstance(last, str) and last != last.rstrip():
        yield "the last words end in white space"


def _assistant(blocks: Sequence[Body]) -> Iterator[str]:
    kinds = [b["type"] for b in blocks]
    if kinds[-1] in ("thinking", "redacted_thinking"):
        yield "ends in a thought"
    if any(b["type"] == "thinking" and not b.get("signature") for b in blocks):
        yield "an unsigned thought"
    if any(b["type"] == "tool_use" and not isinstance(b["input"], dict) for b in blocks):
        yield "arguments that are no object"
    asked = [b["id"] for b in blocks if b["type"].endswith("_tool_use")]
    told = [b["tool_use_id"] for b in blocks if b["type"].endswith("_tool_result")]
    if sorted(asked) != sorted(told):
        yield f"tools of the provider: {asked} asked, {told} answered"

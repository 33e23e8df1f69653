"""What a proxied request asks, in either wire format, and why some are passed on untouched.

No I/O: a request that is not fully understood is never changed (design, section 9, Proxy identity).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bobctx.core.identity import ENVELOPE_FIELDS, digest, stable
from bobctx.core.types import ROLES, Json

Wire = Literal["openai", "anthropic"]
"""Also the name of the dialect."""

Reason = Literal[
    "encoded",
    "not_json",
    "not_a_conversation",
    "too_many_messages",
    "stateful",
    "native_compaction",
    "unknown_content",
    "unknown_role",
    "prefill",
]
"""Why a request is forwarded as it came and not recorded."""

STATE_FIELDS = ("previous_response_id", "conversation", "store", "container")
"""Set, they say that the provider holds part of the conversation."""
COMPACTING_FIELDS = ("context_management", "compaction", "compaction_control")
KNOWN_BLOCKS: Mapping[Wire, frozenset[str]] = {
    "openai": frozenset({"text", "image_url", "input_audio", "file", "refusal"}),
    "anthropic": frozenset(
        {"text", "image", "document", "search_result", "tool_use", "tool_result", "thinking", "redacted_thinking"}
    ),
}
OUTPUT_FIELDS = ("max_completion_tokens", "max_tokens")
LEADING = frozenset({"system", "developer"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Untouched:
    """A request that is forwarded as it came and not recorded."""

    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request that can be assembled."""

    wire: Wire
    body: Mapping[str, Any]
    preamble: tuple[dict[str, Json], ...]
    """System and developer messages before everything else; the wire format may carry them elsewhere."""
    messages: tuple[dict[str, Json], ...]
    """The conversation, without the preamble."""
    tools: tuple[Json, ...]

    @property
    def model(self) -> str | None:
        """The model that was asked for."""
        model = self.body.get("model")
        return model if isinstance(model, str) and len(model) <= 200 else None

    @property
    def output_tokens(self) -> int:
        """Tokens of the answer at most, 0 where the request leaves it open."""
        return next((n for name in OUTPUT_FIELDS if (n := _count(self.body.get(name)))), 0)

    @property
    def beside(self) -> Json:
        """What the provider reads beside the list."""
        return [self.body.get(name) for name in ("system", "tools", "functions", "response_format", "output_config")]

    @property
    def answers(self) -> int:
        """How many answers were asked for; more than one leaves open which of them goes on."""
        return _count(self.body.get("n")) or 1

    @property
    def system(self) -> str:
        """Hash of what the system prompt says: it is compared and remembered, and without marks that hosts move."""
        stated = self.body.get("system") if self.wire == "anthropic" else [m.get("content") for m in self.preamble]
        return digest("system", stable(stated))

    def with_messages(self, messages: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
        """The request's body with another list; everything else as it came, in its order."""
        return {**self.body, "messages": list(messages)}


def read(wire: Wire, body: Json, *, most: int = 10_000) -> Asked | Untouched:
    """A parsed body as a request, or why it is left alone; `most` messages at most."""
    messages = body.get("messages") if isinstance(body, Mapping) else None
    if not isinstance(messages, list) or not messages or not all(isinstance(m, dict) for m in messages):
        return Untouched(reason="not_a_conversation")
    if len(messages) > most:
        return Untouched(reason="too_many_messages")
    reason = _of_fields(body) or _of_messages(wire, messages)
    if reason is not None:
        return Untouched(reason=reason)
    start = next((i for i, m in enumerate(messages) if m["role"] not in LEADING), len(messages))
    if start == len(messages):
        return Untouched(reason="not_a_conversation")
    if start and wire == "anthropic":
        return Untouched(reason="unknown_role")  # its system prompt stands outside the list
    if messages[-1]["role"] == "assistant":
        return Untouched(reason="prefill")  # the answer goes on with a message that was begun
    tools = body.get("tools")
    return Asked(
        wire=wire,
        body=body,
        preamble=tuple(messages[:start]),
        messages=tuple(tidied(m) for m in messages[start:]),
        tools=tuple(tools) if isinstance(tools, list) else (),
    )


def _of_fields(body: Mapping[str, Any]) -> Reason | None:
    if any(body.get(name) for name in STATE_FIELDS):
        return "stateful"
    return "native_compaction" if any(_compacts(body.get(name)) for name in COMPACTING_FIELDS) else None


def _compacts(setting: Json) -> bool:
    """Whether the provider may shorten the conversation; leaving old thoughts out, which every model does, is none."""
    edits = setting.get("edits") if isinstance(setting, Mapping) and setting.keys() == {"edits"} else None
    kinds = [e.get("type") for e in edits if isinstance(e, Mapping)] if isinstance(edits, list) else [None]
    return bool(setting) and not all(isinstance(k, str) and k.startswith("clear_thinking") for k in kinds)


def _of_messages(wire: Wire, messages: Sequence[Mapping[str, Any]]) -> Reason | None:
    for message in messages:
        role, content = message.get("role"), message.get("content")
        if role not in ROLES or (wire == "anthropic" and role in ("tool", "developer")):
            return "unknown_role"
        if content is not None and not isinstance(content, str | list):
            return "unknown_content"
        for block in content if isinstance(content, list) else ():
            kind = block.get("type") if isinstance(block, Mapping) else None
            if kind == "compaction":
                return "native_compaction"
            if not isinstance(kind, str) or not _is_known(wire, kind):
                return "unknown_content"
    return None


def _is_known(wire: Wire, kind: str) -> bool:
    run_by_provider = wire == "anthropic" and kind.endswith(("_tool_use", "_tool_result"))
    return kind in KNOWN_BLOCKS[wire] or run_by_provider


def tidied(message: Mapping[str, Json]) -> dict[str, Json]:
    """A message without bobctx's own fields, and an assistant's without what client libraries add to an answer.

    Libraries send an answer back with fields that are null (`citations`, `refusal`, `index`) or an empty text
    beside calls; the provider reads both forms alike, and recorded once they should be one message.
    """
    found = {k: v for k, v in message.items() if k not in ENVELOPE_FIELDS}
    if message.get("role") != "assistant":
        return found
    content = found.get("content")
    if isinstance(content, list):
        found["content"] = [_set_fields(block) for block in content]
    elif content == "" and found.get("tool_calls"):
        found["content"] = None
    if isinstance(found.get("tool_calls"), list):
        found["tool_calls"] = [_set_fields(call) for call in found["tool_calls"]]
    return found


def _set_fields(block: Json) -> Json:
    return {k: v for k, v in block.items() if v is not None} if isinstance(block, Mapping) else block


def _count(value: Json) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def signatures(messages: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """The seals of all signed thoughts in a list: a list that lost one is not sent."""
    found = set()
    for message in messages:
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if isinstance(block, Mapping) and block.get("type") in ("thinking", "redacted_thinking"):
                sealed = block.get("signature") or block.get("data")
                if isinstance(sealed, str):
                    found.add(sealed)
    return frozenset(found)

"""Items of OpenAI's Responses API as chat bodies and back. Pure.

What one answer of a model consists of (reasoning, text, several calls) is several items there and one message
here, so items are taken in groups: a group is sent on whole or not at all, and no call loses its result.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bobctx.core.types import Body, Json
from bobctx.integrations.lists import Item

CALLS = frozenset({"function_call", "custom_tool_call"})
RESULTS = frozenset({"function_call_output", "custom_tool_call_output"})
BESIDE = frozenset({"reasoning", "web_search_call", "file_search_call", "code_interpreter_call"})
"""What a model did besides: it stays with its answer and says nothing that can be cited."""


@dataclass(slots=True)
class Group:
    """Neighbouring items that are one message."""

    body: dict[str, Json]
    places: list[int] = field(default_factory=list)


def groups(items: str | Sequence[Any]) -> list[Group]:
    """The input of a request, or the output of an answer, as messages.

    Raises ValueError for items whose place in a conversation is unknown here (`compaction`, `item_reference`, …).
    """
    if isinstance(items, str):
        return [Group({"role": "user", "content": items}, [0])]
    found: list[Group] = []
    for place, item in enumerate(items):
        body = _plain(item)
        kind = body.get("type", "message")
        if kind in RESULTS:
            found.append(Group(_result(body), [place]))
        elif kind == "message" and body.get("role") != "assistant":
            found.append(Group(_said(body), [place]))
        elif kind == "message" or kind in CALLS or kind in BESIDE:
            if not found or found[-1].body["role"] != "assistant":
                found.append(Group({"role": "assistant", "content": None}))
            _add(found[-1].body, kind, body)
            found[-1].places.append(place)
        else:
            raise ValueError(kind)
    return found


def _plain(item: Any) -> dict[str, Any]:
    dump = getattr(item, "model_dump", None)
    found = dump(exclude_none=True) if dump is not None else item
    if not isinstance(found, Mapping):
        raise ValueError(type(item).__name__)
    return dict(found)


def _said(body: Mapping[str, Any]) -> dict[str, Json]:
    content = body.get("content")
    if isinstance(content, list) and all(isinstance(p, Mapping) and p.get("type") == "input_text" for p in content):
        content = "\n".join(str(p.get("text", "")) for p in content)
    return {"role": str(body.get("role")), "content": content}


def _result(body: Mapping[str, Any]) -> dict[str, Json]:
    output = body.get("output")
    text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False, default=str)
    return {"role": "tool", "tool_call_id": str(body["call_id"]), "content": text}


def _add(whole: dict[str, Json], kind: str, body: Mapping[str, Any]) -> None:
    """Put one item of a model's answer into its message."""
    if kind == "message":
        content = body.get("content")
        parts = content if isinstance(content, list) else [{"text": content}]
        texts = [str(p.get("text") or p.get("refusal") or "") for p in parts if isinstance(p, Mapping)]
        whole["content"] = "\n".join(t for t in (whole["content"], *texts) if t) or None
    elif kind in CALLS:
        function = {"name": str(body["name"]), "arguments": str(body.get("arguments", body.get("input", "")))}
        call = {"id": str(body["call_id"]), "type": "function", "function": function}
        whole["tool_calls"] = [*whole.get("tool_calls", ()), call]


def recordable(found: Sequence[Group]) -> list[Body]:
    """The messages that say something."""
    return [g.body for g in found if g.body.get("content") or g.body.get("tool_calls")]


def written(items: str | Sequence[Any], found: Sequence[Group], fitted: Sequence[Item]) -> list[Any]:
    """The list to send: the host's own items, and new ones in their form."""
    own: list[Any] = [{"role": "user", "content": items}] if isinstance(items, str) else list(items)
    made: list[Any] = []
    for item in fitted:
        made.extend([own[p] for p in found[item].places] if isinstance(item, int) else _items_of(item))
    return made


def _items_of(body: Mapping[str, Any]) -> list[dict[str, Json]]:
    """One message as items."""
    role, content = body["role"], body.get("content")
    if isinstance(content, list):
        content = "\n".join(str(p.get("text", "")) for p in content if isinstance(p, Mapping))
    if role == "tool":
        return [{"type": "function_call_output", "call_id": body["tool_call_id"], "output": content or ""}]
    said: list[dict[str, Json]] = [{"role": role, "content": content}] if content else []
    calls = [
        {"type": "function_call", "call_id": c["id"], **{k: c["function"][k] for k in ("name", "arguments")}}
        for c in body.get("tool_calls") or ()
    ]
    return [*said, *calls]

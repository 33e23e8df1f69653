"""ChatGPT data export: `conversations.json`, each conversation a tree of nodes with a current leaf."""

from __future__ import annotations

import json

from bobctx.core.types import Json
from bobctx.importers.source import Source, word
from bobctx.importers.transcript import Reading, Transcript, known_role, message, tool_call

NAME = "chatgpt"
DESCRIPTION = "ChatGPT data export (conversations.json)"


def _is_conversation(value: Json) -> bool:
    return isinstance(value, dict) and isinstance(value.get("mapping"), dict)


def _conversations(source: Source) -> list[dict[str, Json]]:
    document = source.document
    if document is None:
        values = [value for _, value in source.lines]
    else:
        values = document if isinstance(document, list) else [document]
    return [value for value in values if _is_conversation(value)]


def matches(source: Source) -> bool:
    """Whether the file holds trees of nodes."""
    return bool(_conversations(source))


def read(source: Source) -> list[Transcript]:
    """Every conversation; versions that were regenerated or edited away become branches."""
    return [_one(conversation) for conversation in _conversations(source)]


def _one(conversation: dict[str, Json]) -> Transcript:
    reading = Reading(NAME)
    reading.title = str(conversation.get("title") or "") or None
    mapping = {k: v for k, v in conversation["mapping"].items() if isinstance(v, dict)}
    walk = _Walk(mapping, reading)
    for node_id in _order(mapping, conversation.get("current_node")):
        walk.take(node_id, mapping[node_id])
    if walk.branched:
        reading.warn("earlier versions of messages are kept as branches")
    return reading.done()


def _order(mapping: dict[str, dict[str, Json]], current: Json) -> list[str]:
    """Nodes with parents first, side branches before the branch that was last open."""
    path: set[str] = set()
    node = current if isinstance(current, str) else None
    while node in mapping and node not in path:
        path.add(node)
        parent = mapping[node].get("parent")
        node = parent if isinstance(parent, str) else None
    stack = [k for k, v in mapping.items() if word(v, "parent") not in mapping]
    stack.sort(key=lambda k: k not in path)
    out: list[str] = []
    seen: set[str] = set()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        out.append(node)
        given = mapping[node].get("children")
        children = [c for c in given if isinstance(c, str) and c in mapping] if isinstance(given, list) else []
        stack.extend(sorted(reversed(children), key=lambda c: c not in path))
    return out


def _content(content: Json) -> Json:
    """Text of a node: parts, a `text`, a `result`; picture parts stay blocks."""
    if not isinstance(content, dict):
        return ""
    parts = content.get("parts")
    if isinstance(parts, list):
        if all(isinstance(part, str) for part in parts):
            return "\n".join(parts)
        return [{"type": "text", "text": p} if isinstance(p, str) else _media(p) for p in parts]
    for key in ("text", "result", "user_instructions"):
        if isinstance(content.get(key), str):
            return content[key]
    return ""


def _media(part: Json) -> Json:
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    pointer = part.get("asset_pointer") if isinstance(part, dict) else None
    return {"type": "text", "text": f"[media {pointer}]" if pointer else "[media]"}


class _Walk:
    """Turns nodes into messages and remembers which message each node continues."""

    def __init__(self, mapping: dict[str, dict[str, Json]], reading: Reading) -> None:
        self.mapping = mapping
        self.reading = reading
        self.of_node: dict[str, str | None] = {}
        self.open_call: dict[str, str] = {}
        self.branched = False

    def take(self, node_id: str, node: dict[str, Json]) -> None:
        """One node; left out where it holds nothing that was said."""
        parent = node.get("parent")
        above = self.of_node.get(parent) if isinstance(parent, str) else None
        self.of_node[node_id] = above
        inner = node.get("message")
        if not isinstance(inner, dict):
            return
        author = inner.get("author") if isinstance(inner.get("author"), dict) else {}
        assert isinstance(author, dict)
        role, content = author.get("role"), _content(inner.get("content"))
        kind = inner["content"].get("content_type") if isinstance(inner.get("content"), dict) else None
        if not known_role(role):
            self.reading.skip("unknown_role", what=str(role))
        elif kind in ("thoughts", "reasoning_recap"):
            self.reading.skip("thoughts", what=node_id)
        elif not content:
            self.reading.skip("empty", what=node_id)
        else:
            injected = kind in ("user_editable_context", "model_editable_context")
            self._add(node_id, inner, author, content, above, injected)

    def _add(
        self,
        node_id: str,
        inner: dict[str, Json],
        author: dict[str, Json],
        content: Json,
        above: str | None,
        injected: bool,
    ) -> None:
        ident, role = str(inner.get("id") or node_id), author["role"]
        moment, recipient = inner.get("create_time"), inner.get("recipient")
        flag = True if injected and role == "user" else None
        new = message(role, content, id=ident, created_at=moment, injected=flag)
        if role == "assistant" and isinstance(recipient, str) and recipient != "all":
            text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
            new["content"] = None
            new["tool_calls"] = [tool_call(f"call-{ident}", recipient, json.dumps({"input": text}, ensure_ascii=False))]
            self.open_call[ident] = f"call-{ident}"
        elif role == "tool":
            call_id = self.open_call.pop(above or "", None)
            if call_id is None:
                call_id, above = self._made_up_call(ident, author, moment, above)
            new["tool_call_id"] = call_id
        self._append(new, above)
        self.of_node[node_id] = ident

    def _made_up_call(self, ident: str, author: dict[str, Json], moment: Json, above: str | None) -> tuple[str, str]:
        """A result that the export shows without its call gets one, so that its text keeps a valid place."""
        call = tool_call(f"call-{ident}", str(author.get("name") or "tool"), "{}")
        made = message("assistant", None, id=f"{ident}-call", created_at=moment, tool_calls=[call])
        self._append(made, above)
        return f"call-{ident}", f"{ident}-call"

    def _append(self, new: dict[str, Json], above: str | None) -> None:
        messages = self.reading.messages
        if messages:
            if above is not None and above != messages[-1]["id"]:
                self.branched = True
            new["parents"] = [above] if above is not None else []
        messages.append(new)

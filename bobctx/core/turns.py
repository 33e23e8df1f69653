"""A message list as items that remember where they came from, whatever dialect it is in. Pure.

Converting and repairing work on items; a message whose items came out as they went in is sent
as the very body the host gave (design, section 4, `dialect`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from bobctx.core import parts as parts_module
from bobctx.core.identity import ENVELOPE_FIELDS
from bobctx.core.parts import block_type
from bobctx.core.speakers import field_name, prefixed, speaker_of
from bobctx.core.types import Body, Json, Message, Part

ItemKind = Literal["text", "call", "result", "thinking", "media", "opaque", "server"]
TurnRole = Literal["system", "user", "assistant"]

OWN_FIELDS = ENVELOPE_FIELDS | {"speaker", "bobctx"}
"""Fields that are bobctx's own and never sent to a provider."""

OPENAI_BLOCKS = frozenset({"text", "image_url", "input_audio", "file", "refusal"})
ANTHROPIC_FIELDS = frozenset({"role", "content"})
NOT_ANTHROPIC = frozenset(
    {"image_url", "input_audio", "audio", "file", "refusal", "input_text", "output_text", "input_image", "input_file"}
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Item:
    """One block of a message. Compared by identity: an item that was touched is another item."""

    kind: ItemKind
    origin: int
    """Index of the input message; -1 for one that a repair made."""
    text: str = ""
    call_id: str | None = None
    name: str | None = None
    native: Json = None
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Turn:
    """Items of one speaker: calls stand in assistant turns, results in user turns."""

    role: TurnRole
    items: tuple[Item, ...]
    stays: bool = False
    """Sent even though it is empty (never merged away)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """An input message: its body, what was read from it, and the dialects it is native to."""

    body: Body
    role: str
    items: tuple[Item, ...]
    native: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A whole list, read."""

    turns: tuple[Turn, ...]
    origins: tuple[Origin, ...]

    def unchanged(self, items: Sequence[Item], dialect: str) -> Body | None:
        """The input body that these items are exactly, if it is native to the dialect."""
        if not items or items[0].origin < 0:
            return None
        origin = self.origins[items[0].origin]
        same = len(items) == len(origin.items) and all(a is b for a, b in zip(items, origin.items, strict=True))
        return origin.body if same and dialect in origin.native else None


def clean(body: Mapping[str, Any]) -> dict[str, Json]:
    """A body without the fields that are bobctx's own."""
    return {k: v for k, v in body.items() if k not in OWN_FIELDS}


def well_formed(block: Mapping[str, Any]) -> bool:
    """Whether a content block has what its type needs; what other types need is not known here."""
    kind = block_type(block)
    if kind in ("text", "refusal"):
        return isinstance(block.get(kind), str)
    if kind == "image_url":
        image = block.get("image_url")
        return isinstance(image, Mapping) and isinstance(image.get("url"), str)
    if kind in ("input_audio", "file"):
        return isinstance(block.get(kind), Mapping)
    if kind in ("image", "document"):
        return isinstance(block.get("source"), Mapping)
    if kind == "tool_use":
        return _has_name(block) and isinstance(block.get("input"), Mapping)
    if kind == "tool_result":
        content = block.get("content")
        return (content is None or isinstance(content, str | list)) and well_formed_content(content)
    return True


def well_formed_content(content: Json) -> bool:
    """Whether the blocks of a content that is a list are."""
    return not isinstance(content, list) or all(well_formed(b) for b in content if isinstance(b, Mapping))


def well_formed_call(call: Json) -> bool:
    """Whether an entry of `tool_calls` names a tool and gives its arguments as a text."""
    for field, asked in (("function", "arguments"), ("custom", "input")):
        tool = call.get(field) if isinstance(call, Mapping) else None
        if isinstance(tool, Mapping):
            return _has_name(tool) and isinstance(tool.get(asked), str)
    return False


def well_formed_calls(body: Body) -> bool:
    """Whether all calls of a body in OpenAI form are."""
    calls = body.get("tool_calls")
    return calls is None or (isinstance(calls, list) and all(map(well_formed_call, calls)))


def _has_name(tool: Mapping[str, Any]) -> bool:
    name = tool.get("name")
    return isinstance(name, str) and bool(name)


def native_dialects(body: Body) -> frozenset[str]:
    """The chat dialects that take this body as it is."""
    content = body.get("content")
    role = body.get("role")
    kinds = {block_type(b) if isinstance(b, Mapping) else None for b in content} if isinstance(content, list) else set()
    if not well_formed_content(content):
        return frozenset()
    found = set()
    if isinstance(content, str) and body.keys() <= ANTHROPIC_FIELDS and role != "tool":
        found.add("responses")
    if (content is None or isinstance(content, str | list)) and kinds <= OPENAI_BLOCKS and well_formed_calls(body):
        found |= {"openai", "strict"}
    if (
        role in ("user", "assistant")
        and isinstance(content, str | list)
        and body.keys() <= ANTHROPIC_FIELDS
        and None not in kinds
        and not kinds & NOT_ANTHROPIC
    ):
        found.add("anthropic")
    return frozenset(found)


def _item(part: Part, origin: int, role: str) -> Item:
    kind: ItemKind = part.kind
    block_type = part.native.get("type") if isinstance(part.native, Mapping) else None
    runs_at_provider = isinstance(block_type, str) and block_type.endswith("_tool_use")
    if (kind == "call" and runs_at_provider) or (kind == "result" and role == "assistant"):
        kind = "server"
    elif kind == "call" and role != "assistant":
        kind = "opaque"
    return Item(
        kind=kind,
        origin=origin,
        text=part.text,
        call_id=part.call_id if kind not in ("call", "result") else part.call_id or "",
        name=part.name,
        native=part.native,
        is_error=part.is_error,
    )


def _tool_item(items: list[Item], body: Body) -> list[Item]:
    """The items of one `tool` message as one result; media of it follow as media."""
    results = [i for i in items if i.kind in ("result", "text")]
    rest = [i for i in items if i.kind not in ("result", "text")]
    whole = replace(
        results[0], kind="result", text="\n".join(i.text for i in results), native=None, name=_str(body.get("name"))
    )
    return [whole, *rest]


def _str(value: Json) -> str | None:
    return value if isinstance(value, str) else None


_Sent = tuple[dict[str, Json], tuple[Item, ...], frozenset[str]]
"""Body as it is sent, items and native dialects of a message."""
Parsed = tuple[str, tuple[Item, ...], frozenset[str]]
"""Role, items and native dialects of one body."""


def read(
    messages: Iterable[Message | Mapping[str, Any]], parse: Callable[[Body, int], Parsed | None] = lambda _b, _i: None
) -> Reading:
    """Messages, or chat bodies in OpenAI or Anthropic form (also mixed), as turns.

    `parse` reads bodies of another form; it returns None for those it leaves to this function.
    """
    turns: list[Turn] = []
    origins: list[Origin] = []
    for index, message in enumerate(messages):
        body = message.body if isinstance(message, Message) else message
        parsed = parse(body, index)
        role, items, native = parsed or _chat(message, body, index)
        # Items of other forms may have an id of their own, which is the provider's.
        sent = clean(body) if parsed is None else {k: v for k, v in body.items() if k == "id" or k not in OWN_FIELDS}
        speaker = speaker_of(message) if parsed is None else None
        if speaker is not None:
            sent, items, native = _named(sent, items, native, speaker)
        origins.append(Origin(body=sent, role=role, items=items, native=native))
        turns.append(Turn(role=turn_role(role), items=items))
    return Reading(turns=tuple(turns), origins=tuple(origins))


def _chat(message: Message | Mapping[str, Any], body: Body, index: int) -> Parsed:
    """A chat body in OpenAI or Anthropic form."""
    parts = message.parts if isinstance(message, Message) else parts_module.parts_of(body)
    role = str(body.get("role"))
    items = [_item(p, index, role) for p in parts]
    if role == "tool":
        items = _tool_item(items, body)
    elif role == "user" and not items:
        items = [text_item("", index)]  # said, if nothing: it is named as empty, not left out
    return role, tuple(items), native_dialects(clean(body))


def _named(body: dict[str, Json], items: tuple[Item, ...], native: frozenset[str], speaker: str) -> _Sent:
    """A message of one of several people: OpenAI chat takes the name beside the text, the others inside it."""
    at = next((i for i, item in enumerate(items) if item.kind in ("text", "media", "opaque")), None)
    if at is None:
        return body, items, native
    first = items[at]
    if first.kind == "text":
        text = prefixed(first.text, speaker)
        block = {**first.native, "text": text} if isinstance(first.native, Mapping) else first.native
        said = (*items[:at], replace(first, text=text, native=block), *items[at + 1 :])
    else:
        said = (*items[:at], text_item(f"{speaker}:", first.origin), *items[at:])
    name = body.get("name") or field_name(speaker)
    if name is None or "openai" not in native:
        return body, said, frozenset()
    return {**body, "name": name}, said, frozenset({"openai"})


def turn_role(role: str) -> TurnRole:
    """Who speaks: tools answer on the user's side."""
    if role in ("system", "developer"):
        return "system"
    return "assistant" if role in ("assistant", "model") else "user"


def text_item(text: str, origin: int = -1) -> Item:
    """Plain text."""
    return Item(kind="text", origin=origin, text=text)


def in_words(item: Item) -> str:
    """An item a dialect has no form for, as text that names it; no text is lost."""
    if item.kind in ("text", "thinking"):
        return item.text
    if item.kind == "media":
        return f"[{media_label(item)} not shown]"
    kind = item.native.get("type", "") if isinstance(item.native, Mapping) else ""
    is_call = item.kind == "call" or (item.kind == "server" and str(kind).endswith("use"))
    named = f" {item.call_id}" if item.call_id else ""
    if is_call:
        return f"[call{named}] {item.name or 'tool'}({item.text})"
    if item.kind in ("result", "server"):
        return f"[result of call{named}]\n{item.text}" if item.text else f"[result of call{named}: empty]"
    return f"[{item.name or 'block'}] {json.dumps(item.native, ensure_ascii=False)}"


def media_label(item: Item) -> str:
    """What kind of media an item is, for a placeholder."""
    name = (item.name or "media").removeprefix("input_").removesuffix("_url")
    return name or "media"


def arguments_object(text: str) -> dict[str, Json]:
    """Call arguments as an object; text that is no JSON object is kept under `arguments`."""
    try:
        value = json.loads(text) if text.strip() else {}
    except ValueError:
        return {"arguments": text}
    if value is None:
        return {}
    return value if isinstance(value, dict) else {"arguments": value}


def media_source(item: Item) -> tuple[str | None, str | None, str | None]:
    """Media as (media type, base64, address), whatever form it came in; None where unknown."""
    native = item.native if isinstance(item.native, Mapping) else {}
    inline = native.get("inlineData") or native.get("inline_data")
    if isinstance(inline, Mapping):
        return _str(inline.get("mimeType") or inline.get("mime_type")), _str(inline.get("data")), None
    stored = native.get("fileData") or native.get("file_data")
    if isinstance(stored, Mapping):
        return _str(stored.get("mimeType")), None, _str(stored.get("fileUri"))
    source = native.get("source")
    if isinstance(source, Mapping):
        return _str(source.get("media_type")), _str(source.get("data")), _str(source.get("url"))
    image, file = native.get("image_url"), native.get("file")
    url = image.get("url") if isinstance(image, Mapping) else image
    if url is None:
        url = file.get("file_data") if isinstance(file, Mapping) else native.get("file_data")
    if isinstance(url, str) and url.startswith("data:") and ";base64," in url:
        head, data = url[5:].split(";base64,", 1)
        return head or None, data, None
    return None, None, _str(url)

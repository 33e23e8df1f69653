"""Which conversation a proxied request belongs to: the names it brings, and ids for messages that have none.

No I/O. A name is only ever looked up inside the authenticated owner, so a forged one reaches nothing
(design, section 9, Proxy identity).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import regex

from bobctx.api.ids import check_id
from bobctx.core.identity import canonical, digest, stable
from bobctx.core.parts import parts_of
from bobctx.core.records import Holder
from bobctx.core.types import Json, Part
from bobctx.errors import InvalidInput

CONVERSATION_HEADER = "x-bobctx-conversation"
SESSION_HEADERS = (
    CONVERSATION_HEADER,
    "x-litellm-trace-id",
    "x-litellm-session-id",
    "x-*-session-id",
    "session-id",
    "session_id",
    "thread-id",
    "conversation_id",
    "x-session-id",
)
"""In this order; `x-*-session-id` stands for every header of that form, such as `x-claude-code-session-id`."""

LOOK_BACK = 64
"""Newest messages of a request that are asked whether they are stored in one conversation."""
LOOK_AROUND = 16
"""Newest answers of a request that are asked whether any conversation of the owner holds them."""
NEW = "proxy-"
"""Names of conversations that came without one."""

_FAMILY = regex.compile(r"x-.+-session-id")
_CLAUDE = regex.compile(r"_session_([0-9A-Za-z-]{8,64})$")


def session(headers: Mapping[str, str], body: Mapping[str, Any], first_id: str) -> str | None:
    """The conversation id that a request brings with it, None for a request that brings none.

    `first_id` is the id of its first message: many apps use one `prompt_cache_key` for all their
    conversations, so that one names a conversation only together with how it begins.
    """
    for name in SESSION_HEADERS:
        names = sorted(n for n in headers if _FAMILY.fullmatch(n)) if "*" in name else [name]
        found = next((value for n in names if (value := usable(headers.get(n))) is not None), None)
        if found is not None:
            return found
    metadata = body.get("metadata")
    if isinstance(metadata, Mapping):
        found = _of_metadata(metadata)
        if found is not None:
            return found
    key = usable(body.get("prompt_cache_key"))
    return None if key is None else usable(f"{key}/{first_id}")


def _of_metadata(metadata: Mapping[str, Any]) -> str | None:
    """`session_id`, also inside Anthropic's `user_id`: as JSON, or as Claude Code wrote it before."""
    user = metadata.get("user_id")
    inner: Any = None
    if isinstance(user, str) and user.startswith("{"):
        try:
            inner = json.loads(user)
        except ValueError:
            inner = None
    if isinstance(inner, Mapping) and usable(inner.get("session_id")) is not None:
        return usable(inner.get("session_id"))
    old = _CLAUDE.search(user) if isinstance(user, str) else None
    return old[1] if old is not None else usable(metadata.get("session_id"))


def usable(value: Json) -> str | None:
    """A text that can be a conversation's id, else None."""
    try:
        return None if value is None else check_id(value, "conversation_id")
    except InvalidInput:
        return None


# -- ids of messages ------------------------------------------------------------------------


def node_ids(messages: Sequence[Mapping[str, Json]], previous: str | None = None) -> list[str]:
    """An id for each message, chained from the first: equal ids mean equal histories up to there.

    `previous` is the id before the first, where they go on from there. What clients change when they send
    an answer back is left out: white space around texts, how a text is cut into blocks, the spacing of
    arguments, thoughts.
    """
    found: list[str] = []
    for message in messages:
        previous = "h" + digest("node", [previous, message.get("role"), _said(message)])[:24]
        found.append(previous)
    return found


def _said(message: Mapping[str, Json]) -> list[Json]:
    said: list[Json] = []
    for part in parts_of(message):
        if part.kind == "text":
            if said and said[-1][0] == "text":
                said[-1][1] += part.text
            else:
                said.append(["text", part.text])
        elif part.kind != "thinking":
            said.append(_piece(part))
    told = [["text", p[1].strip()] if p[0] == "text" else p for p in said]
    return [p for p in told if p != ["text", ""]]


def _piece(part: Part) -> list[Json]:
    if part.kind == "call":
        return ["call", part.call_id, part.name, _arguments(part.text)]
    if part.kind == "result":
        return ["result", part.call_id, part.text, part.is_error]
    return [part.kind, stable(part.native)]


def _arguments(text: str) -> str:
    try:
        return canonical(json.loads(text)).decode()
    except (ValueError, RecursionError):
        return text


# -- where it belongs ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a request belongs."""

    conversation_id: str
    leaf_id: str | None = None
    """The newest of its messages that is stored and not deleted; None where the conversation ends there."""
    continues: bool = False
    """It repeats an answer that is stored there."""


def answered(messages: Sequence[Mapping[str, Json]], ids: Sequence[str]) -> list[str]:
    """Ids of the answers in a history, newest first: where each prefix that ends in one ends."""
    return [i for m, i in zip(messages, ids, strict=True) if m.get("role") == "assistant"][::-1][:LOOK_AROUND]


def found_at(holders: Sequence[Holder], ids: Sequence[str]) -> str | None:
    """The conversation of the longest stored prefix: `ids` come newest first.

    Of several that begin alike, the one that ends there; else the one that grew last.
    """
    for wanted in ids:
        holding = [h for h in holders if h.message_id == wanted]
        if holding:
            return max(holding, key=lambda h: (h.is_leaf, h.recorded_ts, h.conversation_id)).conversation_id
    return None


def place_in(conversation_id: str, holders: Sequence[Holder], ids: Sequence[str], answers: Collection[str]) -> Place:
    """A request's place in a conversation, from what that holds of its messages."""
    held = {h.message_id: h for h in holders if h.conversation_id == conversation_id}
    newest = next((held[i] for i in reversed(ids) if i in held and not held[i].deleted), None)
    leaf = None if newest is None or newest.is_leaf else newest.message_id
    return Place(conversation_id=conversation_id, leaf_id=leaf, continues=any(i in held for i in answers))


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """What the calls of a conversation look like."""

    system: str
    """Hash of their system prompt: nothing of a conversation stays in memory for this."""
    tools: bool


def is_side_call(habit: Habit | None, now: Habit, *, continues: bool) -> bool:
    """Whether a request is about a conversation instead of part of it: a title, a topic, a summary.

    It has no tools and another system prompt than the conversation's calls. A host without tools may change
    its system prompt from turn to turn (a date in it): there the request must also not go on where the
    conversation was.
    """
    if habit is None or now.tools or now.system == habit.system:
        return False
    return habit.tools or not continues

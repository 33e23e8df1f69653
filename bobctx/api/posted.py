"""Posted messages, checked by hand: one pass, no copies (design, section 9).

Refused: an unknown role, an id that is no text, one id with different bytes in one call, fields of a
wrong type. Kept as they are: null content, empty strings, part lists, unknown fields.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bobctx.api.ids import check_id
from bobctx.core import identity, parts
from bobctx.core.injected import mark_injected
from bobctx.core.types import ROLES, EgressClass, Message
from bobctx.errors import Conflict, InvalidInput, TooLarge

_ROLES = frozenset(ROLES)
_TEXT_FIELDS = ("speaker", "name", "tool_call_id")
INLINE_MESSAGES = 200
INLINE_CHARS = 200_000
"""More messages or letters than these are read on a thread: hashing them would hold up every other request."""
NEWEST = 253_402_300_800.0
"""Unix seconds of the year 10000."""


class ConflictingIds(Conflict):
    """One id stands for different messages in one call."""

    code = "conflicting_ids"
    status = 422


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """One checked message; its id may still be missing."""

    raw: Mapping[str, Any]
    parents: tuple[str, ...] | None
    created_at: float | None

    @property
    def id(self) -> str | None:
        """As posted."""
        found = self.raw.get("id")
        return None if found is None else str(found)


def _refuse(field: str, message: str) -> InvalidInput:
    return InvalidInput(message, field=field)


def _moment(value: Any, field: str) -> float | None:
    """Unix seconds of a number or an ISO 8601 text (UTC where it names no zone)."""
    if value is None:
        return None
    if isinstance(value, str):
        try:
            moment = datetime.datetime.fromisoformat(value)
        except ValueError:
            raise _refuse(field, "`created_at` is Unix seconds or ISO 8601.") from None
        value = (moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)).timestamp()
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _refuse(field, "`created_at` is Unix seconds or ISO 8601.")
    if not 0 <= value < NEWEST:  # also what is not finite, and an integer that no float holds
        raise _refuse(field, "`created_at` is out of range; it is in seconds.")
    return float(value)


def _parents(value: Any, field: str, has_id: bool) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) > 100:
        raise _refuse(field, "`parents` is a list of message ids.")
    if not has_id:
        raise _refuse(field.replace("parents", "id"), "A message that names its parents needs an `id`.")
    return tuple(check_id(item, field) for item in value)


def check(item: Any, place: str) -> Posted:
    """One posted message. Raises `InvalidInput` that names the field."""
    if type(item) is not dict:
        raise _refuse(place, "A message is a JSON object.")
    get = item.get
    if not isinstance(get("role"), str) or get("role") not in _ROLES:
        raise _refuse(f"{place}.role", f"`role` is one of {', '.join(ROLES)}.")
    has_id = get("id") is not None
    if has_id:
        check_id(item["id"], f"{place}.id")
    elif "id" in item:
        raise _refuse(f"{place}.id", "`id` is a non-empty text, or left out.")
    content = get("content")
    if content is not None and not isinstance(content, str | list):
        raise _refuse(f"{place}.content", "`content` is a text, a list of parts, or null.")
    for name in _TEXT_FIELDS:
        if get(name) is not None and not isinstance(item[name], str):
            raise _refuse(f"{place}.{name}", f"`{name}` is a text.")
    calls = get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        raise _refuse(f"{place}.tool_calls", "`tool_calls` is a list.")
    if not isinstance(get("injected", False), bool):
        raise _refuse(f"{place}.injected", "`injected` is true or false.")
    if get("egress") not in (None, "local"):
        raise _refuse(f"{place}.egress", "`egress` can only be `local`: a message never raises its own class.")
    return Posted(
        raw=item,
        parents=_parents(get("parents"), f"{place}.parents", has_id),
        created_at=_moment(get("created_at"), f"{place}.created_at"),
    )


def check_all(items: Any, field: str, *, at_most: int, at_least: int = 0) -> list[Posted]:
    """The messages of a call."""
    if not isinstance(items, list):
        raise _refuse(field, f"`{field}` is a list of messages.")
    if len(items) > at_most:
        raise TooLarge(f"At most {at_most} messages in one call.", field=field)
    if len(items) < at_least:
        raise _refuse(field, f"`{field}` is empty.")
    return [check(item, f"{field}.{index}") for index, item in enumerate(items)]


def read(
    posted: Posted, *, id: str | None = None, previous: str | None = None, egress: EgressClass = "local"
) -> Message:
    """The message, not counted yet; a missing id is chained from `previous`."""
    return parts.read_message(
        posted.raw,
        id=id,
        previous_id=previous,
        created_at=posted.created_at,
        egress="local" if posted.raw.get("egress") == "local" else egress,
    )


def are_long(bodies: Sequence[Mapping[str, Any]]) -> bool:
    """Whether reading these messages takes so long that it belongs on a thread."""
    if len(bodies) > INLINE_MESSAGES:
        return True
    left = INLINE_CHARS
    for body in bodies:
        content = body.get("content")
        for part in content if isinstance(content, list) else (content,):
            text = part.get("text") if isinstance(part, dict) else part
            left -= len(text) if isinstance(text, str) else 0
            if isinstance(part, dict) and text is None:
                left -= _rough_size(part)
        left -= sum(_rough_size(call) for call in body.get("tool_calls") or ())
    return left < 0


def _rough_size(value: Any) -> int:
    """Letters in the texts of a value, two levels deep: as far down as tools' arguments and images stand."""
    inner = value.values() if isinstance(value, dict) else ()
    found = 0
    for item in inner:
        deeper = item.values() if isinstance(item, dict) else (item,)
        found += sum(len(text) for text in deeper if isinstance(text, str))
    return found


def read_all(items: Sequence[Posted], injected: tuple[str, ...] = ()) -> tuple[Message, ...]:
    """The messages of a request that is not recorded: missing ids are chained from its start.

    `injected` is what texts of the host begin with.
    """
    found: list[Message] = []
    previous: str | None = None
    for item in items:
        found.append(read(item, previous=previous))
        previous = found[-1].id
    refuse_conflicts(found)
    return mark_injected(found, injected)


def refuse_conflicts(messages: Iterable[Message], field: str = "messages") -> list[Message]:
    """Each message once. Raises `ConflictingIds` where one id stands for different bytes."""
    seen: dict[str, Message] = {}
    kept: list[Message] = []
    for message in messages:
        known = seen.setdefault(message.id, message)
        if known is message:
            kept.append(message)
        elif known.sha256 != message.sha256 or not identity.same_body(known.body, message.body):
            raise ConflictingIds(field=field)
    return kept


def align(mine: Sequence[str], stored: Sequence[str]) -> tuple[int, int] | None:
    """Where on the stored spine a call without ids stands: (start, equal messages), or None: after the leaf.

    Both are content hashes. A call that holds the whole spine, or leaves it after at least two
    messages, is a history sent again; one that repeats the spine's end is a repeated call. Everything
    else is a new turn: a turn that looks like an old one is never taken for it.
    """
    if not stored or not mine:
        return None
    same = 0
    for theirs, own in zip(stored[: len(mine)], mine, strict=False):
        if theirs != own:
            break
        same += 1
    if same == len(stored) or 2 <= same < len(mine):
        return 0, same
    start = len(stored) - len(mine)
    if start >= 0 and list(stored[start:]) == list(mine):
        return start, len(mine)
    return None


def with_ids(
    posted: Sequence[Posted], messages: Sequence[Message], known: Sequence[str], previous: str | None
) -> list[Message]:
    """Messages with every missing id filled in: from `known`, the ids that stand there, then chained.

    `previous` is the id before the first message, where there is one.
    """
    done: list[Message] = []
    for index, (item, message) in enumerate(zip(posted, messages, strict=True)):
        if item.id is None:
            given = known[index] if index < len(known) else identity.derived_id(previous, message.body)
            message = replace(message, id=given)
        done.append(message)
        previous = message.id
    return done

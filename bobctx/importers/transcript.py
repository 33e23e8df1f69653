"""What every reader returns, and the ids of messages that came without one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bobctx.core import identity
from bobctx.core.types import ROLES, Json

NEWEST = 253_402_300_800.0
"""Unix seconds of the year 10000: later is no time."""
ID_LIMIT = 512
"""Characters of an id that the daemon takes; a longer one is replaced by a derived one."""
LINE = "_line"
"""Where a reader notes the line of a message; taken away again before anything is made of it."""
MS_FROM = 1e11
"""A timestamp above this is in milliseconds (the year 5138 in seconds)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """One conversation as a tool wrote it, ready to record."""

    messages: list[dict[str, Json]]
    """As the `messages` of the recording call: ids set, lone surrogates replaced, in spine order."""
    format: str
    skipped: Counter[str] = field(default_factory=Counter)
    """What was left out, by reason."""
    warnings: list[str] = field(default_factory=list)
    title: str | None = None
    """A name for the conversation, where the file has one."""
    notes: list[dict[str, Json]] = field(default_factory=list)
    """What was left out, line by line (`import --explain`): `{"line", "reason", "what"}`."""
    lines: tuple[int | None, ...] = ()
    """Line of the file on which each message begins, where the format has lines."""
    rewound_outside: bool = False
    """A later prompt continues from a line that is not in the text."""


@dataclass(slots=True)
class Reading:
    """The transcript while a reader works on it."""

    format: str
    messages: list[dict[str, Json]] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)
    notes: list[dict[str, Json]] = field(default_factory=list)
    title: str | None = None
    previous: str | None = None
    """Id of the message before the first one, where the text is a piece of a file."""
    rewound_outside: bool = False

    def skip(self, reason: str, line: int | None = None, what: str = "") -> None:
        """Count one left-out thing."""
        self.skipped[reason] += 1
        self.notes.append({"line": line, "reason": reason, "what": what})

    def warn(self, text: str) -> None:
        """A sentence for the reader of the report, once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def done(self) -> Transcript:
        """The finished transcript: surrogates replaced, missing ids derived, doubled ids told apart."""
        recordable = [_recordable(m) for m in self.messages]
        lines = [m.pop(LINE, None) for m in recordable]
        scrubbed, lost = identity.scrub_surrogates(recordable)
        if lost:
            self.warn(f"{lost} lone surrogates were replaced by U+FFFD")
        kept = list(_identified(scrubbed, self.messages, self))
        return Transcript(
            messages=[message for _, message in kept],
            format=self.format,
            skipped=self.skipped,
            warnings=self.warnings,
            title=self.title,
            notes=self.notes,
            lines=tuple(lines[index] for index, _ in kept),
            rewound_outside=self.rewound_outside,
        )


def _identified(
    messages: Iterable[dict[str, Json]], given_messages: Sequence[Mapping[str, Json]], reading: Reading
) -> Iterator[tuple[int, dict[str, Json]]]:
    """Each kept message with its place in `messages` and an id: the given one, else one chained from the one before.

    `given_messages` are the same as they were read: where an id cannot be recorded, parents name the derived one.

    A second message of the same id and bytes is dropped; with other bytes it gets a derived id and a warning.
    """
    seen: dict[str, str] = {}
    now_called: dict[str, str] = {}
    previous = reading.previous
    for index, message in enumerate(messages):
        body = identity.body_of(message)
        given = message.get("id")
        ident = str(given) if given not in (None, "") else identity.derived_id(previous, body)
        sha256 = identity.content_sha256(body)
        if seen.get(ident) == sha256 and given not in (None, ""):
            reading.skip("duplicate", what=ident)
            continue
        if ident in seen:
            ident = identity.derived_id(previous, body)
            reading.warn("one id stands at two messages with different text; the later ones got derived ids")
        seen[ident] = sha256
        now_called.setdefault(str(given_messages[index].get("id")), ident)
        named = given_messages[index].get("parents")
        if isinstance(named, list):
            message = {**message, "parents": [now_called.get(str(p), str(p)) for p in named]}
        yield index, {**message, "id": ident}
        previous = ident


def _recordable(message: dict[str, Json]) -> dict[str, Json]:
    """The message with its fields of the types that recording takes; nothing said is lost."""
    out = dict(message)
    if out.get("content") is not None and not isinstance(out["content"], str | list):
        out["content"] = json.dumps(out["content"], ensure_ascii=False)
    for name in ("speaker", "name", "tool_call_id"):
        if out.get(name) is not None:
            out[name] = str(out[name])
    ident = out.pop("id", None)
    if ident not in (None, "") and len(str(ident)) <= ID_LIMIT and str(ident).isprintable():
        out["id"] = str(ident)
    if "tool_calls" in out and not isinstance(out["tool_calls"], list):
        del out["tool_calls"]
    if "injected" in out:
        out["injected"] = bool(out["injected"])
    if out.get("egress") != "local":
        out.pop("egress", None)
    return out


def known_role(role: Json) -> bool:
    """Whether bobctx records messages of this role."""
    return isinstance(role, str) and role in ROLES


def unix_seconds(value: Json) -> float | None:
    """A timestamp as unix seconds: ISO 8601 text, seconds or milliseconds; None where it is none of these."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        value = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if not isinstance(value, int | float):
        return None
    seconds = value / 1000 if value > MS_FROM else float(value)
    return seconds if 0 <= seconds < NEWEST else None


def message(
    role: str,
    content: Json,
    *,
    id: Json = None,
    created_at: Json = None,
    **fields: Any,
) -> dict[str, Json]:
    """A message dict without the fields that are None."""
    optional = {"id": id, "created_at": unix_seconds(created_at), **fields}
    return {"role": role, "content": content, **{k: v for k, v in optional.items() if v is not None}}


def tool_call(call_id: str, name: str, arguments: str) -> dict[str, Json]:
    """One entry of OpenAI `tool_calls`."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}

"""What every reader returns, and the ids of messages that came without one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bobctx.core import identity
from bobctx.core.types import ROLES, Json

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


@dataclass(slots=True)
class Reading:
    """The transcript while a reader works on it."""

    format: str
    messages: list[dict[str, Json]] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)
    notes: list[dict[str, Json]] = field(default_factory=list)
    title: str | None = None

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
        scrubbed, lost = identity.scrub_surrogates(self.messages)
        if lost:
            self.warn(f"{lost} lone surrogates were replaced by U+FFFD")
        return Transcript(
            messages=with_ids(scrubbed, self),
            format=self.format,
            skipped=self.skipped,
            warnings=self.warnings,
            title=self.title,
            notes=self.notes,
        )


def with_ids(messages: Iterable[dict[str, Json]], reading: Reading | None = None) -> list[dict[str, Json]]:
    """`messages` with an id each: the given one, else one chained over (previous id, role, parts).

    A second message of the same id and bytes is dropped; with other bytes it gets a derived id and a warning.
    """
    seen: dict[str, str] = {}
    out: list[dict[str, Json]] = []
    previous: str | None = None
    for message in messages:
        body = identity.body_of(message)
        given = message.get("id")
        ident = str(given) if given not in (None, "") else identity.derived_id(previous, body)
        sha256 = identity.content_sha256(body)
        if seen.get(ident) == sha256 and given not in (None, ""):
            if reading is not None:
                reading.skip("duplicate", what=ident)
            continue
        if ident in seen:
            ident = identity.derived_id(previous, body)
            if reading is not None:
                reading.warn("one id stands at two messages with different text; the later ones got derived ids")
        seen[ident] = sha256
        out.append({**message, "id": ident})
        previous = ident
    return out


def known_role(role: Json) -> bool:
    """Whether bobctx records messages of this role."""
    return isinstance(role, str) and role in ROLES


def unix_seconds(value: Json) -> float | None:
    """A timestamp as unix seconds: ISO 8601 text, seconds or milliseconds; None where it is none of these."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return value / 1000 if value > MS_FROM else float(value)
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


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

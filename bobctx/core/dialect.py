"""The final list in the form one provider accepts: convert, check, repair. Pure.

`to_dialect` converts, `check` names everything a provider would refuse, `repair` mends it without
losing text (design, section 4). A body that is native to the dialect and needs no repair is sent
as it came, without bobctx's own fields.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bobctx.core import dialect_anthropic, dialect_gemini, dialect_openai, dialect_responses
from bobctx.core.repair import Rules, arrange, system_turns, without_foreign_thinking
from bobctx.core.tokens import MESSAGE_OVERHEAD, Count, part_tokens
from bobctx.core.turns import Item, Reading, Turn, in_words, read
from bobctx.core.types import Json, Message, Part
from bobctx.core.violation import Violation

__all__ = [
    "DIALECTS",
    "OUTSIDE_SYSTEM",
    "Violation",
    "check",
    "list_tokens",
    "read_list",
    "repair",
    "system_text",
    "to_dialect",
    "translated",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dialect:
    rules: Rules
    read: Callable[[Sequence[Message | Mapping[str, Any]]], Reading]
    write: Callable[[Sequence[Turn], Reading], list[dict[str, Json]]]
    check: Callable[[Sequence[Mapping[str, Any]]], list[Violation]]


_DIALECTS: Mapping[str, _Dialect] = {
    "openai": _Dialect(rules=dialect_openai.RULES, read=read, write=dialect_openai.write, check=dialect_openai.check),
    "anthropic": _Dialect(
        rules=dialect_anthropic.RULES, read=read, write=dialect_anthropic.write, check=dialect_anthropic.check
    ),
    "strict": _Dialect(
        rules=dialect_openai.STRICT, read=read, write=dialect_openai.write_strict, check=dialect_openai.check_strict
    ),
    "responses": _Dialect(
        rules=dialect_responses.RULES,
        read=dialect_responses.read_list,
        write=dialect_responses.write,
        check=dialect_responses.check,
    ),
    "gemini": _Dialect(
        rules=dialect_gemini.RULES,
        read=dialect_gemini.read_list,
        write=dialect_gemini.write,
        check=dialect_gemini.check,
    ),
}
DIALECTS: tuple[str, ...] = tuple(_DIALECTS)
"""Names of the dialects."""
OUTSIDE_SYSTEM = frozenset(name for name, d in _DIALECTS.items() if d.rules.system == "never")
"""Dialects that carry the preamble outside the list (`system_text`)."""


def to_dialect(messages: Sequence[Message | Mapping[str, Any]], dialect: str) -> list[dict[str, Json]]:
    """Messages, or chat bodies of any form, as bodies of one dialect, in order; nothing is repaired yet.

    A body that is native to the dialect comes through as it is, without bobctx's own fields.
    Raises `KeyError` for a dialect not in `DIALECTS`.
    """
    return translated(messages, dialect, dialect)


def translated(messages: Sequence[Message | Mapping[str, Any]], source: str, dialect: str) -> list[dict[str, Json]]:
    """A list that may hold messages in the form of one dialect, in that of another. Raises as `to_dialect` does."""
    chosen = _DIALECTS[dialect]
    reading = _DIALECTS[source].read(messages)
    turns = without_foreign_thinking(reading.turns, chosen.rules)
    return chosen.write(system_turns(turns, chosen.rules), reading)


def check(messages: Sequence[Mapping[str, Any]], dialect: str) -> list[Violation]:
    """Everything a provider of this dialect would refuse in the list; an empty list is valid."""
    if not messages:
        return [Violation(code="no_user_message", index=0, message="the list is empty")]
    return _DIALECTS[dialect].check(messages)


def repair(messages: Sequence[Mapping[str, Any]], dialect: str) -> tuple[list[dict[str, Json]], list[str]]:
    """The list without its violations, and what was done; no text is lost. A valid list comes back unchanged."""
    if not check(messages, dialect):
        return [dict(m) for m in messages], []
    chosen = _DIALECTS[dialect]
    reading = chosen.read(messages)
    turns, notes = arrange(reading.turns, chosen.rules)
    return chosen.write(turns, reading), notes


def read_list(messages: Sequence[Message | Mapping[str, Any]], dialect: str) -> Reading:
    """A list in this dialect as turns and their origins, one origin a message."""
    return _DIALECTS[dialect].read(messages)


def list_tokens(messages: Sequence[Mapping[str, Any]], dialect: str, count: Count) -> int:
    """Reference tokens of a final list in this dialect, frames and media included."""
    reading = _DIALECTS[dialect].read(messages)
    items = (i for t in reading.turns for i in t.items)
    return len(reading.turns) * MESSAGE_OVERHEAD + sum(_item_tokens(i, count) for i in items)


def _item_tokens(item: Item, count: Count) -> int:
    kind = "call" if item.kind == "server" else item.kind
    return part_tokens(Part(kind=kind, text=item.text, call_id=item.call_id, name=item.name, native=item.native), count)


def system_text(messages: Sequence[Message | Mapping[str, Any]]) -> str:
    """Text of the leading system and developer messages, for dialects that carry it outside the list."""
    reading = read(messages)
    texts = []
    for turn in reading.turns:
        if turn.role != "system":
            break
        texts.append("\n".join(in_words(i) for i in turn.items))
    return "\n\n".join(t for t in texts if t)

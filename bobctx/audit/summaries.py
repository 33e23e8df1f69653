"""Finds what tools put in place of earlier messages: their summaries, each with the messages before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from bobctx.core.types import Json
from bobctx.errors import InvalidInput
from bobctx.hooks.summaries import claude_summary, codex_summary
from bobctx.importers import claude_code, codex
from bobctx.importers.detect import FORMATS
from bobctx.importers.source import Source, load
from bobctx.importers.transcript import Transcript

Kind = Literal["summary", "window"]
Messages = Sequence[dict[str, Json]]
SUFFIXES = frozenset({".jsonl", ".json", ".txt", ".md"})
LAST = 20
"""Messages that a last-N window keeps, unless asked otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """One point of a transcript from which on earlier messages are replaced by a text."""

    kind: Kind
    line: int | None
    """Of the summary in its file."""
    before: Messages
    text: str
    conversation: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A transcript and its replacements."""

    format: str
    source: Source
    replacements: tuple[Replacement, ...]
    messages: int


def files_in(paths: Iterable[Path]) -> Iterator[Path]:
    """Transcript files among `paths`, folders searched to their end, in order of name."""
    for path in paths:
        if path.is_dir():
            yield from (p for p in sorted(path.rglob("*")) if p.suffix in SUFFIXES and p.is_file())
        else:
            yield path


def find(path: Path, *, last: int | None = None) -> Found:
    """The replacements in one file; `last` asks for a last-N window whatever the format.

    Raises `InvalidInput` where the file is in no known format.
    """
    source = load(path)
    chosen = next((f for f in FORMATS.values() if f.matches(source)), None)
    if chosen is None:
        raise InvalidInput(f"{path} is in no format known here", field="file")
    conversations = [t.messages for t in chosen.read(source) if t.messages]
    points: list[Replacement] = []
    if chosen.name in SUMMARIES:
        points = list(_summaries(source, chosen.name))
    if last is not None or chosen.name not in SUMMARIES:
        points += _windows(conversations, last or LAST)
    return Found(
        format=chosen.name,
        source=source,
        replacements=tuple(points),
        messages=sum(len(messages) for messages in conversations),
    )


def _windows(conversations: Sequence[Messages], last: int) -> list[Replacement]:
    return [
        Replacement(
            kind="window",
            line=None,
            before=messages[:-last],
            text="\n\n".join(_text(m.get("content")) for m in messages[-last:]),
            conversation=number,
        )
        for number, messages in enumerate(conversations, 1)
        if len(messages) > last
    ]


SUMMARIES: dict[str, tuple[Callable[[dict[str, Json]], str | None], Callable[[Source], list[Transcript]]]] = {
    claude_code.NAME: (claude_summary, claude_code.read),
    codex.NAME: (codex_summary, codex.read),
}
"""How each format marks its summaries, and its reader."""


def _summaries(source: Source, name: str) -> Iterator[Replacement]:
    summary_of, read = SUMMARIES[name]
    lines = list(source.objects())
    for place, (number, line) in enumerate(lines):
        text = summary_of(line)
        if text is None:
            continue
        earlier = replace(source, document=None, lines=tuple(lines[:place]), bad_lines=())
        before = read(earlier)[0].messages if place else []
        yield Replacement(kind="summary", line=number, before=before, text=text)


def _text(content: Json) -> str:
    """The readable text of a content field."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (b.get("text") or b.get("content") for b in content if isinstance(b, dict))
    return "\n".join(t for t in texts if isinstance(t, str))

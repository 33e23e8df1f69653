"""Which format a transcript file has, by its contents, and the reader for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bobctx.errors import InvalidInput
from bobctx.importers import chat, chatgpt, claude_code, codex, gemini, langchain, openai, sharegpt
from bobctx.importers.source import Source, load
from bobctx.importers.transcript import Transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One transcript format."""

    name: str
    description: str
    matches: Callable[[Source], bool]
    read: Callable[[Source], list[Transcript]]


FORMATS: dict[str, Format] = {
    module.NAME: Format(name=module.NAME, description=module.DESCRIPTION, matches=module.matches, read=module.read)
    # The order is that of trust: formats with marks of their own come before those told by shape.
    for module in (claude_code, codex, gemini, chatgpt, sharegpt, langchain, openai, chat)
}


def _format_of(source: Source) -> Format | None:
    return next((known for known in FORMATS.values() if known.matches(source)), None)


def detect(path: Path) -> str | None:
    """Name of the file's format, or None. `InvalidInput` where it cannot be read."""
    found = _format_of(load(path))
    return None if found is None else found.name


def read_all(path: Path, format: str | None = None) -> list[Transcript]:
    """Every conversation in a file (exports and training sets hold many), at least one.

    `InvalidInput` where the format is unknown or the file holds no message of it.
    """
    source = load(path)
    if format is not None and format not in FORMATS:
        raise InvalidInput(f"unknown format {format!r}; one of {', '.join(FORMATS)}", field="format")
    chosen = FORMATS[format] if format is not None else _format_of(source)
    if chosen is None and source.broken is not None:
        raise InvalidInput(f"{path} is not valid JSON: {source.broken}", field="file")
    if chosen is None:
        raise InvalidInput(
            f"{path} is in no format known here; name one with --format ({', '.join(FORMATS)})", field="file"
        )
    found = [transcript for transcript in chosen.read(source) if transcript.messages]
    if not found:
        why = "" if source.broken is None else f"; {source.broken}"
        raise InvalidInput(f"{path} holds no messages in the format {chosen.name}{why}", field="file")
    if source.replaced:
        for transcript in found:
            transcript.warnings.append(f"{source.replaced} invalid UTF-8 sequences in the file were replaced by U+FFFD")
    return found


def read(path: Path, format: str | None = None, *, pick: int | None = None) -> Transcript:
    """The one conversation in a file; `pick` (from 1) chooses where there are several."""
    found = read_all(path, format)
    if pick is None and len(found) > 1:
        titles = "; ".join(f"{n} {t.title or f'{len(t.messages)} messages'}" for n, t in enumerate(found[:3], 1))
        raise InvalidInput(
            f"{path} holds {len(found)} conversations ({titles}, …); choose one with --pick N", field="pick"
        )
    if pick is not None and not 1 <= pick <= len(found):
        raise InvalidInput(f"--pick must be 1..{len(found)}", field="pick")
    return found[(pick or 1) - 1]

"""A stretch of a host's transcript, as its hook sends it: read like a whole file, with the place to go on from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from bobctx.core.records import TranscriptPiece
from bobctx.core.types import Json
from bobctx.importers import claude_code, codex
from bobctx.importers.source import Source, of_text
from bobctx.importers.transcript import Transcript

READERS: Mapping[str, Callable[[Source, str | None], list[Transcript]]] = {
    claude_code.NAME: claude_code.read,
    codex.NAME: codex.read,
}
"""The hosts whose hooks send transcripts."""


def read_piece(format: str, text: str, previous: str | None = None) -> TranscriptPiece:
    """The messages of whole lines.

    Args:
        format: One of `READERS`; anything else is a `KeyError`.
        text: Lines of the file, beginning at its start or at a `restart_line`.
        previous: Id of the message before the first one, as the stretch before said.
    """
    found = READERS[format](of_text(text, Path("transcript")), previous)[0]
    newest = next((i for i in range(len(found.messages) - 1, -1, -1) if _is_prompt(found.messages[i])), None)
    return TranscriptPiece(
        messages=found.messages,
        skipped=dict(found.skipped),
        restart_line=None if newest is None else found.lines[newest],
        previous=found.messages[newest - 1]["id"] if newest else previous,
        rewound=found.rewound_outside,
    )


def _is_prompt(message: dict[str, Json]) -> bool:
    """Something the user said, no result of a tool and nothing the host put in."""
    if message["role"] != "user" or message.get("injected"):
        return False
    content = message["content"]
    blocks = content if isinstance(content, list) else []
    return not any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)

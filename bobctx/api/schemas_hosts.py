"""What a coding agent's hooks send and get: stretches of its transcript, and its own summaries."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from bobctx.api.schemas import Anything, ConversationRef, Model, Strict

MAX_SUMMARY = 2_000_000
"""Characters; a summary longer than this replaced nothing."""


class TranscriptRequest(Strict):
    """Record whole lines of a host's transcript."""

    user_id: str | None = None
    backend: str | None = Field(None, max_length=200, description="As for a recorded turn.")
    format: Literal["claude_code", "codex"]
    text: str = Field(description="Whole lines, from the start of the file or from a `restart_line`.")
    previous: str | None = Field(None, max_length=512, description="`previous` of the answer before.")
    whole: bool = Field(False, description="The text begins at the start of the file.")


class TranscriptAnswer(Model):
    """What was stored, and where the next call begins."""

    indexed: int
    updated: int
    unchanged: int
    ignored: int
    skipped: dict[str, int] = Field(description="Lines that are no messages, by reason.")
    conversation: ConversationRef | None
    restart_line: int | None = Field(description="Line (from 1) of the newest prompt: send from there next time.")
    previous: str | None = Field(description="Id of the message before that prompt.")
    read_whole: bool = Field(description="Nothing was stored: a prompt was rewound, send the file from its start.")


class CompareRequest(Strict):
    """Compare a host's own summary with what is known."""

    user_id: str | None = None
    summary: str | None = Field(None, max_length=MAX_SUMMARY, description="Unset: everything counts as missing.")
    only: list[str] | None = Field(None, max_length=2_000, description="Ids to say again, whatever the summary holds.")
    limit_bytes: int = Field(2_000, ge=500, le=20_000)


class CompareAnswer(Model):
    """Counts over pins and current claims of importance 2 and 3, and the text about what is missing."""

    known: int
    found: int | None = Field(description="Null without a summary.")
    dropped: int | None = Field(description="Not found verbatim.")
    contradicted: int | None
    missing: list[Anything]
    mode: str = Field(description="Of the conversation; only in `live` is there a block.")
    block: str | None
    shown: list[str] = Field(description="Ids in the block.")

"""The values that cross the ports: what is recorded, read, asked of a seat and answered. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bobctx.core.segments import Spine
from bobctx.core.types import (
    Claim,
    Compaction,
    Json,
    Message,
    Mode,
    Pin,
    PriorClaim,
    Region,
    Scope,
    ValidationReport,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """One posted message, checked, scrubbed and counted, on its way into the store."""

    message: Message
    """`seq` is None; `tokens` is set."""
    parents: tuple[str, ...] | None = None
    """As posted; None where the caller named none."""
    counter_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFate:
    """What is known of a message that is or was stored; never its text."""

    id: str
    seq: int
    role: str
    deleted: bool
    created_at: float | None
    first_seen_ts: float
    edited_ts: float | None
    """When it was last recorded with other bytes."""
    tokens: int
    injected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A conversation that holds a message, deleted or not: where a history sent without a name belongs."""

    conversation_id: str
    message_id: str
    deleted: bool
    is_leaf: bool
    """The conversation ends there."""
    recorded_ts: float
    """When the conversation last grew, Unix seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordResult:
    """What one recording did, all in one transaction."""

    indexed: int
    updated: int
    unchanged: int
    ignored: int
    """Our own blocks, `conv_*` results, tombstoned messages that came back."""
    leaf_id: str | None
    revision: int
    seqs: Mapping[str, int] = field(default_factory=dict)
    """Arrival number of every message of the call that is stored."""
    invalidated: int = 0
    """Regions that an edit turned into `empty` links."""
    deleted: tuple[str, ...] = ()
    """Ids of the messages that were ignored because they are deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What one assembly or compaction decision sees, read in one transaction."""

    scope: Scope
    revision: int
    spine: Spine
    compactions: tuple[Compaction, ...]
    """Candidate links of this scope that are not retired, oldest first (not yet checked for trust)."""
    pins: tuple[Pin, ...] = ()
    overruled: frozenset[str] = frozenset()
    """Global ids of the claims that operators decided against."""
    mode: Mode | None = None
    """The conversation's own mode, if one was set."""
    paused: bool = False
    backend: str | None = None
    """Backend of the newest recording."""
    last_edit_ts: float = 0.0
    exists: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReply:
    """One paid ask. Never overwritten once answered."""

    reply_key: str
    region_hashes: tuple[str, ...]
    prior_sha256: str
    ask: Literal["first", "retry", "piece", "re-ask"]
    reasons_sha256: str
    aliases: Mapping[str, Json]
    """`{"messages": {alias: position}, "priors": {alias: global claim id}}`."""
    seat: str
    provider: str
    host: str
    prompt_version: str
    raw: str
    usage: Mapping[str, Json]
    cost_usd: float | None
    elapsed_ms: int
    status: Literal["answered", "failed"]
    error: str | None = None
    created_ts: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Expanded:
    """One message read back, exactly as last recorded."""

    message: Message
    offset: int
    """Place in the expanded list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """One message that matches, best first."""

    message: Message
    score: float
    snippet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSummary:
    """One row of a listing."""

    conversation_id: str
    user_id: str
    messages: int
    tokens: int
    leaf_id: str | None
    last_recorded_ts: float
    compactions: int
    claims: int
    mode: Mode | None
    paused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What seats cost, booked upper bounds included, in US dollars."""

    lane_day_usd: float = 0.0
    """Of the last 24 hours."""
    lane_day_calls: int = 0
    conversation_hour_usd: float = 0.0
    """Of one conversation, in the last hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedModel:
    """What was found out about one model from what its provider said."""

    used_as: Literal["target", "seat"]
    """A model that prompts are made for, or the seat that compacts."""
    model: str
    user_id: str = ""
    """Whose reports it rests on; empty: it counts for all."""
    window: int | None = None
    """Tokens, by a context-length error."""
    was: int | None = None
    """The window that this one lowered: where the setting is another now, it is tried again."""
    samples: tuple[tuple[int, int], ...] = ()
    """(tokens the provider counted, reference tokens), oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessEntry:
    """One line of the access log: who did what to whose conversation; ids only."""

    number: int = 0
    """Its place in the log; 0 before it is written."""
    at: float
    principal: str
    role: str
    action: str
    user_id: str
    conversation_id: str
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreHealth:
    """Whether the database can be used, and why not."""

    ok: bool
    reason: str | None = None
    path: str = ""
    size_bytes: int = 0
    wal_bytes: int = 0
    schema_version: int = 0
    index_lag: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRequest:
    """One ask, for any seat: a model reads `prompt`, the extractor reads `region`."""

    region: Region
    prior: tuple[PriorClaim, ...]
    prefix: str
    prompt: tuple[Mapping[str, Json], ...]
    schema: Mapping[str, Json]
    ask: Literal["first", "retry", "piece", "re-ask"] = "first"
    max_output_tokens: int = 8192
    timeout_s: float = 120.0
    may_read: tuple[str, ...] = ()
    """Providers and seats that may read this text beside the seat itself: no fallback goes elsewhere."""
    reasons: tuple[str, ...] = ()
    """What an earlier answer lacked, as told in `prompt`; for a seat that writes prompts of its own."""
    kept: str = ""
    """The answer that a re-ask completes, for a seat that is asked about a part of the region only."""
    window: int | None = None
    """Tokens, where an error has shown that the model reads less than the seat was set up with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatReply:
    """What a seat answered, raw."""

    text: str
    finish_reason: str = "stop"
    provider: str = "local"
    host: str = "localhost"
    usage: Mapping[str, Json] = field(default_factory=dict)
    cost_usd: float | None = 0.0
    window: int | None = None
    """Tokens, where a request of the same ask was over the model's window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One stateless request to the worker: ask the seat and validate, or only validate `raw`."""

    scope: Scope
    region: Region
    prior: tuple[PriorClaim, ...]
    prefix: str
    seat: str
    """Name of a configured seat; `extractive` is always there."""
    ask: Literal["first", "retry", "piece", "re-ask"] = "first"
    reasons: tuple[str, ...] = ()
    raw: str | None = None
    """A stored reply to validate again without any seat call."""
    aliases: Mapping[str, Json] | None = None
    admins: tuple[str, ...] = ()
    """Speakers whose directives bind others; empty: every user."""
    timeout_s: float = 120.0
    may_read: tuple[str, ...] = ()
    """Providers and seats that may read this conversation, for a seat that has fallbacks."""
    kept: str = ""
    """The good answer that a re-ask may improve."""
    window: int | None = None
    """Tokens that the seat's model reads, where an error has shown that it is less than configured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """What came back: the raw reply and its validated view, or an error with a code."""

    raw: str
    claims: tuple[Claim, ...]
    narrative: Mapping[str, str]
    report: ValidationReport
    aliases: Mapping[str, Json]
    seat: str
    provider: str = "local"
    host: str = "localhost"
    usage: Mapping[str, Json] = field(default_factory=dict)
    cost_usd: float | None = 0.0
    elapsed_ms: int = 0
    error: str | None = None
    """Reason code where the ask failed: `timeout`, `worker_died`, `malformed`, `truncated`, `empty`, …"""
    error_detail: str = ""
    window: int | None = None
    """Tokens that the seat's model reads, where a request of this job was over it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallName:
    """What an `Idempotency-Key` belongs to."""

    principal: str
    method: str
    path: str
    scope: Scope
    key: str | None
    """None: the call is not to be remembered."""

    @property
    def digest(self) -> bytes:
        """Stands for all of it; each part has its own place, so that no two names run together."""
        parts = (self.principal, self.method, self.path, self.scope.user_id, self.scope.conversation_id, self.key)
        return hashlib.sha256(json.dumps(parts).encode()).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:
    """The first answer of a call, and the hash of the body that it answered."""

    body_sha256: str
    answer: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptPiece:
    """What a stretch of a host's transcript says, and where the next stretch begins."""

    messages: list[dict[str, Json]]
    """As the recording call takes them, ids set."""
    skipped: Mapping[str, int]
    """What was left out, by reason."""
    restart_line: int | None
    """Line (from 1) of the newest prompt: the next stretch begins there, so that no turn is read by half."""
    previous: str | None
    """Id of the message before that prompt."""
    rewound: bool
    """A prompt continues from a line before this stretch: only the whole file tells what it follows."""

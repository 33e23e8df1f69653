"""What the layers ask of one another: the store, a seat, the worker, a clock, a token counter.

`store`, `seats`, `compactor` and `api` meet only here; `runtime` puts the adapters together.
Store methods take a scope first; there is no unscoped read (design, section 3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

from bobctx.core.segments import Spine
from bobctx.core.types import (
    Claim,
    Compaction,
    EgressClass,
    Json,
    Message,
    Mode,
    Pin,
    PriorClaim,
    Region,
    Scope,
    UserScope,
    ValidationReport,
)

T = TypeVar("T")


# -- small ports ---------------------------------------------------------------


class Clock(Protocol):
    """Time, passed in."""

    def now(self) -> float:
        """Unix seconds."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back, for durations."""
        ...


class TokenCounter(Protocol):
    """The lane's reference counter."""

    @property
    def counter_id(self) -> str:
        """Stored with every count; a change recounts."""
        ...

    def count(self, text: str) -> int:
        """Tokens of a text of any size and content; never raises."""
        ...


# -- store: values ---------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """One posted message, checked, scrubbed and counted, on its way into the store."""

    message: Message
    """`seq` is None; `tokens` is set."""
    parents: tuple[str, ...] | None = None
    """As posted; None where the caller named none."""
    counter_id: str = ""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What one assembly or compaction decision sees, read in one transaction."""

    scope: Scope
    revision: int
    spine: Spine
    compactions: tuple[Compaction, ...]
    """Candidate links of this scope that are not retired, oldest first (not yet checked for trust)."""
    pins: tuple[Pin, ...] = ()
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
class StoreHealth:
    """Whether the database can be used, and why not."""

    ok: bool
    reason: str | None = None
    path: str = ""
    size_bytes: int = 0
    wal_bytes: int = 0
    schema_version: int = 0
    index_lag: int = 0


# -- store: the port -------------------------------------------------------------


class Store(Protocol):
    """The one database of a lane. Writes are whole functions in one transaction on one writer."""

    async def record(
        self, scope: Scope, messages: Sequence[Incoming], *, backend: str | None, truncate_after: str | None, now: float
    ) -> RecordResult:
        """Idempotent upsert (design 3, Recording). Raises `UnknownParent`, `InvalidInput`; then nothing is stored."""
        ...

    async def snapshot(self, scope: Scope, leaf_id: str | None = None) -> Snapshot:
        """The active spine, or that of `leaf_id` (else `NotFound`). An unknown scope: an empty one, `exists=False`."""
        ...

    async def plan(
        self, scope: Scope, leaf_id: str | None, planner: Callable[[Snapshot], tuple[T, Sequence[int]]]
    ) -> tuple[T, list[Message]]:
        """Snapshot, run `planner` on it, load the bodies at the spine positions it names: one read transaction.

        Never reads the omitted middle; cost follows what `planner` asks for.
        """
        ...

    async def load(self, scope: Scope, ids: Sequence[str]) -> list[Message]:
        """Messages by id, in the order asked; deleted or foreign ids are left out."""
        ...

    async def expand(
        self, scope: Scope, refs: Sequence[str], *, offset: int, max_messages: int, max_chars: int
    ) -> tuple[list[Expanded], int, int | None]:
        """Aliases, ids and ranges `m20..m31`: messages, total, next offset. `NotFound` for any unknown ref."""
        ...

    async def search(self, scope: Scope, query: str, *, limit: int) -> list[SearchHit]:
        """Full-text search over this scope's messages (words, CJK bigrams, paths and identifiers)."""
        ...

    async def replies(self, scope: Scope, keys: Sequence[str]) -> dict[str, StoredReply]:
        """Stored replies by key."""
        ...

    async def replies_for(
        self, scope: Scope, region_hashes: Sequence[str], *, prompt_version: str
    ) -> list[StoredReply]:
        """Answered replies for exactly this region content, newest first (forks, edits, re-validation)."""
        ...

    async def save_reply(self, scope: Scope, reply: StoredReply, *, message_ids: Sequence[str]) -> None:
        """Keep a paid ask before anything else is done with it; `message_ids` are what its prompt held."""
        ...

    async def commit_compaction(self, scope: Scope, link: Compaction, *, region_hashes: Sequence[str]) -> bool:
        """Add one link to the chain of the active spine and derive `claims`, one transaction.

        False, and nothing stored, if the place, a message hash or the previous link changed meanwhile.
        A `shadow_rejected` row is kept for the report and is never part of the chain.
        """
        ...

    async def replace_suffix(self, scope: Scope, from_compaction_id: str, links: Sequence[Compaction]) -> bool:
        """`compact --reseat`: retire the chain from one link on and put `links` there, one transaction."""
        ...

    async def compactions(self, scope: Scope, *, include_rejected: bool = False) -> list[Compaction]:
        """Stored rows of the scope, oldest first."""
        ...

    async def conversations(self, owner: UserScope, *, limit: int = 1000) -> list[ConversationSummary]:
        """One user's conversations, newest first."""
        ...

    async def scopes(self) -> list[Scope]:
        """Every conversation of the lane: for the scheduler's own search for due work, never for a caller."""
        ...

    async def delete_message(self, scope: Scope, message_id: str, *, now: float) -> Mapping[str, int]:
        """Delete one message (design 3, Deletion); the receipt: counts by table. `NotFound` for a foreign id."""
        ...

    async def delete_conversation(self, scope: Scope, *, now: float) -> Mapping[str, int]:
        """Delete every message; tombstones stay."""
        ...

    async def missing(self, scope: Scope, items: Sequence[tuple[str, str]]) -> list[str]:
        """`PUT spine`: of (id, sha256) pairs, the ids that are not stored with that hash."""
        ...

    async def set_mode(self, scope: Scope, *, mode: Mode | None = None, paused: bool | None = None) -> None:
        """A conversation's own mode, or its pause."""
        ...

    async def add_pin(self, scope: Scope, pin: Pin) -> None:
        """Pin a text or claim."""
        ...

    async def remove_pin(self, scope: Scope, pin_id: str) -> bool:
        """Unpin; False if there was none."""
        ...

    async def add_run(self, scope: Scope, run: Mapping[str, Json]) -> None:
        """Keep the trace of one decision. Droppable: the prompt path never waits for it."""
        ...

    async def secret(self) -> bytes:
        """The database's own key for sentinels and placeholders."""
        ...

    async def health(self) -> StoreHealth:
        """Whether the database can be read and written."""
        ...


# -- seats and the worker ----------------------------------------------------------


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


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatReply:
    """What a seat answered, raw."""

    text: str
    finish_reason: str = "stop"
    provider: str = "local"
    host: str = "localhost"
    usage: Mapping[str, Json] = field(default_factory=dict)
    cost_usd: float | None = 0.0


class Seat(Protocol):
    """Turns a region into raw claims. Raises `SeatFailed` where it cannot."""

    @property
    def name(self) -> str:
        """Model name or `extractive`."""
        ...

    @property
    def egress(self) -> EgressClass:
        """`local` may see any text; a `cloud_ok` seat sees only `cloud_ok` text."""
        ...

    @property
    def window(self) -> int:
        """Tokens it can read."""
        ...

    async def ask(self, request: SeatRequest) -> SeatReply:
        """One answer."""
        ...


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


class Dispatcher(Protocol):
    """Hands jobs to the worker process and brings results back; never raises for a dead worker."""

    async def dispatch(self, job: Job) -> JobResult:
        """One job; a killed worker is restarted and costs one retry."""
        ...

    async def close(self) -> None:
        """Stop the worker, bounded."""
        ...


class Compactor(Protocol):
    """The background side as the API and the CLI see it."""

    def notice(self, scope: Scope) -> tuple[str, str]:
        """A turn was recorded: (state, reason) such as (`scheduled`, `due`) or (`idle`, `below_trigger`). Never waits."""
        ...

    async def run_now(self, scope: Scope, *, force: bool = True, reseat: bool = False) -> Mapping[str, Any]:
        """Compact what is eligible now; `{regions: [{prefix, status, claims, rejected, reasons}], chain}`."""
        ...

    def status(self) -> Mapping[str, Any]:
        """Seat and why, running and waiting work, last good and last failed run, spend, cooldowns."""
        ...

    async def drain(self, timeout_s: float) -> None:
        """Stop taking work, wait for what runs, bounded."""
        ...

"""What the layers ask of one another: the store, a seat, the worker, a clock, a token counter.

`store`, `seats`, `compactor` and `api` meet only here; `runtime` puts the adapters together.
Store methods take a scope first; there is no unscoped read (design, section 3).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from bobctx.core.conflicts import Disputes, Resolution
from bobctx.core.feedback import Vote, VoteResult
from bobctx.core.records import (
    AccessEntry,
    CallName,
    ConversationSummary,
    Expanded,
    Holder,
    Incoming,
    Job,
    JobResult,
    KeptAnswer,
    LearnedModel,
    MessageFate,
    RecordResult,
    SearchHit,
    SeatReply,
    SeatRequest,
    Snapshot,
    Spent,
    StoredReply,
    StoreHealth,
)
from bobctx.core.shortlist import Candidate, Shortlist, ShortlistQuery
from bobctx.core.types import Compaction, EgressClass, Json, Message, Mode, Pin, Scope, UserScope
from bobctx.ports.books import Ledger, Repeats

__all__ = [
    "AccessEntry",
    "CallName",
    "Clock",
    "Compactor",
    "ConversationSummary",
    "Dispatcher",
    "Expanded",
    "Holder",
    "Incoming",
    "Job",
    "JobResult",
    "KeptAnswer",
    "LearnedModel",
    "Ledger",
    "MessageFate",
    "RecordResult",
    "Repeats",
    "SearchHit",
    "Seat",
    "SeatReply",
    "SeatRequest",
    "Snapshot",
    "Spent",
    "Store",
    "StoreHealth",
    "StoredReply",
    "TokenCounter",
    "VectorSearch",
]

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


class VectorSearch(Protocol):
    """Claims by closeness of meaning; what it names is read through the store's scoped query, never from it."""

    @property
    def model(self) -> str:
        """The embedding model."""
        ...

    async def nearest(self, scope: Scope | UserScope, query: ShortlistQuery) -> Mapping[str, float]:
        """Global ids of eligible claims with their cosine distance (0..2), nearest first; any error is an outage."""
        ...

    async def apart(self, task: str, texts: Sequence[str]) -> list[float]:
        """The cosine distance of each text to a task. Raises as `nearest` does."""
        ...


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

    async def path(self, scope: Scope) -> Sequence[tuple[str, str]]:
        """Ids and hashes (none for what is deleted) on the active branch after its preamble; empty if nothing is."""
        ...

    async def newest(self, scope: Scope, leaf_id: str | None, *, limit: int) -> list[Message]:
        """The last messages of a branch, oldest first, without its spine: for when there is no time for more."""
        ...

    async def load(self, scope: Scope, ids: Sequence[str]) -> list[Message]:
        """Messages by id, in the order asked; deleted or foreign ids are left out."""
        ...

    async def expand(
        self, scope: Scope, refs: Sequence[str], *, offset: int, max_messages: int, max_chars: int
    ) -> tuple[list[Expanded], int, int | None]:
        """Aliases, ids and ranges `m20..m31`: messages, total, next offset. `NotFound` for any unknown ref."""
        ...

    async def search(self, scope: Scope, query: str, *, limit: int, egress: EgressClass = "local") -> list[SearchHit]:
        """Full-text search over this scope's messages of a class (words, CJK bigrams, paths and identifiers)."""
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

    async def conversations(
        self, owner: UserScope, *, limit: int = 1000, egress: EgressClass = "local"
    ) -> list[ConversationSummary]:
        """One user's conversations, newest first; for `cloud_ok` those alone that hold such a message."""
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

    async def fate(self, scope: Scope, ref: str) -> MessageFate:
        """A message by id or alias, deleted or not, without its text: for `why`. `NotFound` for a foreign one."""
        ...

    async def delete_speaker(self, scope: Scope | UserScope, speaker: str, *, now: float) -> Mapping[str, int]:
        """Delete what one speaker said, in one conversation or in all of a user's."""
        ...

    async def erase(self, owner: UserScope, *, now: float) -> Mapping[str, int]:
        """Delete everything of one user; tombstones stay."""
        ...

    def export(self, owner: UserScope) -> AsyncIterator[Mapping[str, Json]]:
        """Everything stored for one user, one JSON object at a time."""
        ...

    async def missing(self, scope: Scope, items: Sequence[tuple[str, str]]) -> list[str]:
        """`PUT spine`: of (id, sha256) pairs, the ids that are not stored with that hash."""
        ...

    async def set_mode(self, scope: Scope, *, mode: Mode | None = None, paused: bool | None = None) -> None:
        """A conversation's own mode, or its pause; what is None stays as it is. `NotFound` for an unknown one."""
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

    async def shortlist(self, scope: Scope | UserScope, query: ShortlistQuery) -> Shortlist:
        """The claims that may answer a task, in one snapshot; an unknown scope has none."""
        ...

    async def disputes(self, scope: Scope | UserScope, *, now: float) -> tuple[Disputes, tuple[Candidate, ...]]:
        """Every open conflict of a scope, the claims of them, and the decisions of its user."""
        ...

    async def resolve(
        self, owner: UserScope, decided: Resolution, *, claim_id: str, principal: str, now: float
    ) -> None:
        """Keep an operator's decision on a conflict; `claim_id` is one of its sides. Raises `NotFound`."""
        ...

    async def withdraw(self, owner: UserScope, conflict_id: str) -> None:
        """Forget an operator's decision: the conflict is open again. Raises `NotFound`."""
        ...

    async def add_context(self, scope: Scope | UserScope, context: Mapping[str, Json]) -> None:
        """Keep the trace of one compiled context. Droppable, like that of an assembly."""
        ...

    async def trace(self, owner: UserScope, trace_id: str) -> Mapping[str, Json] | None:
        """The trace of a context or an assembly of this user."""
        ...

    async def vote(self, owner: UserScope, vote: Vote) -> VoteResult:
        """Keep one vote; the first answer again for a repeated one. `NotFound` for what was not in the context."""
        ...

    async def overview(self, scope: Scope | UserScope) -> Mapping[str, Json]:
        """Figures over contexts, assemblies and votes of a scope; null where nothing was measured."""
        ...

    async def vectors(self, scope: Scope | UserScope, model: str, query: ShortlistQuery) -> list[tuple[str, bytes]]:
        """Global ids and stored vectors of a scope's claims that are eligible for a query, of its types and class."""
        ...

    async def without_vector(
        self, scope: Scope | UserScope, model: str, query: ShortlistQuery, limit: int
    ) -> list[tuple[int, str, str]]:
        """Row, global id and text of claims for a query that have no vector of this model yet, newest first."""
        ...

    async def add_vectors(self, model: str, vectors: Sequence[tuple[int, str, bytes]]) -> None:
        """Keep vectors by row and global id; those of claims that are gone are dropped."""
        ...

    async def secret(self) -> bytes:
        """The database's own key for sentinels and placeholders."""
        ...

    async def set_egress(
        self, scope: Scope, ids: Sequence[str] | None, egress: EgressClass, *, now: float
    ) -> list[str]:
        """An operator's change of class, of messages by id or (None) of all; the ids that changed. `NotFound`."""
        ...

    async def set_retention(self, owner: UserScope, *, max_age_s: float | None) -> None:
        """How long a user's messages are kept, in seconds; None for ever."""
        ...

    async def retentions(self) -> Mapping[str, float]:
        """Users with a limit, and how long their messages are kept, in seconds: for the lane's own look, no caller."""
        ...

    async def apply_retention(self, owner: UserScope, *, now: float) -> Mapping[str, int]:
        """Delete what is older than the user's limit; the receipt."""
        ...

    async def index_lag(self) -> int:
        """Messages that the substring index has still to take in; search by words is never behind."""
        ...

    async def health(self) -> StoreHealth:
        """Whether the database can be read and written."""
        ...


# -- seats and the worker ----------------------------------------------------------


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
        """A turn was recorded: (state, reason), such as (`scheduled`, `due`). Never waits."""
        ...

    async def run_now(self, scope: Scope, *, force: bool = True, reseat: bool = False) -> Mapping[str, Any]:
        """Compact what is eligible now; `{regions: [{prefix, status, claims, rejected, reasons}], chain}`."""
        ...

    def forget(self, scope: Scope | UserScope) -> None:
        """Something of it was deleted: nothing of it stays in memory."""
        ...

    def status(self) -> Mapping[str, Any]:
        """Seat and why, running and waiting work, last good and last failed run, spend, cooldowns."""
        ...

    async def drain(self, timeout_s: float) -> None:
        """Stop taking work, wait for what runs, bounded."""
        ...

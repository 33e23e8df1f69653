"""What the API takes and gives, as pydantic models: the OpenAPI document and the checks come from here.

Messages themselves are checked by `posted`, which is faster; `PostedMessage` describes what it accepts.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from bobctx.core.types import Mode

REF = "#/components/schemas/{model}"
Anything = dict[str, Any]


class Model(BaseModel):
    """Built when it is first used: the daemon starts without most of them."""

    model_config = ConfigDict(defer_build=True)


class Strict(Model):
    """A request: unknown fields are refused, numbers are never made of texts."""

    model_config = ConfigDict(extra="forbid", strict=True)


class PostedMessage(Model):
    """One chat message as the host has it (OpenAI chat or Anthropic blocks), plus bobctx's own fields.

    Fields not named here are kept and given back.
    """

    model_config = ConfigDict(extra="allow")

    id: str | None = Field(
        None, min_length=1, max_length=512, description="Stable id; derived from the text if absent."
    )
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[Any] | None = Field(None, description="A text, a list of parts, or null beside calls.")
    created_at: float | str | None = Field(None, description="Unix seconds or ISO 8601.")
    parents: list[str] | None = Field(None, description="Ids this message follows; unset: the one before it.")
    speaker: str | None = Field(None, description="Who said it, in a group.")
    name: str | None = None
    tool_calls: list[Any] | None = None
    tool_call_id: str | None = None
    injected: bool = Field(False, description="Put there by the host, not said by the user.")
    egress: Literal["local"] | None = Field(None, description="`local`: stricter than the backend's class.")


Messages = Annotated[
    list[Anything],
    WithJsonSchema({"type": "array", "items": {"$ref": REF.format(model="PostedMessage")}}),
]


class Usage(Strict):
    """What the provider reported for the request that this turn answers."""

    trace_id: str | None = None
    prompt_tokens: int | None = Field(None, ge=0)
    cached_tokens: int | None = Field(None, ge=0, description="Of `prompt_tokens`: read from the provider's cache.")
    cache_write_tokens: int | None = Field(None, ge=0, description="Of `prompt_tokens`: written to it.")
    model: str | None = Field(None, max_length=200, description="Of `error`; else that of the trace.")
    error: str | None = Field(
        None, max_length=10_000, description="A context-length error: a window that it states lowers the model's."
    )


class RecordRequest(Strict):
    """Record a turn (or a whole history: what is known already is a no-op)."""

    user_id: str | None = Field(None, description="Whose conversation; a `user` key need not say.")
    backend: str | None = Field(None, max_length=200, description="Where its prompts go; decides the egress class.")
    messages: Messages
    truncate_after: str | None = Field(None, description="First move the leaf back to this message.")
    usage: Usage | None = None


class CompactionState(Model):
    """What the compactor made of the turn."""

    state: str
    reason: str
    fix: str | None = Field(None, description="What to do, where nothing is compacted and something can be done.")


class ConversationRef(Model):
    """The conversation after the call."""

    conversation_id: str
    user_id: str
    leaf_id: str | None
    revision: int


class RecordAnswer(Model):
    """What was stored."""

    indexed: int
    updated: int
    unchanged: int
    ignored: int
    conversation: ConversationRef
    ids: list[str] = Field(description="Ids of the posted messages in order, derived ones included.")
    warnings: list[str] = Field(description="`deleted_not_stored`: a message without an id is taken for a deleted one.")
    compaction: CompactionState


class AssembleRequest(Strict):
    """Ask for the messages of the next model request."""

    user_id: str | None = None
    model: str | None = Field(None, max_length=200)
    backend: str | None = Field(None, max_length=200)
    profile: Literal["default", "long"] | None = None
    messages: Messages | None = Field(None, description="The host's own history; unset: the stored one.")
    append: Messages | None = Field(None, description="This turn's messages, not recorded yet.")
    leaf_id: str | None = Field(None, description="Read this branch.")
    window: int | None = Field(None, gt=0, le=10**12, description="Context window in tokens, over any table.")
    reserved_tokens: int = Field(0, ge=0, le=10**12)
    budget_tokens: int | None = Field(None, gt=0, le=10**12)
    dialect: Literal["openai", "anthropic", "strict", "responses", "gemini"] = "openai"
    tools: list[Any] | None = Field(None, max_length=2_000, description="Names or definitions of the caller's tools.")
    query: str | None = Field(None, max_length=10_000)
    policy: Literal["seed", "pinned", "ranked"] | None = None
    recall: bool | None = Field(None, description="Claims for the newest user message, before it.")
    mode: Mode | None = Field(None, description="Only ever milder than the lane's.")
    return_: Literal["messages", "plan"] = Field("messages", alias="return")


class AssembleAnswer(Model):
    """A message list that fits, and why it is what it is."""

    messages: list[Anything] | None = None
    plan: list[Anything]
    block: str | None = None
    decision: Anything
    budget: Anything
    warnings: list[Any] = []
    trace_id: str
    system: str | None = Field(None, description="Preamble text, for dialects that carry it outside the list.")


class ExpandRequest(Strict):
    """Read originals back: aliases, ids, ranges."""

    user_id: str | None = None
    ids: list[Annotated[str, Field(min_length=1, max_length=1_100)]] = Field(min_length=1, max_length=200)
    offset: int = Field(0, ge=0, le=2**31)


class StoredMessage(Model):
    """A message as last recorded: the host's own fields exactly, and beside them those of bobctx."""

    model_config = ConfigDict(extra="allow")

    id: str
    alias: str
    role: str
    content: Any = Field(None, description="As recorded, with every other field the host sent.")
    created_at: float | None = None
    injected: bool = False
    tokens_est: int


class ExpandAnswer(Model):
    """One page of originals."""

    messages: list[StoredMessage]
    total: int
    offset: int
    next_offset: int | None


class SearchRequest(Strict):
    """Full-text search over one conversation."""

    user_id: str | None = None
    query: str = Field(min_length=1, max_length=10_000)
    limit: int = Field(10, ge=1, le=100)


class Hit(Model):
    """One match, best first."""

    id: str
    alias: str
    role: str
    snippet: str
    score: float
    created_at: float | None = None


class SearchAnswer(Model):
    """Matches."""

    hits: list[Hit]
    index_lag: int


class CompactRequest(Strict):
    """Compact what is eligible now."""

    user_id: str | None = None
    reseat: bool = False
    force: bool = True


class CompactAnswer(Model):
    """What was compacted; or that the run goes on, and where to see it."""

    regions: list[Anything]
    chain: Anything
    state: Literal["running"] | None = None
    next: str | None = None
    """Only with `state`: what to do about it."""


class MessagesAnswer(Model):
    """One page of the spine."""

    messages: list[StoredMessage]
    total: int
    offset: int
    next_offset: int | None
    revision: int


class ShownClaim(Model):
    """A claim of the trusted chain."""

    id: str
    alias: str
    type: str
    importance: int
    text: str
    cites: list[str]
    active: bool
    superseded_by: str | None = None
    supersedes: str | None = None


class ClaimsAnswer(Model):
    """Claims of the trusted chain, oldest first."""

    claims: list[ShownClaim]
    total: int


class CompactionsAnswer(Model):
    """Stored compactions, oldest first."""

    compactions: list[Anything]


class ChainAnswer(Model):
    """What is trusted, and where trust ends."""

    trusted: int
    covered_messages: int
    messages: int
    head_sha256: str
    links: list[Anything]
    break_: Anything | None = Field(alias="break")


class SpineItem(Strict):
    """One message of the host's own record."""

    id: str = Field(min_length=1, max_length=512)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class SpineRequest(Strict):
    """Compare the host's record with ours."""

    user_id: str | None = None
    messages: list[SpineItem] = Field(max_length=100_000)


class SpineAnswer(Model):
    """Ids that are not stored with that hash: record these."""

    missing: list[str]


class PinRequest(Strict):
    """Show a text, or a claim, verbatim in the block of every prompt that leaves something out."""

    user_id: str | None = None
    text: str | None = Field(None, min_length=1, max_length=2_000)
    claim_id: str | None = Field(None, min_length=1, max_length=128)


class PinAnswer(Model):
    """A pin."""

    pin_id: str
    text: str
    by: Literal["user", "operator"]
    claim_id: str | None = None
    created_ts: float


class PinsAnswer(Model):
    """Pins of a conversation."""

    pins: list[PinAnswer]


class ModeRequest(Strict):
    """A conversation's own mode, or its pause; what is null or not named stays."""

    user_id: str | None = None
    mode: Mode | None = None
    paused: bool | None = None


class ModeAnswer(Model):
    """What holds now."""

    mode: Mode | None
    paused: bool


class Receipt(Model):
    """What was deleted, by table."""

    deleted: dict[str, int]


class Conversation(Model):
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
    aliases: list[str] = Field([], description="Further names, where a host's session id changed.")


class ConversationsAnswer(Model):
    """One user's conversations, newest first."""

    conversations: list[Conversation]


class ToolsAnswer(Model):
    """Tool definitions to offer a model."""

    tools: list[Anything]
    instructions: str = Field(description="How to use them, for the system prompt of a model that has both.")


class HealthAnswer(Model):
    """Alive, or ready, and why not."""

    ok: bool
    reason: str | None = None


class StatusAnswer(Model):
    """Is it working?"""

    version: str
    mode: str
    uptime_s: float
    counter_id: str
    store: Anything
    compactor: Anything
    spend: Anything = {}
    windows: Anything = {}
    """Models whose window a provider's error lowered, for all users."""


class Failure(Model):
    """What went wrong."""

    code: str
    message: str
    field: str | None = None
    data: Anything | None = None


class ErrorAnswer(Model):
    """Every failure has this shape."""

    error: Failure
    request_id: str

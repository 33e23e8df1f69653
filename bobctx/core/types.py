"""The frozen values every other module speaks in. Pure; imports nothing of ours.

Words are those of the design's vocabulary: scope, message, spine position, region,
reply, claim, compaction. A value never does I/O and never changes after it is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Json: TypeAlias = Any
"""A JSON value as `json.loads` makes it."""

Body: TypeAlias = Mapping[str, Json]
"""A chat message as its host sent it, without the fields that are bobctx's own."""

Role = Literal["system", "developer", "user", "assistant", "tool"]
ROLES: tuple[Role, ...] = ("system", "developer", "user", "assistant", "tool")
PREAMBLE_ROLES = frozenset({"system", "developer"})

EgressClass = Literal["cloud_ok", "local"]
"""Where a text may go: `local` never reaches a cloud seat or host."""

PartKind = Literal["text", "call", "result", "thinking", "media", "opaque"]

ClaimType = Literal[
    "decision",
    "constraint",
    "definition",
    "commitment",
    "fact",
    "correction",
    "open_question",
    "failure",
    "artifact",
    "preference",
]
CLAIM_TYPES: tuple[ClaimType, ...] = (
    "decision",
    "constraint",
    "definition",
    "commitment",
    "fact",
    "correction",
    "open_question",
    "failure",
    "artifact",
    "preference",
)
NARRATIVE_FIELDS = ("goal", "constraints", "decisions", "progress", "open_questions", "next_steps")

CompactionStatus = Literal["shadow_ok", "empty", "shadow_rejected"]
Mode = Literal["off", "fit", "shadow", "live"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Whose conversation: every store read and write takes one. There is no unscoped read."""

    conversation_id: str
    user_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UserScope:
    """All conversations of one user: the one wider scope (listing, export, erase, compile)."""

    user_id: str


def alias_of(message_id: str, seq: int | None) -> str:
    """The short name of a message for models: `m{seq}`, or the id while it is not stored.

    A host's id that looks like an alias is its own alias: where a host counts from `m0`, `m5` must
    not name one message in a citation and another one when it is read back.
    """
    own = message_id[:1] == "m" and len(message_id) <= 11 and message_id[1:].isascii() and message_id[1:].isdigit()
    return message_id if seq is None or own else f"m{seq}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One piece of a message, the same for every dialect."""

    kind: PartKind
    text: str = ""
    """Readable text: prose, a call's arguments as JSON, a result's text, a thought."""
    call_id: str | None = None
    """Pairs a `call` with its `result`."""
    name: str | None = None
    """Tool name of a call; media type of media."""
    native: Json = None
    """The block as the host sent it, where it had one of its own."""
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One chat message with a stable id."""

    id: str
    role: Role
    body: Body
    """Restores the message losslessly."""
    parts: tuple[Part, ...]
    text: str
    """Searchable, quotable text of all parts (thinking and media left out)."""
    sha256: str
    """Content hash, hex (`identity.content_sha256`)."""
    seq: int | None = None
    """Arrival number in the scope; None for a message that is not stored."""
    speaker: str | None = None
    created_at: float | None = None
    """Unix seconds (UTC)."""
    tokens: int = 0
    """By the lane's reference counter."""
    egress: EgressClass = "local"
    injected: bool = False
    """Put there by a host (instructions, environment), not said by the user."""

    @property
    def alias(self) -> str:
        """The short name shown to models (`alias_of`)."""
        return alias_of(self.id, self.seq)

    def placed(self, *, id: str, seq: int | None, tokens: int) -> Message:
        """The same message in a place; `dataclasses.replace` takes three times as long, and this is done for each."""
        return Message(
            id=id,
            role=self.role,
            body=self.body,
            parts=self.parts,
            text=self.text,
            sha256=self.sha256,
            seq=seq,
            speaker=self.speaker,
            created_at=self.created_at,
            tokens=tokens,
            egress=self.egress,
            injected=self.injected,
        )

    def sized(self, tokens: int) -> Message:
        """The same message with its size."""
        return self if tokens == self.tokens else self.placed(id=self.id, seq=self.seq, tokens=tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A contiguous run of messages chosen for compaction; claims cite positions in it."""

    messages: tuple[Message, ...]
    start: int = 0
    """Spine position of the first message."""

    @property
    def end(self) -> int:
        """Spine position after the last message."""
        return self.start + len(self.messages)

    @property
    def tokens(self) -> int:
        """Reference tokens of all messages."""
        return sum(m.tokens for m in self.messages)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawClaim:
    """A claim as a seat wrote it, after parsing and before any check. Values may be of any type."""

    index: int
    """Place in the reply, from 0."""
    id: Json = None
    type: Json = None
    importance: Json = None
    text: Json = None
    cites: Json = None
    supersedes: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Where one literal (or the support) of a claim stands in a cited message."""

    literal: str
    kind: str
    message: int
    """Position in the region."""
    start: int
    """Span in `Message.text`, in code points."""
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One atomic, typed, cited statement that plain code has accepted."""

    id: str
    """Global id: hash of scope, type, text and sorted cited message ids (`identity.claim_id`)."""
    label: str
    """Name inside its region, `c5`; rendered as `r{region}.c5`."""
    type: ClaimType
    importance: int
    """3 must be kept, 2 useful, 1 the rest. Inherited along supersession by `claims`, not here."""
    text: str
    cites: tuple[int, ...]
    """Positions in the region, ascending."""
    supersedes: str | None = None
    """Global id of the earlier claim that this one replaces."""
    evidence: tuple[Evidence, ...] = ()
    salience: float = 0.0
    """Deterministic score kept for ordering within a tier, 0..1."""
    speaker: str | None = None
    """Who said it, where several people talk (speaker of the first cited message that has one)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorClaim:
    """An earlier accepted claim as the seat and the validator see it."""

    alias: str
    """`r1.c2`."""
    id: str
    """Global id."""
    type: ClaimType
    importance: int
    text: str
    active: bool = True
    """False once a later accepted claim replaced it."""
    superseded_by: str | None = None
    """Alias of the claim that replaced it."""
    cited_text: str = ""
    """Text of the messages it cites, for checks that compare subjects (may be empty)."""
    seq: int | None = None
    """Newest arrival number it cites."""
    egress: EgressClass = "local"
    """The strictest class of what it rests on: a `local` one is shown to no cloud seat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """Why a raw claim was refused: data, never an exception."""

    index: int
    claim: str
    """The claim's own id as the seat wrote it, or `#index`."""
    code: str
    """Stable reason code."""
    data: Mapping[str, Json] = field(default_factory=dict)
    message: str = ""
    """One sentence that reads well when fed back to a model."""
    text: str = ""
    """The refused text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationReport:
    """What the validator did with one reply."""

    raw: int
    """Claims in the reply."""
    accepted: int
    rejections: tuple[Rejection, ...] = ()
    duplicates: tuple[Rejection, ...] = ()
    """Not counted as rejected."""
    warnings: tuple[Rejection, ...] = ()
    """Dropped links, lowered importance."""
    literals_checked: int = 0
    uncovered: tuple[Mapping[str, Json], ...] = ()
    """Literals and prohibitions of user messages that no claim carries:
    `{"message": alias, "kind": str, "text": str}`."""
    validator_version: str = ""

    @property
    def mostly_rejected(self) -> bool:
        """More than half of the claims that count were refused."""
        counted = self.accepted + len(self.rejections)
        return counted > 0 and len(self.rejections) * 2 > counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """A validated view of one reply at one place of the chain (a row of `compactions`)."""

    compaction_id: str
    reply_key: str | None
    """None for an `empty` link that no seat was asked about."""
    first_id: str
    last_id: str
    count: int
    input_sha256: str
    prior_sha256: str
    prev_chain_sha256: str
    chain_sha256: str
    status: CompactionStatus
    backend: str
    """Name of the seat that wrote it: `extractive`, `scripted`, a model name; `none` for empty."""
    prompt_version: str
    validator_version: str
    attempts: int = 0
    claims: tuple[Claim, ...] = ()
    narrative: Mapping[str, str] = field(default_factory=dict)
    validation: Mapping[str, Json] = field(default_factory=dict)
    tokens_in: int = 0
    tokens_out: int = 0
    elapsed_ms: int = 0
    error: str | None = None
    created_ts: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A text or claim that is shown verbatim and never compacted."""

    pin_id: str
    text: str
    by: Literal["user", "operator"]
    claim_id: str | None = None
    created_ts: float = 0.0


TOOL_NAMES = ("conv_expand", "conv_search")
_PREFIX = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/")
LONGEST_PREFIX = 64


def split_tool(name: str) -> tuple[str, str] | None:
    """Prefix and name of one of our tools, also as hosts name those of a server.

    Such a prefix ends in two underscores (`mcp__any__conv_expand`) or names us (`bobctx_conv_expand`).
    """
    for tool in TOOL_NAMES:
        prefix = name.removesuffix(tool)
        if prefix == name:
            continue
        servers = prefix.endswith("__") or ("bobctx" in prefix and prefix[-1] in "_-.:/")
        if not prefix or (servers and len(prefix) <= LONGEST_PREFIX and _PREFIX.issuperset(prefix)):
            return prefix, tool
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSet:
    """Which of our tools the caller can offer its model; text mentions no others, and these by their names there."""

    expand: bool = False
    search: bool = False
    prefix: str = ""
    """What the host puts before the names."""

    @classmethod
    def of(cls, names: Sequence[str] | None) -> ToolSet:
        """The tools among `names`; where several servers offer them, those of one."""
        found: dict[str, set[str]] = {}
        for name in names or ():
            split = split_tool(name)
            if split is not None:
                found.setdefault(split[0], set()).add(split[1])
        if not found:
            return cls()
        prefix = min(found, key=lambda p: (-len(found[p]), len(p), p))
        expand, search = (name in found[prefix] for name in TOOL_NAMES)
        return cls(expand=expand, search=search, prefix=prefix)

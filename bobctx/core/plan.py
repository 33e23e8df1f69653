"""The values of one assembly: what is asked, what was decided, what comes back. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from bobctx.core.alignment import Count, Source
from bobctx.core.budget import BYTE_CAP, HISTORY_MAX, STEP, Budget, Window
from bobctx.core.cover import Cover, CoverRequest
from bobctx.core.fit import FitPlan
from bobctx.core.links import Chain
from bobctx.core.memo import AssemblyMemo
from bobctx.core.packing import DEFAULT_POLICY, Policy
from bobctx.core.recall import Recall
from bobctx.core.render import DEFAULT_STYLE, Style
from bobctx.core.types import Json, Message, Mode, ToolSet

EMPTY = "empty_conversation"
"""Warning: there is no history. Never said of one that could not be read."""
ItemKind = Literal["preamble", "opening", "block", "kept", "recall", "tail"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblyRequest:
    """One request of a history builder, resolved: window, mode and tools are known."""

    window: Window
    count: Count
    """The lane's reference counter."""
    versions: tuple[str, str]
    """Prompt and validator version that a row must have to be trusted."""
    counter_id: str = ""
    messages: Sequence[Message] | None = None
    """The host's own history (request mode); None reads the stored spine."""
    append: Sequence[Message] = ()
    """This turn's messages, not recorded yet (stored mode)."""
    mode: Mode = "live"
    profile: str = "default"
    reserved_tokens: int = 0
    """Tools, output and what the host adds; preamble messages of the request are added here."""
    budget_tokens: int | None = None
    history_max: int = HISTORY_MAX
    byte_cap: int = BYTE_CAP
    ratio: float = 1.0
    """Model tokens per reference token."""
    share: float | None = None
    step: float = STEP
    dialect: str = "openai"
    tools: ToolSet = field(default_factory=ToolSet)
    policy: Policy = DEFAULT_POLICY
    style: Style = DEFAULT_STYLE
    scores: Mapping[str, float] = field(default_factory=dict)
    """Of claims for the newest user message, by global id: for `ranked` and the recall block."""
    recall: bool = False
    """Show a recall block before the newest user message; the stable block then has 12 % instead of 15 %."""
    recalled: tuple[str, ...] | None = None
    """Claims that were recalled for the same user message before."""
    key: bytes | None = None
    """The database's key for the seal."""
    answer: Literal["messages", "plan"] = "messages"
    """`plan`: ids to keep and the block's text, no contents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblyPlan:
    """What was decided on columns alone."""

    request: AssemblyRequest
    source: Source
    preamble: tuple[Message, ...]
    budget: Budget
    fit: FitPlan
    chain: Chain
    cover_request: CoverRequest
    cover: Cover
    would: Cover | None
    """Mode `shadow`: what `live` would have shown."""
    recall: Recall
    """Before the newest user message."""
    spared: int
    """Tokens of recorded sizes that the final list is known not to take."""
    memo: AssemblyMemo
    """For the next call on this branch."""
    positions: tuple[int, ...]
    """Positions of the stored spine whose bodies `finish_assembly` needs, in this order."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanItem:
    """One message of the answer, without its content."""

    id: str | None
    """None for the block."""
    alias: str | None
    """None for a message that is not stored with these bytes."""
    kind: ItemKind
    tokens: int
    text: str | None = None
    """Of the block, where the answer is a plan."""

    def as_json(self) -> dict[str, Json]:
        """`{id, alias, kind, tokens}`, and `text` for the block of a plan."""
        found: dict[str, Json] = {"id": self.id, "alias": self.alias, "kind": self.kind, "tokens": self.tokens}
        if self.text is not None:
            found["text"] = self.text
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """The answer to one request."""

    messages: tuple[dict[str, Json], ...]
    """Ready for the provider; empty where a plan was asked for."""
    plan: tuple[PlanItem, ...]
    decision: Mapping[str, Json]
    budget: Mapping[str, Json]
    """`{window, history, used, counter}`."""
    warnings: tuple[str, ...] = ()
    cannot_fit: bool = False
    """Even the newest user message does not fit; `messages` is empty then."""
    claims: tuple[str, ...] = ()
    """Global ids of the claims in the block."""
    recalled: tuple[str, ...] = ()
    """Global ids of the claims in the recall block."""
    regions: int = 0
    """Regions that lie wholly inside the omitted messages."""
    system: str | None = None
    """Preamble text, for dialects that carry it outside the list."""
    asked: str | None = None
    """Id of the newest genuine user message."""

    def unread(self, warning: str) -> Assembled:
        """The same, made without the whole stored history: it says so, and nothing about what that may hold."""
        kept = tuple(w for w in self.warnings if w != EMPTY)
        return replace(self, warnings=kept).with_warning(warning)

    def with_warning(self, warning: str) -> Assembled:
        """The same with one more warning, also in the decision."""
        warnings = (*self.warnings, warning)
        return replace(self, warnings=warnings, decision={**self.decision, "warnings": list(warnings)})

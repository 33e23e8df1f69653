"""Hermes Agent: a context engine. The extra `hermes`; `deploy/hermes/` is the plugin that registers it.

Hermes keeps what an engine returns as the session's history, so everything is recorded before it is shortened. A block
of ours that comes back with a later history is recognised, and what it stood for is found again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Self

from agent.context_engine import ContextEngine

from bobctx.client import Daemon
from bobctx.core.tokens import estimate
from bobctx.core.tools import EXPAND, SEARCH, definitions
from bobctx.core.types import Body, Json, Scope
from bobctx.integrations.hosting import Asked, Options
from bobctx.integrations.keeper import SyncKeeper
from bobctx.integrations.lists import READING

FIELDS = ("role", "content", "name", "tool_calls", "tool_call_id")
BLOCK = "[bobctx:block:"
SESSIONS = 1_000
"""Sessions of a process whose conversation is remembered."""
FORCED_SHARE = 0.5
"""Of the present list: what a person who asks for a compression gets."""


def plain(message: Mapping[str, Any]) -> dict[str, Json]:
    """A message of Hermes with the fields that are part of what was said."""
    return {"content": None, **{k: message[k] for k in FIELDS if message.get(k) is not None}}


class Shared:
    """What all copies of the engine in a process share: the keeper, and which conversation a session belongs to."""

    def __init__(self, keeper: SyncKeeper, owner: str | None) -> None:
        self.keeper, self._owner = keeper, owner
        self._scopes: OrderedDict[str, Scope] = OrderedDict()

    def start(self, session_id: str, key: Any, previous: Any) -> None:
        """A session begins; `previous` is the one that it goes on from after a compression."""
        going_on = self._scopes.get(str(previous)) if previous else None
        owner = self._owner or f"hermes/{key or 'local'}"
        self._scopes[session_id] = going_on or Scope(conversation_id=session_id, user_id=owner)
        while len(self._scopes) > SESSIONS:
            self._scopes.popitem(last=False)

    def scope(self, session_id: str | None) -> Scope | None:
        """Whose conversation a session is."""
        return self._scopes.get(session_id or "")

    def record(self, session_id: str = "", conversation_history: Sequence[Any] = (), **_: Any) -> None:
        """The hook `post_llm_call`: record a finished turn."""
        scope = self.scope(session_id)
        if scope is not None:
            self.keep(scope, conversation_history)

    def keep(self, scope: Scope, messages: Sequence[Any]) -> bool:
        """Record what of a history the daemon does not have."""
        try:
            bodies: list[Body] = [plain(m) for m in messages]
        except READING:
            return False
        anchor = self.keeper.fit(scope, Asked(bodies=bodies, mode="off")).anchor  # only told what is known
        if anchor is None and any(BLOCK in str(b.get("content")) for b in bodies):
            return False  # alone it does not say what it stands for: the next turn records this one too
        return self.keeper.keep(scope, bodies, anchor)


class BobctxEngine(ContextEngine):
    """Registered once; Hermes copies it for every agent."""

    def __init__(
        self,
        daemon: Daemon | None = None,
        *,
        owner: str | None = None,
        options: Options | None = None,
        shared: Shared | None = None,
    ) -> None:
        """An engine on one daemon.

        Args:
            daemon: Where it is; `runtime.daemon_of(settings.load())` finds it.
            owner: Of all sessions; else the gateway's key of a chat, `local` outside the gateway.
            options: Backend, mode, window.
            shared: Of the engine that this one is a copy of.
        """
        self.shared = shared or Shared(SyncKeeper(daemon, options), owner)
        self.session_id: str | None = None
        self.model: str | None = None

    def __deepcopy__(self, memo: Any) -> Self:
        """Connections and threads are shared; counts and limits are each agent's own."""
        made = type(self)(shared=self.shared)
        made.__dict__.update(self.__dict__)
        return made

    @property
    def name(self) -> str:
        """For `context.engine` in Hermes' settings."""
        return "bobctx"

    # -- when --------------------------------------------------------------------------

    def update_from_response(self, usage: dict[str, Any]) -> None:
        """Take what the provider counted."""
        self.last_prompt_tokens = int(usage.get("prompt_tokens") or 0)
        self.last_completion_tokens = int(usage.get("completion_tokens") or 0)
        self.last_total_tokens = int(usage.get("total_tokens") or 0)

    def should_compress(self, prompt_tokens: int | None = None) -> bool:
        """Whether the host's threshold is reached."""
        tokens = self.last_prompt_tokens if prompt_tokens is None else prompt_tokens
        return bool(0 < self.threshold_tokens <= tokens)

    def update_model(self, model: str, context_length: int, *args: Any, **more: Any) -> None:
        """Another model, another window."""
        super().update_model(model, context_length, *args, **more)
        self.model = model

    def on_session_start(self, session_id: str, **more: Any) -> None:
        """A session begins, or goes on under another id after a compression."""
        previous = more.get("old_session_id") if more.get("boundary_reason") == "compression" else None
        self.shared.start(session_id, more.get("conversation_id"), previous)
        self.session_id = session_id

    # -- what --------------------------------------------------------------------------

    def compress(
        self,
        messages: list[dict[str, Any]],
        current_tokens: int | None = None,
        focus_topic: str | None = None,
        force: bool = False,
        memory_context: str = "",
    ) -> list[dict[str, Any]]:
        """The history as it goes on: opening, claims for what is left out, and the newest messages."""
        scope = self.shared.scope(self.session_id)
        try:
            bodies: list[Body] = [plain(m) for m in messages]
        except READING:
            return messages
        if scope is not None:
            self.shared.keep(scope, messages)
        budget = int(sum(estimate(str(b)) for b in bodies) * FORCED_SHARE) if force else None
        asked = Asked(bodies=bodies, model=self.model, window=self.context_length or None, budget_tokens=budget,
                      tools=definitions("responses"))  # fmt: skip
        fitted = self.shared.keeper.fit(scope, asked)
        if not fitted.changed(len(messages)):
            return messages
        self.compression_count += 1
        return [messages[i] if isinstance(i, int) else i for i in fitted.items]

    # -- tools -------------------------------------------------------------------------

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """`conv_expand` and `conv_search`."""
        return [{k: d[k] for k in ("name", "description", "parameters")} for d in definitions("responses")]

    def handle_tool_call(self, name: str, args: dict[str, Any], **_: Any) -> str:
        """Read originals of this session's conversation."""
        if name not in (EXPAND, SEARCH):
            return '{"error": {"code": "unknown_tool", "message": "there is no such tool"}}'
        return self.shared.keeper.use(self.shared.scope(self.session_id), name, args)

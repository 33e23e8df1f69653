"""LangChain 1.x: a middleware for `create_agent`. The extra `langchain`.

The model gets a list that fits; the graph's own messages are never changed. Finished runs are recorded, edits
and removals of the graph's messages are done in bobctx too.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest
from langchain.agents.middleware.types import PrivateStateAttr
from langchain.tools import ToolRuntime
from langchain_core.messages import BaseMessage, convert_to_messages
from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.config import get_config

from bobctx.client import Daemon
from bobctx.core import identity
from bobctx.core.tools import EXPAND, SEARCH, definitions
from bobctx.core.types import Body, Json, Scope
from bobctx.integrations.hosting import Asked, Fitted, Options, Owner, scope_of, user_id_in
from bobctx.integrations.keeper import Keeper, SyncKeeper
from bobctx.integrations.lists import READING, readable, without_preamble

ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}
CALL_BLOCKS = frozenset({"tool_use", "tool_call"})
"""Content blocks that only repeat `tool_calls`."""
CHECKPOINTER = "__pregel_checkpointer"
"""Of a run's config: with one, the graph's message ids stay; without, they are new in every run."""
MARK = 16
"""Hex digits of a content hash that the graph's state keeps for each message."""


def body_of(message: BaseMessage) -> dict[str, Json]:
    """A LangChain message as a chat body. Raises `READING`."""
    role = ROLES.get(message.type.removesuffix("MessageChunk").lower())
    role = role or str(getattr(message, "role", "user"))
    content: Any = message.content
    calls = [_call(c) for c in [*getattr(message, "tool_calls", ()), *getattr(message, "invalid_tool_calls", ())]]
    if calls and isinstance(content, list):
        content = [b for b in content if not (isinstance(b, Mapping) and b.get("type") in CALL_BLOCKS)]
    body: dict[str, Json] = {"role": role, "content": content or None if calls else content}
    if calls:
        body["tool_calls"] = calls
    if message.name:
        body["name"] = message.name
    if getattr(message, "tool_call_id", None):
        body["tool_call_id"] = str(getattr(message, "tool_call_id", ""))
    return body


def _call(call: Mapping[str, Any]) -> dict[str, Json]:
    arguments = call.get("args") or {}
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": text}}


class BobctxState(AgentState[Any]):
    """The graph's state and what of its messages is recorded."""

    bobctx_seen: NotRequired[Annotated[dict[str, Any], PrivateStateAttr]]  # type: ignore[valid-type]
    """`owner` and `marks`: content hashes by message id."""


class BobctxMiddleware(AgentMiddleware[Any, Any, Any]):
    """`create_agent(model, middleware=[BobctxMiddleware(...)], checkpointer=..., context_schema=...)`.

    The conversation is the run's `thread_id`, the owner is `user_id` of the run's context (`owner` names another
    place, or one owner for all). Without one of them lists are only fitted.
    """

    state_schema = BobctxState

    def __init__(
        self,
        daemon: Daemon | None = None,
        *,
        owner: Owner = user_id_in,
        options: Options | None = None,
        removed: Literal["forget", "keep"] = "forget",
    ) -> None:
        """A middleware on one daemon.

        Args:
            daemon: Where it is; `runtime.daemon_of(settings.load())` finds it.
            owner: The owner, or a function of `runtime.context`.
            options: Backend, mode, window.
            removed: What a message that the graph removed becomes: `forget` deletes it here too, for good; `keep`
                is for graphs that remove messages only to save room. What a summary replaced is always kept.
        """
        super().__init__()
        self.later = Keeper(daemon, options)
        self.now = SyncKeeper(daemon, options)
        self._owner, self._removed = owner, removed
        self.tools: Sequence[BaseTool] = self._tools()

    # -- the prompt --------------------------------------------------------------------

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Any]) -> Any:
        """The model's list, fitted."""
        asked = self._asked(request)
        if asked is None:
            return handler(request)
        return handler(self._sent(request, self.now.fit(self._scope(request.runtime.context), asked)))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[Any]]
    ) -> Any:
        """The model's list, fitted."""
        asked = self._asked(request)
        if asked is None:
            return await handler(request)
        return await handler(self._sent(request, await self.later.fit(self._scope(request.runtime.context), asked)))

    def _scope(self, context: Any) -> Scope | None:
        return scope_of(self._owner, context, (get_config().get("configurable") or {}).get("thread_id"))

    def _asked(self, request: ModelRequest[Any]) -> Asked | None:
        try:
            return Asked(
                bodies=[_with_id(m) for m in request.messages],
                model=_model_of(request.model),
                tools=[t if isinstance(t, dict) else convert_to_openai_tool(t) for t in request.tools],
                besides=request.system_prompt or "",
            )
        except READING:
            return None

    def _sent(self, request: ModelRequest[Any], fitted: Fitted) -> ModelRequest[Any]:
        if not fitted.changed(len(request.messages)):
            return request
        own = request.messages
        made = [own[i] if isinstance(i, int) else convert_to_messages([i])[0] for i in fitted.items]
        return request.override(messages=made)

    # -- the record --------------------------------------------------------------------

    def after_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Record the run; the messages stay as they are."""
        work = self._work(state, runtime)
        if work is None:
            return None
        scope, changes = work
        if not _saved():
            self.now.keep(scope, changes.bodies)
            return None
        code = self.now.put(scope, changes.messages)
        left = [ident for ident in changes.gone if not self.now.forget(scope, ident)] if code is None else []
        return changes.update(scope, code, left)

    async def aafter_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Record the run; the messages stay as they are."""
        work = self._work(state, runtime)
        if work is None:
            return None
        scope, changes = work
        if not _saved():
            await self.later.keep(scope, changes.bodies)
            return None
        code = await self.later.put(scope, changes.messages)
        left = [ident for ident in changes.gone if not await self.later.forget(scope, ident)] if code is None else []
        return changes.update(scope, code, left)

    def _work(self, state: Any, runtime: Any) -> tuple[Scope, Changes] | None:
        scope = self._scope(getattr(runtime, "context", None))
        if scope is None:
            return None
        try:
            seen = state.get("bobctx_seen") or {}
            marks = seen.get("marks", {}) if seen.get("owner") == scope.user_id else {}
            return scope, changes_of(state["messages"], marks, removed=self._removed)
        except READING:
            return None

    # -- the tools ---------------------------------------------------------------------

    def _tools(self) -> list[BaseTool]:
        def conv_expand(ids: list[str], runtime: ToolRuntime[Any, Any], offset: int = 0) -> str:
            return self.now.use(self._scope(runtime.context), EXPAND, {"ids": ids, "offset": offset})

        async def aconv_expand(ids: list[str], runtime: ToolRuntime[Any, Any], offset: int = 0) -> str:
            return await self.later.use(self._scope(runtime.context), EXPAND, {"ids": ids, "offset": offset})

        def conv_search(query: str, runtime: ToolRuntime[Any, Any], limit: int = 10) -> str:
            return self.now.use(self._scope(runtime.context), SEARCH, {"query": query, "limit": limit})

        async def aconv_search(query: str, runtime: ToolRuntime[Any, Any], limit: int = 10) -> str:
            return await self.later.use(self._scope(runtime.context), SEARCH, {"query": query, "limit": limit})

        texts = {d["name"]: str(d["description"]) for d in definitions("responses")}
        return [
            StructuredTool.from_function(conv_expand, aconv_expand, name=EXPAND, description=texts[EXPAND]),
            StructuredTool.from_function(conv_search, aconv_search, name=SEARCH, description=texts[SEARCH]),
        ]


def _saved() -> bool:
    """Whether this run's state is kept, and with it the ids of its messages."""
    return (get_config().get("configurable") or {}).get(CHECKPOINTER) is not None


def _with_id(message: BaseMessage) -> Body:
    body = body_of(message)
    return {**body, "id": message.id} if message.id and _saved() else body


def _model_of(model: Any) -> str | None:
    found = getattr(model, "model_name", None) or getattr(model, "model", None)
    return found if isinstance(found, str) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What a run did to the graph's messages, against what was recorded before."""

    bodies: list[Body]
    messages: list[dict[str, Json]]
    """New and edited ones, with ids."""
    gone: list[str]
    """Ids of those that were removed."""
    seen: dict[str, str]
    before: Mapping[str, str]

    def update(self, scope: Scope, code: str | None, left: Sequence[str]) -> dict[str, Any] | None:
        """The state's own field after a try that ended with `code`; `left` could not be deleted."""
        if code == "unknown_parent":
            return {"bobctx_seen": {}}  # the daemon starts anew: everything is sent with the next run
        if code is not None:
            return None
        marks = {**self.seen, **{ident: self.before[ident] for ident in left}}
        return {"bobctx_seen": {"owner": scope.user_id, "marks": marks}}


def changes_of(messages: Sequence[BaseMessage], seen: Mapping[str, str], *, removed: str) -> Changes:
    """Compare the graph's messages with what is recorded. Raises `READING`."""
    own = [m for m in messages if not _is_summary(m)]
    own = own[without_preamble([{"role": ROLES.get(m.type, "user")} for m in own]) :]
    bodies = readable([body_of(m) for m in own])
    found: list[dict[str, Json]] = []
    marks: dict[str, str] = {}
    previous: str | None = None
    for message, body in zip(own, bodies, strict=True):
        ident = str(message.id)
        marks[ident] = identity.content_sha256(body)[:MARK]
        if ident not in seen and previous is not None:
            found.append({**body, "id": ident, "parents": [previous]})
        elif seen.get(ident) != marks[ident]:
            found.append({**body, "id": ident})
        previous = ident
    gone = [ident for ident in seen if ident not in marks]
    if removed == "keep" or any(map(_is_summary, messages)):
        gone, marks = [], {**seen, **marks}
    return Changes(bodies=list(bodies), messages=found, gone=gone, seen=marks, before=seen)


def _is_summary(message: BaseMessage) -> bool:
    """Whether the graph put it in place of older messages."""
    return message.additional_kwargs.get("lc_source") == "summarization"

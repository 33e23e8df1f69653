"""The OpenAI Agents SDK: a session around the host's own, its filter, and two tools. The extra `openai-agents`.

The session that is wrapped stays the host's record; what is added to it is recorded here too, what is taken from it is
deleted here too. The filter gives each model call a list that fits, and nothing of it reaches the session.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from agents import FunctionTool, function_tool
from agents.run import CallModelData, ModelInputData
from agents.tool_context import ToolContext

from bobctx.client import Daemon
from bobctx.core.tools import EXPAND, SEARCH, definitions
from bobctx.core.types import Body, Scope
from bobctx.integrations.hosting import Asked, Options, Owner, scope_of, user_id_in
from bobctx.integrations.keeper import Keeper
from bobctx.integrations.lists import READING, posted
from bobctx.integrations.responses_items import Group, groups, written


class BobctxSession:
    """`memory = BobctxSession(SQLiteSession("chat-1"))`, then `Runner.run(agent, text, session=memory, context=...,
    run_config=RunConfig(call_model_input_filter=memory.fit))`.

    The conversation is the session's id, the owner `user_id` of the run's context (`owner` names another place, or
    one owner for all). Without an owner lists are only fitted.
    """

    def __init__(
        self,
        inner: Any,
        daemon: Daemon | None = None,
        *,
        owner: Owner = user_id_in,
        options: Options | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        """Around one session of the host.

        Args:
            inner: Any session; what it keeps and how stays its own.
            daemon: Where bobctx is; `runtime.daemon_of(settings.load())` finds it.
            owner: The owner, or a function of the run's context.
            options: Backend, mode, window.
            keeper: Shared by the sessions of a process, instead of `daemon` and `options`.
        """
        self.inner = inner
        self.keeper = keeper or Keeper(daemon, options)
        self._owner = owner
        self._behind = True
        """Whether the inner session may hold items that are not recorded: at first, and after a failure."""

    # -- the session -------------------------------------------------------------------

    @property
    def session_id(self) -> str:
        """The inner session's."""
        return str(self.inner.session_id)

    @property
    def session_settings(self) -> Any:
        """The inner session's."""
        return getattr(self.inner, "session_settings", None)

    async def get_items(self, limit: int | None = None, *, wrapper: Any = None) -> list[Any]:
        """The host's own record."""
        found: list[Any] = await _called(self.inner.get_items, wrapper, limit)
        return found

    async def add_items(self, items: list[Any], *, wrapper: Any = None) -> None:
        """Add to the host's record, then record."""
        await _called(self.inner.add_items, wrapper, items)
        scope = self._scope(wrapper)
        if scope is None or not items:
            return
        everything = await self.get_items(wrapper=wrapper)
        found = _messages(everything[: -len(items)], items)
        if found is None:
            return
        old, new = found
        if self._behind and await self.keeper.put(scope, old) is not None:
            return
        self._behind = not await self.keeper.add(scope, new)

    async def pop_item(self, *, wrapper: Any = None) -> Any:
        """Take the newest item from the host's record, and delete it here for good."""
        before = await self.get_items(wrapper=wrapper)
        item = await _called(self.inner.pop_item, wrapper)
        scope = self._scope(wrapper)
        found = _messages(before, [])
        if item is not None and scope is not None and found is not None and found[0]:
            self._behind = True  # what is left of its message is recorded anew
            await self.keeper.forget_added(scope, str(found[0][-1]["id"]))
        return item

    async def clear_session(self, *, wrapper: Any = None) -> None:
        """Empty the host's record, and delete the conversation here for good."""
        await _called(self.inner.clear_session, wrapper)
        scope = self._scope(wrapper)
        if scope is not None:
            await self.keeper.clear(scope)

    def _scope(self, wrapper: Any) -> Scope | None:
        return self.scope(getattr(wrapper, "context", None))

    def scope(self, context: Any) -> Scope | None:
        """Whose conversation this is, by the context of a run."""
        return scope_of(self._owner, context, self.session_id)

    # -- the filter --------------------------------------------------------------------

    async def fit(self, data: CallModelData[Any]) -> ModelInputData:
        """For `RunConfig(call_model_input_filter=...)`: the list of one model call, fitted."""
        given = data.model_data
        try:
            found = groups(given.input)
            asked = _asked(data, [g.body for g in found])
        except READING:
            return given
        if _continues_elsewhere(found):
            return given
        fitted = await self.keeper.fit(self.scope(data.context), asked)
        if not fitted.changed(len(found)):
            return given
        return ModelInputData(input=written(given.input, found, fitted.items), instructions=given.instructions)


def _messages(old: Sequence[Any], new: Sequence[Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]] | None:
    """Both with ids, chained over all of them; None where there is something that cannot be read."""
    try:
        before, after = groups(old), groups(new)
        made = posted([g.body for g in (*before, *after)])
    except READING:
        return None
    kept = len(made) - len(after)
    return made[:kept], made[kept:]


def _continues_elsewhere(found: Sequence[Group]) -> bool:
    """Whether the provider keeps the history: results come without their calls then."""
    asked: set[Any] = set()
    for group in found:
        if group.body["role"] == "tool" and group.body["tool_call_id"] not in asked:
            return True
        asked.update(c["id"] for c in group.body.get("tool_calls") or ())
    return False


def _asked(data: CallModelData[Any], bodies: list[Body]) -> Asked:
    agent = data.agent
    model = getattr(agent, "model", None)
    tools = [
        {"type": "function", "name": t.name, "description": t.description, "parameters": t.params_json_schema}
        for t in getattr(agent, "tools", ())
        if isinstance(t, FunctionTool)
    ]
    limit = getattr(getattr(agent, "model_settings", None), "max_tokens", None)
    return Asked(
        bodies=bodies,
        model=model if isinstance(model, str) else getattr(model, "model", None),
        tools=tools,
        besides=data.model_data.instructions or "",
        output_tokens=limit if isinstance(limit, int) else None,
    )


async def _called(method: Callable[..., Any], wrapper: Any, *args: Any) -> Any:
    """A method of the inner session, with the run's context if it takes one."""
    takes = "wrapper" in inspect.signature(method).parameters
    return await (method(*args, wrapper=wrapper) if takes else method(*args))


# -- the tools -------------------------------------------------------------------------


def _session_of(ctx: ToolContext[Any]) -> BobctxSession | None:
    """The session whose filter this run has."""
    found = getattr(getattr(ctx.run_config, "call_model_input_filter", None), "__self__", None)
    return found if isinstance(found, BobctxSession) else None


async def _use(ctx: ToolContext[Any], name: str, arguments: dict[str, Any]) -> str:
    session = _session_of(ctx)
    if session is None:
        return '{"error": {"code": "no_scope", "message": "no conversation is known here"}}'
    return await session.keeper.use(session.scope(ctx.context), name, arguments)


def bobctx_tools() -> list[FunctionTool]:
    """`conv_expand` and `conv_search`, for `Agent(tools=[...])`: they read the run's own session and owner."""
    texts = {d["name"]: str(d["description"]) for d in definitions("responses")}

    async def conv_expand(ctx: ToolContext[Any], ids: list[str], offset: int = 0) -> str:
        return await _use(ctx, EXPAND, {"ids": ids, "offset": offset})

    async def conv_search(ctx: ToolContext[Any], query: str, limit: int = 10) -> str:
        return await _use(ctx, SEARCH, {"query": query, "limit": limit})

    return [
        function_tool(conv_expand, name_override=EXPAND, description_override=texts[EXPAND]),
        function_tool(conv_search, name_override=SEARCH, description_override=texts[SEARCH]),
    ]

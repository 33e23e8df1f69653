"""Pydantic AI 2.x: a capability for agents. The extra `pydantic-ai`.

Each model request gets a list that fits; the run's own history is never changed. Finished runs are recorded.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    BinaryContent,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.toolsets import FunctionToolset

from bobctx.client import Daemon
from bobctx.core.tools import EXPAND, SEARCH, definitions
from bobctx.core.types import Body, Json, Scope
from bobctx.integrations.hosting import Asked, Options, Owner, scope_of, user_id_in
from bobctx.integrations.keeper import Keeper
from bobctx.integrations.lists import READING, Anchor, Item

RUNS = 1_000
"""Runs under way whose anchor is remembered."""

# -- messages as chat bodies -----------------------------------------------------------


@dataclass(slots=True)
class Unit:
    """What is one chat message: a whole response, or some neighbouring parts of a request."""

    message: int
    parts: list[int]
    body: dict[str, Json]


def units_of(messages: Sequence[Any]) -> list[Unit]:
    """Messages as chat bodies and where each came from. Raises `READING`, also for a provider's own compaction."""
    found: list[Unit] = []
    for place, message in enumerate(messages):
        if any(part.part_kind == "compaction" for part in message.parts):
            raise ValueError("the provider has compacted this history")
        if message.kind == "response":
            found.append(Unit(place, list(range(len(message.parts))), _answer(message)))
            continue
        first = len(found)
        for number, part in enumerate(message.parts):
            body = _part(part)
            if body is None and len(found) > first:
                found[-1].parts.append(number)  # says nothing by itself: it stays with its neighbour
            else:
                found.append(Unit(place, [number], body or {"role": "user", "content": ""}))
    return found


def _part(part: Any) -> dict[str, Json] | None:
    kind = part.part_kind
    if kind == "system-prompt":
        return {"role": "system", "content": part.content}
    if kind == "user-prompt":
        return {"role": "user", "content": _content(part.content)}
    if kind == "tool-return" or (kind == "retry-prompt" and part.tool_name):
        text = part.model_response_str() if kind == "tool-return" else part.model_response()
        return {"role": "tool", "tool_call_id": part.tool_call_id, "name": part.tool_name, "content": text}
    if kind in ("retry-prompt", "retry-feedback"):
        return {"role": "user", "content": part.model_response(), "injected": True}
    return None


def _content(content: Any) -> Json:
    if isinstance(content, str):
        return content
    return [_block(item) for item in content]


def _block(item: Any) -> dict[str, Json]:
    """One piece of a user's prompt; media are named, their bytes stay with the host."""
    if isinstance(item, str):
        return {"type": "text", "text": item}
    if isinstance(getattr(item, "content", None), str):
        return {"type": "text", "text": item.content}
    if isinstance(item, BinaryContent):
        return {"type": "file", "media_type": item.media_type, "identifier": item.identifier}
    url = getattr(item, "url", None)
    if url is not None and getattr(item, "kind", "") == "image-url":
        return {"type": "image_url", "image_url": {"url": str(url)}}
    return {"type": "file", "kind": str(getattr(item, "kind", "")), "url": str(url or "")}


def _answer(message: Any) -> dict[str, Json]:
    texts = [p.content for p in message.parts if p.part_kind == "text" and p.content]
    calls = [
        {
            "id": p.tool_call_id,
            "type": "function",
            "function": {"name": p.tool_name, "arguments": p.args_as_json_str()},
        }
        for p in message.parts
        if p.part_kind == "tool-call"
    ]
    return {"role": "assistant", "content": "\n\n".join(texts) or None, **({"tool_calls": calls} if calls else {})}


# -- and back --------------------------------------------------------------------------


def written(messages: Sequence[Any], units: Sequence[Unit], items: Sequence[Item]) -> list[Any]:
    """The fitted list: the host's own messages, whole or the parts that are shown, and new ones."""
    made: list[Any] = []
    open_: list[Unit] = []

    def close() -> None:
        if open_:
            own = messages[open_[0].message]
            shown = [own.parts[n] for unit in open_ for n in unit.parts]
            made.append(own if len(shown) == len(own.parts) else dataclasses.replace(own, parts=shown))
            open_.clear()

    for item in items:
        if isinstance(item, int):
            if open_ and open_[0].message != units[item].message:
                close()
            open_.append(units[item])
        else:
            close()
            made.append(_message(item, made))
    close()
    return made


def _message(body: Mapping[str, Any], before: Sequence[Any]) -> Any:
    """A message that the host does not have: the block, or one that was cut to fit; `before` are those it follows."""
    content = body.get("content")
    if isinstance(content, list):
        content = "\n".join(str(b.get("text", "")) for b in content if isinstance(b, Mapping))
    text = str(content or "")
    if body["role"] == "tool":
        call = str(body["tool_call_id"])
        parts = [p for message in before for p in message.parts if p.part_kind == "tool-call"]
        name = next((p.tool_name for p in reversed(parts) if p.tool_call_id == call), "tool")
        return ModelRequest(parts=[ToolReturnPart(name, text, tool_call_id=call)])
    if body["role"] == "assistant":
        calls = [
            ToolCallPart(c["function"]["name"], c["function"]["arguments"], tool_call_id=c["id"])
            for c in body.get("tool_calls") or ()
        ]
        return ModelResponse(parts=[*([TextPart(text)] if text else []), *calls])
    return ModelRequest(parts=[UserPromptPart(text)])


# -- the capability --------------------------------------------------------------------


class Bobctx(AbstractCapability[Any]):
    """`Agent(model, capabilities=[Bobctx(...)])`, run with `conversation_id=` and `deps=`.

    The owner is `user_id` of the run's `deps` (`owner` names another place, or one owner for all). Without an owner
    lists are only fitted. `conversation_id` goes on by itself where `message_history` is given.
    """

    def __init__(
        self, daemon: Daemon | None = None, *, owner: Owner = user_id_in, options: Options | None = None
    ) -> None:
        """A capability on one daemon; `runtime.daemon_of(settings.load())` finds it."""
        self.keeper = Keeper(daemon, options)
        self._owner = owner
        self._anchors: OrderedDict[str, Anchor | None] = OrderedDict()

    async def prepare_model_request(self, ctx: RunContext[Any], request_context: Any) -> Any:
        """The list of one request, fitted; nothing of it is kept by the host."""
        try:
            messages = request_context.messages
            units = units_of(messages)
            asked = _asked(request_context, [u.body for u in units])
        except READING:
            return request_context
        fitted = await self.keeper.fit(self._scope(ctx), asked)
        self._note(ctx.run_id or "", fitted.anchor)
        if not fitted.changed(len(units)):
            return request_context
        return dataclasses.replace(request_context, messages=written(messages, units, fitted.items))

    async def after_run(self, ctx: RunContext[Any], *, result: Any) -> Any:
        """Record the run."""
        anchor = self._anchors.pop(ctx.run_id or "", None)
        scope = self._scope(ctx)
        try:
            bodies: list[Body] = [u.body for u in units_of(result.all_messages())]
        except READING:
            return result
        if scope is not None:
            await self.keeper.keep(scope, bodies, anchor)
        return result

    def get_toolset(self) -> Any:
        """`conv_expand` and `conv_search`, for this run's conversation and owner."""
        tools: FunctionToolset[Any] = FunctionToolset()
        texts = {d["name"]: str(d["description"]) for d in definitions("responses")}

        async def conv_expand(ctx: RunContext[Any], ids: list[str], offset: int = 0) -> str:
            return await self.keeper.use(self._scope(ctx), EXPAND, {"ids": ids, "offset": offset})

        async def conv_search(ctx: RunContext[Any], query: str, limit: int = 10) -> str:
            return await self.keeper.use(self._scope(ctx), SEARCH, {"query": query, "limit": limit})

        tools.add_function(conv_expand, takes_ctx=True, name=EXPAND, description=texts[EXPAND])
        tools.add_function(conv_search, takes_ctx=True, name=SEARCH, description=texts[SEARCH])
        return tools

    def _scope(self, ctx: RunContext[Any]) -> Scope | None:
        return scope_of(self._owner, ctx.deps, ctx.conversation_id)

    def _note(self, run: str, anchor: Anchor | None) -> None:
        """The first request of a run knows best what stood before it."""
        self._anchors.setdefault(run, anchor)
        while len(self._anchors) > RUNS:
            self._anchors.popitem(last=False)


def _asked(request: Any, bodies: list[Body]) -> Asked:
    parameters = request.model_request_parameters
    tools = [
        {"type": "function", "name": t.name, "description": t.description, "parameters": t.parameters_json_schema}
        for t in parameters.function_tools
    ]
    besides = "\n".join(str(p.content) for p in parameters.instruction_parts or ())
    limit = (request.model_settings or {}).get("max_tokens")
    return Asked(
        bodies=bodies,
        model=request.model.model_name,
        tools=tools,
        besides=besides,
        output_tokens=limit if isinstance(limit, int) else None,
    )

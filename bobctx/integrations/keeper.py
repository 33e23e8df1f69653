"""What every adapter asks of the daemon: fit this list, keep what is new, read originals; a host's turn never fails.

Both kinds of client are wrapped the same way. Whatever goes wrong is logged by its code and counted; the host
goes on with its own messages, fitted in this process.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from bobctx.client import AsyncClient, Client, Daemon, DaemonError
from bobctx.core import local_fit
from bobctx.core.tokens import Estimator
from bobctx.core.tools import EXPAND, SEARCH
from bobctx.core.types import Body, Json, Mode, Scope
from bobctx.integrations.lists import READING, Anchor, Item, anchor_of, posted, readable, restored
from bobctx.model_data import window_catalog

KEEP_TIMEOUT_S = 2.0
"""A finished turn is held up no longer than this; what was not kept is kept with the next one."""
OUTPUT_TOKENS = 4_096
"""Room for the model's answer where the host does not say."""
FIELDS = {EXPAND: ("ids", "offset"), SEARCH: ("query", "limit")}
"""All that a model can say: never whose conversation, nor which."""
SHOWN = ("role", "content", "name", "tool_calls", "tool_call_id", "speaker", "created_at", "snippet")
"""Fields of a stored message that a model has a use for, after its id."""
LOG = logging.getLogger("bobctx")

Messages = list[dict[str, Json]]
Usage = Mapping[str, Json] | None
"""What the provider reported: `prompt_tokens`, `cached_tokens`, `trace_id`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The same for every host."""

    backend: str | None = None
    """Where prompts go (`openai`, `anthropic`); decides which seats may read the history. None: local ones only."""
    mode: Mode | None = None
    """Milder than the daemon's own."""
    output_tokens: int = OUTPUT_TOKENS
    window: int | None = None
    """Tokens of the model, where no catalogue has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """The list to send."""

    items: list[Item]
    anchor: Anchor | None
    decision: Mapping[str, Any]
    trace_id: str | None = None
    system: str | None = None

    def changed(self, size: int) -> bool:
        """Whether it is another list than the host's own of `size` messages."""
        return self.items != list(range(size))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One list that a host is about to send."""

    bodies: Sequence[Body]
    model: str | None = None
    tools: Sequence[Any] = ()
    """Definitions as the model gets them: their names, and their size."""
    besides: str = ""
    """Instructions that the host sends beside the list."""
    dialect: str = "openai"
    output_tokens: int | None = None
    mode: Mode | None = None


Owner = str | Callable[[Any], str | None]
"""One owner for all, or how to find it in what the host knows about a call."""


def user_id_in(context: Any) -> str | None:
    """`user_id` of an object that the application gave to a run, as a field or a key."""
    found = context.get("user_id") if isinstance(context, Mapping) else getattr(context, "user_id", None)
    return str(found) if found else None


def scope_of(owner: Owner, given: Any, conversation: Any) -> Scope | None:
    """Whose conversation it is; None where owner or conversation are unknown."""
    try:
        found = owner if isinstance(owner, str) else owner(given)
    except READING:
        return None
    return Scope(conversation_id=str(conversation), user_id=str(found)) if found and conversation else None


def allowed(name: str, arguments: Mapping[str, Any]) -> dict[str, Json]:
    """A model's arguments for one of our tools, without anything else that it may have said."""
    return {k: arguments[k] for k in FIELDS[name] if arguments.get(k) is not None}


class _Base:
    """What both keepers share: everything but the waiting."""

    def __init__(self, options: Options | None = None) -> None:
        self.options = options or Options()
        self.counters: Counter[str] = Counter()
        """`kept`, `not_kept` and `not_kept.REASON`; `unreadable`, `no_scope`."""

    def _body(self, asked: Asked, bodies: Messages, scope: Scope | None) -> dict[str, Json]:
        count = Estimator().count
        tools = json.dumps(list(asked.tools), default=str) if asked.tools else ""
        output = self.options.output_tokens if asked.output_tokens is None else asked.output_tokens
        return {
            "user_id": scope.user_id if scope is not None else None,
            "messages": bodies,
            "model": asked.model,
            "backend": self.options.backend,
            "window": self.options.window,
            "reserved_tokens": output + count(tools) + count(asked.besides),
            "dialect": asked.dialect,
            "tools": list(asked.tools) or None,
            "mode": asked.mode or self.options.mode,
        }

    def _readable(self, asked: Asked) -> Messages | None:
        try:
            return readable(asked.bodies)
        except READING:
            self.counters["unreadable"] += 1
            return None

    def _alone(self, body: dict[str, Json], daemon: Daemon) -> dict[str, Any]:
        """Nobody to ask for: whose conversation it is, or which, the host did not say."""
        self.counters["no_scope"] += 1
        LOG.warning("bobctx: the host names no owner or no conversation; the list is only fitted")
        return local_fit.answer(body, reason="no_scope", catalog=window_catalog(), window=daemon.window)

    def _fitted(self, bodies: Messages, asked: Asked, answer: Mapping[str, Any]) -> Fitted:
        items = restored(bodies, answer["messages"], asked.dialect)
        anchor = anchor_of(bodies, items, answer.get("plan") or ())
        system = answer.get("system")
        return Fitted(
            items=items, anchor=anchor, decision=answer["decision"], trace_id=answer.get("trace_id"), system=system
        )

    def _unfitted(self, asked: Asked) -> Fitted:
        return Fitted(
            items=list(range(len(asked.bodies))), anchor=None, decision={"mode": "off", "reason": "unreadable"}
        )

    def _posted(self, bodies: Sequence[Body], anchor: Anchor | None = None) -> Messages | None:
        try:
            return posted(bodies, anchor)
        except READING:
            self.counters["unreadable"] += 1
            return None

    def _lost(self, what: str, error: Exception) -> str:
        code = error.code if isinstance(error, DaemonError) else type(error).__name__
        self.counters["not_kept"] += 1
        self.counters[f"not_kept.{code}"] += 1
        LOG.warning("bobctx: %s failed (%s); the turn goes on", what, code)
        return code

    def _gone(self, error: Exception) -> bool:
        if isinstance(error, DaemonError) and error.status == 404:
            return True
        self._lost("deleting", error)
        return False

    def _more(self, scope: Scope, usage: Usage) -> dict[str, Json]:
        return {"user_id": scope.user_id, "backend": self.options.backend, "usage": dict(usage) if usage else None}


RENAMED = 5
"""Names tried for a message whose own name belongs to a deleted one."""


def _renamed(message_id: str, number: int) -> str:
    return f"{message_id}.{number}" if number else message_id


FAILED = (DaemonError, TimeoutError, FutureTimeout, OSError, *READING)


def _told(error: Exception) -> str:
    code = error.code if isinstance(error, DaemonError) else "invalid_input"
    text = error.message if isinstance(error, DaemonError) else "the arguments are not those of this tool"
    return json.dumps({"error": {"code": code, "message": text}})


def _shown(answer: Mapping[str, Any]) -> str:
    """A reading for a model: aliases as ids, and of each message what was said."""
    rows = answer.get("messages") if "messages" in answer else answer.get("hits")
    found: dict[str, Any] = {
        "messages": [{"id": r.get("alias"), **{k: r[k] for k in SHOWN if r.get(k) is not None}} for r in rows or ()]
    }
    found.update({k: answer[k] for k in ("total", "next_offset") if answer.get(k) is not None})
    return json.dumps(found, ensure_ascii=False)


class Keeper(_Base):
    """For hosts that run an event loop."""

    def __init__(self, daemon: Daemon | None = None, options: Options | None = None) -> None:
        """`daemon` is where to ask."""
        super().__init__(options)
        self.daemon = daemon or Daemon()
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncClient] = WeakKeyDictionary()

    @property
    def client(self) -> AsyncClient:
        """The running event loop's own: a host may use several, and connections belong to one."""
        loop = asyncio.get_running_loop()
        found = self._clients.get(loop)
        if found is None:
            found = self._clients[loop] = AsyncClient(self.daemon)
        return found

    async def close(self) -> None:
        """Close the running loop's connections."""
        found = self._clients.pop(asyncio.get_running_loop(), None)
        if found is not None:
            await found.close()

    async def fit(self, scope: Scope | None, asked: Asked) -> Fitted:
        """The list to send; never raises."""
        bodies = self._readable(asked)
        if bodies is None:
            return self._unfitted(asked)
        body = self._body(asked, bodies, scope)
        if scope is None:
            return self._fitted(bodies, asked, self._alone(body, self.daemon))
        return self._fitted(bodies, asked, await self.client.assemble(scope.conversation_id, **body))

    async def keep(
        self,
        scope: Scope,
        bodies: Sequence[Body],
        anchor: Anchor | None = None,
        usage: Usage = None,
    ) -> bool:
        """Record what follows `anchor`, else the whole list; whether that was done."""
        found = self._posted(bodies, anchor)
        code = await self.put(scope, found, usage)
        if code == "unknown_parent" and anchor is not None:  # the daemon no longer has it: all of it, then
            code = await self.put(scope, self._posted(bodies), usage)
        return code is None

    async def put(self, scope: Scope, messages: Messages | None, usage: Usage = None) -> str | None:
        """Record messages that have their ids; None, or the code of what went wrong."""
        if messages is None:
            return "unreadable"
        try:
            if messages:
                async with asyncio.timeout(KEEP_TIMEOUT_S):
                    await self.client.record(scope.conversation_id, messages, **self._more(scope, usage))
        except FAILED as error:
            return self._lost("recording", error)
        self.counters["kept"] += bool(messages)
        return None

    async def add(self, scope: Scope, messages: Messages) -> bool:
        """Record what the host adds at this moment, also where the same words were deleted before.

        Only for a host that says what is new: in a history that is sent again, deleted messages stay deleted.
        """
        try:
            if await self._ignored(scope, messages):
                await self._add_singly(scope, messages)
        except FAILED as error:
            self._lost("recording", error)
            return False
        self.counters["kept"] += bool(messages)
        return True

    async def _ignored(self, scope: Scope, messages: Messages) -> bool:
        async with asyncio.timeout(KEEP_TIMEOUT_S):
            answer = await self.client.record(scope.conversation_id, messages, **self._more(scope, None))
        return bool(answer["ignored"])

    async def _add_singly(self, scope: Scope, messages: Messages) -> None:
        previous: dict[str, Json] = {}
        for message in messages:
            for number in range(RENAMED):
                ident = _renamed(str(message["id"]), number)
                if not await self._ignored(scope, [{**message, "id": ident, **previous}]):
                    break
            previous = {"parents": [ident]}

    async def forget_added(self, scope: Scope, message_id: str) -> bool:
        """Delete what `add` recorded under this id."""
        gone = [await self.forget(scope, _renamed(message_id, number)) for number in range(RENAMED)]
        return all(gone)

    async def clear(self, scope: Scope) -> bool:
        """Delete the whole conversation for good; whether it is gone."""
        try:
            async with asyncio.timeout(KEEP_TIMEOUT_S):
                await self.client.forget_conversation(scope.conversation_id, user_id=scope.user_id)
        except FAILED as error:
            return self._gone(error)
        return True

    async def forget(self, scope: Scope, message_id: str) -> bool:
        """Delete one message for good; whether it is gone."""
        try:
            async with asyncio.timeout(KEEP_TIMEOUT_S):
                await self.client.forget(scope.conversation_id, message_id, user_id=scope.user_id)
        except FAILED as error:
            return self._gone(error)
        return True

    async def use(self, scope: Scope | None, name: str, arguments: Mapping[str, Any]) -> str:
        """What a model gets for `conv_expand` or `conv_search`; never raises."""
        try:
            if scope is None:
                raise DaemonError("no conversation is known here")
            more: dict[str, Any] = {**allowed(name, arguments), "user_id": scope.user_id}
            if name == EXPAND:
                return _shown(await self.client.expand(scope.conversation_id, more.pop("ids"), **more))
            return _shown(await self.client.search(scope.conversation_id, more.pop("query"), **more))
        except FAILED as error:
            return _told(error)


class SyncKeeper(_Base):
    """For hosts without an event loop; safe to use from several threads."""

    def __init__(self, daemon: Daemon | None = None, options: Options | None = None) -> None:
        """`daemon` is where to ask."""
        super().__init__(options)
        self.daemon = daemon or Daemon()
        self.client = Client(self.daemon)
        self._threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="bobctx-keeper")

    def fit(self, scope: Scope | None, asked: Asked) -> Fitted:
        """See `Keeper.fit`."""
        bodies = self._readable(asked)
        if bodies is None:
            return self._unfitted(asked)
        body = self._body(asked, bodies, scope)
        if scope is None:
            return self._fitted(bodies, asked, self._alone(body, self.daemon))
        return self._fitted(bodies, asked, self.client.assemble(scope.conversation_id, **body))

    def keep(
        self,
        scope: Scope,
        bodies: Sequence[Body],
        anchor: Anchor | None = None,
        usage: Usage = None,
    ) -> bool:
        """See `Keeper.keep`."""
        found = self._posted(bodies, anchor)
        code = self.put(scope, found, usage)
        if code == "unknown_parent" and anchor is not None:
            code = self.put(scope, self._posted(bodies), usage)
        return code is None

    def put(self, scope: Scope, messages: Messages | None, usage: Usage = None) -> str | None:
        """See `Keeper.put`."""
        if messages is None:
            return "unreadable"
        try:
            if messages:
                more = self._more(scope, usage)
                self._threads.submit(self.client.record, scope.conversation_id, messages, **more).result(KEEP_TIMEOUT_S)
        except FAILED as error:
            return self._lost("recording", error)
        self.counters["kept"] += bool(messages)
        return None

    def forget(self, scope: Scope, message_id: str) -> bool:
        """See `Keeper.forget`."""
        try:
            named = (scope.conversation_id, message_id)
            self._threads.submit(self.client.forget, *named, user_id=scope.user_id).result(KEEP_TIMEOUT_S)
        except FAILED as error:
            return self._gone(error)
        return True

    def use(self, scope: Scope | None, name: str, arguments: Mapping[str, Any]) -> str:
        """See `Keeper.use`."""
        try:
            if scope is None:
                raise DaemonError("no conversation is known here")
            more: dict[str, Any] = {**allowed(name, arguments), "user_id": scope.user_id}
            if name == EXPAND:
                return _shown(self.client.expand(scope.conversation_id, more.pop("ids"), **more))
            return _shown(self.client.search(scope.conversation_id, more.pop("query"), **more))
        except FAILED as error:
            return _told(error)

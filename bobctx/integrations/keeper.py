"""What every adapter asks of the daemon: fit this list, keep what is new, read originals; a host's turn never fails."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from weakref import WeakKeyDictionary

from bobctx.client import AsyncClient, Client, Daemon, DaemonError
from bobctx.core.tools import EXPAND
from bobctx.core.types import Body, Json, Scope
from bobctx.integrations.hosting import (
    FAILED,
    KEEP_TIMEOUT_S,
    RENAMED,
    USE_TIMEOUT_S,
    Asked,
    Fitted,
    Hosting,
    Messages,
    Options,
    Usage,
    allowed,
    renamed,
    shown,
    told,
)
from bobctx.integrations.lists import Anchor


class Keeper(Hosting):
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
                ident = renamed(str(message["id"]), number)
                if not await self._ignored(scope, [{**message, "id": ident, **previous}]):
                    break
            previous = {"parents": [ident]}

    async def forget_added(self, scope: Scope, message_id: str) -> bool:
        """Delete what `add` recorded under this id."""
        gone = [await self.forget(scope, renamed(message_id, number)) for number in range(RENAMED)]
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
            wanted = allowed(name, arguments)
            call, given = (self.client.expand, "ids") if name == EXPAND else (self.client.search, "query")
            async with asyncio.timeout(USE_TIMEOUT_S):
                return shown(await call(scope.conversation_id, wanted.pop(given), **wanted, user_id=scope.user_id))
        except FAILED as error:
            return told(error)


class SyncKeeper(Hosting):
    """For hosts without an event loop; safe to use from several threads."""

    def __init__(self, daemon: Daemon | None = None, options: Options | None = None) -> None:
        """`daemon` is where to ask."""
        super().__init__(options)
        self.daemon = daemon or Daemon()
        self.client = Client(self.daemon)
        self._threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="bobctx-keeper")

    def close(self) -> None:
        """Close connections; does not wait for a call that is late."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.client.close()

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
            wanted = allowed(name, arguments)
            call: Any = self.client.expand if name == EXPAND else self.client.search
            given = "ids" if name == EXPAND else "query"
            named = (scope.conversation_id, wanted.pop(given))
            return shown(self._threads.submit(call, *named, **wanted, user_id=scope.user_id).result(USE_TIMEOUT_S))
        except FAILED as error:
            return told(error)

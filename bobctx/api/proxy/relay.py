"""Bytes from the provider to the client as they come, and a copy of them for whoever reads along afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from bobctx.api.proxy.upstream import Headers, to_client

if TYPE_CHECKING:
    import httpx

Open = Callable[[], Awaitable["httpx.Response"]]


class Listener(Protocol):
    """Hears of an answer; it is called after the bytes were forwarded and must not wait or raise."""

    def begin(self, status: int, headers: Headers) -> None:
        """Status and headers."""
        ...

    def take(self, chunk: bytes) -> None:
        """Bytes that were forwarded."""
        ...

    def end(self) -> None:
        """The whole answer was forwarded; not called for one that was cut off."""
        ...


class Relay(Response):
    """An answer that is still to come from the provider.

    Nothing is buffered or encoded anew. The provider's connection is closed when the client goes away; a
    provider that breaks off leaves the client's answer unfinished too, so that it is seen as broken.
    """

    def __init__(self, opened: Open, listener: Listener | None, *, more: Headers) -> None:
        """`opened` sends the request; `more` are headers of ours for the client."""
        super().__init__()
        self._open = opened
        self._listener = listener
        self._more = more

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Relay; a client that goes away ends it at once."""
        work = asyncio.create_task(self._relay(send))
        gone = asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                work.result()
        finally:
            for task in (work, gone):
                task.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)

    async def _relay(self, send: Send) -> None:
        import httpx

        answer = await self._open()
        try:
            headers = [*to_client(answer.headers.raw), *self._more]
            await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
            if self._listener is not None:
                self._listener.begin(answer.status_code, headers)
            async for chunk in answer.aiter_raw():
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
                if self._listener is not None:
                    self._listener.take(chunk)
            await send({"type": "http.response.body", "body": b""})
            if self._listener is not None:
                self._listener.end()
        except httpx.HTTPError:
            return  # cut off: the server closes the client's connection without an end
        finally:
            await answer.aclose()


async def _gone(receive: Receive) -> None:
    """Wait until the client goes away."""
    while (await receive())["type"] != "http.disconnect":
        pass

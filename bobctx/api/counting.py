"""Counting tokens: at once for short texts, on a thread for long ones, never on a counter that is not there yet."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from bobctx.core.speakers import sizes
from bobctx.core.types import Message
from bobctx.ports import TokenCounter

INLINE_CHARS = 16_000
"""About 3 ms of counting; what is longer would hold up every other request."""
REMEMBERED = 20_000
"""Counts kept by content hash: a host that sends its whole history each time is counted once."""


class Counting:
    """The lane's reference counter behind one door."""

    def __init__(self, load: Callable[[], TokenCounter]) -> None:
        """`load` may take half a second; it runs once, on a thread."""
        self._load = load
        self._counter: TokenCounter | None = None
        self._loading: asyncio.Future[TokenCounter] | None = None
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="bobctx-count")
        self._known: OrderedDict[str, int] = OrderedDict()

    @property
    def counter_id(self) -> str:
        """Of the counter in use; `loading` until it is there."""
        return self._counter.counter_id if self._counter is not None else "loading"

    @property
    def ready(self) -> bool:
        """Whether counting needs no waiting."""
        return self._counter is not None

    def start(self) -> None:
        """Begin loading; needs a running loop."""
        if self._loading is None:
            self._loading = asyncio.get_running_loop().run_in_executor(self._threads, self._load)

    async def counter(self) -> TokenCounter:
        """The counter, when it is loaded."""
        if self._counter is None:
            self.start()
            assert self._loading is not None
            self._counter = await asyncio.shield(self._loading)
        return self._counter

    async def tokens(self, messages: Sequence[Message]) -> list[int]:
        """Reference tokens of each message."""
        counter = self._counter or await self.counter()
        known = self._known
        # Taken now: another call may drop them while this one waits.
        held = {m.sha256: known[m.sha256] for m in messages if m.sha256 in known}
        missing = [m for m in messages if m.sha256 not in held]
        if sum(len(m.text) for m in missing) <= INLINE_CHARS:
            counted = _count(missing, counter)
        else:
            counted = await asyncio.get_running_loop().run_in_executor(self._threads, _count, missing, counter)
        fresh = dict(zip((m.sha256 for m in missing), counted, strict=True))
        held.update(fresh)
        known.update(fresh)
        while len(known) > REMEMBERED:
            known.popitem(last=False)
        return [held[m.sha256] for m in messages]

    def forget(self) -> None:
        """Drop all counts: they are kept by content hash, and something was deleted."""
        self._known.clear()

    def close(self) -> None:
        """Let the thread end after what it does now."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _count(messages: Sequence[Message], counter: TokenCounter) -> list[int]:
    return sizes(messages, counter.count)

"""Scores of a conversation's claims for the newest user message: for `ranked` packing and the recall block."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bobctx.core import context
from bobctx.core.context import ContextRequest
from bobctx.core.identity import digest
from bobctx.core.segments import Flag, entry_of
from bobctx.core.shortlist import ShortlistQuery
from bobctx.core.types import Message, Scope
from bobctx.errors import BobctxError
from bobctx.ports import Clock, Store

HELD = 512
"""User messages whose scores are remembered: one message is answered in a loop of requests."""

SHARE = 0.5
"""Of an assembly's deadline: without relevance there are still claims."""


@dataclass(slots=True)
class Relevance:
    """What one user message makes relevant."""

    scores: Mapping[str, float] = field(default_factory=dict)
    """By global claim id."""
    chosen: tuple[str, ...] | None = None
    """The claims that were recalled for it; None before the first time."""
    late: bool = False
    """It was not there in time: nothing is scored for this request, everything else is as ever."""


class RelevanceCache:
    """Computed once for each genuine user message, so that a tool loop changes no byte of the prompt."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._held: OrderedDict[tuple[Scope, str], Relevance] = OrderedDict()
        self._under_way: dict[tuple[Scope, str], asyncio.Task[Relevance]] = {}

    async def of(
        self, scope: Scope, *, query: str | None, messages: Sequence[Message] | None, append: Sequence[Message],
        leaf_id: str | None, deadline_s: float,
    ) -> Relevance:  # fmt: skip
        """The relevance for `query`, else for the newest genuine user message of the request or the store.

        The same words in a later message are asked anew: other claims may answer them by then. After half of the
        deadline it is `late`; it is then finished for the next request.
        """
        newest = _newest(append) or _newest(messages or ())
        if newest is None and messages is None:
            newest = await self._stored(scope, leaf_id)
        text = query or (None if newest is None else newest.text)
        if not text:
            return Relevance()
        key = (scope, digest("relevance", [leaf_id, None if newest is None else newest.id, text]))
        if key in self._held:
            self._held.move_to_end(key)
            return self._held[key]
        task = self._under_way.get(key)
        if task is None:
            task = self._under_way[key] = asyncio.create_task(self._made(key, text), name="bobctx-relevance")
        done, _ = await asyncio.wait({task}, timeout=deadline_s * SHARE)
        return task.result() if done else Relevance(late=True)

    async def close(self) -> None:
        """Stop what is under way."""
        waiting = list(self._under_way.values())
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    async def _made(self, key: tuple[Scope, str], text: str) -> Relevance:
        try:
            now = self._clock.now()
            listed = await self._store.shortlist(key[0], ShortlistQuery(task=text, now=now))
            items = context.ranked(listed, ContextRequest(now=now, count=len))
        except BobctxError:
            return Relevance(late=True)  # the assembly reads the same store, and says what is wrong with it
        finally:
            del self._under_way[key]
        found = self._held[key] = Relevance({i.claim.claim_id: i.score for i in items if i.claim.found})
        while len(self._held) > HELD:
            self._held.popitem(last=False)
        return found

    def forget(self, scope: Scope | None) -> None:
        """Something was deleted or decided."""
        for key in [key for key in self._held if scope is None or key[0] == scope]:
            del self._held[key]

    async def _stored(self, scope: Scope, leaf_id: str | None) -> Message | None:
        spine = (await self._store.snapshot(scope, leaf_id)).spine
        newest = spine.newest_user
        found = [] if newest is None else await self._store.load(scope, [spine.ids[newest]])
        return found[0] if found else None


def _newest(messages: Sequence[Message]) -> Message | None:
    for message in reversed(messages):
        if entry_of(message).flags & Flag.GENUINE_USER and message.text.strip():
            return message
    return None

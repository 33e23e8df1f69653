"""Scores of a conversation's claims for the newest user message: for `ranked` packing and the recall block."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bobctx.core import context
from bobctx.core.context import ContextRequest
from bobctx.core.identity import digest
from bobctx.core.segments import Flag, entry_of
from bobctx.core.shortlist import ShortlistQuery
from bobctx.core.types import Message, Scope
from bobctx.ports import Clock, Store

HELD = 512
"""User messages whose scores are remembered: one message is answered in a loop of requests."""


@dataclass(slots=True)
class Relevance:
    """What one user message makes relevant."""

    scores: Mapping[str, float] = field(default_factory=dict)
    """By global claim id."""
    chosen: tuple[str, ...] | None = None
    """The claims that were recalled for it; None before the first time."""


class RelevanceCache:
    """Computed once for each genuine user message, so that a tool loop changes no byte of the prompt."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._held: OrderedDict[tuple[Scope, str], Relevance] = OrderedDict()

    async def of(
        self, scope: Scope, *, query: str | None, messages: Sequence[Message] | None, append: Sequence[Message],
        leaf_id: str | None,
    ) -> Relevance:  # fmt: skip
        """The relevance for `query`, else for the newest genuine user message of the request or the store."""
        text = query or _newest_text(append) or _newest_text(messages or ())
        if text is None and messages is None:
            text = await self._stored_text(scope, leaf_id)
        if not text:
            return Relevance()
        key = (scope, digest("relevance", [leaf_id, text]))
        found = self._held.get(key)
        if found is None:
            now = self._clock.now()
            listed = await self._store.shortlist(scope, ShortlistQuery(task=text, now=now))
            items = context.ranked(listed, ContextRequest(now=now, count=len))
            found = Relevance({i.claim.claim_id: i.score for i in items if i.claim.found})
            self._held[key] = found
        self._held.move_to_end(key)
        while len(self._held) > HELD:
            self._held.popitem(last=False)
        return found

    def forget(self, scope: Scope | None) -> None:
        """Something was deleted or decided."""
        for key in [key for key in self._held if scope is None or key[0] == scope]:
            del self._held[key]

    async def _stored_text(self, scope: Scope, leaf_id: str | None) -> str | None:
        spine = (await self._store.snapshot(scope, leaf_id)).spine
        newest = spine.newest_user
        found = [] if newest is None else await self._store.load(scope, [spine.ids[newest]])
        return found[0].text if found else None


def _newest_text(messages: Sequence[Message]) -> str | None:
    for message in reversed(messages):
        if entry_of(message).flags & Flag.GENUINE_USER and message.text.strip():
            return message.text
    return None

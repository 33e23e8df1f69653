"""Recording turns: ids, egress class, token counts, then one transaction of the store (design, section 3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from bobctx.api import posted as door
from bobctx.api import resent
from bobctx.api.counting import Counting
from bobctx.api.posted import Posted
from bobctx.core.egress import egress_of
from bobctx.core.injected import mark_injected
from bobctx.core.secrets import redact_body
from bobctx.core.segments import split_preamble
from bobctx.core.types import EgressClass, Message, Scope
from bobctx.ports import Clock, Compactor, Incoming, RecordResult, Store

A = TypeVar("A")
T = TypeVar("T")

DELETED = "deleted_not_stored"
"""Warning: a message without an id is taken for a deleted one of the history it came with, and was left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What a recording did."""

    result: RecordResult
    ids: tuple[str, ...]
    """Of the posted messages in order, derived ones included."""
    state: str
    """Of the compactor: (`scheduled`, `due`), (`idle`, `below_trigger`), …"""
    reason: str
    warnings: tuple[str, ...] = ()


class Recorder:
    """The post-turn hook, for the route, the CLI and the bench."""

    def __init__(
        self,
        store: Store,
        counting: Counting,
        clock: Clock,
        compactor: Compactor | None = None,
        *,
        cloud_backends: Collection[str] = (),
        store_secrets: bool = True,
        injected: tuple[str, ...] = (),
    ) -> None:
        """`compactor` hears of every turn; `cloud_backends` are names beyond the known ones.

        `injected` is what texts of the host begin with; requests that are only assembled are read by it too.
        Without `store_secrets` known secrets become placeholders before anything else is done with a message.
        """
        self._store = store
        self._counting = counting
        self._clock = clock
        self._compactor = compactor
        self._cloud = frozenset(cloud_backends)
        self._store_secrets = store_secrets
        self.injected = injected

    async def record(
        self,
        scope: Scope,
        posted: Sequence[Posted],
        *,
        backend: str | None = None,
        truncate_after: str | None = None,
    ) -> Recorded:
        """Store checked messages; what raises (`ConflictingIds`, `UnknownParent`, …) stored nothing."""
        egress = egress_of(backend, also_cloud=self._cloud)
        if not self._store_secrets:
            posted = await _beside(posted, _redacted, await self._store.secret())
        messages = await self._read(scope, posted, egress)
        parents = {message.id: item.parents for item, message in zip(posted, messages, strict=True)}
        kept = mark_injected(door.refuse_conflicts(messages), self.injected)
        counts = await self._counting.tokens(kept)
        counter_id = self._counting.counter_id
        incoming = [
            Incoming(message=message.sized(tokens), parents=parents[message.id], counter_id=counter_id)
            for message, tokens in zip(kept, counts, strict=True)
        ]
        result = await self._store.record(
            scope, incoming, backend=backend, truncate_after=truncate_after, now=self._clock.now()
        )
        state, reason = self._compactor.notice(scope) if self._compactor is not None else ("off", "no_compactor")
        unnamed = {m.id for item, m in zip(posted, messages, strict=True) if item.id is None}
        return Recorded(
            result=result,
            ids=tuple(m.id for m in messages),
            state=state,
            reason=reason,
            warnings=() if unnamed.isdisjoint(result.deleted) else (DELETED,),
        )

    async def _read(self, scope: Scope, posted: Sequence[Posted], egress: EgressClass) -> list[Message]:
        """The posted messages with an id each; the store is asked only where one is missing."""
        messages = await _beside(posted, _messages, egress)
        if all(item.id is not None for item in posted):
            return messages
        preamble, rest = split_preamble(messages)
        head = door.with_ids(posted[: len(preamble)], preamble, (), None)
        first = head[-1].id if head else None
        named = posted[len(preamble) :]
        path = await self._store.path(scope)
        if path:
            asked = rest, path, first
            long = len(path) > door.INLINE_MESSAGES
            again = await asyncio.to_thread(resent.known_ids, *asked) if long else resent.known_ids(*asked)
            if again:
                return [*head, *door.with_ids(named, rest, again, first)]
            return [*head, *await self._new(scope, named, rest, path[-1][0])]
        spine = (await self._store.snapshot(scope)).spine
        known: Sequence[str] = ()
        place = door.align([m.sha256 for m in rest], spine.hashes)
        if place is not None:
            start, same = place
            known = spine.ids[start : start + same]
        elif spine.n:
            first = spine.ids[spine.n - 1]
        return [*head, *door.with_ids(named, rest, known, first)]

    async def _new(
        self, scope: Scope, posted: Sequence[Posted], messages: Sequence[Message], previous: str | None
    ) -> list[Message]:
        """The messages of a new turn: no id that is derived for one is that of a deleted message."""
        while True:
            found = door.with_ids(posted, messages, (), previous)
            derived = [m.id for item, m in zip(posted, found, strict=True) if item.id is None]
            free = set(await self._store.missing(scope, [(ident, "") for ident in derived]))
            deleted = [ident for ident in derived if ident not in free]
            if not deleted:
                return found
            previous = deleted[-1]


async def _beside(posted: Sequence[Posted], work: Callable[[Sequence[Posted], A], T], argument: A) -> T:
    """`work(posted, argument)`; of long messages on a thread, beside other requests."""
    if door.are_long([item.raw for item in posted]):
        return await asyncio.to_thread(work, posted, argument)
    return work(posted, argument)


def _redacted(posted: Sequence[Posted], key: bytes) -> list[Posted]:
    return [replace(item, raw=redact_body(item.raw, key)) for item in posted]


def _messages(posted: Sequence[Posted], egress: EgressClass) -> list[Message]:
    return [door.read(item, id=item.id or "", egress=egress) for item in posted]

"""The compile service: which claims a task should be given, the score behind each, and what became of the others."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from bobctx.api.context_answers import context_json, trace_json
from bobctx.api.counting import Counting
from bobctx.api.meaning import Meaning
from bobctx.api.traces import Traces
from bobctx.core import context
from bobctx.core.context import ConflictMode, ContextPack, ContextRequest, Episode, Packer
from bobctx.core.egress import is_known, readable_by
from bobctx.core.entities import MAX_PER_ENTITY, entities
from bobctx.core.feedback import task_sha256
from bobctx.core.shortlist import MAX_ROWS, Shortlist, ShortlistQuery
from bobctx.core.types import ClaimType, Scope, UserScope
from bobctx.errors import InvalidInput, NotFound
from bobctx.ports import Clock, Store, VectorSearch

EPISODE_CONVERSATIONS = 20
"""Newest conversations of a user that are searched for episodes."""
UNGATED = "recall_max_distance: the setting needs vectors, which are not configured"
UNKNOWN_BACKEND = (
    "unknown_backend: no local text is given to a backend that is not known as local; "
    "write `ollama/…`, `vllm/…`, `local/…` for one on this machine, or leave `backend` out"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompilerConfig:
    """What the lane's settings decide."""

    per_kind: int | None = None
    recall_max_distance: float | None = None
    cloud_backends: Collection[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileCall:
    """One checked request."""

    task: str
    max_tokens: int = context.DEFAULT_TOKENS
    backend: str | None = None
    kinds: tuple[ClaimType, ...] = ()
    include_episodes: bool = False
    conflicts: ConflictMode = "surface"
    recall_floor: float | None = None
    multi_hop: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """What was compiled, with what its answer says beside the pack."""

    context_id: str
    scope: Scope | UserScope
    call: CompileCall
    pack: ContextPack
    now: float
    degraded: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    """What the lane's settings or the call's backend kept from working as they say."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Of the pack, and of what could not be asked."""
        broken = ("vector: the index could not be asked",) if self.degraded.get("vector") == "error" else ()
        return (*self.pack.warnings, *broken, *self.notes)

    @property
    def status(self) -> str:
        """`degraded` where there is a warning; an empty pack is no failure."""
        return "degraded" if self.warnings else "ok"


class Compiler:
    """Compiles contexts of one lane."""

    def __init__(
        self,
        store: Store,
        counting: Counting,
        clock: Clock,
        traces: Traces,
        config: CompilerConfig,
        *,
        vectors: VectorSearch | None = None,
    ) -> None:
        """`vectors` widens what is found, never what may be read."""
        self._store = store
        self._counting = counting
        self._clock = clock
        self._config = config
        self._vectors = vectors
        self.traces = traces

    async def compile(self, scope: Scope | UserScope, call: CompileCall, request_id: str) -> dict[str, Any]:
        """The answer of the API. `request_id` goes into its `meta`.

        Raises `NotFound` for an unknown conversation, `InvalidInput` for a recall floor without vectors.
        """
        started, now = self._clock.monotonic(), self._clock.now()
        made = await self._compiled(scope, call, now)
        trace = trace_json(made, elapsed_ms=(self._clock.monotonic() - started) * 1000)
        trace["task_sha256"] = task_sha256(call.task)
        self.traces.put(scope, trace)
        return context_json(made, request_id)

    async def _compiled(self, scope: Scope | UserScope, call: CompileCall, now: float) -> Compiled:
        if call.recall_floor is not None and self._vectors is None:
            raise InvalidInput("A recall floor needs vectors, which are not configured.", field="recall_floor")
        query = ShortlistQuery(task=call.task, now=now, kinds=call.kinds, egress=self._egress(call))
        distances, vector = await self._distances(scope, query)
        found = await self._store.shortlist(scope, replace(query, also=tuple(islice(distances, MAX_ROWS))))
        if not found.known:
            raise NotFound()
        episodes = await self._episodes(scope, query) if call.include_episodes else []
        floor = call.recall_floor if call.recall_floor is not None else self._config.recall_max_distance
        if floor is not None and vector == "used":
            measured = await self._measured(call, found, distances, episodes)
            if measured is None:
                vector = "error"
            else:
                distances, episodes = measured
        counter = await self._counting.counter()
        request = ContextRequest(
            max_tokens=call.max_tokens,
            now=now,
            count=counter.count,
            per_kind=self._config.per_kind,
            conflicts=call.conflicts,
            recall_floor=floor if vector == "used" else None,  # what cannot be measured gates nothing
            distances=distances,
            whole_user=isinstance(scope, UserScope),
        )
        pack, packer = context.compile_context(found, request)
        if call.multi_hop and pack.items:
            await self._hop(scope, query, found, pack, packer)
        if call.multi_hop or episodes:
            pack = context.with_episodes(found, packer, episodes, pack.candidates)
        model = "disabled" if self._vectors is None else "enabled"
        degraded = {"semantic": vector == "error", "vector": vector, "model": model}
        context_id = "ctx_" + os.urandom(16).hex()
        ungated = self._vectors is None and self._config.recall_max_distance is not None
        unknown = bool(call.backend) and not is_known(call.backend, also_cloud=self._config.cloud_backends)
        notes = tuple(note for note, holds in ((UNGATED, ungated), (UNKNOWN_BACKEND, unknown)) if holds)
        return Compiled(
            context_id=context_id, scope=scope, call=call, pack=pack, now=now, degraded=degraded, notes=notes
        )

    def _egress(self, call: CompileCall) -> Any:
        return readable_by(call.backend, also_cloud=self._config.cloud_backends)

    async def _distances(self, scope: Scope | UserScope, query: ShortlistQuery) -> tuple[Mapping[str, float], str]:
        """Near claims, and whether vectors contributed; an outage leaves what words find."""
        if self._vectors is None:
            return {}, "disabled"
        found = await Meaning(self._vectors).nearest(scope, query)
        return ({}, "error") if found is None else (found, "used")

    async def _measured(
        self, call: CompileCall, found: Shortlist, known: Mapping[str, float], episodes: Sequence[Episode]
    ) -> tuple[Mapping[str, float], list[Episode]] | None:
        """Distances also of messages, and of what words found before it had a vector; None where they cannot be had."""
        missing = [row for row in found.candidates if row.claim_id not in known]
        texts = [*(row.text for row in missing), *(context.excerpt(e.text) for e in episodes)]
        apart = None if self._vectors is None else await Meaning(self._vectors).apart(call.task, texts)
        if apart is None:
            return None
        own, theirs = apart[: len(missing)], apart[len(missing) :]
        measured = [replace(episode, distance=distance) for episode, distance in zip(episodes, theirs, strict=True)]
        return {**known, **dict(zip((row.claim_id for row in missing), own, strict=True))}, measured

    async def _hop(
        self, scope: Scope | UserScope, query: ShortlistQuery, found: Shortlist, pack: ContextPack, packer: Packer
    ) -> None:
        """One more pass by shared names, words only; what it finds is scored by the words of the task."""
        for name in entities([item.claim.text for item in pack.items], query.task):
            limit = MAX_PER_ENTITY + len(packer.reasons)
            asked = replace(query, task=name, scored_for=query.task, limit=limit)
            context.with_hop(await self._store.shortlist(scope, asked), packer, found)

    async def _episodes(self, scope: Scope | UserScope, query: ShortlistQuery) -> list[Episode]:
        """Source messages that match the task and may be read, best first."""
        if isinstance(scope, Scope):
            scopes = [scope]
        else:
            rows = await self._store.conversations(scope, limit=EPISODE_CONVERSATIONS, egress=query.egress)
            scopes = [Scope(conversation_id=row.conversation_id, user_id=scope.user_id) for row in rows]
        found: list[tuple[float, Episode]] = []
        for one in scopes:
            for hit in await self._store.search(one, query.task, limit=context.EPISODES, egress=query.egress):
                m = hit.message
                episode = Episode(
                    message_id=m.id, alias=m.alias, conversation_id=one.conversation_id, role=m.role, text=m.text,
                    occurred_at=m.created_at,
                )  # fmt: skip
                found.append((hit.score, episode))
        found.sort(key=lambda item: -item[0])
        return [episode for _, episode in found[: context.EPISODES]]

"""Recording and reading messages: the post-turn hook and the host's own view of the spine."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from bobctx.api import access, answers, calls, posted, schemas
from bobctx.api.auth import caller, scope_of
from bobctx.api.ids import check_id, path_id
from bobctx.api.lane import lane_of
from bobctx.api.learning import EVERYONE
from bobctx.api.record import Recorded
from bobctx.api.routing import DirectRoute
from bobctx.core.advice import fix_for
from bobctx.core.types import Scope
from bobctx.errors import NotFound
from bobctx.ports import Snapshot

router = APIRouter(prefix="/v1/conversations/{cid}", tags=["messages"], route_class=DirectRoute)

PAGE = 100
MOST = 1_000


def _recorded(scope: Scope, done: Recorded) -> bytes:
    result = done.result
    return calls.json_bytes(
        {
            "indexed": result.indexed,
            "updated": result.updated,
            "unchanged": result.unchanged,
            "ignored": result.ignored,
            "conversation": {
                "conversation_id": scope.conversation_id,
                "user_id": scope.user_id,
                "leaf_id": result.leaf_id,
                "revision": result.revision,
            },
            "ids": done.ids,
            "warnings": done.warnings,
            "compaction": {
                "state": done.state,
                "reason": done.reason,
                "fix": fix_for(done.reason) if done.state in ("off", "idle") else None,
            },
        }
    )


@router.post(
    "/messages",
    summary="Record a turn",
    openapi_extra=calls.takes(schemas.RecordRequest),
    responses=calls.gives(schemas.RecordAnswer, "Stored, in one transaction."),
)
async def record(request: Request, cid: str) -> Response:
    """Idempotent by message id: same bytes are a no-op, other bytes are an edit in place."""
    lane = lane_of(request)
    asked, raw = await calls.read(request, schemas.RecordRequest)
    scope = scope_of(request, cid, asked.user_id)
    items = posted.check_all(asked.messages, "messages", at_most=lane.limits.messages)
    if asked.truncate_after is not None:
        check_id(asked.truncate_after, "truncate_after")

    async def produce() -> bytes:
        done = await lane.recorder.record(scope, items, backend=asked.backend, truncate_after=asked.truncate_after)
        _count(request, scope, done, asked.usage)
        await _learn(request, scope, asked.usage)
        return _recorded(scope, done)

    return await calls.once(request, scope, raw, produce)


async def _learn(request: Request, scope: Scope, usage: schemas.Usage | None) -> None:
    """What the provider reported: a `user` key teaches only about its own user."""
    if usage is None:
        return
    lane = lane_of(request)
    learned = lane.assembler.learned
    owner = scope.user_id if caller(request).role == "user" else EVERYONE
    learned.reported(scope, usage.trace_id, usage.prompt_tokens, owner=owner)
    if usage.error:
        learned.failed(usage.model or learned.model_of(scope, usage.trace_id), usage.error, owner=owner)
    await lane.keep_learned()


def _count(request: Request, scope: Scope, done: Recorded, usage: schemas.Usage | None) -> None:
    metrics = lane_of(request).metrics
    for outcome in ("indexed", "updated", "unchanged", "ignored"):
        amount = getattr(done.result, outcome)
        if amount:
            metrics.recorded.labels(outcome).inc(amount)
    if usage is not None and usage.prompt_tokens is not None:
        arm = lane_of(request).assembler.arm_of(scope)
        cached, written = usage.cached_tokens or 0, usage.cache_write_tokens or 0
        metrics.reported(arm, prompt=usage.prompt_tokens or 0, cached=cached, written=written)


@router.get(
    "/messages",
    summary="Read the spine, a page at a time",
    openapi_extra=calls.with_query("user_id", "leaf_id", offset="integer", limit="integer"),
    responses=calls.gives(schemas.MessagesAnswer),
)
async def messages(request: Request, cid: str) -> Response:
    """Messages as last recorded, oldest first."""
    scope = scope_of(request, cid, request.query_params.get("user_id"))
    offset = calls.number(request, "offset", 0)
    limit = calls.number(request, "limit", PAGE, low=1, high=MOST)
    leaf = request.query_params.get("leaf_id")
    if leaf is not None:
        check_id(leaf, "leaf_id")

    def page(snapshot: Snapshot) -> tuple[tuple[int, int], Sequence[int]]:
        if not snapshot.exists:
            raise NotFound()
        n = snapshot.spine.n
        return (n, snapshot.revision), range(min(offset, n), min(offset + limit, n))

    (total, revision), found = await lane_of(request).store.plan(scope, leaf, page)
    await access.note(request, "messages", scope, [m.id for m in found])
    end = offset + len(found)
    return calls.answer(
        {
            "messages": [answers.message_json(m) for m in found],
            "total": total,
            "offset": offset,
            "next_offset": end if end < total else None,
            "revision": revision,
        }
    )


@router.put(
    "/spine",
    summary="Which messages are missing here?",
    openapi_extra=calls.takes(schemas.SpineRequest),
    responses=calls.gives(schemas.SpineAnswer),
)
async def spine(request: Request, cid: str) -> Response:
    """Ids and content hashes of the host's record; answers which of them to record (again)."""
    asked, _ = await calls.read(request, schemas.SpineRequest)
    scope = scope_of(request, cid, asked.user_id)
    pairs = [(item.id, item.sha256) for item in asked.messages]
    return calls.answer({"missing": await lane_of(request).store.missing(scope, pairs)})


@router.delete(
    "/messages/{message_id}",
    summary="Delete one message everywhere",
    openapi_extra=calls.with_query("user_id"),
    responses=calls.gives(schemas.Receipt, "Text, hashes, replies, claims, index and traces, in one transaction."),
)
async def delete_message(request: Request, cid: str, message_id: str) -> Response:
    """The message's text goes; a tombstone keeps a re-sent history from bringing it back."""
    lane = lane_of(request)
    scope = scope_of(request, cid, request.query_params.get("user_id"))
    ident = path_id(message_id, "message_id")

    async def produce() -> bytes:
        with lane.forgetting(scope):
            receipt = await lane.store.delete_message(scope, ident, now=lane.clock.now())
        lane.compactor.notice(scope)
        return calls.json_bytes({"deleted": dict(receipt)})

    return await calls.once(request, scope, b"", produce)


@router.post(
    "/expand",
    summary="Read originals back",
    openapi_extra=calls.takes(schemas.ExpandRequest),
    responses=calls.gives(schemas.ExpandAnswer),
)
async def expand(request: Request, cid: str) -> Response:
    """At most 20 messages or 60,000 characters a call; no model in the path."""
    lane = lane_of(request)
    asked, _ = await calls.read(request, schemas.ExpandRequest)
    scope = scope_of(request, cid, asked.user_id)
    found, total, following = await lane.store.expand(
        scope, asked.ids, offset=asked.offset, max_messages=20, max_chars=60_000
    )
    await access.note(request, "expand", scope, [item.message.id for item in found])
    return calls.answer(
        {
            "messages": [answers.message_json(item.message) for item in found],
            "total": total,
            "offset": asked.offset,
            "next_offset": following,
        }
    )


@router.post(
    "/search",
    summary="Search originals",
    openapi_extra=calls.takes(schemas.SearchRequest),
    responses=calls.gives(schemas.SearchAnswer),
)
async def search(request: Request, cid: str) -> Response:
    """Words, CJK, paths and identifiers, in this conversation only."""
    lane = lane_of(request)
    asked, _ = await calls.read(request, schemas.SearchRequest)
    scope = scope_of(request, cid, asked.user_id)
    hits = await lane.store.search(scope, asked.query, limit=asked.limit)
    if not hits and not (await lane.store.snapshot(scope)).exists:
        raise NotFound()
    await access.note(request, "search", scope, [hit.message.id for hit in hits])
    lag = await lane.store.index_lag()
    return calls.answer({"hits": [answers.hit_json(hit) for hit in hits], "index_lag": lag})

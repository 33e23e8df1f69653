"""Compaction as seen from outside: run it, and read claims, compactions and the chain.

What follows the length of a chain is done on a thread: other requests go on meanwhile.
"""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from bobctx.api import access, answers, calls, schemas
from bobctx.api.auth import scope_of
from bobctx.api.compacting import RUNNING
from bobctx.api.lane import lane_of
from bobctx.api.routing import DirectRoute
from bobctx.errors import NotFound
from bobctx.ports import Snapshot

router = APIRouter(prefix="/v1/conversations/{cid}", tags=["compaction"], route_class=DirectRoute)


class _Unfinished(Exception):
    """The run goes on: an answer to give, and none to keep for an `Idempotency-Key`."""


async def _known(request: Request, cid: str, user_id: str | None) -> Snapshot:
    """The snapshot of a conversation that exists for this caller."""
    snapshot = await lane_of(request).store.snapshot(scope_of(request, cid, user_id))
    if not snapshot.exists:
        raise NotFound()
    return snapshot


@router.post(
    "/compact",
    summary="Compact now",
    openapi_extra=calls.takes(schemas.CompactRequest, required=False),
    responses=calls.gives(schemas.CompactAnswer),
)
async def compact(request: Request, cid: str) -> Response:
    """Waits for the run, at most BOBCTX_COMPACT_WAIT_S: then `state` is `running` and the run goes on.

    `reseat` replaces a suffix of the chain by a better seat's result.
    """
    lane = lane_of(request)
    asked, raw = await calls.read(request, schemas.CompactRequest)
    snapshot = await _known(request, cid, asked.user_id)

    async def produce() -> bytes:
        found = await lane.compacting.run(snapshot.scope, force=asked.force, reseat=asked.reseat)
        if found is RUNNING:
            raise _Unfinished
        return calls.json_bytes(found)

    try:
        return await calls.once(request, snapshot.scope, raw, produce)
    except _Unfinished:
        return calls.answer(RUNNING)


@router.get(
    "/claims",
    summary="Claims of the trusted chain",
    openapi_extra=calls.with_query("user_id", active="boolean", offset="integer", limit="integer"),
    responses=calls.gives(schemas.ClaimsAnswer),
)
async def claims(request: Request, cid: str) -> Response:
    """Oldest first; `active=true` leaves out what was superseded or withheld."""
    offset = calls.number(request, "offset", 0)
    limit = calls.number(request, "limit", 10_000, low=1, high=100_000)
    only_active = calls.flag(request, "active")
    snapshot = await _known(request, cid, request.query_params.get("user_id"))
    found = await asyncio.to_thread(answers.claims_json, snapshot, only_active=only_active)
    page = found[offset : offset + limit]
    await access.note(request, "claims", snapshot.scope, [str(claim["id"]) for claim in page])
    return calls.answer({"claims": page, "total": len(found)})


@router.get(
    "/compactions",
    summary="Stored compactions",
    openapi_extra=calls.with_query("user_id", rejected="boolean"),
    responses=calls.gives(schemas.CompactionsAnswer),
)
async def compactions(request: Request, cid: str) -> Response:
    """With claims, narrative and validation report; `rejected=true` also shows refused ones."""
    rejected = calls.flag(request, "rejected")
    snapshot = await _known(request, cid, request.query_params.get("user_id"))
    rows = await lane_of(request).store.compactions(snapshot.scope, include_rejected=rejected)
    await access.note(request, "compactions", snapshot.scope, [row.compaction_id for row in rows])
    found = await asyncio.to_thread(lambda: [answers.compaction_json(row) for row in rows])
    return calls.answer({"compactions": found})


@router.get(
    "/chain",
    summary="What is trusted, and where trust ends",
    openapi_extra=calls.with_query("user_id", "leaf_id"),
    responses=calls.gives(schemas.ChainAnswer),
)
async def chain(request: Request, cid: str) -> Response:
    """Recomputed from the stored bytes on each call."""
    snapshot = await _known(request, cid, request.query_params.get("user_id"))
    leaf = request.query_params.get("leaf_id")
    if leaf:
        snapshot = await lane_of(request).store.snapshot(snapshot.scope, leaf)
    return calls.answer(await asyncio.to_thread(answers.chain_json, snapshot))

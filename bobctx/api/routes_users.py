"""One person's data as a whole: give it out, and erase it (design, section 3, Deletion)."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from bobctx.api import access, calls, schemas
from bobctx.api.auth import caller, require_operator, scope_of, user_of
from bobctx.api.body import dump
from bobctx.api.ids import path_id
from bobctx.api.lane import lane_of
from bobctx.api.routing import DirectRoute
from bobctx.core.types import UserScope
from bobctx.errors import NotFound

router = APIRouter(prefix="/v1", tags=["people"], route_class=DirectRoute)


@router.get(
    "/users/{user_id}/export",
    summary="Everything stored for one user",
    response_class=Response,
    responses={
        200: {"description": "One JSON object a line.", "content": {"application/x-ndjson": {}}},
        **calls.FAILURES,
    },
)
async def export(request: Request, user_id: str) -> Response:
    """Conversations, messages, claims, pins and traces, tombstones included."""
    owner = UserScope(user_id=user_of(caller(request), path_id(user_id, "user_id")))
    items = lane_of(request).store.export(owner)
    first = await anext(items, None)
    if first is None:
        raise NotFound()
    await access.note(request, "export", owner)

    async def lines() -> AsyncIterator[bytes]:
        yield dump(dict(first)) + b"\n"
        async for item in items:
            yield dump(dict(item)) + b"\n"

    return StreamingResponse(lines(), media_type="application/x-ndjson")


@router.delete("/users/{user_id}", summary="Erase one user", responses=calls.gives(schemas.Receipt))
async def erase(request: Request, user_id: str) -> Response:
    """For operators. Tombstones stay, so that a history sent again does not bring anything back."""
    require_operator(request)
    lane = lane_of(request)
    owner = UserScope(user_id=path_id(user_id, "user_id"))
    with lane.forgetting(owner, whole=True):
        receipt = await lane.store.erase(owner, now=lane.clock.now())
    lane.assembler.learned.forget(owner.user_id)
    if not receipt.get("messages"):
        raise NotFound()
    await access.note(request, "erase", owner)
    return calls.answer({"deleted": dict(receipt)})


@router.delete(
    "/conversations/{cid}/speakers/{speaker}",
    summary="Delete what one speaker said",
    openapi_extra=calls.with_query("user_id"),
    responses=calls.gives(schemas.Receipt),
)
async def delete_speaker(request: Request, cid: str, speaker: str) -> Response:
    """In one conversation; a speaker who said nothing there is not found."""
    lane = lane_of(request)
    scope = scope_of(request, cid, request.query_params.get("user_id"))
    name = path_id(speaker, "speaker")

    async def produce() -> bytes:
        with lane.forgetting(scope):
            receipt = await lane.store.delete_speaker(scope, name, now=lane.clock.now())
        if not receipt.get("messages"):
            raise NotFound()
        lane.compactor.notice(scope)
        return calls.json_bytes({"deleted": dict(receipt)})

    return await calls.once(request, scope, b"", produce)

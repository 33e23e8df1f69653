"""Who may see what, for how long and under which name: egress class, retention, aliases, the access log."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from bobctx.api import access, calls
from bobctx.api import schemas_governing as schemas
from bobctx.api.auth import require_operator, scope_of
from bobctx.api.ids import check_id, path_id
from bobctx.api.lane import Lane, lane_of
from bobctx.api.routing import DirectRoute
from bobctx.core.types import Json, Scope, UserScope
from bobctx.errors import NotFound

router = APIRouter(prefix="/v1", tags=["governing"], route_class=DirectRoute)
DAY_S = 86_400.0


@router.post(
    "/conversations/{cid}/alias",
    summary="A further name of a conversation",
    openapi_extra=calls.takes(schemas.AliasRequest),
    responses=calls.gives(schemas.AliasAnswer),
)
async def alias(request: Request, cid: str) -> Response:
    """For a host whose session id changed: calls under the new name reach the same history."""
    lane = lane_of(request)
    asked, raw = await calls.read(request, schemas.AliasRequest)
    scope = scope_of(request, cid, asked.user_id)
    name = check_id(asked.alias, "alias")

    async def produce() -> bytes:
        await lane.ledger.add_alias(scope, name, now=lane.clock.now())
        lane.aliases[scope.user_id, name] = scope.conversation_id
        return calls.json_bytes(_names(lane, scope))

    return await calls.once(request, scope, raw, produce)


@router.get(
    "/conversations/{cid}/alias",
    summary="Further names of a conversation",
    openapi_extra=calls.with_query("user_id"),
    responses=calls.gives(schemas.AliasAnswer),
)
async def names(request: Request, cid: str) -> Response:
    """In order of the alphabet."""
    lane = lane_of(request)
    scope = scope_of(request, cid, request.query_params.get("user_id"))
    if not (await lane.store.snapshot(scope)).exists:
        raise NotFound()
    return calls.answer(_names(lane, scope))


def _names(lane: Lane, scope: Scope) -> dict[str, Json]:
    return {
        "conversation_id": scope.conversation_id,
        "aliases": lane.names_of(scope.user_id).get(scope.conversation_id, []),
    }


@router.post(
    "/conversations/{cid}/egress",
    summary="Change where messages may go",
    openapi_extra=calls.takes(schemas.EgressRequest),
    responses=calls.gives(schemas.EgressAnswer),
)
async def egress(request: Request, cid: str) -> Response:
    """For operators, and noted in the access log: nothing else ever raises a class to `cloud_ok`."""
    require_operator(request)
    lane = lane_of(request)
    asked, raw = await calls.read(request, schemas.EgressRequest)
    scope = scope_of(request, cid, asked.user_id)

    async def produce() -> bytes:
        changed = await lane.store.set_egress(scope, asked.ids, asked.egress, now=lane.clock.now())
        await access.note(request, f"egress:{asked.egress}", scope, changed)
        lane.assembler.forget(scope)
        lane.compactor.notice(scope)
        return calls.json_bytes({"egress": asked.egress, "changed": len(changed)})

    return await calls.once(request, scope, raw, produce)


@router.put(
    "/users/{user_id}/retention",
    summary="How long a user's messages are kept",
    openapi_extra=calls.takes(schemas.RetentionRequest),
    responses=calls.gives(schemas.RetentionAnswer),
)
async def set_retention(request: Request, user_id: str) -> Response:
    """For operators. Older messages are deleted like by hand, now and every BOBCTX_RETENTION_CHECK_S; null: kept."""
    require_operator(request)
    asked, _ = await calls.read(request, schemas.RetentionRequest)
    owner = UserScope(user_id=path_id(user_id, "user_id"))
    lane = lane_of(request)
    days = asked.max_age_days
    await lane.store.set_retention(owner, max_age_s=None if days is None else days * DAY_S)
    await access.note(request, "retention", owner)
    with lane.forgetting(owner):
        receipt = await lane.store.apply_retention(owner, now=lane.clock.now())
    return calls.answer({"max_age_days": days, "deleted": dict(receipt)})


@router.get(
    "/users/{user_id}/retention",
    summary="How long a user's messages are kept",
    responses=calls.gives(schemas.RetentionAnswer),
)
async def retention(request: Request, user_id: str) -> Response:
    """For operators; null: for ever."""
    require_operator(request)
    seconds = (await lane_of(request).store.retentions()).get(path_id(user_id, "user_id"))
    return calls.answer({"max_age_days": None if seconds is None else seconds / DAY_S, "deleted": {}})


@router.get(
    "/access",
    summary="Who read originals",
    openapi_extra=calls.with_query("user_id", limit="integer"),
    responses=calls.gives(schemas.AccessAnswer),
)
async def accesses(request: Request) -> Response:
    """For operators: the newest lines of the append-only log, ids only."""
    require_operator(request)
    user = request.query_params.get("user_id")
    if user is not None:
        check_id(user, "user_id")
    limit = calls.number(request, "limit", 100, low=1, high=10_000)
    found = await lane_of(request).ledger.accesses(user_id=user, limit=limit)
    return calls.answer({"entries": [asdict(entry) for entry in found]})

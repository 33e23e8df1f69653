"""The daemon about itself: alive, ready, status, metrics, and the tools it offers to models."""

from __future__ import annotations

import dataclasses
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

import bobctx
from bobctx.api import calls, schemas
from bobctx.api.auth import require_operator
from bobctx.api.lane import Lane, lane_of
from bobctx.api.metrics import CONTENT_TYPE
from bobctx.api.routing import DirectRoute
from bobctx.core import tools
from bobctx.errors import BobctxError, InvalidInput
from bobctx.ports import StoreHealth

router = APIRouter(tags=["service"], route_class=DirectRoute)


async def _health(lane: Lane) -> StoreHealth:
    """The store's health; a store that cannot even say is not healthy."""
    try:
        return await lane.store.health()
    except BobctxError as exc:
        return StoreHealth(ok=False, reason=exc.message)


@router.get("/healthz", summary="Alive?", responses=calls.gives(schemas.HealthAnswer))
async def healthz(_: Request) -> Response:
    """Answers as long as the process does."""
    return calls.answer_bytes(b'{"ok":true,"reason":null}')


@router.get("/readyz", summary="Ready?", responses=calls.gives(schemas.HealthAnswer))
async def readyz(request: Request) -> Response:
    """503 with a reason while the database cannot be used or the daemon is stopping."""
    lane = lane_of(request)
    health = await _health(lane)
    reason = "stopping" if lane.stopping else health.reason if not health.ok else None
    response = calls.answer({"ok": reason is None, "reason": reason})
    response.status_code = 200 if reason is None else 503
    return response


@router.get("/v1/status", summary="Is it working?", responses=calls.gives(schemas.StatusAnswer))
async def status(request: Request) -> Response:
    """For operators: store, compactor, seat and why, lag, size."""
    require_operator(request)
    return calls.answer(await status_json(lane_of(request)))


async def status_json(lane: Lane) -> dict[str, Any]:
    """What `status` answers."""
    health = await _health(lane)
    return {
        "version": bobctx.__version__,
        "mode": lane.mode,
        "uptime_s": round(lane.clock.monotonic() - lane.started, 3),
        "counter_id": lane.counting.counter_id,
        "keys": {"problem": lane.keyring.problem},
        "store": dataclasses.asdict(health),
        "compactor": dict(lane.compactor.status()),
        "spend": await _spend(lane),
        "windows": lane.assembler.learned.lowered(),
    }


async def _spend(lane: Lane) -> dict[str, Any]:
    """Caps and what was spent; a store that cannot say costs no status."""
    try:
        return {} if lane.spend is None else dict(await lane.spend())
    except BobctxError as exc:
        return {"problem": exc.message}


@router.get("/metrics", summary="Numbers for Prometheus", response_class=Response, responses=calls.FAILURES)
async def metrics(request: Request) -> Response:
    """For operators."""
    require_operator(request)
    lane = lane_of(request)
    health = await _health(lane)
    await request.app.state.measuring.bring_up(health)
    return Response(lane.metrics.render(), media_type=CONTENT_TYPE)


@router.get(
    "/v1/tools",
    summary="Tool definitions to offer a model",
    openapi_extra=calls.with_query("dialect"),
    responses=calls.gives(schemas.ToolsAnswer),
)
async def tool_definitions(request: Request) -> Response:
    """`conv_expand` and `conv_search` for `openai`, `anthropic`, `responses`, `gemini` or `mcp`, with instructions."""
    dialect = request.query_params.get("dialect", "openai")
    if dialect not in tools.DIALECTS:
        raise InvalidInput(f"`dialect` is one of {', '.join(tools.DIALECTS)}.", field="dialect")
    return calls.answer({"tools": tools.definitions(dialect), "instructions": tools.INSTRUCTIONS})

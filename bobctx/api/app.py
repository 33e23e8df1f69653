"""The FastAPI application of one lane."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import FastAPI
from starlette.responses import HTMLResponse

import bobctx
from bobctx.api import (
    calls,
    docs,
    errors,
    routes_assemble,
    routes_compaction,
    routes_context,
    routes_conversations,
    routes_governing,
    routes_hosts,
    routes_messages,
    routes_service,
    routes_users,
)
from bobctx.api.gate import Gate
from bobctx.api.lane import Lane
from bobctx.api.measuring import Measuring

DESCRIPTION = (
    "Keeps long LLM conversations usable: records every turn, compacts old stretches into typed, cited claims that "
    "plain code has checked, and gives back a message list that fits the model's window."
)


def create_app(
    lane: Lane, *, hosts: Iterable[str] = (), origins: Iterable[str] = (), max_body: int = 64 * 1024 * 1024
) -> FastAPI:
    """The app; `hosts` beyond loopback, `origins` that pages may call from, `max_body` in bytes."""
    app = FastAPI(
        title="bobctx",
        version=bobctx.__version__,
        description=DESCRIPTION,
        docs_url=None,  # the stock page loads scripts from elsewhere; ours loads nothing
        redoc_url=None,
        # newer versions can export telemetry when the environment asks for it; this daemon never does
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.lane = lane
    app.state.measuring = Measuring(lane)
    errors.install(app)
    for routes in (  # the busiest first: routes are tried in order
        routes_assemble,
        routes_messages,
        routes_compaction,
        routes_context,
        routes_conversations,
        routes_users,
        routes_governing,
        routes_hosts,
        routes_service,
    ):
        app.include_router(routes.router)
    calls.complete_openapi(app)

    @app.get("/docs", include_in_schema=False)
    async def page() -> HTMLResponse:
        return HTMLResponse(docs.page(app.openapi()))

    app.add_middleware(
        Gate, keyring=lane.keyring, metrics=lane.metrics, hosts=tuple(hosts), origins=tuple(origins), max_body=max_body
    )
    return app

"""The FastAPI application of one lane."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import FastAPI
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.types import ASGIApp

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
    routes_proxy,
    routes_service,
    routes_users,
)
from bobctx.api.gate import Gate
from bobctx.api.lane import Lane
from bobctx.api.measuring import Measuring
from bobctx.api.proxy.service import Proxy, ProxyConfig

DESCRIPTION = (
    "Keeps long LLM conversations usable: records every turn, compacts old stretches into typed, cited claims that "
    "plain code has checked, and gives back a message list that fits the model's window."
)


def create_app(
    lane: Lane,
    *,
    hosts: Iterable[str] = (),
    origins: Iterable[str] = (),
    max_body: int = 64 * 1024 * 1024,
    proxy: Proxy | None = None,
    proxy_user: str | None = None,
    mcp: ASGIApp | None = None,
) -> FastAPI:
    """The app.

    Args:
        lane: What the routes work with.
        hosts: Names beyond loopback that requests may carry.
        origins: Pages that may call.
        max_body: Bytes of a request at most.
        proxy: The reverse proxy; None: off.
        proxy_user: Whose proxied requests from this machine are that bring no key.
        mcp: What answers at `/mcp`.
    """
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
    app.state.proxy = proxy or Proxy(lane, ProxyConfig())
    app.state.measuring = Measuring(lane)
    errors.install(app)
    for routes in (  # the busiest first: routes are tried in order
        routes_assemble,
        routes_messages,
        routes_proxy,
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

    if mcp is not None:
        app.router.routes.extend(Route(path, mcp, include_in_schema=False) for path in ("/mcp", "/mcp/"))

    app.add_middleware(
        Gate,
        keyring=lane.keyring,
        metrics=lane.metrics,
        hosts=tuple(hosts),
        origins=tuple(origins),
        max_body=max_body,
        proxy_user=proxy_user,
    )
    return app

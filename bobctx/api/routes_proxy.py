"""The drop-in reverse proxy: a provider's own routes, below a prefix of ours."""

from __future__ import annotations

from functools import partial
from typing import cast
from urllib.parse import quote

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from bobctx.api.auth import caller, user_of
from bobctx.api.ids import SLASH
from bobctx.api.proxy.asked import Wire
from bobctx.api.proxy.relay import Relay
from bobctx.api.proxy.service import Incoming, Proxy
from bobctx.api.proxy.upstream import to_upstream
from bobctx.api.routing import DirectRoute
from bobctx.errors import NotFound

router = APIRouter(
    tags=["proxy"], include_in_schema=False, route_class=DirectRoute
)  # the providers describe their own routes

USER_HEADER = "x-bobctx-user"
PLAIN = "".join(map(chr, range(0x20, 0x7F))).replace("%", "")
"""What a header shows as it is; other characters of a conversation's id are percent-encoded."""
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


def proxy_of(request: Request) -> Proxy:
    """The proxy of the app that got this request."""
    return cast(Proxy, request.app.state.proxy)


@router.post("/openai/v1/chat/completions")
async def chat(request: Request) -> Response:
    """OpenAI chat, plain or streamed."""
    return await _conversation(request, "openai", "chat/completions")


@router.post("/anthropic/v1/messages")
async def messages(request: Request) -> Response:
    """Anthropic messages, plain or streamed."""
    return await _conversation(request, "anthropic", "messages")


@router.api_route("/openai/v1/{path:path}", methods=METHODS)
async def openai(request: Request, path: str) -> Response:
    """Everything else of OpenAI, as it comes."""
    return await _other(request, "openai", path)


@router.api_route("/anthropic/v1/{path:path}", methods=METHODS)
async def anthropic(request: Request, path: str) -> Response:
    """Everything else of Anthropic, as it comes."""
    return await _other(request, "anthropic", path)


async def _conversation(request: Request, wire: Wire, path: str) -> Response:
    proxy = proxy_of(request)
    upstream = proxy.upstream(wire)
    owner = user_of(caller(request), request.headers.get(USER_HEADER), field=USER_HEADER)
    content = await request.body()
    incoming = Incoming(
        wire=wire, owner=owner, principal=caller(request), headers=dict(request.headers), content=content
    )
    found = await proxy.prepare(incoming)
    headers = to_upstream(request.headers.raw, changed=found.changed)
    more = [(f"x-bobctx-{name}".encode(), quote(value, safe=PLAIN).encode()) for name, value in found.report.items()]
    send = partial(upstream.open, "POST", path, request.url.query, headers, found.content)
    return Relay(send, found.tee, more=more)


async def _other(request: Request, wire: Wire, path: str) -> Response:
    upstream = proxy_of(request).upstream(wire)
    raw = request.scope["raw_path"].partition(b"?")[0].decode("ascii", "replace").removeprefix(f"/{wire}/v1/")
    segments = path.replace(SLASH, "/").replace("\\", "/").split("/")  # as the provider's server may read them
    if raw.startswith("/") or "." in segments or ".." in segments:
        raise NotFound()
    content = await request.body()
    headers = to_upstream(request.headers.raw, changed=False)
    send = partial(upstream.open, request.method, raw, request.url.query, headers, content)
    return Relay(send, None, more=[(b"x-bobctx-mode", b"pass")])

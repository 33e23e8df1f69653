"""What every request passes before a route sees it, as plain ASGI (design, section 9, Access).

Request id, Host allowlist, foreign Origin, content type, body size, key; on the way out the id, one
count and one duration. Refusals have the one error shape.
"""

from __future__ import annotations

import ipaddress
import os
import time
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

import regex
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bobctx.api import auth
from bobctx.api.errors import REQUEST_ID, error_body
from bobctx.api.ids import SLASH
from bobctx.api.metrics import Metrics
from bobctx.errors import BobctxError, Forbidden, InvalidInput, TooLarge, UnsupportedMediaType
from bobctx.keys import Keyring

LOOPBACK = ("localhost", "127.0.0.1", "[::1]", "::1")
_REQUEST_ID = regex.compile(rb"[A-Za-z0-9_.:-]{1,64}")
_HOST = regex.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?")
KNOWN_HOSTS = 64
BODY_METHODS = frozenset({"POST", "PUT", "PATCH"})
DECIDING = frozenset({b"host", b"origin", b"authorization", b"content-type", auth.KEY_HEADER})
"""Headers that may not stand twice with different values."""
FORWARDED = frozenset(
    {b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", b"x-real-ip"}
)
"""Marks of a server between: a request that it passes on was not made on this machine."""


class HostRefused(Forbidden):
    """This `Host` is not served here; add it to `BOBCTX_ALLOWED_HOSTS`."""

    code = "host_refused"
    status = 421


class OriginRefused(Forbidden):
    """Pages of this origin may not call the daemon."""

    code = "origin_refused"


class Gate:
    """The outermost layer of the app."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        keyring: Keyring,
        metrics: Metrics,
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        max_body: int = 64 * 1024 * 1024,
        proxy_user: str | None = None,
    ) -> None:
        """`hosts` are names beyond loopback, `origins` full origins, `max_body` bytes.

        `proxy_user`: whose proxied requests from this machine are that bring no key.
        """
        self.app = app
        self._keyring = keyring
        self._metrics = metrics
        self._hosts = frozenset(h.lower() for h in (*LOOPBACK, *hosts))
        self._origins = frozenset(o.rstrip("/").lower() for o in origins)
        self._max_body = max_body
        self._proxy_user = proxy_user
        self._known_hosts: set[bytes | None] = set()
        """Header values that passed: nearly every request sends the same one."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await self.app(scope, receive, send)
            return
        started = time.perf_counter()
        headers = _headers(scope)
        asked = headers.get(b"x-request-id")
        request_id = asked.decode() if asked and _REQUEST_ID.fullmatch(asked) else os.urandom(12).hex()
        scope[REQUEST_ID] = request_id
        status = 500
        inner = scope

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                given = [*message.get("headers", ())]
                if all(name != b"x-request-id" for name, _ in given):  # a provider's own is passed on
                    given.append((b"x-request-id", request_id.encode()))
                message["headers"] = [*given, *self._for_origin(headers.get(b"origin"))]
            await send(message)

        try:
            try:
                self._admit(scope, headers)
            except BobctxError as exc:
                await _refuse(exc, request_id, answer)
            else:
                inner = _with_slashes_kept(scope)
                app = _preflight if _is_preflight(scope, headers) else self.app
                await app(inner, _bounded(receive, self._max_body), answer)
        finally:
            self._count(inner, status, time.perf_counter() - started)

    def _admit(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        over_socket = _over_socket(scope)
        if not over_socket:
            self._check_host(headers.get(b"host"))
        self._check_origin(headers.get(b"origin"))
        length = headers.get(b"content-length")
        if length is not None and (not length.isdigit() or int(length) > self._max_body):
            raise TooLarge(f"The body is larger than {self._max_body} bytes.") if length.isdigit() else InvalidInput()
        proxied = scope["path"].startswith(auth.PROXIED)
        if scope["method"] in BODY_METHODS and not proxied:
            kind, _, _ = headers.get(b"content-type", b"").partition(b";")
            if kind.strip().lower() != b"application/json":
                raise UnsupportedMediaType()
        if proxied:
            scope[auth.PRINCIPAL] = auth.authenticate_proxied(
                self._keyring,
                headers.get(auth.KEY_HEADER),
                over_socket=over_socket,
                local_user=self._proxy_user if over_socket or _from_here(scope, headers) else None,
            )
        elif scope["path"] not in auth.OPEN_PATHS and not _is_preflight(scope, headers):
            scope[auth.PRINCIPAL] = auth.authenticate(
                self._keyring, headers.get(b"authorization"), over_socket=over_socket
            )

    def _check_host(self, value: bytes | None) -> None:
        if value in self._known_hosts:
            return
        found = _HOST.fullmatch(value.decode("latin-1")) if value else None
        if found is None or found.group(1).lower() not in self._hosts:
            raise HostRefused()
        if len(self._known_hosts) < KNOWN_HOSTS:
            self._known_hosts.add(value)

    def _check_origin(self, value: bytes | None) -> None:
        if value is not None and value.decode("latin-1").rstrip("/").lower() not in self._origins:
            raise OriginRefused()

    def _for_origin(self, origin: bytes | None) -> list[tuple[bytes, bytes]]:
        """What lets a page of an allowed origin read the answer."""
        if origin is None or origin.decode("latin-1").rstrip("/").lower() not in self._origins:
            return []
        return [(b"access-control-allow-origin", origin), (b"vary", b"origin")]

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "unmatched")
        self._metrics.requests.labels(scope["method"] if route != "unmatched" else "-", route, status).inc()
        self._metrics.latency.labels(route).observe(seconds)


def _headers(scope: Scope) -> dict[bytes, bytes]:
    """The headers by name; two different values of one name that decides something are refused as if it were bad."""
    found: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        if name in found and name in DECIDING:
            found[name] = b"\x00"
        else:
            found[name] = value
    return found


def _is_preflight(scope: Scope, headers: dict[bytes, bytes]) -> bool:
    """A browser's question before a call; its origin was checked already."""
    return scope["method"] == "OPTIONS" and b"origin" in headers and b"access-control-request-method" in headers


async def _preflight(_: Scope, __: Receive, send: Send) -> None:
    headers = [
        (b"access-control-allow-methods", b"GET, POST, PUT, DELETE"),
        (b"access-control-allow-headers", b"authorization, content-type, idempotency-key, x-request-id"),
        (b"access-control-max-age", b"600"),
    ]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def _with_slashes_kept(scope: Scope) -> Scope:
    """An id may hold slashes (`%2F`): they stay inside their path segment as `SLASH` until the id is read.

    The server's own scope is not touched: it may log the path, and `SLASH` cannot be written.
    """
    raw: bytes = scope.get("raw_path") or b""
    if b"%2f" not in raw.lower():
        return scope
    segments = (unquote(segment).replace("/", SLASH) for segment in raw.partition(b"?")[0].decode("ascii").split("/"))
    return {**scope, "path": "/".join(segments)}


def _over_socket(scope: Scope) -> bool:
    """Whether the request came over a Unix socket: its server address has a path and no port."""
    server: Any = scope.get("server")
    return bool(server) and server[1] is None


def _from_here(scope: Scope, headers: dict[bytes, bytes]) -> bool:
    """Whether the request was made on this machine, and not passed on by a server that runs here."""
    client: Any = scope.get("client")
    if not client or headers.keys() & FORWARDED:
        return False
    try:
        return ipaddress.ip_address(client[0]).is_loopback
    except ValueError:
        return False


def _bounded(receive: Receive, limit: int) -> Receive:
    """`receive` that stops at `limit` bytes, whatever the length header said."""
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > limit:
                raise TooLarge(f"The body is larger than {limit} bytes.")
        return message

    return bounded


async def _refuse(exc: BobctxError, request_id: str, send: Send) -> None:
    body = error_body(exc.code, exc.message, request_id, exc.field)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if exc.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if exc.status == 413:
        headers.append((b"connection", b"close"))  # the rest of the body is not read
    await send({"type": "http.response.start", "status": exc.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

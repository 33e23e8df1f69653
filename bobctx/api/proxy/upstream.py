"""The way to one provider: addresses, headers and the bytes as they come. Credentials pass through, nothing is kept."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bobctx.api.proxy.asked import Wire
from bobctx.errors import BobctxError, InvalidInput, NotFound

if TYPE_CHECKING:
    import httpx

CONNECT_S = 10.0
"""A model may take minutes to answer, a server takes moments to accept a connection."""
HOP_BY_HOP = frozenset(
    {
        b"connection", b"keep-alive", b"proxy-connection", b"proxy-authenticate", b"proxy-authorization", b"te",
        b"trailer", b"trailers", b"transfer-encoding", b"upgrade", b"http2-settings",
    }
)  # fmt: skip
OURS = b"x-bobctx-"
STATUSES = range(100, 600)
"""Those that our server can pass on."""
OUR_KEY = re.compile(rb"bobctx_[A-Za-z0-9_-]{20}")
"""How a key of ours begins, wherever it stands."""
CLOUD = {"openai": "openai.com", "anthropic": "anthropic.com"}

Headers = list[tuple[bytes, bytes]]


class UpstreamUnset(NotFound):
    """This proxy is off: no upstream is set."""

    code = "upstream_unset"


class UpstreamUnreachable(BobctxError):
    """The provider could not be reached; check its address in the settings and the network."""

    code = "upstream_unreachable"
    status = 502


def base_of(wire: Wire, address: str) -> str:
    """An upstream's address with its version path, from what the provider's SDK takes as `base_url`."""
    address = address.rstrip("/")
    if wire == "anthropic":
        return address if address.endswith("/v1") else f"{address}/v1"
    return address if urlsplit(address).path else f"{address}/v1"


def backend_of(wire: Wire, address: str) -> str:
    """The backend that messages are recorded for: the provider itself, else the host's name.

    A server that is not known to be a cloud provider makes its conversations `local`: no cloud seat reads them.
    """
    host = (urlsplit(address).hostname or "").lower()
    provider = CLOUD[wire]
    return wire if host == provider or host.endswith(f".{provider}") else host


def _dropped(headers: Iterable[tuple[bytes, bytes]]) -> frozenset[bytes]:
    """Hop-by-hop headers, those that `Connection` names included."""
    named = {n.strip().lower() for k, v in headers if k.lower() == b"connection" for n in v.split(b",")}
    return HOP_BY_HOP | named


def to_upstream(headers: Headers, *, changed: bool) -> Headers:
    """The request's headers for the provider: ours and hop-by-hop ones are left out, a key of ours goes nowhere."""
    dropped = _dropped(headers) | {b"host", b"content-length", b"accept-encoding"}
    kept = [(k, v) for k, v in headers if k.lower() not in dropped and not k.lower().startswith(OURS)]
    if changed:
        kept = [(k, v) for k, v in kept if k.lower() != b"content-encoding"]
    kept = [(k, v) for k, v in kept if OUR_KEY.search(v) is None]
    return [*kept, (b"accept-encoding", b"identity")]  # so that the copy can be read; the bytes stay as they come


def query_to_upstream(query: str) -> str:
    """The query without fields that hold a key of ours."""
    return "&".join(field for field in query.split("&") if OUR_KEY.search(field.encode()) is None)


def to_client(headers: Headers) -> Headers:
    """The provider's headers for the client; the date is that of the server that answers, which sets its own."""
    dropped = _dropped(headers) | {b"date"}
    return [(k.lower(), v) for k, v in headers if k.lower() not in dropped and not k.lower().startswith(OURS)]


class Upstream:
    """One provider. The connection pool is made with the first request."""

    def __init__(self, wire: Wire, address: str) -> None:
        self.wire = wire
        self.backend = backend_of(wire, address)
        self._base = base_of(wire, address)
        self._http: httpx.AsyncClient | None = None

    async def open(self, method: str, path: str, query: str, headers: Headers, content: bytes) -> httpx.Response:
        """Send one request; the body is still to be read, raw. Raises `UpstreamUnreachable`, `InvalidInput`."""
        import httpx

        if self._http is None:
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=64)
            self._http = httpx.AsyncClient(timeout=httpx.Timeout(None, connect=CONNECT_S), limits=limits)
        query = query_to_upstream(query)
        url = f"{self._base}/{path}{'?' if query else ''}{query}"
        try:
            request = httpx.Request(method, url, headers=headers, content=content)
        except (httpx.InvalidURL, ValueError) as exc:
            raise InvalidInput("This address cannot be sent on.", field="path") from exc
        try:
            answer = await self._http.send(request, stream=True)
        except httpx.HTTPError as exc:
            raise UpstreamUnreachable(where=type(exc).__name__) from exc
        if answer.status_code not in STATUSES:
            await answer.aclose()
            raise UpstreamUnreachable("The provider's answer has no status of HTTP.", status=answer.status_code)
        return answer

    async def close(self) -> None:
        """Close connections."""
        if self._http is not None:
            await self._http.aclose()

"""One POST to the daemon over a plain socket: `http.client` costs more than all the rest of a hook."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket

READ = 1 << 18
"""Bytes of one read."""
LONGEST_HEAD = 64 * 1024
"""Bytes of status line and header fields."""
UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class NoAnswer(Exception):
    """Nobody there, no answer in time, or none that is HTTP."""


def quoted(text: str) -> str:
    """A text as one segment of a path."""
    return "".join(chr(b) if b in UNRESERVED else f"%{b:02X}" for b in text.encode("utf-8", "replace"))


def ask(
    url: str, path: str, body: bytes, headers: dict[str, str], *, seconds: float, unix: str | None = None
) -> tuple[int, bytes]:
    """Status and body of the answer. Raises `NoAnswer`.

    Args:
        url: Of the daemon; `https` is left to the library.
        path: Below it.
        body: JSON.
        headers: Beside those of every request.
        seconds: For all of it.
        unix: Its Unix socket, asked instead.
    """
    until = time.monotonic() + seconds
    place = ("localhost", None, "") if unix is not None else _place(url)
    if place is None:
        return _library(url, path, body, headers, seconds)
    host, port, prefix = place
    named = host if port is None else f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    fields = {"host": named, "connection": "close", "content-length": str(len(body)), **headers}
    head = f"POST {prefix}{path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in fields.items()) + "\r\n"
    try:
        sock = _connected(host, port, unix, until)
        try:
            _settle(sock, until)
            sock.sendall(head.encode("latin-1") + body)
            return _answer(sock, until)
        finally:
            sock.close()
    except (OSError, ValueError, IndexError) as error:
        raise NoAnswer from error


def _place(url: str) -> tuple[str, int, str] | None:
    """Host, port and path of a plain `http` address, None of any other."""
    scheme, _, rest = url.partition("://")
    where, slash, prefix = rest.partition("/")
    if scheme.lower() != "http" or "@" in where or not where.isascii():
        return None
    host, colon, port = where.rpartition(":")
    if not colon or port.endswith("]"):
        host, port = where, "80"
    if not port.isdigit() or not host or (":" in host) != (host[:1] == "["):
        return None
    return host.strip("[]"), int(port), (slash + prefix).rstrip("/")


def _connected(host: str, port: int | None, unix: str | None, until: float) -> _socket.socket:
    import _socket

    if port is None:
        return _to(_socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM), unix or "", until)
    failed: OSError | None = None
    # a name as bytes: for a text the whole table of international names would be loaded
    for family, kind, protocol, _, address in _socket.getaddrinfo(host.encode(), port, 0, _socket.SOCK_STREAM):
        try:
            return _to(_socket.socket(family, kind, protocol), address, until)
        except OSError as error:
            failed = error
    raise failed or OSError("no address")


def _to(sock: _socket.socket, address: str | tuple[object, ...], until: float) -> _socket.socket:
    try:
        _settle(sock, until)
        sock.connect(address)
    except OSError:
        sock.close()
        raise
    return sock


def _settle(sock: _socket.socket, until: float) -> None:
    """Let the next step take no longer than what is left."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    sock.settimeout(left)


def _more(sock: _socket.socket, until: float) -> bytes:
    _settle(sock, until)
    return sock.recv(READ)


def _answer(sock: _socket.socket, until: float) -> tuple[int, bytes]:
    data = b""
    while True:
        while b"\r\n\r\n" not in data:
            part = _more(sock, until)
            if not part or len(data) > LONGEST_HEAD:
                raise ValueError("no head")
            data += part
        head, _, data = data.partition(b"\r\n\r\n")
        first, *lines = head.split(b"\r\n")
        status = int(first.split(b" ", 2)[1])
        if status >= 200:  # before that it is only on its way
            break
    fields = {k.strip().lower(): v.strip() for k, _, v in (line.partition(b":") for line in lines)}
    chunked = fields.get(b"transfer-encoding", b"").lower().endswith(b"chunked")
    length = fields.get(b"content-length")
    parts, size = [data], len(data)
    while length is None or chunked or size < int(length):
        part = _more(sock, until)
        if not part:
            break
        parts.append(part)
        size += len(part)
    whole = b"".join(parts)
    if chunked:
        return status, _dechunked(whole)
    if length is not None and size < int(length):
        raise ValueError("cut short")
    return status, whole if length is None else whole[: int(length)]


def _dechunked(data: bytes) -> bytes:
    found: list[bytes] = []
    at = 0
    while True:
        end = data.index(b"\r\n", at)
        size = int(data[at:end].partition(b";")[0], 16)
        at = end + 2
        if not size:
            return b"".join(found)
        if at + size > len(data):
            raise ValueError("cut short")
        found.append(data[at : at + size])
        at += size + 2


def _library(url: str, path: str, body: bytes, headers: dict[str, str], seconds: float) -> tuple[int, bytes]:
    """The same through the library, for what a plain socket cannot reach."""
    from http.client import HTTPConnection, HTTPException, HTTPSConnection
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(parts.hostname or "127.0.0.1", parts.port, timeout=seconds)
        try:
            connection.request("POST", parts.path.rstrip("/") + path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()
    except (OSError, HTTPException, ValueError) as error:
        raise NoAnswer from error

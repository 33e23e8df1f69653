"""The JSON of a request body, also of a compressed one; bounded, so that a small body cannot become a huge one."""

from __future__ import annotations

import zlib

from bobctx.api.body import Limits, parse
from bobctx.api.proxy.asked import Untouched
from bobctx.core.types import Json
from bobctx.errors import BobctxError

MOST_BYTES = 64 * 1024 * 1024
WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


def decoded(content: bytes, encoding: str | None, limits: Limits) -> Json | Untouched:
    """The value of a body, or why it is left alone; encodings that the standard library lacks are."""
    name = (encoding or "identity").strip().lower()
    if name != "identity":
        plain = _inflated(content, WINDOWS[name]) if name in WINDOWS else None
        if plain is None:
            return Untouched(reason="encoded")
        content = plain
    try:
        return parse(content, limits)
    except BobctxError:
        return Untouched(reason="not_json")


def _inflated(content: bytes, window: int) -> bytes | None:
    stream = zlib.decompressobj(window)
    try:
        plain = stream.decompress(content, MOST_BYTES)
    except zlib.error:
        return None
    return plain if stream.eof and not stream.unused_data else None

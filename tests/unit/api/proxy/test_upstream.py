"""Addresses and headers on the way to the provider and back."""

from __future__ import annotations

import gzip
import zlib

import pytest

from bobctx.api.body import Limits
from bobctx.api.proxy.asked import Untouched, Wire, tidied
from bobctx.api.proxy.encoding import decoded
from bobctx.api.proxy.upstream import Upstream, backend_of, base_of, query_to_upstream, to_client, to_upstream
from bobctx.core.egress import egress_of
from bobctx.errors import InvalidInput


@pytest.mark.parametrize(
    ("wire", "address", "base"),
    [
        ("openai", "https://api.openai.com/v1", "https://api.openai.com/v1"),
        ("openai", "https://api.openai.com/v1/", "https://api.openai.com/v1"),
        ("openai", "https://api.openai.com", "https://api.openai.com/v1"),
        ("openai", "https://x.example/v1beta/openai", "https://x.example/v1beta/openai"),
        ("anthropic", "https://api.anthropic.com", "https://api.anthropic.com/v1"),
        ("anthropic", "https://api.anthropic.com/v1", "https://api.anthropic.com/v1"),
        ("anthropic", "https://x.example/anthropic/", "https://x.example/anthropic/v1"),
    ],
)
def test_an_upstream_is_what_its_sdk_takes_as_base_url(wire: Wire, address: str, base: str) -> None:
    assert base_of(wire, address) == base


@pytest.mark.parametrize(
    ("address", "egress"),
    [
        ("https://api.openai.com/v1", "cloud_ok"),
        ("https://eu.api.openai.com/v1", "cloud_ok"),
        ("https://openai.com.evil.example/v1", "local"),
        ("https://notopenai.com/v1", "local"),
        ("http://127.0.0.1:8000/v1", "local"),
        ("http://gpu.lan:8000/v1", "local"),
    ],
)
def test_only_the_providers_own_host_makes_a_conversation_readable_for_cloud_seats(address: str, egress: str) -> None:
    assert egress_of(backend_of("openai", address)) == egress


def test_hop_by_hop_headers_ours_and_keys_of_ours_stay_here() -> None:
    headers = [
        (b"Host", b"localhost"), (b"Content-Length", b"5"), (b"Connection", b"close, X-Drop"), (b"x-drop", b"1"),
        (b"Transfer-Encoding", b"chunked"), (b"TE", b"trailers"), (b"Accept-Encoding", b"gzip, br"),
        (b"X-Bobctx-Key", b"bobctx_secret"), (b"x-bobctx-conversation", b"c"),
        (b"authorization", b"Bearer bobctx_5jJrOhvlS3RV7KAXcMTS"),
        (b"x-api-key", b"sk-1"), (b"anthropic-beta", b"a"), (b"anthropic-beta", b"b"), (b"content-encoding", b"gzip"),
    ]  # fmt: skip
    kept = [
        (b"x-api-key", b"sk-1"), (b"anthropic-beta", b"a"), (b"anthropic-beta", b"b"), (b"content-encoding", b"gzip"),
        (b"accept-encoding", b"identity"),
    ]  # fmt: skip
    assert to_upstream(headers, changed=False) == kept
    assert to_upstream(headers, changed=True) == [h for h in kept if h[0] != b"content-encoding"]


def test_the_providers_headers_reach_the_client_but_none_that_look_like_ours() -> None:
    headers = [(b"Content-Type", b"x"), (b"Keep-Alive", b"5"), (b"X-Bobctx-Mode", b"live"), (b"Set-Cookie", b"a")]
    assert to_client(headers) == [(b"content-type", b"x"), (b"set-cookie", b"a")]


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
def test_a_compressed_body_is_read(pack: object) -> None:
    encoding = "gzip" if pack is gzip.compress else "deflate"
    assert callable(pack)
    assert decoded(pack(b'{"a": 1}'), encoding, Limits()) == {"a": 1}


@pytest.mark.parametrize(
    ("content", "encoding", "reason"),
    [
        (b"x", "gzip", "encoded"),
        (gzip.compress(b'{"a":1}', mtime=0)[:-4], "gzip", "encoded"),
        (gzip.compress(b'"' + b"a" * 70_000_000 + b'"', mtime=0), "gzip", "encoded"),
        (b"{}", "zstd", "encoded"),
        (b"{", None, "not_json"),
        (b"", "identity", "not_json"),
        (b"[" * 100 + b"]" * 100, None, "not_json"),
    ],
)
def test_what_cannot_be_read_is_left_alone(content: bytes, encoding: str | None, reason: str) -> None:
    """A small body that would become a huge one is among it."""
    found = decoded(content, encoding, Limits())
    assert isinstance(found, Untouched)
    assert found.reason == reason


def test_a_message_of_the_user_is_not_tidied() -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "a", "citations": None}], "id": "x"}
    assert tidied(message) == {"role": "user", "content": [{"type": "text", "text": "a", "citations": None}]}


KEY = "bobctx_5jJrOhvlS3RV7KAXcMTSSkrYQGlQBL62YqAdSssqODU"


@pytest.mark.parametrize("name", ["authorization", "x-api-key", "x-goog-api-key", "cookie", "x-anything"])
def test_a_key_of_ours_goes_to_no_provider_in_whatever_header(name: str) -> None:
    sent = to_upstream([(name.encode(), f"Bearer {KEY}".encode()), (b"accept", b"*/*")], changed=False)
    assert [k for k, _ in sent] == [b"accept", b"accept-encoding"]


def test_a_key_of_ours_goes_to_no_provider_in_the_query() -> None:
    assert query_to_upstream(f"a=1&key={KEY}&b=2&c=bobctx_note") == "a=1&b=2&c=bobctx_note"
    assert query_to_upstream("") == ""


async def test_a_path_that_no_address_can_hold_is_refused_and_not_sent() -> None:
    upstream = Upstream("openai", "http://127.0.0.1:9")
    for path in ("x" * 70_000, "models/\x00"):
        with pytest.raises(InvalidInput):
            await upstream.open("GET", path, "", [], b"")
    await upstream.close()

"""A provider that refuses, breaks off, cannot be reached or is not set; a client that goes away."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import httpx
import pytest

from tests.integration.proxy.conftest import Proxied, user

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("fault", ["429", "500"])
async def test_a_refusal_is_passed_on_and_the_sdks_own_retry_records_once(proxied: Proxied, fault: str) -> None:
    proxied.provider.faults = [fault]
    client = proxied.openai(proxied.key("ann"))
    answer = await client.chat.completions.create(model="gpt-5", messages=[user("hi")])
    assert answer.choices[0].message.content.startswith("ANSWER 2")
    assert list((await proxied.conversations("ann")).values()) == [2]


async def test_a_window_that_a_refusal_states_is_in_the_books_with_the_next_turn(proxied: Proxied) -> None:
    proxied.provider.faults = ["too_long"]
    client = proxied.openai(proxied.key("ann"))
    with pytest.raises(Exception, match="maximum context length"):
        await client.chat.completions.create(model="gpt-5", messages=[user("hi")])
    await client.chat.completions.create(model="gpt-5", messages=[user("hi")])
    await proxied.settle()
    [kept] = await proxied.runtime.store.ledger.learned()
    assert (kept.user_id, kept.model, kept.window) == ("ann", "gpt-5", 8_192)


@pytest.mark.parametrize("streamed", [False, True])
async def test_an_answer_that_breaks_off_breaks_off_for_the_client_and_is_not_recorded(
    proxied: Proxied, streamed: bool
) -> None:
    proxied.provider.faults = ["cut"]
    body = {"model": "gpt-5", "stream": streamed, "messages": [user("hi")]}
    got: list[bytes] = []

    async def whole() -> None:
        async with (
            proxied.http(proxied.key("ann")) as http,
            http.stream("POST", "/openai/v1/chat/completions", json=body) as answer,
        ):
            async for chunk in answer.aiter_raw():
                got.append(chunk)  # noqa: PERF401  # what came before it broke off counts

    with pytest.raises(httpx.RemoteProtocolError):
        await whole()
    assert await proxied.conversations("ann") == {}
    if streamed:
        assert b"".join(got) == proxied.provider.sent[0]


@pytest.mark.parametrize("fault", ["hang", "slow"])
async def test_the_provider_is_let_go_when_the_client_goes_away(proxied: Proxied, fault: str) -> None:
    """Fails if the upstream request lives on: tokens nobody reads would be paid for."""
    proxied.provider.faults = [fault]
    body = {"model": "gpt-5", "stream": fault == "slow", "messages": [user("hi")]}
    async with proxied.http(proxied.key("ann")) as http:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.5), http.stream("POST", "/openai/v1/chat/completions", json=body) as answer:
                async for _ in answer.aiter_raw():
                    pass
    async with asyncio.timeout(10):
        await proxied.provider.closed.wait()
    assert await proxied.conversations("ann") == {}


async def test_without_an_upstream_the_proxy_is_off_and_says_what_to_set(open_proxy: Any) -> None:
    proxied: Proxied = await open_proxy(openai_upstream=None)
    async with proxied.http(proxied.key("ann")) as http:
        answer = await http.post("/openai/v1/chat/completions", json={"messages": [user("hi")]})
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "upstream_unset"
    assert "BOBCTX_OPENAI_UPSTREAM" in answer.json()["error"]["message"]


async def test_a_provider_that_cannot_be_reached_is_named_as_such(open_proxy: Any) -> None:
    proxied: Proxied = await open_proxy(openai_upstream="http://127.0.0.1:9/v1")
    async with proxied.http(proxied.key("ann")) as http:
        answer = await http.post("/openai/v1/chat/completions", json={"messages": [user("hi")]})
    assert answer.status_code == 502
    assert answer.json()["error"]["code"] == "upstream_unreachable"


async def test_a_status_that_is_none_of_http_is_answered_as_unreachable(open_proxy: Any) -> None:
    async def odd(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 999 Odd\r\ncontent-length: 2\r\nconnection: close\r\n\r\nab")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(odd, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        proxied = await open_proxy(openai_upstream=f"http://127.0.0.1:{port}/v1")
        async with proxied.http(proxied.key("ann")) as http:
            answer = await http.get("/openai/v1/models")
    assert answer.status_code == 502
    assert answer.json()["error"]["code"] == "upstream_unreachable"

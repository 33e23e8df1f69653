"""What the proxy does not read, it passes on as it came, to routes of the provider alone."""

from __future__ import annotations

import gzip
import json
import threading
from typing import Any

import pytest

from bobctx.api.proxy import service
from bobctx.api.proxy.encoding import decoded
from tests.integration.proxy.conftest import Proxied, user

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"store": True}, "stateful"),
        ({"previous_response_id": "r1"}, "stateful"),
        ({"context_management": [{"type": "compaction"}]}, "native_compaction"),
        ({"messages": [{"role": "user", "content": [{"type": "hologram"}]}]}, "unknown_content"),
        ({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}, "prefill"),
        ({"messages": [{"role": "function", "content": "a"}]}, "unknown_role"),
        ({"messages": "hello"}, "not_a_conversation"),
    ],
)
async def test_what_is_not_understood_is_passed_on_as_it_came(proxied: Proxied, more: Any, reason: str) -> None:
    body = {"model": "gpt-5", "messages": [user("hi")], **more}
    async with proxied.http(proxied.key("ann")) as http:
        answer = await http.post("/openai/v1/chat/completions", json=body)
    assert answer.status_code == 200
    assert answer.headers["x-bobctx-reason"] == reason
    assert proxied.provider.seen[0].body == body
    assert await proxied.conversations("ann") == {}


async def test_a_compressed_request_is_read_and_passed_on_as_it_came(proxied: Proxied) -> None:
    raw = gzip.compress(json.dumps({"model": "gpt-5", "messages": [user("hi")]}).encode())
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    async with proxied.http(proxied.key("ann")) as http:
        await http.post("/openai/v1/chat/completions", content=raw, headers=headers)
        await http.post("/openai/v1/chat/completions", content=raw, headers={**headers, "content-encoding": "br"})
    assert [s.raw for s in proxied.provider.seen] == [raw, raw]
    assert [s.headers["content-encoding"] for s in proxied.provider.seen] == ["gzip", "br"]
    assert list((await proxied.conversations("ann")).values()) == [2]


async def test_other_routes_are_passed_through(proxied: Proxied) -> None:
    client = proxied.openai(proxied.key("ann"))
    assert (await client.models.list()).data == []
    async with proxied.http(proxied.key("ann")) as http:
        answer = await http.post("/openai/v1/responses?x=1", content=b"not json", headers={"content-type": "text/x"})
        outside = await http.get("/openai/v1/a/%2e%2e/%2e%2e/v1/status")
        hidden = await http.get("/openai/v1/a%2f..%2f..%2fv1/status")
        await http.get("/openai/v1/files/a%3Fb%20c")
    assert answer.headers["x-upstream"] == "yes"
    assert [s.path for s in proxied.provider.seen] == ["/v1/models", "/v1/responses?x=1", "/v1/files/a%3Fb%20c"]
    assert proxied.provider.seen[1].raw == b"not json"
    assert (outside.status_code, hidden.status_code) == (404, 404)


@pytest.mark.parametrize("path", ["a%2f..%2f..%2fadmin", "a%2F%2e%2e/x", "a\\..\\..\\x", "%2e%2e/x"])
async def test_no_path_climbs_out_of_the_providers_routes(proxied: Proxied, path: str) -> None:
    async with proxied.http(proxied.key("ann")) as http:
        answer = await http.get(f"/openai/v1/{path}")
    assert (answer.status_code, proxied.provider.seen) == (404, [])


async def test_a_large_body_is_read_beside_other_requests(proxied: Proxied, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails if a body that becomes large is read on the event loop: every other request would wait."""
    threads = set()

    def noting(*given: Any) -> Any:
        threads.add(threading.current_thread())
        return decoded(*given)

    monkeypatch.setattr(service, "decoded", noting)
    body = json.dumps({"model": "gpt-5", "messages": [user("hi")], "z": [[1]] * 1_000}).encode()
    async with proxied.http(proxied.key("ann")) as http:
        packed = gzip.compress(body)
        answer = await http.post("/openai/v1/chat/completions", content=packed, headers={"content-encoding": "gzip"})
    assert answer.status_code == 200
    assert threading.current_thread() not in threads
    assert len(threads) == 1


async def test_mode_off_leaves_a_request_alone(proxied: Proxied) -> None:
    body = {"model": "gpt-5", "messages": [user("hi")]}
    async with proxied.http(proxied.key("ann")) as http:
        answer = await http.post("/openai/v1/chat/completions", json=body, headers={"x-bobctx-mode": "off"})
    assert answer.headers["x-bobctx-mode"] == "off"
    assert await proxied.conversations("ann") == {}

"""The gate: who may knock, with what, and how refusals look. Over a route that only answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bobctx import keys
from bobctx.api.gate import Gate
from bobctx.api.metrics import Metrics

LIMIT = 1_000
JSON = {"content-type": "application/json"}


async def echo(request: Request) -> Response:
    return Response(await request.body())


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "k.json"
    keys.ensure(path)
    return path


@pytest.fixture
def gate(key_file: Path) -> Gate:
    app = Starlette(routes=[Route("/echo", echo, methods=["GET", "POST"]), Route("/healthz", echo)])
    return Gate(
        app,
        keyring=keys.Keyring(key_file),
        metrics=Metrics(),
        hosts=("bob.example",),
        origins=("https://ui.example",),
        max_body=LIMIT,
    )


@pytest.fixture
async def http(gate: Gate, key_file: Path) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"authorization": f"Bearer {keys.default_key(key_file)}"}
    transport = httpx.ASGITransport(gate, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8642", headers=headers) as client:
        yield client


def refused(response: httpx.Response, status: int, code: str) -> None:
    body = response.json()
    assert response.status_code == status
    assert body["error"]["code"] == code
    assert body["request_id"] == response.headers["x-request-id"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8642", "[::1]:8642", "bob.example", "BOB.example:1"])
async def test_loopback_and_listed_hosts_may_knock(http: httpx.AsyncClient, host: str) -> None:
    assert (await http.get("/echo", headers={"host": host})).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost:x", "a b", "evil@127.0.0.1"])
async def test_a_foreign_host_is_refused_before_the_key_is_looked_at(http: httpx.AsyncClient, host: str) -> None:
    """Fails if the allowlist is dropped: a rebound name would reach the daemon from a browser."""
    refused(await http.get("/healthz", headers={"host": host}), 421, "host_refused")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:8642", "https://ui.example.evil"])
async def test_a_foreign_origin_is_refused(http: httpx.AsyncClient, origin: str) -> None:
    refused(await http.post("/echo", headers={**JSON, "origin": origin}, content=b"{}"), 403, "origin_refused")


async def test_a_listed_origin_may_call_and_read(http: httpx.AsyncClient) -> None:
    answer = await http.post("/echo", headers={**JSON, "origin": "https://ui.example"}, content=b"{}")
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "https://ui.example"
    assert "access-control-allow-origin" not in (await http.get("/echo")).headers


async def test_a_browser_may_ask_first_without_a_key_if_its_origin_is_listed(http: httpx.AsyncClient) -> None:
    for origin, status in (("https://ui.example", 204), ("https://evil.example", 403)):
        request = http.build_request(
            "OPTIONS", "/echo", headers={"origin": origin, "access-control-request-method": "POST"}
        )
        del request.headers["authorization"]
        answer = await http.send(request)
        assert answer.status_code == status
        assert ("access-control-allow-headers" in answer.headers) == (status == 204)
    assert (await http.options("/echo", headers={"authorization": ""})).status_code == 401


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "json", ""])
async def test_bodies_of_another_type_are_refused(http: httpx.AsyncClient, kind: str) -> None:
    refused(await http.post("/echo", headers={"content-type": kind}, content=b"{}"), 415, "unsupported_media_type")


async def test_parameters_of_the_type_do_not_matter(http: httpx.AsyncClient) -> None:
    headers = {"content-type": "Application/JSON; charset=utf-8"}
    assert (await http.post("/echo", headers=headers, content=b"{}")).status_code == 200


async def test_a_body_over_the_limit_is_refused_by_its_announced_length(http: httpx.AsyncClient) -> None:
    refused(await http.post("/echo", headers=JSON, content=b"x" * (LIMIT + 1)), 413, "too_large")
    assert (await http.post("/echo", headers=JSON, content=b"x" * LIMIT)).status_code == 200


@pytest.mark.parametrize(
    "value", [None, "", "Bearer", "Bearer wrong", "Basic YTpi", "Bearer \u00ff", "bearer bobctx_x"]
)
async def test_without_a_right_key_it_is_401(http: httpx.AsyncClient, value: str | None) -> None:
    request = http.build_request("GET", "/echo")
    del request.headers["authorization"]
    if value is not None:
        request.headers = httpx.Headers([*request.headers.raw, (b"authorization", value.encode("latin-1"))])
    answer = await http.send(request)
    refused(answer, 401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_health_needs_no_key(http: httpx.AsyncClient) -> None:
    request = http.build_request("GET", "/healthz")
    del request.headers["authorization"]
    assert (await http.send(request)).status_code == 200


async def test_two_values_of_a_deciding_header_are_refused(http: httpx.AsyncClient) -> None:
    request = http.build_request("GET", "/echo")
    request.headers = httpx.Headers([*request.headers.raw, (b"host", b"evil.example")])
    refused(await http.send(request), 421, "host_refused")


async def test_a_request_id_is_kept_if_it_is_harmless_else_made(http: httpx.AsyncClient) -> None:
    assert (await http.get("/echo", headers={"x-request-id": "abc-1"})).headers["x-request-id"] == "abc-1"
    made = (await http.get("/echo", headers={"x-request-id": "a b<script>"})).headers["x-request-id"]
    assert made.isalnum()
    assert (await http.get("/echo")).headers["x-request-id"] != made


async def test_the_unix_socket_needs_no_key_but_a_sent_one_must_be_right(gate: Gate) -> None:
    async def call(authorization: bytes | None) -> int:
        status = 0
        headers = [(b"host", b"anything")] + ([(b"authorization", authorization)] if authorization else [])
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/echo",
            "raw_path": b"/echo",
            "query_string": b"",
            "root_path": "",
            "headers": headers,
            "server": ("/run/bobctx.sock", None),
            "client": None,
        }

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: object) -> None:
            nonlocal status
            assert isinstance(message, dict)
            status = message.get("status", status)

        await gate(scope, receive, send)
        return status

    assert await call(None) == 200
    assert await call(b"Bearer wrong") == 401


@pytest.fixture
def proxy_gate(key_file: Path) -> Gate:
    app = Starlette(routes=[Route("/openai/v1/x", echo, methods=["GET", "POST"]), Route("/echo", echo)])
    return Gate(app, keyring=keys.Keyring(key_file), metrics=Metrics(), proxy_user="me")


@pytest.mark.parametrize(
    ("client", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),
        ("::1", {}, 200),
        ("192.0.2.7", {}, 401),
        ("127.0.0.1", {"x-forwarded-for": "192.0.2.7"}, 401),
        ("127.0.0.1", {"via": "1.1 front"}, 401),
        ("127.0.0.1", {"x-bobctx-key": "bobctx_wrong"}, 401),
        ("127.0.0.1", {"origin": "https://evil.example"}, 403),
        ("127.0.0.1", {"host": "evil.example"}, 421),
    ],
)
async def test_without_a_key_only_this_machine_may_use_the_proxy(
    proxy_gate: Gate, client: str, headers: dict[str, str], status: int
) -> None:
    transport = httpx.ASGITransport(proxy_gate, raise_app_exceptions=False, client=(client, 5))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8642") as http:
        assert (await http.post("/openai/v1/x", content=b"any", headers=headers)).status_code == status
        assert (await http.get("/echo", headers=headers)).status_code in (401, 403, 421)


async def test_the_providers_bearer_is_no_key_of_ours(proxy_gate: Gate, key_file: Path) -> None:
    bearer = {"authorization": f"Bearer {keys.default_key(key_file)}"}
    transport = httpx.ASGITransport(proxy_gate, client=("192.0.2.7", 5))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8642", headers=bearer) as http:
        assert (await http.get("/openai/v1/x")).status_code == 401
        assert (
            await http.get("/openai/v1/x", headers={"x-bobctx-key": bearer["authorization"][7:]})
        ).status_code == 200


async def test_a_slash_inside_an_id_leaves_the_servers_own_path_alone(gate: Gate) -> None:
    """Fails if the stand-in for the slash, which cannot be encoded, reaches a server that logs paths."""
    scope: dict[str, Any] = {
        "type": "http", "method": "GET", "path": "/healthz/x/y", "raw_path": b"/healthz/x%2Fy", "query_string": b"",
        "headers": [(b"host", b"127.0.0.1")], "server": ("", None), "client": None,
    }  # fmt: skip
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)
        assert scope["path"].encode() == b"/healthz/x/y"

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    await gate(scope, receive, send)
    assert sent[0]["status"] == 404

"""Keys, roles and the one error shape, on every route of the app."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from bobctx import keys
from bobctx.errors import NotFound, StoreUnavailable
from tests.integration.api.conftest import CONVERSATION, Api, Open

OK: dict[str, Any] = {"id": "a", "role": "user", "content": "hello"}
OPERATOR_ONLY = {
    ("GET", "/v1/status"),
    ("GET", "/metrics"),
    ("DELETE", "/v1/users/{user_id}"),
    ("POST", "/v1/conversations/{cid}/egress"),
    ("PUT", "/v1/users/{user_id}/retention"),
    ("GET", "/v1/users/{user_id}/retention"),
    ("GET", "/v1/access"),
    ("POST", "/v1/conflicts/{conflict_id}"),
    ("DELETE", "/v1/conflicts/{conflict_id}"),
}
OPEN = {("GET", "/healthz"), ("GET", "/readyz")}
BODIES: dict[str, dict[str, Any]] = {
    "/messages": {"messages": [OK]},
    "/assemble": {},
    "/expand": {"ids": ["a"]},
    "/search": {"query": "hello"},
    "/compact": {},
    "/mode": {"paused": False},
    "/pins": {"text": "remember"},
    "/spine": {"messages": []},
    "/alias": {"alias": "c1-again"},
    "/egress": {"egress": "local"},
    "/transcript": {"format": "claude_code", "text": ""},
    "/compare": {"summary": "hello"},
    "/v1/users/{user_id}/retention": {"max_age_days": None},
    "/v1/context/compile": {"task": "hello"},
    "/v1/context/{context_id}/feedback": {"outcome": "used"},
    "/v1/conflicts/{conflict_id}": {"keep": None},
}


def routes(app: Any) -> Iterator[tuple[str, str]]:
    """Every documented call."""
    assert isinstance(app, FastAPI)
    for path, item in app.openapi()["paths"].items():
        for method in item:
            yield method.upper(), path


def filled(path: str) -> str:
    names = {"cid": "c1", "message_id": "a", "pin_id": "p", "user_id": "u1", "speaker": "ann"}
    names |= {"context_id": "ctx_none", "trace_id": "t_none", "conflict_id": "cf_none"}
    return path.format(**names)


async def call(http: httpx.AsyncClient, method: str, path: str, user: str | None = "u1", **more: Any) -> httpx.Response:
    """One well-formed call of a route."""
    where = filled(path)
    if method in ("POST", "PUT"):
        own = {"user_id": user} if user and "{cid}" in path else {}
        body = {**BODIES[path.removeprefix("/v1/conversations/{cid}")], **own, **more}
        return await http.request(method, where, json=body)
    return await http.request(method, where, params={"user_id": user} if user else None)


def one_shape(answer: httpx.Response, code: str | None = None) -> None:
    found = answer.json()
    assert set(found) == {"error", "request_id"}, answer.text
    assert {"code", "message"} <= set(found["error"]) <= {"code", "message", "field", "data"}
    assert found["request_id"] == answer.headers["x-request-id"]
    assert answer.headers["content-type"] == "application/json"
    if code is not None:
        assert found["error"]["code"] == code


async def test_every_route_needs_a_key_but_health(api: Api) -> None:
    async with api.with_key(None) as http:
        for method, path in routes(api.runtime.app):
            answer = await call(http, method, path)
            if (method, path) in OPEN:
                assert answer.status_code == 200
            else:
                assert answer.status_code == 401
                one_shape(answer, "unauthorized")


async def test_wrong_methods_and_unknown_paths_have_the_one_shape(api: Api) -> None:
    for method, path in routes(api.runtime.app):
        answer = await api.http.request("PATCH", filled(path), json={})
        assert answer.status_code == 405, (method, path)
        one_shape(answer, "method_not_allowed")
    for path in ("/", "/v1", "/v1/conversations/c1/nothing", "/v2/status", "/openapi.yaml"):
        answer = await api.http.get(path)
        assert answer.status_code == 404
        one_shape(answer, "not_found")


async def test_every_body_route_refuses_other_types_and_broken_json(api: Api) -> None:
    for method, path in routes(api.runtime.app):
        if method not in ("POST", "PUT"):
            continue
        answer = await api.http.request(method, filled(path), content=b"{}", headers={"content-type": "text/plain"})
        assert answer.status_code == 415
        one_shape(answer, "unsupported_media_type")
        answer = await api.http.request(
            method, filled(path), content=b"{", headers={"content-type": "application/json"}
        )
        assert answer.status_code == 400
        one_shape(answer, "malformed")
        answer = await api.http.request(method, filled(path), json={"user_id": "u1", "no_such_field": 1})
        assert answer.status_code == 422
        one_shape(answer, "invalid_input")


async def test_a_missing_conversation_is_the_same_404_everywhere(api: Api) -> None:
    silent = {"/messages", "/search", "/spine", "/transcript"}
    for method, path in routes(api.runtime.app):
        tail = path.removeprefix("/v1/conversations/{cid}")
        if (
            (tail == path and "{user_id}" not in path)
            or (method in ("POST", "PUT") and tail in silent)
            or tail.endswith("/retention")
        ):
            continue
        answer = await call(api.http, method, path)
        assert answer.status_code == 404, (method, path, answer.text)
        one_shape(answer, "not_found")
        assert answer.json()["error"]["message"] == NotFound().message


async def test_a_user_key_reaches_its_own_user_only(open_api: Open) -> None:
    """The answers to a foreign user and to a missing conversation are the same bytes, request id aside."""
    api = await open_api()
    await api.record(OK)
    await api.record(OK, user="u2")
    key = keys.add(api.runtime.settings.keys_path, "app", "user", user_id="u1")
    async with api.with_key(key) as http:
        for method, path in routes(api.runtime.app):
            if (method, path) in OPERATOR_ONLY:
                answer = await call(http, method, path)
                assert answer.status_code == 403
                one_shape(answer, "forbidden")
            elif path.startswith("/v1/conversations"):
                foreign = await call(http, method, path, user="u2")
                assert foreign.status_code == 404, (method, path)
                one_shape(foreign, "not_found")
        assert (await call(http, "GET", "/v1/conversations/{cid}/messages", user=None)).json()["total"] == 1
        assert (await http.get("/v1/conversations")).json()["conversations"][0]["user_id"] == "u1"
    assert await api.count("u2") == 1


async def test_a_gateway_key_reaches_any_user_but_no_operator_route(open_api: Open) -> None:
    api = await open_api()
    key = keys.add(api.runtime.settings.keys_path, "gw", "gateway")
    async with api.with_key(key) as http:
        for user in ("u1", "u2"):
            answer = await http.post(f"{CONVERSATION}/messages", json={"user_id": user, "messages": [OK]})
            assert answer.status_code == 200
        pin = (await http.post(f"{CONVERSATION}/pins", json={"user_id": "u1", "text": "x"})).json()
        assert pin["by"] == "user"
        for method, path in OPERATOR_ONLY:
            one_shape(await call(http, method, path), "forbidden")


async def test_keys_rotate_while_the_daemon_runs(api: Api) -> None:
    old = keys.default_key(api.runtime.settings.keys_path)
    new = keys.add(api.runtime.settings.keys_path, "default", "operator")
    await asyncio.sleep(keys.RECHECK_S)
    async with api.with_key(old) as http:
        one_shape(await http.get("/v1/status"), "unauthorized")
    async with api.with_key(new) as http:
        assert (await http.get("/v1/status")).status_code == 200


async def test_a_key_of_its_own_mode_sees_no_claims(api: Api) -> None:
    await api.record(OK)
    key = keys.add(api.runtime.settings.keys_path, "shadow", "gateway", mode="shadow")
    async with api.with_key(key) as http:
        answer = await http.post(f"{CONVERSATION}/assemble", json={"user_id": "u1"})
        assert answer.json()["decision"]["mode"] == "shadow"


async def test_an_idempotency_key_repeats_the_answer_and_belongs_to_its_user(api: Api) -> None:
    headers = {"idempotency-key": "k1"}
    one = {"user_id": "u1", "messages": [{"role": "user", "content": "hello"}]}
    first = await api.http.post(f"{CONVERSATION}/messages", json=one, headers=headers)
    again = await api.http.post(f"{CONVERSATION}/messages", json=one, headers=headers)
    assert again.content == first.content
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    other = {**one, "messages": [{"role": "user", "content": "bye"}]}
    refused = await api.http.post(f"{CONVERSATION}/messages", json=other, headers=headers)
    assert refused.status_code == 422
    one_shape(refused, "idempotency_key_reused")
    foreign = await api.http.post(f"{CONVERSATION}/messages", json={**other, "user_id": "u2"}, headers=headers)
    assert foreign.json()["indexed"] == 1
    assert await api.count() == 1


async def test_a_defect_of_ours_is_a_500_in_the_one_shape_without_its_text(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("a secret plan")

    monkeypatch.setattr(type(api.runtime.store), "search", broken)
    answer = await api.http.post(f"{CONVERSATION}/search", json={"user_id": "u1", "query": "x"})
    assert answer.status_code == 500
    one_shape(answer, "internal")
    assert "secret" not in answer.text


async def test_a_store_that_fails_is_a_503_in_the_one_shape(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: Any, **__: Any) -> None:
        raise StoreUnavailable("the disk is full", reason="disk_full")

    monkeypatch.setattr(type(api.runtime.store), "record", broken)
    answer = await api.http.post(f"{CONVERSATION}/messages", json={"user_id": "u1", "messages": [OK]})
    assert answer.status_code == 503
    one_shape(answer, "store_unavailable")
    assert answer.json()["error"]["data"] == {"reason": "disk_full"}


async def test_the_document_names_every_body_answer_and_error(api: Api) -> None:
    app = api.runtime.app
    assert isinstance(app, FastAPI)
    document = app.openapi()
    models = document["components"]["schemas"]
    text = str(document)
    for name in [part.split("'")[0] for part in text.split("#/components/schemas/")[1:]]:
        assert name in models, name
    for method, path in routes(app):
        operation = document["paths"][path][method.lower()]
        assert ("requestBody" in operation) == (method in ("POST", "PUT")), (method, path)
        assert {"200", "4XX", "5XX"} <= set(operation["responses"])
        assert operation["summary"]

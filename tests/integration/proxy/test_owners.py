"""Whose a proxied request is: the key of ours decides, and no key of ours leaves."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx import keys
from tests.integration.proxy.conftest import PROVIDER_KEY, Proxied, user

pytestmark = pytest.mark.slow


async def test_credentials_go_to_the_provider_and_ours_do_not(proxied: Proxied) -> None:
    key = proxied.key("ann")
    client = proxied.openai(key, **{"x-bobctx-user": "ann", "x-custom": "kept"})
    await client.chat.completions.create(model="gpt-5", messages=[user("hi")], extra_query={"v": "2"})
    [seen] = proxied.provider.seen
    assert seen.headers["authorization"] == f"Bearer {PROVIDER_KEY}"
    assert seen.headers["x-custom"] == "kept"
    assert seen.headers["accept-encoding"] == "identity"
    assert seen.path == "/v1/chat/completions?v=2"
    assert not any("bobctx" in name or key in value for name, value in seen.headers.items())
    await proxied.settle()
    for file in proxied.keys_path.parent.iterdir():
        assert PROVIDER_KEY.encode() not in file.read_bytes(), file


async def test_two_owners_with_one_session_id_share_nothing(proxied: Proxied) -> None:
    """Fails if the session id alone named the conversation: a forged one would reach another owner's."""
    session = {"x-session-id": "s1"}
    for name in ("ann", "eve"):
        client = proxied.openai(proxied.key(name), **session)
        await client.chat.completions.create(model="gpt-5", messages=[user(f"I am {name}")], user="ann")
    assert await proxied.conversations("ann") == {"s1": 2}
    assert await proxied.conversations("eve") == {"s1": 2}
    assert (await proxied.spine("ann", "s1"))[0] == ("user", "I am ann")
    assert (await proxied.spine("eve", "s1"))[0] == ("user", "I am eve")


async def test_a_history_of_another_owner_is_not_found_by_its_text(proxied: Proxied) -> None:
    messages: list[Any] = [user("A secret plan")]
    client = proxied.openai(proxied.key("ann"))
    said = await client.chat.completions.create(model="gpt-5", messages=messages)
    messages += [said.choices[0].message, user("go on")]
    await proxied.settle()
    other = proxied.openai(proxied.key("eve"))
    await other.chat.completions.create(model="gpt-5", messages=messages)
    assert list((await proxied.conversations("ann")).values()) == [2]
    assert list((await proxied.conversations("eve")).values()) == [4]


async def test_a_key_of_ours_is_needed_and_the_providers_is_none(proxied: Proxied) -> None:
    body = {"model": "gpt-5", "messages": [user("hi")]}
    async with proxied.http() as http:
        for headers in ({}, {"authorization": f"Bearer {proxied.key('ann')}"}, {"x-bobctx-key": "bobctx_wrong"}):
            answer = await http.post("/openai/v1/chat/completions", json=body, headers=headers)
            assert answer.status_code == 401
            assert "x-bobctx-key" in answer.json()["error"]["message"]
    assert proxied.provider.seen == []


async def test_a_gateways_key_needs_the_user_beside_it(proxied: Proxied) -> None:
    body = {"model": "gpt-5", "user": "eve", "messages": [user("hi")]}
    gateway = keys.add(proxied.keys_path, "gw", "gateway")
    async with proxied.http(gateway) as http:
        refused = await http.post("/openai/v1/chat/completions", json=body)
        answer = await http.post("/openai/v1/chat/completions", json=body, headers={"x-bobctx-user": "ann"})
    assert refused.status_code == 422
    assert refused.json()["error"]["field"] == "x-bobctx-user"
    assert answer.status_code == 200
    assert len(await proxied.conversations("ann")) == 1
    assert await proxied.conversations("eve") == {}


async def test_a_users_key_cannot_name_another_user(proxied: Proxied) -> None:
    body = {"model": "gpt-5", "messages": [user("hi")]}
    async with proxied.http(proxied.key("eve")) as http:
        answer = await http.post("/openai/v1/chat/completions", json=body, headers={"x-bobctx-user": "ann"})
    assert answer.status_code == 404
    assert proxied.provider.seen == []


async def test_on_a_machine_with_one_user_no_key_is_needed(open_proxy: Any) -> None:
    proxied: Proxied = await open_proxy(proxy_user="me")
    await proxied.openai(None).chat.completions.create(model="gpt-5", messages=[user("hi")])
    assert len(await proxied.conversations("me")) == 1
    async with proxied.http() as http:
        forwarded = await http.get("/openai/v1/models", headers={"x-forwarded-for": "203.0.113.9"})
        wrong = await http.get("/openai/v1/models", headers={"x-bobctx-key": "bobctx_wrong"})
        own_api = await http.get("/v1/conversations")
    assert [forwarded.status_code, wrong.status_code, own_api.status_code] == [401, 401, 401]

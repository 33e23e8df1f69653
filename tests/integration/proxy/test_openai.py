"""OpenAI chat through the proxy, with the provider's own SDK."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import threading
from typing import Any

import httpx
import pytest

from bobctx import keys
from bobctx.api.proxy import service
from bobctx.api.proxy.encoding import decoded
from bobctx.core.types import Scope
from tests.integration.proxy.conftest import PROVIDER_KEY, Proxied

pytestmark = pytest.mark.slow

SYSTEM = {"role": "system", "content": "You are terse."}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


async def test_a_plain_answer_is_the_providers_own_and_recorded_once(proxied: Proxied) -> None:
    client = proxied.openai(proxied.key("ann"))
    messages: list[Any] = [SYSTEM, user("Which port?")]
    first = await client.chat.completions.create(model="gpt-5", messages=messages)
    assert first.choices[0].message.content.startswith("ANSWER 1")
    messages += [first.choices[0].message, user("And now?")]
    await client.chat.completions.create(model="gpt-5", messages=messages)
    [(conversation, count)] = (await proxied.conversations("ann")).items()
    assert count == 4
    said = await proxied.spine("ann", conversation)
    assert [role for role, _ in said] == ["user", "assistant", "user", "assistant"]
    assert said[1][1] == "ANSWER 1: the port is 9001."
    scope = Scope(conversation_id=conversation, user_id="ann")
    edited = (await proxied.runtime.store.snapshot(scope)).last_edit_ts
    assert edited == 0, "the answer that came back from the SDK was taken for an edit"


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


async def test_an_unchanged_request_reaches_the_provider_byte_for_byte(proxied: Proxied) -> None:
    raw = b'{ "model":"gpt-5",  "messages":[{"role":"user","content":"caf\\u00e9"}], "temperature": 1.0 }'
    headers = {"content-type": "application/json", "x-bobctx-key": proxied.key("ann")}
    async with proxied.http() as http:
        answer = await http.post("/openai/v1/chat/completions", content=raw, headers=headers)
    assert proxied.provider.seen[0].raw == raw
    assert answer.content == proxied.provider.sent[0]
    assert answer.headers["x-request-id"] == "up-1"
    assert answer.headers.get_list("set-cookie") == ["a=1", "b=2"]
    assert answer.headers["x-bobctx-mode"] == "shadow"
    assert answer.headers["x-bobctx-tokens-before"] == answer.headers["x-bobctx-tokens-after"] != "0"
    assert answer.headers["x-bobctx-covered"] == "0"
    assert answer.headers["x-bobctx-trace"]


async def test_a_stream_is_forwarded_byte_for_byte_and_recorded(proxied: Proxied) -> None:
    body = {"model": "gpt-5", "stream": True, "messages": [user("Which port?")]}
    async with proxied.http(proxied.key("ann")) as http:
        answer = await http.post("/openai/v1/chat/completions", json=body)
    assert answer.content == proxied.provider.sent[0]
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    [(conversation, count)] = (await proxied.conversations("ann")).items()
    assert count == 2
    assert (await proxied.spine("ann", conversation))[1] == ("assistant", "ANSWER 1: the port is 9001.")


async def test_events_arrive_while_the_provider_is_still_writing(proxied: Proxied) -> None:
    """Fails if the stream is buffered anywhere: the provider waits in the middle until it is released."""
    proxied.provider.faults = ["slow"]
    client = proxied.openai(proxied.key("ann"))
    stream = await client.chat.completions.create(model="gpt-5", messages=[user("hi")], stream=True)
    got = ""
    async for chunk in stream:
        got += chunk.choices[0].delta.content or ""
        proxied.provider.release.set()
    assert got == "ANSWER 1: the port is 9001."


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_tool_call_and_its_result_go_on_in_one_conversation(proxied: Proxied, streamed: bool) -> None:
    tool = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object", "properties": {}}}}
    proxied.provider.faults = ["call"]
    client = proxied.openai(proxied.key("ann"))
    messages: list[Any] = [user("Where?")]
    if streamed:
        async with client.chat.completions.stream(model="gpt-5", messages=messages, tools=[tool]) as stream:
            async for _ in stream:
                pass
            said = (await stream.get_final_completion()).choices[0].message
    else:
        said = (await client.chat.completions.create(model="gpt-5", messages=messages, tools=[tool])).choices[0].message
    assert said.tool_calls[0].function.arguments == '{"city": "Paris"}'
    call = {"id": said.tool_calls[0].id, "type": "function"}
    call["function"] = {"name": "look_up", "arguments": '{"city": "Paris"}'}
    messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
    messages.append({"role": "tool", "tool_call_id": call["id"], "content": "48.85 N"})
    await client.chat.completions.create(model="gpt-5", messages=messages, tools=[tool])
    [(conversation, count)] = (await proxied.conversations("ann")).items()
    assert count == 4
    assert [r for r, _ in await proxied.spine("ann", conversation)] == ["user", "assistant", "tool", "assistant"]


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


async def test_a_history_without_a_name_is_found_again_after_a_restart(open_proxy: Any, provider: Any) -> None:
    from tests.integration.proxy.conftest import Proxied as Lane

    first: Lane = await open_proxy()
    messages: list[Any] = [user("one")]
    said = await first.openai(first.key("ann")).chat.completions.create(model="gpt-5", messages=messages)
    messages += [said.choices[0].message, user("two")]
    [name] = await first.conversations("ann")
    first.forget()
    await first.openai(first.key("ann")).chat.completions.create(model="gpt-5", messages=messages)
    assert await first.conversations("ann") == {name: 4}


async def test_two_conversations_that_begin_alike_stay_apart(proxied: Proxied) -> None:
    client = proxied.openai(proxied.key("ann"))
    for _ in range(2):
        await client.chat.completions.create(model="gpt-5", messages=[user("hi")])
        await proxied.settle()
    assert list((await proxied.conversations("ann")).values()) == [2, 2]


async def test_a_side_call_is_forwarded_and_not_recorded(proxied: Proxied) -> None:
    tool = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object", "properties": {}}}}
    client = proxied.openai(proxied.key("ann"), **{"x-session-id": "s1"})
    messages: list[Any] = [SYSTEM, user("Which port?")]
    said = await client.chat.completions.create(model="gpt-5", messages=messages, tools=[tool])
    history = [*messages[1:], said.choices[0].message]
    title = {"role": "system", "content": "Write a title of three words."}
    raw = await client.chat.completions.with_raw_response.create(
        model="gpt-5", messages=[title, *history, user("Title?")]
    )
    assert raw.headers["x-bobctx-mode"] == "pass"
    assert raw.headers["x-bobctx-reason"] == "side_call"
    assert await proxied.conversations("ann") == {"s1": 2}


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


async def test_mode_off_leaves_a_request_alone(proxied: Proxied) -> None:
    body = {"model": "gpt-5", "messages": [user("hi")]}
    async with proxied.http(proxied.key("ann")) as http:
        answer = await http.post("/openai/v1/chat/completions", json=body, headers={"x-bobctx-mode": "off"})
    assert answer.headers["x-bobctx-mode"] == "off"
    assert await proxied.conversations("ann") == {}


async def test_a_deleted_conversation_does_not_come_back_when_its_history_is_sent_again(proxied: Proxied) -> None:
    """Fails if the re-sent history became a new conversation: what was deleted would be stored again."""
    client = proxied.openai(proxied.key("ann"))
    messages: list[Any] = [user("my secret is kestrel")]
    said = await client.chat.completions.create(model="gpt-5", messages=messages)
    messages += [said.choices[0].message, user("forget it")]
    [name] = await proxied.conversations("ann")
    await proxied.runtime.store.delete_conversation(Scope(conversation_id=name, user_id="ann"), now=1.0)
    proxied.forget()
    await client.chat.completions.create(model="gpt-5", messages=messages)
    assert await proxied.conversations("ann") == {name: 2}
    assert "kestrel" not in json.dumps(await proxied.spine("ann", name))


async def test_an_answer_asked_for_again_is_a_branch_of_the_same_conversation(proxied: Proxied) -> None:
    client = proxied.openai(proxied.key("ann"))
    messages: list[Any] = [user("one")]
    said = await client.chat.completions.create(model="gpt-5", messages=messages)
    messages += [said.choices[0].message, user("two")]
    for _ in range(2):
        await client.chat.completions.create(model="gpt-5", messages=messages)
    [(name, count)] = (await proxied.conversations("ann")).items()
    assert count == 5
    assert [content for _, content in await proxied.spine("ann", name)][-2:] == ["two", "ANSWER 3: the port is 9003."]

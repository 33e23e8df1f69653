"""OpenAI chat through the proxy, with the provider's own SDK: bytes, streams, tool calls."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx.core.types import Scope
from tests.integration.proxy.conftest import SYSTEM, Proxied, user

pytestmark = pytest.mark.slow


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

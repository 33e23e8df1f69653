"""Anthropic messages through the proxy, with the provider's own SDK."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bobctx.core.types import Scope
from tests.integration.proxy.conftest import PROVIDER_KEY, Proxied

pytestmark = pytest.mark.slow

TOOL = {"name": "look_up", "description": "Where is it?", "input_schema": {"type": "object", "properties": {}}}
MORE = {"model": "claude-opus-5-5", "max_tokens": 100, "system": "You are terse."}


async def test_plain_and_streamed_turns_make_one_conversation(proxied: Proxied) -> None:
    client = proxied.anthropic(proxied.key("ann"))
    messages: list[Any] = [{"role": "user", "content": "Which port?"}]
    said = await client.messages.create(messages=messages, **MORE)
    messages += [{"role": "assistant", "content": said.content}, {"role": "user", "content": "And now?"}]
    async with client.messages.stream(messages=messages, **MORE) as stream:
        text = "".join([piece async for piece in stream.text_stream])
        final = await stream.get_final_message()
    assert text == "ANSWER 2: the port is 9002."
    messages += [{"role": "assistant", "content": final.content}, {"role": "user", "content": "Last?"}]
    await client.messages.create(messages=messages, **MORE)
    [(conversation, count)] = (await proxied.conversations("ann")).items()
    assert count == 6
    scope = Scope(conversation_id=conversation, user_id="ann")
    assert (await proxied.runtime.store.snapshot(scope)).last_edit_ts == 0, "an answer sent back is no edit"
    assert PROVIDER_KEY in proxied.provider.seen[0].headers["authorization"]
    assert proxied.provider.seen[0].headers["anthropic-version"]


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_tool_call_with_thinking_goes_on_in_one_conversation(proxied: Proxied, streamed: bool) -> None:
    client = proxied.anthropic(proxied.key("ann"))
    proxied.provider.faults = ["call"]
    messages: list[Any] = [{"role": "user", "content": "Where?"}]
    if streamed:
        async with client.messages.stream(messages=messages, tools=[TOOL], **MORE) as stream:
            said = await stream.get_final_message()
    else:
        said = await client.messages.create(messages=messages, tools=[TOOL], **MORE)
    call = said.content[-1]
    assert call.input == {"city": "Paris"}
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "48.85 N"}
    messages += [{"role": "assistant", "content": said.content}, {"role": "user", "content": [result]}]
    proxied.provider.faults = ["thinking"]
    done = await client.messages.create(messages=messages, tools=[TOOL], **MORE)
    messages += [{"role": "assistant", "content": done.content}, {"role": "user", "content": "Thanks."}]
    await client.messages.create(messages=messages, tools=[TOOL], **MORE)
    [(conversation, count)] = (await proxied.conversations("ann")).items()
    assert count == 6
    said_all = await proxied.spine("ann", conversation)
    assert said_all[1][1][-1]["input"] == {"city": "Paris"}
    assert said_all[3][1][0]["signature"] == "sealed-2"


async def test_a_streams_bytes_are_the_providers_own(proxied: Proxied) -> None:
    body = {**MORE, "stream": True, "messages": [{"role": "user", "content": "hi"}]}
    proxied.provider.faults = ["thinking"]
    async with proxied.http(proxied.key("ann")) as http:
        answer = await http.post("/anthropic/v1/messages?beta=true", json=body)
    assert answer.content == proxied.provider.sent[0]
    assert proxied.provider.seen[0].path == "/v1/messages?beta=true"
    assert list((await proxied.conversations("ann")).values()) == [2]


@pytest.mark.parametrize(
    ("headers", "metadata", "name"),
    [
        ({"x-claude-code-session-id": "cc-1"}, {"user_id": json.dumps({"session_id": "other"})}, "cc-1"),
        ({}, {"user_id": json.dumps({"session_id": "meta-1"})}, "meta-1"),
    ],
)
async def test_the_session_of_a_coding_agent_is_the_conversation(
    proxied: Proxied, headers: dict[str, str], metadata: Any, name: str
) -> None:
    client = proxied.anthropic(proxied.key("ann"), **headers)
    await client.messages.create(messages=[{"role": "user", "content": "hi"}], metadata=metadata, **MORE)
    assert await proxied.conversations("ann") == {name: 2}


async def test_counting_tokens_is_passed_through(proxied: Proxied) -> None:
    body = {"model": "claude-opus-5-5", "messages": [{"role": "user", "content": "hi"}]}
    async with proxied.http(proxied.key("ann")) as http:
        await http.post("/anthropic/v1/messages/count_tokens", json=body)
    assert proxied.provider.seen[0].path == "/v1/messages/count_tokens"
    assert proxied.provider.seen[0].body == body
    assert await proxied.conversations("ann") == {}


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"context_management": {"edits": [{"type": "compact_20260112"}]}}, "native_compaction"),
        ({"messages": [{"role": "user", "content": [{"type": "compaction", "content": "x"}]}]}, "native_compaction"),
        ({"container": "c1"}, "stateful"),
        ({"context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]}}, None),
    ],
)
async def test_a_request_that_the_provider_shortens_itself_is_left_alone(
    proxied: Proxied, more: Any, reason: str | None
) -> None:
    body = {**MORE, "messages": [{"role": "user", "content": "hi"}], **more}
    async with proxied.http(proxied.key("ann")) as http:
        answer = await http.post("/anthropic/v1/messages", json=body)
    assert answer.headers.get("x-bobctx-reason") == reason
    assert len(await proxied.conversations("ann")) == (reason is None)


async def test_a_refusal_keeps_its_status_and_text(proxied: Proxied) -> None:
    sdk = pytest.importorskip("anthropic")
    proxied.provider.faults = ["500"] * 3
    client = proxied.anthropic(proxied.key("ann"))
    with pytest.raises(sdk.InternalServerError, match="fault 500"):
        await client.messages.create(messages=[{"role": "user", "content": "hi"}], **MORE)
    assert await proxied.conversations("ann") == {}

"""Which conversation a proxied request belongs to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bobctx.core.types import Scope
from tests.integration.proxy.conftest import SYSTEM, Proxied, user

pytestmark = pytest.mark.slow


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

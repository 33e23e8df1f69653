"""OpenAI chat through the proxy, with the provider's own SDK."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

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
    assert (await proxied.runtime.store.snapshot(_scope("ann", conversation))).last_edit_ts == 0


def _scope(user_id: str, conversation: str) -> Any:
    from bobctx.core.types import Scope

    return Scope(conversation_id=conversation, user_id=user_id)


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

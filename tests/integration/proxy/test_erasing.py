"""What is still being said when a user or a conversation is deleted is not recorded afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from bobctx import keys
from bobctx.core.types import Scope, UserScope
from tests.integration.proxy.conftest import Proxied, user

pytestmark = pytest.mark.slow


@pytest.fixture
async def operator(proxied: Proxied) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"authorization": f"Bearer {keys.default_key(proxied.keys_path)}"}
    async with httpx.AsyncClient(base_url=proxied.url, headers=headers, timeout=30) as found:
        yield found


class Asking:
    """A streamed request whose answer has begun and waits to go on."""

    def __init__(self, proxied: Proxied, name: str, text: str, conversation: str) -> None:
        self._proxied, self._name, self._text, self._conversation = proxied, name, text, conversation
        self._begun = asyncio.Event()
        self._task: asyncio.Task[str] | None = None

    async def begin(self) -> None:
        key = keys.add(self._proxied.keys_path, f"k-{self._name}-{self._conversation}", "user", user_id=self._name)
        client = self._proxied.openai(key, **{"x-bobctx-conversation": self._conversation})

        async def ask() -> str:
            said = ""
            stream = await client.chat.completions.create(model="gpt-5", messages=[user(self._text)], stream=True)
            async for chunk in stream:
                self._begun.set()
                said += chunk.choices[0].delta.content or "" if chunk.choices else ""
            return said

        self._task = asyncio.create_task(ask())
        await self._begun.wait()

    async def end(self) -> str:
        self._proxied.provider.release.set()
        assert self._task is not None
        said = await self._task
        await self._proxied.settle()
        return said


async def test_a_turn_in_flight_is_not_recorded_after_its_user_is_erased(
    proxied: Proxied, operator: httpx.AsyncClient
) -> None:
    await proxied.openai(proxied.key("ann")).chat.completions.create(model="gpt-5", messages=[user("before")])
    await proxied.conversations("ann")
    proxied.provider.faults = ["slow"]
    turn = Asking(proxied, "ann", "my secret", "c9")
    await turn.begin()
    assert (await operator.delete("/v1/users/ann")).status_code == 200
    assert "ANSWER" in await turn.end()
    assert await proxied.conversations("ann") == {}


async def test_nobody_elses_turn_is_lost_by_it(proxied: Proxied, operator: httpx.AsyncClient) -> None:
    await proxied.openai(proxied.key("ann")).chat.completions.create(model="gpt-5", messages=[user("before")])
    await proxied.conversations("ann")
    proxied.provider.faults = ["slow"]
    turn = Asking(proxied, "bob", "my plan", "c1")
    await turn.begin()
    assert (await operator.delete("/v1/users/ann")).status_code == 200
    await turn.end()
    assert await proxied.conversations("bob") == {"c1": 2}


@pytest.mark.parametrize(("deleted", "left"), [("c1", {"c2": 2}), ("c2", {"c1": 4})])
async def test_a_deleted_conversation_takes_its_turn_in_flight_along_and_no_other(
    proxied: Proxied, operator: httpx.AsyncClient, deleted: str, left: dict[str, int]
) -> None:
    for name in ("c1", "c2"):
        body = {"user_id": "ann", "messages": [{"id": "x", **user("hello")}, {"id": "y", **user("again")}]}
        assert (await operator.post(f"/v1/conversations/{name}/messages", json=body)).status_code == 200
    proxied.provider.faults = ["slow"]
    turn = Asking(proxied, "ann", "one more thing", "c1")
    await turn.begin()
    path = f"/v1/conversations/{deleted}"
    assert (await operator.delete(path, params={"user_id": "ann"})).status_code == 200
    await turn.end()
    assert await proxied.conversations("ann") == left


async def test_retention_loses_no_turn_in_flight(proxied: Proxied, operator: httpx.AsyncClient) -> None:
    proxied.provider.faults = ["slow"]
    turn = Asking(proxied, "ann", "keep me", "c1")
    await turn.begin()
    answer = await operator.put("/v1/users/ann/retention", json={"max_age_days": 30})
    assert answer.status_code == 200, answer.text
    await turn.end()
    assert await proxied.conversations("ann") == {"c1": 2}


async def test_a_recording_that_had_begun_is_erased_with_the_rest(
    proxied: Proxied, operator: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It holds between its look at the store and its write while the user is erased."""
    store, held, go_on = proxied.runtime.store, asyncio.Event(), asyncio.Event()
    missing = store.missing

    async def slow(scope: Scope, items: Any) -> list[str]:
        found = await missing(scope, items)
        held.set()
        await go_on.wait()
        return found

    monkeypatch.setattr(store, "missing", slow)
    await proxied.openai(proxied.key("ann")).chat.completions.create(model="gpt-5", messages=[user("my secret")])
    await held.wait()
    await operator.delete("/v1/users/ann")
    go_on.set()
    await proxied.settle()
    assert await store.conversations(UserScope(user_id="ann")) == []

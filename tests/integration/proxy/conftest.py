"""The daemon's app on a real port in front of a fake provider; the SDKs are the providers' own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from bobctx import keys, runtime
from bobctx.core.types import Scope, UserScope
from bobctx.runtime import Runtime
from bobctx.settings import Settings
from tests.fake_provider import FakeProvider, fake_provider
from tests.integration.api.conftest import InProcess
from tests.integration.serving import served

PROVIDER_KEY = "sk-provider-secret"
SYSTEM = {"role": "system", "content": "You are terse."}


def user(text: str) -> dict[str, Any]:
    """A message of the user."""
    return {"role": "user", "content": text}


@dataclass(slots=True, kw_only=True)
class Proxied:
    """One open lane behind a port, and the provider behind it."""

    runtime: Runtime
    url: str
    provider: FakeProvider
    keys_path: Path
    clients: list[Any] = field(default_factory=list)
    """Closed at the end."""

    def key(self, user: str) -> str:
        """A key of this user."""
        return keys.add(self.keys_path, f"k-{user}", "user", user_id=user)

    def openai(self, key: str | None, **headers: str) -> Any:
        """The provider's own client, sent to us instead."""
        sdk = pytest.importorskip("openai", reason="the openai SDK is not installed")
        own = {} if key is None else {"x-bobctx-key": key}
        made = sdk.AsyncOpenAI(base_url=f"{self.url}/openai/v1", api_key=PROVIDER_KEY, default_headers=own | headers)
        self.clients.append(made)
        return made

    def anthropic(self, key: str | None, **headers: str) -> Any:
        """See `openai`."""
        sdk = pytest.importorskip("anthropic", reason="the anthropic SDK is not installed")
        own = {} if key is None else {"x-bobctx-key": key}
        made = sdk.AsyncAnthropic(base_url=f"{self.url}/anthropic", api_key=PROVIDER_KEY, default_headers=own | headers)
        self.clients.append(made)
        return made

    def http(self, key: str | None = None) -> httpx.AsyncClient:
        """A plain client of the proxy's routes."""
        headers = {} if key is None else {"x-bobctx-key": key}
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=30)

    async def settle(self) -> None:
        """Wait for what is being recorded."""
        proxy = self.runtime.app.state.proxy  # type: ignore[attr-defined]
        while proxy._recording:
            await asyncio.wait(proxy._recording)

    def forget(self) -> None:
        """What a restart forgets."""
        self.runtime.app.state.proxy._whereabouts.forget()  # type: ignore[attr-defined]

    async def conversations(self, user: str) -> dict[str, int]:
        """A user's conversations and how many messages each holds."""
        await self.settle()
        rows = await self.runtime.store.conversations(UserScope(user_id=user))
        return {row.conversation_id: row.messages for row in rows}

    async def compact(self, user: str, conversation: str) -> None:
        """Compact what is there."""
        headers = {"authorization": f"Bearer {keys.default_key(self.keys_path)}"}
        async with httpx.AsyncClient(base_url=self.url, headers=headers, timeout=60) as http:
            path = f"/v1/conversations/{conversation}/compact"
            answer = await http.post(path, json={"user_id": user})
        assert answer.status_code == 200, answer.text
        assert answer.json()["regions"]

    async def spine(self, user: str, conversation: str) -> list[tuple[str, Any]]:
        """Role and content of a conversation as stored."""
        await self.settle()
        scope = Scope(conversation_id=conversation, user_id=user)
        _, found = await self.runtime.store.plan(scope, None, lambda s: (None, range(s.spine.n)))
        return [(m.role, m.body.get("content")) for m in found]


@pytest.fixture
async def provider() -> AsyncIterator[FakeProvider]:
    async with fake_provider() as found:
        yield found


@pytest.fixture
async def open_proxy(tmp_path: Path, provider: FakeProvider) -> AsyncIterator[Any]:
    """Opens lanes with given settings in front of the provider."""
    async with AsyncExitStack() as stack:

        async def opened(*, background: bool = False, **values: Any) -> Proxied:
            upstreams = {"openai_upstream": f"{provider.url}/v1", "anthropic_upstream": provider.url}
            settings = Settings(
                db=tmp_path / "lane" / "b.db", **{**upstreams, "assemble_deadline_ms": 20_000, **values}
            )
            found = await stack.enter_async_context(
                runtime.open(settings, dispatcher=InProcess(), background=background)
            )
            await found.lane.counting.counter()
            url = await stack.enter_async_context(served(found.app))
            proxied = Proxied(runtime=found, url=url, provider=provider, keys_path=settings.keys_path)

            async def close_clients() -> None:
                for client in proxied.clients:
                    await client.close()

            stack.push_async_callback(close_clients)
            return proxied

        yield opened


@pytest.fixture
async def proxied(open_proxy: Any) -> Proxied:
    found: Proxied = await open_proxy()
    return found

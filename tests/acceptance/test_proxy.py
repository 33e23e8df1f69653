"""The proxy as people run it: a real daemon that is killed between two turns, and its log."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from bobctx import keys
from tests.acceptance.daemon import PATIENCE_S, DaemonProcess
from tests.fake_provider import FakeProvider, fake_provider

pytestmark = pytest.mark.slow

SECRET, WORDS = "sk-provider-secret", "kestrel-harbour"


@pytest.fixture
async def provider() -> AsyncIterator[FakeProvider]:
    async with fake_provider() as found:
        yield found


async def turn(daemon: DaemonProcess, key: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """One streamed turn; the answer as a client sends it back."""
    headers = {"x-bobctx-key": key, "authorization": f"Bearer {SECRET}"}
    body = {"model": "gpt-5", "messages": messages, "stream": True}
    async with httpx.AsyncClient(base_url=daemon.url, headers=headers, timeout=PATIENCE_S) as http:
        answer = await http.post(f"/openai/v1/chat/completions?key={SECRET}", json=body)
    assert answer.status_code == 200, answer.text
    assert answer.text.endswith("data: [DONE]\n\n")
    return {
        "role": "assistant",
        "content": f"ANSWER {len(messages) // 2 + 1}: the port is {9001 + len(messages) // 2}.",
    }


async def messages_of(daemon: DaemonProcess, expected: int) -> dict[str, int]:
    """Ann's conversations, once so many messages are stored: recording follows the answer."""

    def read() -> dict[str, int]:
        with daemon.client() as http:
            rows = http.get("/v1/conversations", params={"user_id": "ann"}).json()["conversations"]
        return {row["conversation_id"]: row["messages"] for row in rows}

    async with asyncio.timeout(PATIENCE_S):
        while sum((found := await asyncio.to_thread(read)).values()) != expected:  # noqa: ASYNC110  # another process
            await asyncio.sleep(0.05)
    return found


async def test_a_killed_daemon_finds_the_conversation_again_and_logs_nothing_of_it(
    tmp_path: Path, provider: FakeProvider
) -> None:
    daemon = DaemonProcess(tmp_path, extra={"BOBCTX_OPENAI_UPSTREAM": f"{provider.url}/v1"})
    try:
        await asyncio.to_thread(daemon.start)
        key = keys.add(daemon.db.with_suffix(".keys.json"), "ann", "user", user_id="ann")
        messages: list[dict[str, Any]] = [{"role": "user", "content": f"Remember {WORDS}."}]
        messages += [await turn(daemon, key, messages), {"role": "user", "content": "And now?"}]
        [name] = await messages_of(daemon, 2)
        daemon.kill()
        await asyncio.to_thread(daemon.start)
        await turn(daemon, key, messages)
        assert await messages_of(daemon, 4) == {name: 4}
        assert daemon.term() == 0
    finally:
        daemon.stop()
    for word in (SECRET, WORDS, key, "ANSWER"):
        assert word not in daemon.log
    for file in daemon.db.parent.iterdir():
        assert SECRET.encode() not in file.read_bytes()

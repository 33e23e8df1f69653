"""After a delete route answered, the text is neither on disk nor in the daemon's memory (invariant I13)."""

from __future__ import annotations

import gc
import types
from collections.abc import Iterator
from typing import Any

import pytest

from bobctx.core import remembering
from tests.integration.api.conftest import CONVERSATION, Api

U = {"user_id": "u1"}
OUTSIDE = (types.ModuleType, types.FunctionType, types.CodeType, types.FrameType, type)
"""What leads from a lane into the interpreter and the test itself."""


def texts_held_by(root: object) -> Iterator[str]:
    """Every text and byte string that can be reached from an object."""
    seen: set[int] = set()
    todo = [root]
    while todo:
        item = todo.pop()
        if id(item) in seen or isinstance(item, OUTSIDE):
            continue
        seen.add(id(item))
        if isinstance(item, str):
            yield item
        elif isinstance(item, bytes | bytearray):
            yield item.decode("utf-8", "replace")
        else:
            todo.extend(gc.get_referents(item))


def held(api: Api, word: str) -> list[str]:
    roots = [api.runtime, remembering.MEMORIES]
    return [text[:80] for text in texts_held_by(roots) if word in text.casefold()]


async def filled(api: Api, word: str) -> None:
    """A conversation whose claims, block, kept answers, chain and caches all hold `word`."""
    said = f"Never restart the {word} gateway on port 8443."
    for number in range(40):
        text = said if number == 8 else f"Question {number} about host h{number}. " + "It is long. " * 100
        await api.record(
            {"id": f"u{number}", "role": "user", "content": text, "speaker": "Eve" if number == 8 else "Ana"},
            {"id": f"a{number}", "role": "assistant", "content": f"Answer {number}."},
        )
    done = await api.http.post(f"{CONVERSATION}/compact", json=U, headers={"idempotency-key": "compacting"})
    assert any(region["claims"] for region in done.json()["regions"])
    claims = (await api.http.get(f"{CONVERSATION}/claims", params=U)).json()["claims"]
    [claim] = [c for c in claims if word in c["text"].casefold()]
    pin = {**U, "claim_id": claim["id"]}
    await api.http.post(f"{CONVERSATION}/pins", json=pin, headers={"idempotency-key": "pinning"})
    prompt = await api.http.post(f"{CONVERSATION}/assemble", json={**U, "window": 16_000})
    assert word in prompt.text.casefold()
    await api.expand("u8")
    await api.http.post(f"{CONVERSATION}/search", json={**U, "query": word})
    task = {**U, "task": f"the {word} gateway", "max_tokens": 900}
    assert word in (await api.http.post("/v1/context/compile", json=task)).text.casefold()
    assert held(api, word)
    assert any(word in text.casefold() for text in texts_held_by(remembering.MEMORIES))


@pytest.mark.parametrize(
    "path",
    [
        f"{CONVERSATION}/messages/u8?user_id=u1",
        f"{CONVERSATION}?user_id=u1",
        f"{CONVERSATION}/speakers/Eve?user_id=u1",
        "/v1/users/u1",
    ],
)
async def test_nothing_of_a_deleted_text_stays_in_memory(api: Api, path: str) -> None:
    """Fails if any cache of store, scheduler or assembler, or a kept answer, outlives the text it was made from."""
    word = "".join(("pere", "grine", "falcon"))
    await filled(api, word)
    answer = await api.http.delete(path)
    assert answer.status_code == 200
    assert answer.json()["deleted"]["residue"] == 0
    assert held(api, word) == []
    data = b"".join(p.read_bytes() for p in api.runtime.settings.db_path.parent.iterdir() if p.is_file())
    assert word.encode() not in data.lower()


async def test_two_settings_of_one_conversation_at_once_both_hold(api: Api) -> None:
    import asyncio

    await api.record({"id": "a", "role": "user", "content": "hello"})
    bodies: list[dict[str, Any]] = [{"mode": "fit"}, {"paused": True}]
    await asyncio.gather(*(api.http.post(f"{CONVERSATION}/mode", json={**U, **body}) for body in bodies))
    found = await api.http.post(f"{CONVERSATION}/mode", json=U)
    assert found.json() == {"mode": "fit", "paused": True}

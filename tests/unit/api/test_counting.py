"""Counts are right whatever is forgotten while they are made."""

from __future__ import annotations

import asyncio
import threading

from bobctx.api.counting import INLINE_CHARS, Counting
from bobctx.core.parts import read_message
from bobctx.core.types import Message


class Words:
    """Counts words; long texts wait until they are let go."""

    counter_id = "words"

    def __init__(self) -> None:
        self.go = threading.Event()
        self.go.set()

    def count(self, text: str) -> int:
        if len(text) > INLINE_CHARS:
            assert self.go.wait(5)
        return len(text.split())


def message(text: str) -> Message:
    return read_message({"id": text[:8], "role": "user", "content": text})


async def test_a_deletion_while_a_long_text_is_counted_loses_no_count() -> None:
    words = Words()
    counting = Counting(lambda: words)
    [known] = await counting.tokens([message("known before")])
    words.go.clear()
    task = asyncio.create_task(counting.tokens([message("known before"), message("long " * INLINE_CHARS)]))
    await asyncio.sleep(0.01)
    counting.forget()
    words.go.set()
    assert (await task)[0] == known
    counting.close()


async def test_a_text_is_counted_once_and_again_after_it_was_forgotten() -> None:
    asked: list[str] = []

    class Noting(Words):
        def count(self, text: str) -> int:
            asked.append(text)
            return super().count(text)

    counting = Counting(Noting)
    for _ in range(3):
        await counting.tokens([message("once")])
    assert asked == ["once"]
    counting.forget()
    await counting.tokens([message("once")])
    assert asked == ["once", "once"]
    counting.close()

"""What was found out about models is kept by use, user and model, bounded, over a restart."""

from __future__ import annotations

from pathlib import Path

import pytest

from bobctx.ports import LearnedModel
from bobctx.store import SqliteStore, ledger


async def test_the_newest_word_on_a_model_stands_and_outlives_the_process(path: Path) -> None:
    seat = LearnedModel(used_as="seat", model="m", window=8_192, was=32_768)
    target = LearnedModel(used_as="target", model="m", user_id="ana", samples=((1_500, 1_000), (3_000, 2_000)))
    async with await SqliteStore.open(path) as store:
        await store.ledger.learn(LearnedModel(used_as="seat", model="m", window=16_384, was=32_768), now=1.0)
        await store.ledger.learn(target, now=2.0)
        await store.ledger.learn(seat, now=3.0)
    async with await SqliteStore.open(path, readonly=True) as store:
        assert await store.ledger.learned() == [target, seat]


async def test_names_that_callers_make_up_do_not_fill_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "MODELS_KEPT", 2)
    async with await SqliteStore.open(path) as store:
        for number in range(5):
            await store.ledger.learn(
                LearnedModel(used_as="target", model=f"m{number}", window=4_096), now=float(number)
            )
        assert [known.model for known in await store.ledger.learned()] == ["m3", "m4"]

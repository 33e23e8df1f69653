"""A caller who compacts waits so long and no longer; the run is one, and it is not lost."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, cast

import pytest

from bobctx.api.compacting import RUNNING, Compacting
from bobctx.core.types import Scope
from bobctx.ports import Compactor

C1 = Scope(conversation_id="c1", user_id="u")


class Slow:
    """A compactor whose runs end when the test says so."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.runs: list[tuple[Scope, bool, bool]] = []
        self.error: Exception | None = None

    async def run_now(self, scope: Scope, *, force: bool = True, reseat: bool = False) -> Mapping[str, Any]:
        self.runs.append((scope, force, reseat))
        await self.go.wait()
        if self.error is not None:
            raise self.error
        return {"regions": [{"prefix": "r1"}], "chain": {"trusted": 1}}


def compacting(slow: Slow, wait_s: float) -> Compacting:
    return Compacting(cast(Compactor, slow), wait_s=wait_s)


async def test_a_run_that_ends_in_time_is_reported() -> None:
    slow = Slow()
    slow.go.set()
    found = await compacting(slow, 30).run(C1, force=True, reseat=False)
    assert found == {"regions": [{"prefix": "r1"}], "chain": {"trusted": 1}}


async def test_a_run_that_outlasts_the_wait_goes_on_and_the_next_call_joins_it() -> None:
    """Fails if the caller hangs, if the run is cancelled with its caller, or if a second one is begun."""
    slow = Slow()
    kept = compacting(slow, 0.001)
    assert await kept.run(C1, force=True, reseat=False) == RUNNING
    assert await kept.run(C1, force=True, reseat=False) == RUNNING
    assert await kept.run(C1, force=True, reseat=True) == RUNNING
    assert slow.runs == [(C1, True, False), (C1, True, True)]
    slow.go.set()
    kept._wait_s = 30
    found = await kept.run(C1, force=True, reseat=False)
    assert (found["chain"], len(slow.runs)) == ({"trusted": 1}, 2)


async def test_what_a_run_raises_reaches_who_waits_for_it() -> None:
    slow = Slow()
    slow.error = ValueError("no")
    slow.go.set()
    with pytest.raises(ValueError, match="no"):
        await compacting(slow, 30).run(C1, force=True, reseat=False)


async def test_closing_stops_what_runs() -> None:
    slow = Slow()
    kept = compacting(slow, 0.001)
    await kept.run(C1, force=True, reseat=False)
    await kept.close()
    assert not kept._runs

"""`POST …/compact` without hanging: a run that outlasts the caller's wait goes on, and the answer says so."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from bobctx.core.types import Scope
from bobctx.ports import Compactor

RUNNING: Mapping[str, Any] = {
    "state": "running",
    "regions": [],
    "chain": None,
    "next": "The run goes on: each region stands in `GET …/chain` (`bobctx chain`) once it is done. "
    "The same call again waits for the rest.",
}


class Compacting:
    """Runs that callers asked for: one for each conversation and kind, whoever waits for it."""

    def __init__(self, compactor: Compactor, *, wait_s: float) -> None:
        """`wait_s`: the longest a caller waits, seconds."""
        self._compactor = compactor
        self._wait_s = wait_s
        self._runs: dict[tuple[Scope, bool, bool], asyncio.Task[Mapping[str, Any]]] = {}

    async def run(self, scope: Scope, *, force: bool, reseat: bool) -> Mapping[str, Any]:
        """The report of the run, or `RUNNING`. Raises what the run raises."""
        key = (scope, force, reseat)
        task = self._runs.get(key)
        if task is None:
            work = self._compactor.run_now(scope, force=force, reseat=reseat)
            task = asyncio.ensure_future(work)
            self._runs[key] = task
            task.add_done_callback(lambda done: self._ended(key, done))
        done, _ = await asyncio.wait({task}, timeout=self._wait_s)
        return task.result() if done else RUNNING

    def _ended(self, key: tuple[Scope, bool, bool], task: asyncio.Task[Mapping[str, Any]]) -> None:
        self._runs.pop(key, None)
        if not task.cancelled():
            task.exception()  # somebody who no longer waits is told by `status`, not by a warning at exit

    async def close(self) -> None:
        """Stop what still runs: what was committed stays, the rest is due again."""
        tasks = list(self._runs.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

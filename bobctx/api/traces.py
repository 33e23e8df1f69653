"""Traces on their way into the store: asynchronous, bounded, droppable (design, section 8)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from bobctx.api.metrics import Metrics
from bobctx.core.types import Json, Scope, UserScope
from bobctx.errors import BobctxError
from bobctx.ports import Store

WAITING = 256
"""Traces not written yet; more are dropped and counted."""
PATIENCE_S = 2.0


class Traces:
    """One queue and one writer for a lane."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store = store
        self._metrics = metrics
        self._queue: asyncio.Queue[tuple[Scope | UserScope, Mapping[str, Json]]] = asyncio.Queue(WAITING)
        self._writer: asyncio.Task[None] | None = None

    def put(self, scope: Scope | UserScope, trace: Mapping[str, Json]) -> None:
        """Keep a trace soon; its caller never waits."""
        if self._writer is None or self._writer.done():  # done: a defect of ours ended it
            self._writer = asyncio.create_task(self._write(), name="bobctx-traces")
        try:
            self._queue.put_nowait((scope, trace))
        except asyncio.QueueFull:
            self._metrics.traces_dropped.inc()

    async def settle(self) -> None:
        """Wait, bounded, until what was put is written: for those who ask about a trace just made."""
        if self._writer is not None:
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await self._queue.join()
            except TimeoutError:
                pass

    async def close(self) -> None:
        """Write what waits, bounded, and stop."""
        await self.settle()
        if self._writer is not None:
            self._writer.cancel()
            await asyncio.gather(self._writer, return_exceptions=True)
            self._writer = None

    async def _write(self) -> None:
        while True:
            await self._keep(*await self._queue.get())  # no name here holds a trace while the next is awaited

    async def _keep(self, scope: Scope | UserScope, trace: Mapping[str, Json]) -> None:
        try:
            if trace["kind"] == "compile":
                await self._store.add_context(scope, trace)
            elif isinstance(scope, Scope):
                await self._store.add_run(scope, trace)
        except BobctxError:
            self._metrics.traces_dropped.inc()
        finally:
            self._queue.task_done()

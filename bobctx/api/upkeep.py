"""What a lane does now and then by itself: load its aliases, delete what is past its retention, forget old keys."""

from __future__ import annotations

import asyncio
import contextlib

from bobctx import logs
from bobctx.api.lane import Lane
from bobctx.core.types import UserScope
from bobctx.errors import BobctxError

FIRST_S = 5.0
"""After the start; and again after so long where the database could not be used."""


class Upkeep:
    """A loop beside the requests of one lane."""

    def __init__(self, lane: Lane, *, every_s: float) -> None:
        """`every_s`: seconds between two looks at retention."""
        self._lane = lane
        self._every_s = every_s
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; needs a running loop."""
        self._task = asyncio.create_task(self._run(), name="bobctx-upkeep")

    async def close(self) -> None:
        """Stop at once: what is half done goes on at the next start."""
        self._stop.set()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def once(self) -> bool:
        """One look; False where the database could not be used."""
        lane = self._lane
        try:
            await lane.load_aliases()
            for user_id in await lane.store.retentions():
                await self._retain(UserScope(user_id=user_id))
            await lane.idempotency.trim()
        except BobctxError as exc:
            logs.get_logger().warning(
                logs.STORE_FAILED, where="retention", error=exc.code, reason=exc.data.get("reason")
            )
            return False
        return True

    async def _retain(self, owner: UserScope) -> None:
        lane = self._lane
        with lane.forgetting(owner):
            receipt = await lane.store.apply_retention(owner, now=lane.clock.now())
        if receipt.get("messages"):
            logs.get_logger().info(logs.RETENTION, user=owner.user_id, count=receipt["messages"])

    async def _run(self) -> None:
        pause = FIRST_S
        while not await self._stopped(pause):
            pause = self._every_s if await self.once() else FIRST_S

    async def _stopped(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                return await self._stop.wait()
        except TimeoutError:
            return False

"""The substring index follows what was recorded, in the pauses between turns (design, section 3: it may lag)."""

from __future__ import annotations

import asyncio
import time

from bobctx.errors import StoreUnavailable
from bobctx.store import search
from bobctx.store.database import Database

NAMES_A_STEP = 20
"""Messages taken in one transaction, so that no turn waits long behind it."""
QUIET_SECONDS, PATIENCE_SECONDS = 0.2, 2.0
"""It goes on after so long without a write; in steady traffic it takes one step so often."""


class CatchingUp:
    """One task at a time that indexes paths and identifiers until none waits."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.task: asyncio.Task[None] | None = None
        """The one that runs, or ran last."""

    def start(self) -> None:
        """Begin, unless that is under way."""
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(self._run(), name="bobctx-store-substring-index")

    async def _run(self) -> None:
        try:
            while True:
                await self._database.when_quiet(QUIET_SECONDS, PATIENCE_SECONDS)
                started = time.monotonic()
                taken = await self._database.write(
                    lambda tx: search.index_names(tx.conn, NAMES_A_STEP), background=True
                )
                if taken < NAMES_A_STEP:
                    return
                await asyncio.sleep(time.monotonic() - started)
        except StoreUnavailable:
            return

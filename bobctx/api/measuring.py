"""What `/metrics` says about the present: read when it is asked for, from the store, the compactor and the ledger."""

from __future__ import annotations

import time
from collections import Counter

from bobctx.api.lane import Lane
from bobctx.core.types import Mode, Scope
from bobctx.errors import BobctxError
from bobctx.ports import StoreHealth

MODES: tuple[Mode, ...] = ("off", "fit", "shadow", "live")
COUNTED_S = 60.0
"""Seconds for which conversations are not counted again: that follows their number."""


class Measuring:
    """Brings the gauges of one lane up to date."""

    def __init__(self, lane: Lane) -> None:
        self._lane = lane
        self._counted = float("-inf")

    async def bring_up(self, health: StoreHealth) -> None:
        """Everything; a store that cannot say leaves its gauges as they were."""
        metrics = self._lane.metrics
        metrics.index_lag.set(health.index_lag)
        metrics.database_bytes.labels("main").set(health.size_bytes)
        metrics.database_bytes.labels("wal").set(health.wal_bytes)
        status = self._lane.compactor.status()
        metrics.oldest_uncompacted.set(status.get("oldest_waiting_s") or 0.0)
        metrics.rejected_so_far(status.get("rejections") or {})
        try:
            await self._spend()
            await self._conversations()
        except BobctxError:
            return

    async def _spend(self) -> None:
        spend = {} if self._lane.spend is None else await self._lane.spend()
        for kind, name in (("day", "day_usd"), ("cap", "day_cap_usd")):
            self._lane.metrics.spend_day.labels(kind).set(float(spend.get(name) or 0.0))

    async def _conversations(self) -> None:
        if time.monotonic() < self._counted + COUNTED_S:
            return
        own = await self._lane.ledger.own_modes()
        found = Counter(self._of(scope, own.get(scope)) for scope in await self._lane.store.scopes())
        for mode, arm in ((mode, arm) for mode in MODES for arm in ("main", "holdout")):
            self._lane.metrics.conversations.labels(mode, arm).set(found[mode, arm])
        self._counted = time.monotonic()

    def _of(self, scope: Scope, own: Mode | None) -> tuple[str, str]:
        assembler = self._lane.assembler
        return assembler.mode_of(scope, own, None), assembler.arm_of(scope)

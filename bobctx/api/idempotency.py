"""`Idempotency-Key`: a repeated call gets the first answer, also after a restart (design, section 9).

A key belongs to principal, method, path and scope. Same key, other body: 422; still running: 409.
Only successes are kept. What runs is known in memory; a call that a crash cut off may be made again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable

from bobctx import logs
from bobctx.core.records import CallName, KeptAnswer
from bobctx.errors import Conflict, InvalidInput, StoreUnavailable
from bobctx.ports import Clock, Repeats

MAX_KEY = 255


class InFlight(Conflict):
    """A call with this `Idempotency-Key` is still running."""

    code = "idempotency_in_flight"


class KeyReused(InvalidInput):
    """This `Idempotency-Key` was used with another body."""

    code = "idempotency_key_reused"


class Idempotency:
    """Runs a call once for each key."""

    def __init__(self, repeats: Repeats, clock: Clock, *, ttl_s: float) -> None:
        """`ttl_s`: how long a key is remembered, seconds."""
        self._repeats = repeats
        self._clock = clock
        self._ttl = ttl_s
        self._running: dict[bytes, str] = {}
        """Hashes of the bodies of running calls, by name."""

    def _kept_after(self) -> float:
        return self._clock.now() - self._ttl

    async def once(self, name: CallName, body: bytes, produce: Callable[[], Awaitable[bytes]]) -> tuple[bytes, bool]:
        """The answer of `produce`, or the kept one and True. Without a key: always `produce`, and nothing is read."""
        if name.key is None:
            return await produce(), False
        if not name.key or len(name.key) > MAX_KEY or not name.key.isprintable():
            raise InvalidInput(f"`Idempotency-Key` is 1 to {MAX_KEY} printable characters.", field="Idempotency-Key")
        digest = hashlib.sha256(body).hexdigest()
        running = self._running.get(name.digest)
        if running is not None:
            raise InFlight() if running == digest else KeyReused()
        self._running[name.digest] = digest
        try:
            known, stamp = await self._repeats.find(name, kept_after=self._kept_after())
            if known is not None:
                if known.body_sha256 != digest:
                    raise KeyReused()
                return known.answer, True
            answer = await produce()
            await self._keep(name, KeptAnswer(body_sha256=digest, answer=answer), stamp)
            return answer, False
        finally:
            del self._running[name.digest]

    async def _keep(self, name: CallName, kept: KeptAnswer, stamp: int) -> None:
        """The work is done, so its answer is given even where it cannot be kept. A receipt outlives its deletion."""
        checked = None if name.method == "DELETE" else stamp
        try:
            now = self._clock.now()
            await self._repeats.keep(name, kept, stamp=checked, kept_after=now - self._ttl, now=now)
        except StoreUnavailable as exc:
            logs.get_logger().warning(
                logs.STORE_FAILED, where="idempotency", error=exc.code, reason=exc.data.get("reason")
            )

    async def trim(self) -> int:
        """Forget keys past their time; how many."""
        return await self._repeats.trim(kept_after=self._kept_after())

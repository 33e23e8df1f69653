"""`Idempotency-Key`: a repeated call gets the first answer (design, section 9).

A key belongs to principal, method, path and scope. Same key, other body: 422; still running: 409.
Only successes are kept; recording itself is idempotent by message id, so a restart forgets harmlessly.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bobctx.errors import Conflict, InvalidInput

MAX_ENTRIES = 10_000
MAX_BYTES = 32 * 1024 * 1024
"""Of kept answers; the oldest go first."""
MAX_KEY = 255

Name = tuple[str, ...]
"""Principal, method, path, user, conversation."""
USER, CONVERSATION = 3, 4


class InFlight(Conflict):
    """A call with this `Idempotency-Key` is still running."""

    code = "idempotency_in_flight"


class KeyReused(InvalidInput):
    """This `Idempotency-Key` was used with another body."""

    code = "idempotency_key_reused"


@dataclass(slots=True)
class _Entry:
    body_sha256: str
    expires: float
    answer: bytes | None = None


class Idempotency:
    """Answers of the last day, in memory, bounded."""

    def __init__(self, *, ttl_s: float, monotonic: Callable[[], float]) -> None:
        """`ttl_s`: how long a key is remembered, seconds."""
        self._ttl = ttl_s
        self._monotonic = monotonic
        self._entries: OrderedDict[Name, _Entry] = OrderedDict()
        self._bytes = 0

    def _expire(self) -> None:
        now = self._monotonic()
        while self._entries:
            name, entry = next(iter(self._entries.items()))
            over = len(self._entries) > MAX_ENTRIES or self._bytes > MAX_BYTES
            if entry.expires > now and not (over and entry.answer is not None):
                break
            self._drop(name)

    def _drop(self, name: Name) -> None:
        entry = self._entries.pop(name, None)
        if entry is not None and entry.answer is not None:
            self._bytes -= len(entry.answer)

    def forget(self, user_id: str, conversation_id: str | None = None) -> None:
        """Drop the kept answers of a conversation, or (None) of a user: something was deleted."""
        for name, entry in list(self._entries.items()):
            theirs = name[USER] == user_id and conversation_id in (None, name[CONVERSATION])
            if theirs and entry.answer is not None:
                self._drop(name)

    async def once(
        self, key: str | None, name: Name, body: bytes, produce: Callable[[], Awaitable[bytes]]
    ) -> tuple[bytes, bool]:
        """The answer of `produce`, or the kept one and True. Without a key: always `produce`."""
        if key is None:
            return await produce(), False
        if not key or len(key) > MAX_KEY or not key.isprintable():
            raise InvalidInput(f"`Idempotency-Key` is 1 to {MAX_KEY} printable characters.", field="Idempotency-Key")
        self._expire()
        full = (*name, key)
        digest = hashlib.sha256(body).hexdigest()
        known = self._entries.get(full)
        if known is not None:
            if known.body_sha256 != digest:
                raise KeyReused()
            if known.answer is None:
                raise InFlight()
            return known.answer, True
        entry = _Entry(digest, self._monotonic() + self._ttl)
        self._entries[full] = entry
        try:
            entry.answer = await produce()
        finally:
            if entry.answer is None:
                self._entries.pop(full, None)
        self._bytes += len(entry.answer)
        return entry.answer, False

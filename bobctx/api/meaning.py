"""The vectors of a lane as compile asks them: whatever they fail at is an outage, and costs an answer only meaning."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import TypeVar

from bobctx import logs
from bobctx.core.shortlist import ShortlistQuery
from bobctx.core.types import Scope, UserScope
from bobctx.ports import VectorSearch

T = TypeVar("T")


class Meaning:
    """Closeness of meaning, where it can be had."""

    def __init__(self, vectors: VectorSearch) -> None:
        self._vectors = vectors
        self._log = logs.get_logger()

    async def nearest(self, scope: Scope | UserScope, query: ShortlistQuery) -> Mapping[str, float] | None:
        """See `VectorSearch.nearest`; None in an outage."""
        return await self._asked(self._vectors.nearest(scope, query))

    async def apart(self, task: str, texts: Sequence[str]) -> list[float] | None:
        """See `VectorSearch.apart`; None in an outage."""
        found = await self._asked(self._vectors.apart(task, texts)) if texts else []
        return found if found is not None and len(found) == len(texts) else None

    async def _asked(self, answer: Awaitable[T]) -> T | None:
        try:
            return await answer
        except Exception as exc:  # noqa: BLE001 - boundary: models and their runtimes raise anything, plain `Exception` too
            self._log.warning(logs.VECTORS_FAILED, exc_info=exc)
            return None

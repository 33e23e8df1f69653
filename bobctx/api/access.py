"""The access log: who read originals, and what operators read or raised; ids only (design, section 9)."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request

from bobctx import logs
from bobctx.api.auth import caller
from bobctx.api.lane import lane_of
from bobctx.core.types import Scope, UserScope
from bobctx.errors import StoreUnavailable
from bobctx.ports import AccessEntry

ORIGINALS = frozenset({"expand", "search"})
"""Noted whoever reads; everything else only for operators."""


async def note(request: Request, action: str, scope: Scope | UserScope, ids: Sequence[str] = ()) -> None:
    """Note one read of what people wrote; where the log cannot be written the event still stands in the log lines."""
    who, lane = caller(request), lane_of(request)
    if action not in ORIGINALS and who.role != "operator":
        return
    conversation = scope.conversation_id if isinstance(scope, Scope) else ""
    if action in ORIGINALS:
        lane.metrics.originals_read.labels(action).inc(len(ids))
    logs.get_logger().info(
        logs.ACCESS if action in ORIGINALS else logs.OPERATOR_ACCESS,
        route=action,
        principal=who.key_id,
        conversation=conversation,
        user=scope.user_id,
        count=len(ids),
    )
    entry = AccessEntry(
        at=lane.clock.now(),
        principal=who.key_id,
        role=who.role,
        action=action,
        user_id=scope.user_id,
        conversation_id=conversation,
        ids=tuple(ids),
    )
    try:
        await lane.ledger.note_access(entry)
    except StoreUnavailable as exc:
        if exc.data.get("reason") != "opened_readonly":  # the account that may read the file itself
            logs.get_logger().warning(
                logs.STORE_FAILED, where="access log", error=exc.code, reason=exc.data.get("reason")
            )

"""How a lane stands, read from its database: last record, coverage, breaks, work that waits and since when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bobctx.core.budget import Budget
from bobctx.core.chain import Chain, chain_of
from bobctx.core.policy import Standing, due
from bobctx.core.types import Json, Scope
from bobctx.ports import Snapshot, Store

LOOKED_AT = 200
"""Newest conversations whose chain is checked; the rest is only counted."""
LATE_S = 3600.0
"""Eligible work older than this means that compaction is not working."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Eligible work of one conversation."""

    scope: Scope
    reason: str
    tokens: int
    since: float
    """Unix seconds of the message that made it eligible."""

    def as_json(self, now: float) -> dict[str, Json]:
        """For the report."""
        return {
            "conversation_id": self.scope.conversation_id,
            "user_id": self.scope.user_id,
            "reason": self.reason,
            "tokens": self.tokens,
            "age_s": round(now - self.since, 1),
        }


async def lane_standing(store: Store, budget: Budget, *, region_cap: int, profile: str, now: float) -> dict[str, Any]:
    """The figures of `status`, over the newest conversations."""
    scopes = await store.scopes()
    rows = [
        (row.last_recorded_ts, Scope(conversation_id=row.conversation_id, user_id=row.user_id), row)
        for user in sorted({scope.user_id for scope in scopes})
        for row in await _conversations(store, user)
    ]
    rows.sort(key=lambda item: -item[0])
    waiting: list[Waiting] = []
    breaks: list[dict[str, Json]] = []
    newest = 0.0
    for _, scope, _ in rows[:LOOKED_AT]:
        snapshot = await store.snapshot(scope)
        chain = chain_of(snapshot)
        newest = max([newest, *(link.compaction.created_ts for link in chain.links if link.compaction.claims)])
        if chain.break_ is not None:
            breaks.append(
                {"conversation_id": scope.conversation_id, "user_id": scope.user_id, **chain.break_.as_json()}
            )
        found = await _waiting(store, snapshot, chain, budget, region_cap=region_cap, profile=profile, now=now)
        if found is not None:
            waiting.append(found)
    return {
        "conversations": len(rows),
        "messages": sum(row.messages for _, _, row in rows),
        "tokens": sum(row.tokens for _, _, row in rows),
        "claims": sum(row.claims for _, _, row in rows),
        "regions": sum(row.compactions for _, _, row in rows),
        "last_recorded_ts": rows[0][0] if rows else None,
        "last_compaction_ts": newest or None,
        "breaks": breaks,
        "waiting": [item.as_json(now) for item in sorted(waiting, key=lambda w: w.since)],
    }


async def _conversations(store: Store, user: str) -> list[Any]:
    from bobctx.core.types import UserScope

    return await store.conversations(UserScope(user_id=user))


async def _waiting(
    store: Store,
    snapshot: Snapshot,
    chain: Chain,
    budget: Budget,
    *,
    region_cap: int,
    profile: str,
    now: float,
) -> Waiting | None:
    """The conversation's eligible work, dated by the first message with which it was due."""
    spine = snapshot.spine
    paused = snapshot.paused or snapshot.mode in ("off", "fit")
    standing = Standing(covered_end=chain.covered_end, paused=paused)

    def is_due(n: int) -> bool:
        return due(spine.prefix(n), standing, budget, now=now, profile=profile, region_cap=region_cap).due

    if spine.n == 0 or not is_due(spine.n):
        return None
    low, high = chain.covered_end, spine.n  # due at `high`; more messages never make it less due
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_due(middle) else (middle, high)
    fate = await store.fate(snapshot.scope, spine.ids[high - 1])
    verdict = due(spine, standing, budget, now=now, profile=profile, region_cap=region_cap)
    since = max(fate.first_seen_ts, fate.edited_ts or 0.0, snapshot.last_edit_ts)
    return Waiting(scope=snapshot.scope, reason=verdict.reason, tokens=verdict.eligible, since=since)


def is_late(standing: Mapping[str, Any]) -> bool:
    """Whether any eligible work is over an hour old."""
    return any(item["age_s"] > LATE_S for item in standing["waiting"])

"""A stored trace made readable: the reasons of a compile as kept, those of an assembly found again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bobctx.core.chain import view_in
from bobctx.core.explain import explain
from bobctx.core.types import Json, Scope, UserScope
from bobctx.errors import NotFound
from bobctx.ports import Store

_COLUMNS = ("claim_id", "decision", "reason", "score", "conversation_id", "alias")


async def inspected(store: Store, owner: UserScope, trace: Mapping[str, Json]) -> dict[str, Any]:
    """The trace with `claims`: `{claim_id, decision, reason, score, conversation_id, alias}` of every one considered.

    The alias is null in traces kept before it was.
    """
    if trace["kind"] == "compile":
        kept = {k: v for k, v in trace.items() if k not in ("trace", "candidates")}
        claims = [
            dict(zip(_COLUMNS, (*row, None, None), strict=False))  # of an older trace four are kept
            for row in trace["trace"]
        ]
        return {**kept, "candidates": trace["candidates"], "claims": claims}
    return {**trace, "claims": await _of_assembly(store, owner, trace)}


async def _of_assembly(store: Store, owner: UserScope, trace: Mapping[str, Json]) -> list[dict[str, Any]]:
    """What is stored now, against what was shown then; what was lost since is not there any more."""
    conversation = trace["scope"]["conversation_id"]
    if conversation is None:
        return []
    try:
        snapshot = await store.snapshot(
            Scope(conversation_id=conversation, user_id=owner.user_id), trace.get("leaf_id")
        )
    except NotFound:
        return []
    view = view_in(snapshot)
    shown = [item["claim_id"] for item in trace.get("items", ())]
    pins = frozenset(p.claim_id for p in snapshot.pins if p.claim_id)
    floor = trace["decision"].get("importance_floor")
    policy = str(trace["decision"].get("policy"))
    found = explain(view, shown=shown, usable=int(trace.get("regions", 0)), pins=pins, floor=floor, policy=policy)
    return [dict(zip(_COLUMNS, t.as_json(), strict=True)) | {"conversation_id": conversation} for t in found]

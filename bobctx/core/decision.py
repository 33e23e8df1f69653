"""The record of one assembly: what was shown, covered, announced, and why. Pure; no content in it.

The fields are those of the design, section 7.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from bobctx.core.cover import Cover
from bobctx.core.identity import digest
from bobctx.core.plan import AssemblyPlan
from bobctx.core.types import Json, Message


def decision(
    plan: AssemblyPlan, shown: Cover, *, stable: Sequence[Message], warnings: Sequence[str], also_announced: int = 0
) -> dict[str, Json]:
    """The decision; `stable` are the messages before the block, which with it make the prompt's prefix.

    `also_announced` counts messages that are announced outside the gap marker.
    """
    found: dict[str, Json] = {
        "mode": plan.request.mode,
        **cover_json(shown),
        "chain": {
            "trusted": len(plan.chain.links),
            "break": None if plan.chain.break_ is None else plan.chain.break_.as_json(),
        },
        "policy": plan.request.policy,
        "window_source": plan.budget.window_source,
        "budget_source": plan.budget.budget_source,
        "prefix_sha256": _prefix(plan, shown, stable),
        "warnings": list(warnings),
    }
    found["messages_uncovered"] += also_announced
    if plan.would is not None:
        found["would"] = cover_json(plan.would)
    return found


def cover_json(shown: Cover) -> dict[str, Json]:
    """What a block holds and what it leaves to the marker."""
    pack = shown.pack
    return {
        "regions": len(pack.covered),
        "regions_covered": [f"r{region + 1}" for region in pack.covered],
        "regions_partial": len(pack.partial),
        "importance_floor": pack.floor,
        "claims_shown": len(pack.claims),
        "tokens": shown.tokens if pack.text else 0,
        "messages_covered": shown.covered,
        "messages_uncovered": shown.uncovered,
        "block": "shown" if pack.text else pack.reason,
        "pins_shown": len(pack.pins),
        "pins_overflow": [pin.pin_id for pin in pack.pins_overflow],
    }


def _prefix(plan: AssemblyPlan, shown: Cover, stable: Sequence[Message]) -> str:
    """Hash of everything before the tail: equal hashes mean a provider's prompt cache can hit."""
    text = hashlib.sha256(shown.text.encode("utf-8", "surrogatepass")).hexdigest()
    cap = plan.budget.opening_cap if plan.fit.head_truncated else None
    return digest("prefix", [plan.request.dialect, [m.sha256 for m in stable], cap, text])

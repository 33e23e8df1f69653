"""What goes to the provider after an assembly: the original list, or the assembled one. No I/O.

In `fit` and `shadow` a request that the model's window holds is left as it is: its host has made it fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bobctx.api.assemble import Answer
from bobctx.api.proxy.asked import Asked, signatures
from bobctx.core.types import Json, Message

CUTS = frozenset(
    {
        "head_truncated", "injected_cut", "results_cut", "media_replaced", "thinking_dropped", "arguments_stubbed",
        "segments_dropped", "texts_cut",
    }
)  # fmt: skip
"""Steps of the ladder (`core.ladder`): what they leave is another list."""
OUTSIDE = frozenset({"preamble", "block", "recall"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """The decision and its figures."""

    body: dict[str, Json] | None
    """None: the original bytes."""
    counted: bool
    """The provider gets the list that was counted."""
    tokens: int
    """Of that list, the preamble included."""
    report: Mapping[str, str]
    """Headers for the client, without their prefix."""


def may_change(asked: Asked, messages: Sequence[Message], answer: Answer, *, reserved: int) -> bool:
    """Whether a plan gives a reason to make the list; `messages` are the request's with their sizes, preamble first."""
    return _differs(asked, answer) and _kept_back(messages, answer, reserved) is None


def outgoing(asked: Asked, messages: Sequence[Message], answer: Answer, *, reserved: int) -> Outgoing:
    """Decide; `messages` are the request's with their sizes, preamble first; `reserved` tokens go beside them."""
    found, decision = answer.assembled, answer.assembled.decision
    mode = str(decision["mode"])
    sizes = [m.tokens for m in messages]
    before, after = sum(sizes[len(asked.preamble) :]), int(found.budget["used"])
    differs = _differs(asked, answer)
    reason = _kept_back(messages, answer, reserved) if differs or answer.reason is not None else None
    if differs and reason is None and signatures(asked.messages) != signatures(found.messages):
        reason = "signed_thinking"
    send = differs and reason is None
    report = {
        "mode": mode,
        "trace": answer.trace_id,
        "covered": str(_shown(mode, decision).get("messages_covered", 0)),
        "tokens-before": str(before),
        "tokens-after": str(after if send else before),
    }
    return Outgoing(
        body=asked.with_messages(found.messages) if send else None,
        counted=send or not differs,
        tokens=(after if send else before) + sum(sizes) - before,
        report=report if reason is None else {**report, "reason": reason},
    )


def _kept_back(messages: Sequence[Message], answer: Answer, reserved: int) -> str | None:
    """Why another list is not sent, None where it is."""
    if answer.reason is not None:
        return f"plain_fit-{answer.reason}"
    tokens = sum(m.tokens for m in messages)
    live = answer.assembled.decision["mode"] == "live"
    return None if live or not _holds(answer, tokens, reserved) else "fits_the_window"


def _shown(mode: str, decision: Mapping[str, Any]) -> Mapping[str, Any]:
    """What claims cover; in `shadow` what they would."""
    would = decision.get("would")
    return would if mode == "shadow" and isinstance(would, Mapping) else decision


def _differs(asked: Asked, answer: Answer) -> bool:
    """Whether the assembled list says anything else than the request's."""
    plan = answer.assembled.plan
    raw = sum(item.kind not in OUTSIDE for item in plan)
    own = any(item.kind in ("block", "recall") for item in plan)
    return own or raw != len(asked.messages) or not CUTS.isdisjoint(answer.assembled.warnings)


def _holds(answer: Answer, tokens: int, reserved: int) -> bool:
    """Whether the model's window holds the request as it came; one that is only guessed is no reason to cut."""
    budget = answer.assembled.budget
    if str(answer.assembled.decision["window_source"]).startswith("default"):
        return True
    return tokens * float(budget.get("ratio") or 1.0) + reserved <= int(budget["window"])

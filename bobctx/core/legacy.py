"""The history of old, for a lane whose module is switched off: the last 20 messages or 8192 characters. Pure.

The newest message is kept whatever its size, and nothing is announced (design, section 10).
"""

from __future__ import annotations

from collections.abc import Sequence

from bobctx.core.plan import Assembled, AssemblyRequest, PlanItem
from bobctx.core.segments import split_preamble
from bobctx.core.speakers import counted_tokens
from bobctx.core.turns import clean
from bobctx.core.types import Message

LAST_MESSAGES = 20
LAST_CHARS = 8192


def last_messages(messages: Sequence[Message], request: AssemblyRequest) -> Assembled:
    """The preamble and the newest messages within both limits, bodies as they came."""
    preamble, rest = split_preamble(messages)
    kept: list[Message] = []
    chars = 0
    for message in reversed(rest[-LAST_MESSAGES:]):
        chars += len(message.text)
        if kept and chars > LAST_CHARS:
            break
        kept.append(message)
    shown = [*preamble, *reversed(kept)]
    sizes = [m.tokens or counted_tokens(m, request.count) for m in shown]
    return Assembled(
        messages=() if request.answer == "plan" else tuple(clean(m.body) for m in shown),
        plan=tuple(
            PlanItem(
                id=m.id,
                alias=None if m.seq is None else m.alias,
                kind="preamble" if place < len(preamble) else "tail",
                tokens=size,
            )
            for place, (m, size) in enumerate(zip(shown, sizes, strict=True))
        ),
        decision={"mode": "legacy", "claims_shown": 0, "messages_uncovered": len(rest) - len(kept), "warnings": []},
        budget={
            "window": request.window.tokens,
            "history": None,
            "used": sum(sizes),
            "counter": request.counter_id,
        },
    )

"""The arm to compare with: the newest messages that fill the budget, nothing else. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from bobctx.core.budget import Budget
from bobctx.core.dialect import list_tokens, repair, to_dialect
from bobctx.core.ladder import shrink
from bobctx.core.records import Snapshot
from bobctx.core.segments import Spine
from bobctx.core.tokens import Count
from bobctx.core.types import Json, Message

TRIES = 8


def start_of(spine: Spine, budget: int) -> int:
    """Where the newest `budget` tokens begin, at a safe cut; the newest segment stays whatever it costs."""
    start = spine.cut_at_or_after(spine.first_at(spine.cum[spine.n] - budget))
    return min(start, spine.cut_at_or_before(max(0, spine.n - 1)))


def newest(snapshot: Snapshot, budget: Budget) -> tuple[int, Sequence[int]]:
    """A planner for `Store.plan`: the first position shown, and all that are."""
    spine = snapshot.spine
    start = start_of(spine, budget.history) if spine.n else 0
    return start, range(start, spine.n)


def windowed(
    messages: Sequence[Message], budget: int, dialect: str, count: Count
) -> tuple[list[dict[str, Json]], list[Message]]:
    """The list of a sliding window in one dialect, and the messages it holds; a giant message is cut in place."""
    shown, room = list(messages), budget
    final: list[dict[str, Json]] = []
    for _ in range(TRIES):
        if sum(m.tokens for m in shown) > room:
            shown = list(shrink(shown, room, count).messages)
        final, _ = repair(to_dialect(shown, dialect), dialect)
        over = list_tokens(final, dialect, count) - budget
        if over <= 0:
            break
        room = min(room, sum(m.tokens for m in shown)) - over
    return final, shown

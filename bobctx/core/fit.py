"""Where the tail starts: the anchor rule over the spine's columns. Pure.

Everything is decided from prefix sums and cuts in O(log n); no message is read (design, section 4).
"""

from __future__ import annotations

from dataclasses import dataclass

from bobctx.core.budget import Budget, protected_tail
from bobctx.core.segments import Spine


@dataclass(frozen=True, slots=True, kw_only=True)
class FitPlan:
    """What an assembly keeps raw: opening, a user message inside the gap if need be, and the tail."""

    omitting: bool
    opening_end: int
    tail_start: int
    gap: tuple[int, int]
    """Omitted positions, from and before; empty when nothing is omitted."""
    kept: tuple[int, ...] = ()
    """Positions inside the gap that stay raw: the newest genuine user message of a long exchange."""
    opening_tokens: int = 0
    """Reference tokens of the opening as recorded."""
    tail_tokens: int = 0
    room: int = 0
    """T: tokens that tail and `kept` may take."""
    step: int = 0
    """g."""
    k: int = 0
    head_truncated: bool = False
    """The opening is over its cap and must be shrunk in place."""
    over: int = 0
    """Tokens that tail and `kept` take beyond T: the ladder has to find them."""
    tail_count: int = 0

    @property
    def positions(self) -> tuple[int, ...]:
        """Every position that is shown raw, ascending."""
        n = self.tail_start + self.tail_count
        return (*range(self.opening_end), *self.kept, *range(self.tail_start, n))


def fit(spine: Spine, budget: Budget) -> FitPlan:
    """The anchor rule: a pure function of the spine and the budget, stable under budget jitter.

    Nothing is omitted while everything fits. Else the tail starts at the first safe cut with at
    least k*g tokens between it and the opening, or where a user message begins one segment later.
    """
    n = spine.n
    opening_end = spine.opening_end
    if spine.tokens_between(0, n) > budget.history:
        opening_end = opening_before_tail(spine)
    opening = spine.tokens_between(0, opening_end)
    room = budget.room_after(opening)
    if spine.tokens_between(0, n) <= budget.history:
        return FitPlan(
            omitting=False,
            opening_end=opening_end,
            tail_start=opening_end,
            gap=(opening_end, opening_end),
            opening_tokens=opening,
            tail_tokens=spine.tokens_between(opening_end, n),
            room=room,
            tail_count=n - opening_end,
        )
    start, k, step = anchor(spine, opening_end, budget, room)
    kept: tuple[int, ...] = ()
    user = spine.newest_user
    if user is not None and opening_end <= user < start:
        kept = (user,)
        start, k, step = anchor(spine, opening_end, budget, max(room // 2, room - spine.tokens_between(user, user + 1)))
    tail = spine.tokens_between(start, n)
    return FitPlan(
        omitting=start > opening_end,
        opening_end=opening_end,
        tail_start=start,
        gap=(opening_end, start),
        kept=kept,
        opening_tokens=opening,
        tail_tokens=tail,
        room=room,
        step=step,
        k=k,
        head_truncated=opening > budget.opening_cap,
        over=max(0, tail + sum(spine.tokens_between(p, p + 1) for p in kept) - room),
        tail_count=n - start,
    )


def compactable_tail(spine: Spine, budget: Budget) -> int:
    """Newest reference tokens that are not compacted yet.

    The protected tail, which knows the window alone; where a large opening or a kept user message makes the raw tail
    shorter than that, the raw tail, or what lies between would be neither raw nor covered.
    """
    tail = protected_tail(budget.window, budget.tail_room, budget.step)
    plan = fit(spine, budget)
    return min(tail, plan.tail_tokens) if plan.omitting else tail


def opening_before_tail(spine: Spine) -> int:
    """The opening's end where a tail is needed: the newest segment is never part of the opening."""
    last = spine.cut_at_or_before(spine.n - 1)
    if spine.opening_end <= last:
        return spine.opening_end
    first = spine.users[0] if spine.users else 0
    end = spine.cut_at_or_after(first + 1)
    return end if end <= last else 0


def anchor(spine: Spine, opening_end: int, budget: Budget, room: int) -> tuple[int, int, int]:
    """The tail's start, k and g: the first safe cut with phase + k*g tokens between it and the opening.

    The lattice begins where the first omission of a conversation takes a whole step, not the rest of
    one. Where a short segment ends at a user message, the tail starts there: later, never earlier.
    """
    n = spine.n
    base = spine.tokens_between(0, opening_end)
    total = spine.tokens_between(opening_end, n)
    step = budget.step_for(room)
    phase = (budget.phase_tokens - max(0, base - budget.opening_cap)) % step
    k = max(0, -(-(total - room - phase) // step)) if room > 0 else -(-total // step)
    last = spine.cut_at_or_before(n - 1)
    return _place(spine, opening_end, base + phase + k * step, step, last), k, step


def _place(spine: Spine, opening_end: int, goal: int, step: int, last: int) -> int:
    """The safe cut of a lattice point, or the user message that begins shortly behind it; at most `last`."""
    start = spine.cut_at_or_after(spine.first_at(goal, lo=opening_end))
    if start > last:
        return last
    later = spine.next_cut(start)
    near = spine.tokens_between(start, later) * 4 <= step
    if near and not spine.is_user(start) and later <= last and spine.is_user(later):
        start = later
    return start


def next_anchor(spine: Spine, budget: Budget, position: int) -> int | None:
    """The first place after `position` where a tail will start as the conversation grows; None if it is not there yet.

    A region that ends there is wholly omitted or not at all: no message between the regions and the tail is left to
    be announced only.
    """
    opening_end = opening_before_tail(spine)
    base = spine.tokens_between(0, opening_end)
    step = budget.step_for(budget.room_after(base))
    phase = (budget.phase_tokens - max(0, base - budget.opening_cap)) % step
    last = spine.cut_at_or_before(spine.n - 1)
    first = max(0, (spine.tokens_between(0, position) - base - phase) // step - 1)
    for k in range(first, first + 4):
        place = _place(spine, opening_end, base + phase + k * step, step, last)
        if place >= last:
            return None
        if place > position:
            return place
    return None

"""Which stretch of the spine is compacted next. Pure (design, section 5)."""

from __future__ import annotations

from bobctx.core.segments import Flag, Spine

SMALL_WINDOW_ROOM = 3_000
"""Tokens of a region in a window that has no room for the usual overhead; a third of a smaller one."""
REGION_CAP = 12_000
"""Reference tokens: larger regions are mostly noise."""


def eligible_end(spine: Spine, *, protected_tail: int) -> int:
    """Position before which messages may be compacted: at a safe cut, outside the protected tail.

    With no protected tail (a hook before a host's own compaction) only what no later message can
    change counts: closed exchanges, and the segments of an open one before its oldest open call.
    """
    if protected_tail <= 0:
        return spine.n if spine.n and spine.is_closed(spine.n - 1) else min(spine.settled_end, _answered_end(spine))
    total = spine.tokens_between(0, spine.n)
    if total <= protected_tail:
        return spine.opening_end
    reach = spine.last_within(total - protected_tail)
    return max(spine.opening_end, spine.cut_at_or_before(min(reach, spine.settled_end)))


def aligned_cap(spine: Spine, start: int, edge: int, cap: int) -> int:
    """A cap that divides the stretch up to `edge` evenly, so that no scrap is left before it."""
    stretch = spine.tokens_between(start, edge)
    return -(-stretch // max(1, -(-stretch // cap))) if stretch > cap else cap


def _answered_end(spine: Spine) -> int:
    """Where the newest, still growing segment of an open exchange starts."""
    return spine.cut_at_or_before(spine.n - 1) if spine.n else 0


def select_region(
    spine: Spine,
    *,
    covered_end: int,
    protected_tail: int,
    cap: int = REGION_CAP,
    limit: int | None = None,
) -> tuple[int, int] | None:
    """The next region as spine positions (from, before), oldest first; None if nothing is eligible.

    Whole exchanges where they fit `cap`; an exchange over the cap is divided at safe cuts; one
    segment over the cap is taken whole. A region never mixes egress classes. `limit` ends it early.
    """
    start = max(covered_end, spine.opening_end)
    end = eligible_end(spine, protected_tail=protected_tail)
    if limit is not None:
        end = min(end, spine.cut_at_or_before(limit))
    if start >= end or not spine.is_cut(start):
        return None
    reach = spine.last_within(spine.cum[start] + cap, lo=start)
    end = _same_class(spine, start, min(end, max(spine.next_cut(reach), spine.next_cut(start))))
    cut = spine.cut_at_or_before(min(end, reach))
    if cut <= start:
        return start, min(end, spine.next_cut(start))
    if limit is not None and cut == spine.cut_at_or_before(limit):
        return start, cut
    whole = _whole_exchanges(spine, start, cut)
    if whole > start and (spine.tokens_between(start, whole) * 2 >= cap or _fits_later(spine, whole, cap, end)):
        return start, whole
    return start, cut


def _whole_exchanges(spine: Spine, start: int, cut: int) -> int:
    """The last boundary of an exchange in (start, cut], else `start`."""
    if cut == spine.n:
        return cut
    boundary = spine.exchange_start(cut)
    return boundary if start < boundary <= cut else start


def _fits_later(spine: Spine, start: int, cap: int, end: int) -> bool:
    """Whether the exchange that starts here can be a region of its own, now or once it is eligible."""
    stop = spine.exchange_end(start) if start < spine.n else start
    return stop <= end and spine.tokens_between(start, stop) <= cap


def _same_class(spine: Spine, start: int, end: int) -> int:
    """The last safe cut before `end` up to which every segment has the first segment's egress class."""
    flags = spine.flags[start:end]
    local = [bool(f & Flag.LOCAL) for f in flags]
    if all(local) or not any(local):
        return end
    at = spine.next_cut(start)
    first = any(local[: at - start])
    while at < end:
        later = spine.next_cut(at)
        if any(local[at - start : later - start]) != first:
            break
        at = later
    return min(at, end)


def seat_room(window: int, overhead: int) -> int:
    """Reference tokens of a region for which a model of this window has room.

    Args:
        window: Tokens that the model reads.
        overhead: Of them for instructions, earlier claims and the answer; all three are shorter in a small window.
    """
    return max(window - overhead, min(window // 3, SMALL_WINDOW_ROOM))

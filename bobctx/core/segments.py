"""The columnar spine of a branch: safe cuts, segments, exchanges and the opening. Pure.

Everything an assembly decides about structure comes from a few columns, so that its cost does
not grow with the messages it leaves out, and appending to a spine costs what was appended
(design, sections 1, 4 and 5).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, compress, islice
from typing import Any

from bobctx.core.columns import COLUMNS, Column, Shared
from bobctx.core.entries import STRUCTURAL, Entry, Flag, Row, entry_of, flags_of, is_unfinished, split_preamble

__all__ = [
    "OPENING_CAP",
    "PREFACE_CAP",
    "Column",
    "Entry",
    "Flag",
    "Row",
    "Spine",
    "entry_of",
    "flags_of",
    "is_unfinished",
    "split_preamble",
]

OPENING_CAP = 4000
"""Reference tokens: a longer first exchange is protected only up to here."""

PREFACE_CAP = 64_000
"""Reference tokens of injected or assistant text that may stand before the first genuine user
message and still leave it the anchor of the opening."""


class Spine:
    """The ordered messages of one branch, as columns. Immutable for its reader.

    `extended` shares the columns with its predecessor, which keeps seeing only its own prefix.
    """

    __slots__ = ("_genuine", "_loose", "_open", "_opening_end", "_settled", "_shared", "_users", "n")

    def __init__(self) -> None:
        self._shared = Shared()
        self.n = 0
        self._settled = 1
        self._users = 0
        self._genuine = 0
        self._loose: tuple[int, ...] = ()
        """Cuts after the oldest open call: a result may still remove them."""
        self._open: tuple[tuple[int, str], ...] = ()
        """Calls that wait for a result, oldest first."""
        self._opening_end = 0

    # -- making one -----------------------------------------------------------------

    @classmethod
    def build(cls, entries: Iterable[Entry]) -> Spine:
        """A spine of `entries`, in order."""
        return cls().extended(entries)

    @classmethod
    def from_rows(cls, rows: Iterable[Row]) -> Spine:
        """A spine of plain tuples in `Entry` field order: the fast path of a first read."""
        return cls()._grown(tuple(zip(*rows, strict=True)))

    def extended(self, entries: Iterable[Entry]) -> Spine:
        """This spine and then `entries`; costs what was added, not what was there."""
        rows = [(e.id, e.seq, e.role, e.sha256, e.tokens, e.flags, e.calls, e.results) for e in entries]
        return self._grown(tuple(zip(*rows, strict=True)))

    def extended_rows(self, rows: Iterable[Row]) -> Spine:
        """`extended` for plain tuples in `Entry` field order."""
        return self._grown(tuple(zip(*rows, strict=True)))

    def draft(self, entries: Iterable[Entry]) -> Spine:
        """This spine and then `entries` of one request, without growing the shared columns; costs what was added."""
        rows = [(e.id, e.seq, e.role, e.sha256, e.tokens, e.flags, e.calls, e.results) for e in entries]
        if not rows:
            return self
        columns: tuple[Sequence[Any], ...] = tuple(zip(*rows, strict=True))
        drafted = Spine._over(Shared(), self.n + len(rows))
        drafted._open, safe, mixed = _pair(self, columns[5], columns[6], columns[7])
        genuine = [p for p, f in enumerate(columns[5], self.n) if f & 1]
        drafted._shared.lay_over(
            self._shared,
            self.n,
            columns,
            users=(self._users, [p for p in genuine if p not in mixed]),
            genuine=(self._genuine, genuine),
        )
        drafted._settled = self._settled
        drafted._loose = tuple(compress(range(self._base, drafted.n + 1), safe))
        drafted._users = len(drafted._shared.users)
        drafted._genuine = len(drafted._shared.genuine)
        drafted._opening_end = _opening_end(drafted)
        return drafted

    def prefix(self, n: int) -> Spine:
        """The first `n` messages as a spine of their own (costs `n`)."""
        if n >= self.n and not self._shared.is_layered:
            return self
        n = min(n, self.n)
        return Spine()._grown(tuple(getattr(self._shared, name)[:n] for name in COLUMNS) if n > 0 else ())

    def _grown(self, columns: tuple[Sequence[Any], ...]) -> Spine:
        if not columns:
            return self
        shared = self._shared
        if shared.is_layered:
            return self.prefix(self.n)._grown(columns)
        if len(shared.ids) != self.n:
            shared = shared.copy(self.n, settled=self._settled, users=self._users, genuine=self._genuine)
        grown = Spine._over(shared, self.n + len(columns[0]))
        flags = columns[5]
        grown._open, safe, mixed = _pair(self, flags, columns[6], columns[7])
        for name, values in zip(COLUMNS, columns, strict=True):
            getattr(shared, name).extend(values)
        shared.cum.extend(islice(accumulate(columns[4], initial=shared.cum[-1]), 1, None))
        genuine = [p for p, f in enumerate(flags, self.n) if f & 1]
        shared.genuine.extend(genuine)
        shared.users.extend([p for p in genuine if p not in mixed] if mixed else genuine)
        grown._settle(self._base, safe)
        return grown

    @classmethod
    def _over(cls, shared: Shared, n: int) -> Spine:
        spine = cls.__new__(cls)
        spine._shared = shared
        spine.n = n
        return spine

    def _settle(self, base: int, safe: bytearray) -> None:
        """Divide the boundaries from `base` on: those no later message can remove, and the loose rest."""
        shared = self._shared
        edge = self._base - base
        boundaries = range(base, self.n + 1)
        shared.cuts.extend(compress(boundaries[:edge], safe[:edge]))
        self._loose = tuple(compress(boundaries[edge:], safe[edge:]))
        self._settled = len(shared.cuts)
        self._users = len(shared.users)
        self._genuine = len(shared.genuine)
        self._opening_end = _opening_end(self)

    @property
    def _base(self) -> int:
        """The first boundary that a later message could still remove."""
        if self._open:
            return self._open[0][0] + 1
        unfinished = self.n > 0 and self._shared.flags[self.n - 1] & Flag.SIGNED
        return self.n if unfinished else self.n + 1

    # -- columns --------------------------------------------------------------------

    @property
    def ids(self) -> Column[str]:
        """Message ids."""
        return Column(self._shared.ids, self.n)

    @property
    def seqs(self) -> Column[int | None]:
        """Arrival numbers; None for messages that are not stored."""
        return Column(self._shared.seqs, self.n)

    @property
    def roles(self) -> Column[str]:
        """Roles."""
        return Column(self._shared.roles, self.n)

    @property
    def hashes(self) -> Column[str]:
        """Content hashes."""
        return Column(self._shared.hashes, self.n)

    @property
    def tokens(self) -> Column[int]:
        """Reference tokens."""
        return Column(self._shared.tokens, self.n)

    @property
    def flags(self) -> Column[int]:
        """`Flag` values."""
        return Column(self._shared.flags, self.n)

    @property
    def cum(self) -> Column[int]:
        """Prefix sums of `tokens`, `n + 1` of them."""
        return Column(self._shared.cum, self.n + 1)

    @property
    def cuts(self) -> Column[int]:
        """Safe boundaries, ascending, from 0 to `n`."""
        return Column(self._shared.cuts, self._settled, self._loose)

    @property
    def users(self) -> Column[int]:
        """Positions of the genuine user messages that start an exchange."""
        return Column(self._shared.users, self._users)

    @property
    def opening_end(self) -> int:
        """Position after the protected opening (design, section 1)."""
        return self._opening_end

    @property
    def newest_user(self) -> int | None:
        """Position of the newest message with words of the user, also one that carries results."""
        return self._shared.genuine[self._genuine - 1] if self._genuine else None

    @property
    def lineage(self) -> object:
        """The same object for spines that share columns: up to the shorter `n` they hold the same messages."""
        return self._shared

    @property
    def settled_end(self) -> int:
        """The last cut that no later message can remove."""
        return self._shared.cuts[self._settled - 1]

    @property
    def open_calls(self) -> tuple[tuple[int, str], ...]:
        """Calls that still wait for a result: (position, call id), oldest first."""
        return self._open

    # -- questions ------------------------------------------------------------------

    def __len__(self) -> int:
        return self.n

    def index_of(self, message_id: str) -> int | None:
        """Position of a message id, None if it is not on this spine."""
        shared = self._shared
        for position in range(len(shared.index), len(shared.ids)):
            shared.index.setdefault(shared.ids[position], position)
        found = shared.index.get(message_id)
        return found if found is not None and found < self.n else None

    def entry(self, position: int) -> Entry:
        """The entry at a position."""
        s = self._shared
        if not 0 <= position < self.n:
            raise IndexError(position)
        return Entry(
            id=s.ids[position],
            seq=s.seqs[position],
            role=s.roles[position],
            sha256=s.hashes[position],
            tokens=s.tokens[position],
            flags=s.flags[position],
            calls=tuple(s.calls[position] or ()),
            results=tuple(s.results[position] or ()),
        )

    def tokens_between(self, start: int, end: int) -> int:
        """Reference tokens of positions `start` up to before `end`."""
        return self._shared.cum[end] - self._shared.cum[start] if 0 <= start < end <= self.n else 0

    def first_at(self, tokens: int, *, lo: int = 0) -> int:
        """The first boundary at or after `lo` with at least `tokens` before it, `n + 1` if there is none."""
        return bisect_left(self._shared.cum, tokens, lo, self.n + 1)

    def last_within(self, tokens: int, *, lo: int = 0) -> int:
        """The last boundary with at most `tokens` before it, `lo - 1` if there is none."""
        return bisect_right(self._shared.cum, tokens, lo, self.n + 1) - 1

    def is_cut(self, boundary: int) -> bool:
        """Whether a boundary is a safe cut."""
        return self.cut_at_or_after(boundary) == boundary

    def cut_at_or_after(self, boundary: int) -> int:
        """The first safe cut at or after a boundary; `n` after the last one."""
        cuts = self.cuts
        at = bisect_left(cuts, boundary)
        return cuts[at] if at < len(cuts) else self.n

    def cut_at_or_before(self, boundary: int) -> int:
        """The last safe cut at or before a boundary."""
        cuts = self.cuts
        return cuts[max(0, bisect_right(cuts, boundary) - 1)]

    def next_cut(self, boundary: int) -> int:
        """The first safe cut after a boundary; `n` after the last one."""
        return self.cut_at_or_after(boundary + 1)

    def segment_end(self, start: int) -> int:
        """Where the segment that holds position `start` ends."""
        return self.next_cut(start)

    def segment_start(self, position: int) -> int:
        """Where the segment that holds a position starts."""
        return self.cut_at_or_before(position)

    def is_user(self, position: int) -> bool:
        """Whether a genuine user message starts an exchange here."""
        users = self.users
        at = bisect_left(users, position)
        return at < len(users) and users[at] == position

    def exchange_start(self, position: int) -> int:
        """Where the exchange that holds a position starts; 0 before the first genuine user message."""
        users = self.users
        at = bisect_right(users, position)
        return users[at - 1] if at else 0

    def exchange_end(self, position: int) -> int:
        """Where the exchange that holds a position ends: just before the next genuine user message."""
        users = self.users
        at = bisect_right(users, position)
        return users[at] if at < len(users) else self.n

    def is_closed(self, position: int) -> bool:
        """Whether the exchange that holds a position is over: answered, or a later user message exists."""
        if self.exchange_end(position) < self.n:
            return True
        last = self._shared.flags[self.n - 1] if self.n else 0
        return bool(last & Flag.ASSISTANT) and not last & (Flag.SIGNED | Flag.CALLS) and not self._open


def _pair(
    spine: Spine, flags: Sequence[int], calls: Sequence[Sequence[str]], results: Sequence[Sequence[str]]
) -> tuple[tuple[tuple[int, str], ...], bytearray, set[int]]:
    """Pair new results with the nearest open call before them.

    Returns the calls that are open afterwards, one byte for each boundary from `spine._base` on
    (1: safe), and the user messages that answer calls and so start no exchange.
    """
    base, n = spine._base, spine.n
    safe = bytearray(max(0, n + 1 - base)) + bytes((1,)) * len(flags)
    for cut in spine._loose:
        safe[cut - base] = 1
    if n and spine._shared.flags[n - 1] & Flag.SIGNED and flags[0] & Flag.ASSISTANT:
        safe[n - base] = 0
    waiting: dict[str, list[int]] = {}
    for position, key in spine._open:
        waiting.setdefault(key, []).append(position)
    mixed: set[int] = set()
    last = len(flags) - 1
    for i in [i for i, f in enumerate(flags) if f & STRUCTURAL]:
        flag, position = flags[i], n + i
        answered = bool(waiting) and bool(flag & 512) and _answer(waiting, results[i], position, base, safe)
        if flag & 1:
            if answered:
                mixed.add(position)
            else:
                waiting.clear()
        if flag & 256:
            for key in calls[i]:
                waiting.setdefault(key, []).append(position)
        if flag & 64 and i < last and flags[i + 1] & 4:
            safe[position + 1 - base] = 0
    still = sorted((position, key) for key, positions in waiting.items() for position in positions)
    return tuple(still), safe, mixed


def _answer(waiting: dict[str, list[int]], keys: Sequence[str], position: int, base: int, safe: bytearray) -> bool:
    """Close the calls that a message answers: no boundary between them and it is safe."""
    answered = False
    for key in keys:
        positions = waiting.get(key)
        if positions:
            first = positions.pop() + 1
            safe[first - base : position + 1 - base] = bytes(position + 1 - first)
            answered = True
            if not positions:
                del waiting[key]
    return answered


def _opening_end(spine: Spine) -> int:
    """The first exchange, or its first user message and whole segments up to `OPENING_CAP`.

    Injected messages before it belong to the opening but do not count towards its cap. Without
    any genuine user message (or one only after very much text): whole segments up to the cap.
    """
    cum, n = spine._shared.cum, spine.n
    if not n:
        return 0
    anchor, limit, least = 0, n, 0
    if spine._users:
        first = spine._shared.users[0]
        if cum[first] <= PREFACE_CAP:
            anchor, least = first, first + 1
            limit = spine._shared.users[1] if spine._users > 1 else n
    if cum[limit] - cum[anchor] <= OPENING_CAP:
        return limit
    reach = min(limit, spine.last_within(cum[anchor] + OPENING_CAP, lo=anchor))
    end = spine.cut_at_or_before(reach)
    return end if end > anchor else spine.cut_at_or_after(max(least, 1))

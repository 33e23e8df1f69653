"""Growing columns that several readers share, each seeing only its own prefix. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, islice
from typing import Any, TypeVar, overload

T = TypeVar("T")


class Column(Sequence[T]):
    """The first `n` items of a shared, append-only list, then the items of a short tail."""

    __slots__ = ("_items", "_n", "_tail")

    def __init__(self, items: Sequence[T], n: int, tail: tuple[T, ...] = ()) -> None:
        self._items = items
        self._n = n
        self._tail = tail

    def __len__(self) -> int:
        return self._n + len(self._tail)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step == 1 and stop <= self._n:
                return list(self._items[start:stop])
            return [self[i] for i in range(start, stop, step)]
        if index < 0:
            index += len(self)
        if 0 <= index < self._n:
            return self._items[index]
        if index < 0:
            raise IndexError(index)
        return self._tail[index - self._n]

    def __iter__(self) -> Iterator[T]:
        return chain(islice(self._items, self._n), self._tail)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(other) == len(self) and list(self) == list(other)

    def __hash__(self) -> int:
        raise TypeError("a column is not hashable")

    def __repr__(self) -> str:
        return f"Column({list(self)!r})"


COLUMNS = ("ids", "seqs", "roles", "hashes", "tokens", "flags", "calls", "results")


class Shared:
    """The growing columns behind every spine of one line of growth. Only `Spine` touches it."""

    __slots__ = (
        "calls", "cum", "cuts", "flags", "genuine", "hashes", "ids", "index",
        "results", "roles", "seqs", "tokens", "users",
    )  # fmt: skip

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.seqs: list[int | None] = []
        self.roles: list[str] = []
        self.hashes: list[str] = []
        self.tokens: list[int] = []
        self.flags: list[int] = []
        self.calls: list[Sequence[str]] = []
        self.results: list[Sequence[str]] = []
        self.cum: list[int] = [0]
        self.cuts: list[int] = [0]
        """Settled: no later message can remove them."""
        self.users: list[int] = []
        self.genuine: list[int] = []
        self.index: dict[str, int] = {}

    def copy(self, n: int, *, settled: int, users: int, genuine: int) -> Shared:
        """A private copy of what one spine sees, for a second line of growth."""
        new = Shared()
        for name in COLUMNS:
            setattr(new, name, getattr(self, name)[:n])
        new.cum = self.cum[: n + 1]
        new.cuts = self.cuts[:settled]
        new.users = self.users[:users]
        new.genuine = self.genuine[:genuine]
        return new

    @property
    def is_layered(self) -> bool:
        """Whether this lies over another one and cannot grow."""
        return isinstance(self.ids, Column)

    def lay_over(
        self,
        below: Shared,
        n: int,
        columns: Sequence[Sequence[Any]],
        *,
        users: tuple[int, list[int]],
        genuine: tuple[int, list[int]],
    ) -> None:
        """Become the first `n` items of `below` and then `columns`, as views that copy nothing of it."""
        for name, values in zip(COLUMNS, columns, strict=True):
            setattr(self, name, Column(getattr(below, name), n, tuple(values)))
        sums = accumulate(columns[4], initial=below.cum[n])
        views = (
            ("cum", Column(below.cum, n + 1, tuple(islice(sums, 1, None)))),
            ("users", Column(below.users, users[0], tuple(users[1]))),
            ("genuine", Column(below.genuine, genuine[0], tuple(genuine[1]))),
            ("cuts", below.cuts),
        )
        for name, column in views:
            setattr(self, name, column)

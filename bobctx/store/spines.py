"""The spine of a branch, read once and then extended: an append costs what was appended.

Versions are keyed by the conversation's shape revision, which changes with every edit and
deletion but not with an append, and are read in the caller's own snapshot (design, section 3).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import orjson

from bobctx.core.segments import Spine
from bobctx.core.types import Mode, Scope
from bobctx.store.driver import Conn
from bobctx.store.rows import bounds
from bobctx.store.statements import SQL

VERSIONS = 4
"""Readers whose snapshot is a little older find their own version."""
MAX_ROWS = 200_000
"""Rows of all spines together that are held."""
MAX_BRANCHES = 10_000
STRIPES = 64
"""Locks that branches share: two that meet in one only wait for each other."""


@dataclass(slots=True, kw_only=True)
class Conversation:
    """One row of `conversations`, as one snapshot or one transaction sees it."""

    conv: int
    leaf: int | None
    revision: int
    shape: int
    chain: int
    next_seq: int
    next_branch: int
    backend: str | None
    mode: Mode | None
    paused: bool
    last_edit_ts: float
    messages: int
    tokens: int


def find_conversation(conn: Conn, scope: Scope) -> Conversation | None:
    """The conversation of a scope, None if nothing was recorded for it."""
    row = conn.execute(SQL["conversation"], (scope.user_id, scope.conversation_id)).fetchone()
    if row is None:
        return None
    return Conversation(
        conv=row[0],
        leaf=row[1],
        revision=row[2],
        shape=row[3],
        chain=row[4],
        next_seq=row[5],
        next_branch=row[6],
        backend=row[7],
        mode=row[8],
        paused=bool(row[9]),
        last_edit_ts=row[10],
        messages=row[11],
        tokens=row[12],
    )


def branch_of(conn: Conn, row: int) -> int:
    """The branch a message was recorded on."""
    found = conn.execute(SQL["message_by_row"], (row,)).fetchone()
    return int(found[2])


def path_of(conn: Conn, conv: int, branch: int, leaf: int) -> dict[int, int]:
    """The branches between the root and `leaf`: for each the last row that is on the path."""
    limits = {branch: leaf}
    parents = {row[0]: (row[1], row[2]) for row in conn.execute(SQL["branches"], (conv,))}
    current = branch
    while parents[current][0] is not None:
        current, fork = parents[current]
        limits[current] = fork
    return limits


def _row(row: tuple[Any, ...]) -> tuple[Any, ...]:
    calls, results = row[6], row[7]
    return (
        *row[:6],
        tuple(orjson.loads(calls)) if calls else (),
        tuple(orjson.loads(results)) if results else (),
    )


def read_rows(conn: Conn, conversation: Conversation, branch: int, after: int, leaf: int) -> list[tuple[Any, ...]]:
    """Entries as tuples, along the path to `leaf`, of the rows after `after`."""
    if conversation.next_branch <= 1:
        rows = conn.execute(SQL["spine_rows"], (after, leaf)).fetchall()
    else:
        limits = path_of(conn, conversation.conv, branch, leaf)
        base = bounds(conversation.conv)[0]
        rows = [
            row[2:]
            for row in conn.execute(SQL["spine_rows_of_branches"], (after, leaf))
            if base + row[1] <= limits.get(row[0], 0)
        ]
    return [row if row[6] is None and row[7] is None else _row(row) for row in rows]


@dataclass(frozen=True, slots=True)
class _Version:
    shape: int
    leaf: int
    spine: Spine


class Spines:
    """Spines by (conversation, branch). Used from reader and writer threads."""

    def __init__(self) -> None:
        self._branches: OrderedDict[tuple[int, int], list[_Version]] = OrderedDict()
        self._growing = tuple(threading.Lock() for _ in range(STRIPES))
        """One thread at a time grows a spine: it shares columns with the version before."""
        self._lock = threading.Lock()
        self._rows = 0

    def get(self, conn: Conn, conversation: Conversation, leaf: int | None, *, keep: bool = True) -> Spine:
        """The spine that ends in `leaf`, as the snapshot behind `conversation` has it.

        `keep` only for committed snapshots: what a transaction reads of itself may never come true.
        """
        if leaf is None:
            return Spine()
        branch = branch_of(conn, leaf) if conversation.next_branch > 1 else 0
        key = (conversation.conv, branch)
        with self._growing[hash(key) % STRIPES]:
            return self._grow(conn, conversation, key, leaf, keep)

    def _grow(self, conn: Conn, conversation: Conversation, key: tuple[int, int], leaf: int, keep: bool) -> Spine:
        versions = [v for v in self._branches.get(key, ()) if v.shape == conversation.shape]
        exact = next((v for v in versions if v.leaf == leaf), None)
        if exact is not None:
            return exact.spine
        earlier = max((v for v in versions if v.leaf < leaf), key=lambda v: v.leaf, default=None)
        if earlier is not None:
            rows = read_rows(conn, conversation, key[1], earlier.leaf, leaf)
            spine = earlier.spine.extended_rows(rows)
        else:
            spine = Spine.from_rows(read_rows(conn, conversation, key[1], bounds(key[0])[0], leaf))
        if keep:
            self._keep(key, _Version(conversation.shape, leaf, spine))
        return spine

    def _keep(self, key: tuple[int, int], version: _Version) -> None:
        with self._lock:
            versions = [*self._branches.get(key, ()), version]
            newest = max(v.shape for v in versions)
            self._rows -= self._size(key)
            self._branches[key] = [v for v in versions if v.shape == newest][-VERSIONS:]
            self._branches.move_to_end(key)
            self._rows += self._size(key)
            while (self._rows > MAX_ROWS or len(self._branches) > MAX_BRANCHES) and len(self._branches) > 1:
                self._forget(next(iter(self._branches)))

    def _size(self, key: tuple[int, int]) -> int:
        return max((v.spine.n for v in self._branches.get(key, ())), default=0)

    def _forget(self, key: tuple[int, int]) -> None:
        self._rows -= self._size(key)
        del self._branches[key]

    def drop(self, conv: int) -> None:
        """Forget a conversation."""
        with self._lock:
            for key in [key for key in self._branches if key[0] == conv]:
                self._forget(key)

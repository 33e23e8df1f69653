"""Which claims of a scope a task's words name: what is not eligible goes before anything is cut.

The newest claims of each word, and those that hold several common words, however old. Counts are those of eligible
claims of this scope alone.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any

from bobctx.core.scoring import Statistics
from bobctx.core.shortlist import ShortlistQuery
from bobctx.core.types import Scope, UserScope
from bobctx.store.chains import Versions
from bobctx.store.claim_words import Term
from bobctx.store.compactions import dump
from bobctx.store.driver import Conn
from bobctx.store.statements import SQL

ROWS_A_TERM = 200
"""The newest of a scope's eligible claims that hold a word."""
COUNTED = 2_000
"""Claims with a word are counted up to here."""
TOGETHER = 3
"""Words that more claims hold than `ROWS_A_TERM`, the rarest: claims with any two of them are looked for as well."""

Found = Scope | UserScope


def conversation_of(scope: Found) -> str | None:
    """The conversation of a scope; None stands for all of its user's."""
    return scope.conversation_id if isinstance(scope, Scope) else None


def place_of(scope: Found, query: ShortlistQuery) -> dict[str, Any]:
    """A scope and what may be read of it, as statements name them."""
    return {"user": scope.user_id, "conversation": conversation_of(scope), "local": int(query.egress == "local")}


def barred(
    conn: Conn, scope: Found, query: ShortlistQuery, versions: Versions, lost: Collection[str]
) -> dict[int, int]:
    """Active claims that may be read and are not eligible, with their words: later, untrusted, or decided against."""
    place = place_of(scope, query)
    found: list[Any] = []
    if query.dated:
        found += conn.execute(SQL["claims_not_yet"], {**place, "now": query.now}).fetchall()
    trusted = {"prompt": versions.prompt, "validator": versions.validator}
    untrusted = [row[0] for row in conn.execute(SQL["compactions_untrusted"], {**place, **trusted})]
    if untrusted:
        found += conn.execute(SQL["claims_untrusted"], {**place, "compactions": dump(untrusted)}).fetchall()
    if lost:
        found += conn.execute(SQL["claims_lost"], {**place, "lost": dump(sorted(lost))}).fetchall()
    return dict(found)


class Finder:
    """The rows of one scope by term."""

    def __init__(self, conn: Conn, terms: Sequence[Term], seen: str, out: Mapping[int, int]) -> None:
        """`seen` is the scope in the index's own words, `out` what is `barred`."""
        self._conn = conn
        self._out = out
        self.held_back: set[int] = set()
        """Barred rows that hold a word of the task."""
        self._match = [f"{seen} AND words : {term.match}" for term in terms]
        self._rows = [set(self._newest(match)) for match in self._match]
        self.spread = tuple(self._count(i) for i in range(len(terms)))
        common = [i for i, rows in enumerate(self._rows) if len(rows) >= ROWS_A_TERM]
        self._together(seen, terms, sorted(common, key=lambda i: (self.spread[i], i)))

    def _newest(self, match: str) -> list[int]:
        found = [row[0] for row in self._conn.execute(SQL["claims_match"], (match, ROWS_A_TERM + len(self._out)))]
        if not self._out:
            return found
        self.held_back.update(row for row in found if row in self._out)
        return [row for row in found if row not in self._out][:ROWS_A_TERM]

    def _count(self, term: int) -> int:
        held = len(self._rows[term])
        if held < ROWS_A_TERM:
            return held
        if not self._out:
            return int(self._conn.execute(SQL["claims_count"], (self._match[term], COUNTED)).fetchone()[0])
        found = self._conn.execute(SQL["claims_match"], (self._match[term], COUNTED + len(self._out)))
        return min(COUNTED, sum(row[0] not in self._out for row in found))

    def _together(self, seen: str, terms: Sequence[Term], common: Sequence[int]) -> None:
        """Old claims that no single word reaches, by the words that they hold together."""
        groups = {tuple(common), *combinations(common[:TOGETHER], 2)}
        for group in sorted(g for g in groups if len(g) > 1):
            match = " AND ".join((seen, *(f"words : {terms[i].match}" for i in group)))
            rows = self._newest(match)
            for i in group:
                self._rows[i].update(rows)

    def best(self, limit: int) -> set[int]:
        """The rows with the rarest words, the newest of equals."""
        weight: dict[int, float] = {}
        for held, rows in zip(self.spread, self._rows, strict=True):
            for row in rows:
                weight[row] = weight.get(row, 0.0) + 1.0 / (1.0 + held)
        if len(weight) <= limit:
            return set(weight)
        return set(heapq.nlargest(limit, weight, key=lambda row: (weight[row], row)))


def statistics(
    conn: Conn, scope: Found, conv: int | None, query: ShortlistQuery, finder: Finder, out: Mapping[int, int]
) -> Statistics:
    """Of the eligible claims that may be read."""
    if conv is not None:
        row = conn.execute(SQL["totals_of_conversation"], (conv,)).fetchone() or (0, 0, 0, 0)
    else:
        row = conn.execute(SQL["totals_of_user"], (scope.user_id,)).fetchone()
    claims, words, local_claims, local_words = map(int, row)
    if query.egress != "local":
        claims, words = claims - local_claims, words - local_words
    return Statistics(claims=claims - len(out), words=words - sum(out.values()), spread=finder.spread)

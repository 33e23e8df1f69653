"""Full-text search in one scope: words, character pairs, and parts of identifiers, ranked by that scope alone.

The index answers with rows; their score uses counts of this scope only, since table-wide
statistics would tell one user about another (design, sections 3 and 8).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import regex

from bobctx.core.types import EgressClass, Message
from bobctx.ports import SearchHit
from bobctx.store import claims, folding
from bobctx.store.compactions import dump
from bobctx.store.driver import Conn
from bobctx.store.rows import MessageCache, bounds, load_rows, text_of_row
from bobctx.store.spines import Conversation
from bobctx.store.statements import SQL

MAX_QUERY = 1000
"""Code points of a query that are read."""
MAX_TERMS = 16
CANDIDATES = 200
"""Rows a term; the newest ones where there are more."""
ENOUGH = 20
"""With so many rows that hold the whole word, those that only hold it as a part are not looked for."""
CHECKED = 40
"""Rows whose text is looked at for a part of an identifier."""
MAX_RUNS = 60
RANKED = 120
"""Rows with the rarest words, whose length counts in the end."""
SNIPPET_BEFORE, SNIPPET_AFTER = 60, 180

WORDS: Mapping[EgressClass, str] = {"local": "fts_match", "cloud_ok": "fts_match_cloud"}
PARTS: Mapping[EgressClass, str] = {"local": "substring_match", "cloud_ok": "substring_match_cloud"}
"""Statements by the class of who asks."""

_CONTROL = regex.compile(r"\p{C}+")
_QUOTED = regex.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True, slots=True)
class Term:
    """One phrase of a query: as FTS5 syntax for words, and the parts of an identifier it may be."""

    match: str
    names: tuple[str, ...]
    text: str

    @property
    def name_match(self) -> str:
        """The parts as the substring index is asked: all their runs of three characters."""
        runs = [run for name in self.names for run in folding.trigrams(name)]
        return " AND ".join('"' + run.replace('"', '""') + '"' for run in runs[:MAX_RUNS])


def _phrase(tokens: Sequence[str]) -> str:
    """Tokens as one quoted phrase; nothing in it is an operator. A single character is the start of a pair."""
    quoted = '"' + " ".join(t.replace('"', " ") for t in tokens) + '"'
    lone = len(tokens) == 1 and len(tokens[0]) == 1 and not tokens[0].isascii()
    return quoted + " *" if lone else quoted


def _words(piece: str) -> list[str]:
    """The tokens of a piece of a query; of an unspaced run, the pairs that a longer run holds too."""
    found = folding.tokens(piece)
    if len(found) > 1 and len(found[-1]) == 1 and len(found[-2]) == 2 and found[-2][1] == found[-1]:
        found.pop()
    return found


def terms_of(query: str) -> tuple[Term, ...]:
    """The distinct terms of a query, at most `MAX_TERMS`: quoted runs and words, operators as plain words."""
    clean = _CONTROL.sub(" ", query[:MAX_QUERY])
    found: dict[str, Term] = {}
    for match in _QUOTED.finditer(clean):
        piece = (match[1] if match[1] is not None else match[2])[: folding.MAX_NAME]
        tokens = _words(piece.casefold())
        names = tuple(part for part in folding.name_pieces(piece.casefold()) if len(part) >= 3)
        if not tokens and not names:
            continue
        key = " ".join(tokens or names)
        found.setdefault(key, Term(_phrase(tokens) if tokens else "", names, piece))
        if len(found) >= MAX_TERMS:
            break
    return tuple(found.values())


def search(
    conn: Conn, conversation: Conversation, query: str, *, limit: int, cache: MessageCache, egress: EgressClass
) -> list[SearchHit]:
    """The best messages of one conversation and class, best first."""
    terms = terms_of(query)
    if not terms or limit <= 0:
        return []
    scores = _scores(_Reach(conn, conversation, egress), terms)
    best = sorted(scores, key=lambda row: (-scores[row], -row))[:limit]
    messages = load_rows(conn, best, shape=conversation.shape, cache=cache)
    return [
        SearchHit(message=messages[row], score=round(scores[row], 6), snippet=snippet(messages[row], terms))
        for row in best
        if row in messages
    ]


class _Reach:
    """The messages of one conversation that may be read."""

    def __init__(self, conn: Conn, conversation: Conversation, egress: EgressClass) -> None:
        self.conn = conn
        self._bounds = bounds(conversation.conv)
        self._egress = egress
        self.messages, self.tokens = conversation.messages, conversation.tokens
        if egress != "local":
            self.messages, self.tokens = conn.execute(SQL["cloud_totals"], self._bounds).fetchone()

    def rows(self, index: Mapping[EgressClass, str], match: str, limit: int) -> list[int]:
        """The newest rows of an index."""
        found = self.conn.execute(SQL[index[self._egress]], (match, *self._bounds, limit)).fetchall()
        return [row[0] for row in found]


def _scores(reach: _Reach, terms: Sequence[Term]) -> Mapping[int, float]:
    found: dict[int, float] = {}
    words = [term.match for term in terms if term.match]
    together = reach.rows(WORDS, " AND ".join(words), CANDIDATES) if len(words) > 1 else []
    average = max(1.0, reach.tokens / max(1, reach.messages))
    for term in terms:
        rows = _rows_of(reach, term)
        weight = math.log(1 + (reach.messages - len(rows) + 0.5) / (len(rows) + 0.5))
        for row in {*rows, *(together if term.match else ())}:
            found[row] = found.get(row, 0.0) + max(weight, 0.01)
    if len(found) <= 1:
        return found
    best = heapq.nlargest(RANKED, found, key=lambda row: (found[row], row))
    lengths = dict(reach.conn.execute(SQL["lengths"], (dump(best),)).fetchall())
    return {
        row: found[row] * 2.2 / (1.0 + 1.2 * (0.25 + 0.75 * lengths[row] / average)) for row in best if row in lengths
    }


def _rows_of(reach: _Reach, term: Term) -> set[int]:
    """Rows that hold a term, as words or as part of an identifier."""
    rows: set[int] = set()
    if term.match:
        rows.update(reach.rows(WORDS, term.match, CANDIDATES))
    if term.names and len(rows) < ENOUGH:
        for row in reach.rows(PARTS, term.name_match, CHECKED):
            if row not in rows and _holds(reach.conn, row, term.names):
                rows.add(row)
    return rows


def _holds(conn: Conn, row: int, names: Sequence[str]) -> bool:
    """Whether the parts themselves stand in a message, not only their runs of three characters."""
    text = text_of_row(conn, row)[: folding.INDEX_CHARS].casefold()
    return all(name in text for name in names)


def snippet(message: Message, terms: Sequence[Term]) -> str:
    """The text around the first term that stands in it as it was asked, else its start."""
    text = message.text
    lowered = text.casefold() if len(text) < 200_000 else text.lower()
    places = [lowered.find(term.text.casefold()) for term in terms]
    at = min((p for p in places if p >= 0), default=0)
    if len(lowered) != len(text):
        at = min(at, len(text))
    start, end = max(0, at - SNIPPET_BEFORE), min(len(text), at + SNIPPET_AFTER)
    cut = _CONTROL.sub(" ", text[start:end]).strip()
    return ("…" if start else "") + cut + ("…" if end < len(text) else "")


# -- writing ------------------------------------------------------------------------------


def write_index(conn: Conn, changes: Mapping[int, tuple[str | None, str | None]]) -> None:
    """The last step of a batch: take out old words, put in new ones, in row order.

    Row order matters: the index flushes to disk whenever a row is smaller than the one before it.
    """
    removed = [(row, old) for row, (old, _) in sorted(changes.items()) if old is not None]
    added = [(row, new) for row, (_, new) in sorted(changes.items()) if new is not None]
    for row, old in removed:
        conn.execute(SQL["fts_remove"], (row, folding.words(old)))
        _remove_names(conn, row, old)
    if added:
        conn.executemany(SQL["fts_add"], added)
        conn.executemany(SQL["queue_add"], [(row,) for row, _ in added])


def _remove_names(conn: Conn, row: int, old: str) -> None:
    if conn.execute(SQL["queue_has"], (row,)).fetchone() is not None:
        conn.execute(SQL["queue_remove"], (row,))
        return
    names = folding.names(old)
    if names:
        conn.execute(SQL["substring_remove"], (row, names))


def index_names(conn: Conn, limit: int) -> int:
    """Let the substring index catch up by at most `limit` messages; how many there were."""
    waiting = [row[0] for row in conn.execute(SQL["queue_take"], (limit,)).fetchall()]
    for row in waiting:
        names = folding.names(text_of_row(conn, row))
        if names:
            conn.execute(SQL["substring_add"], (row, names))
        conn.execute(SQL["queue_remove"], (row,))
    return len(waiting)


def rebuild(conn: Conn) -> None:
    """Index everything again, after a change of the folding."""
    conn.execute(SQL["fts_clear"])
    conn.execute(SQL["substring_clear"])
    for (row,) in conn.execute(SQL["rows_indexed"]).fetchall():
        conn.execute(SQL["fts_add"], (row, folding.words(text_of_row(conn, row))))
        conn.execute(SQL["queue_add"], (row,))
    claims.describe_all(conn)

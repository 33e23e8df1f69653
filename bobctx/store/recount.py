"""Counting again after a change of the reference counter: one conversation in one transaction.

So no assembly ever mixes counts of two counters in one conversation that was recounted
(design, section 4, Counting).
"""

from __future__ import annotations

from collections.abc import Mapping

from bobctx.core.types import Message, Scope
from bobctx.store.chains import Chains
from bobctx.store.driver import Conn
from bobctx.store.rows import MessageCache, bounds, load_rows
from bobctx.store.spines import find_conversation
from bobctx.store.sqlite import Transaction
from bobctx.store.statements import SQL

PAGE = 200
"""Messages whose bodies are in memory at once."""


def stale_scopes(conn: Conn, counter_id: str) -> list[Scope]:
    """Conversations that hold counts of another counter."""
    rows = conn.execute(SQL["stale_scopes"], (counter_id,))
    return [Scope(conversation_id=row[0], user_id=row[1]) for row in rows]


def stale_rows(conn: Conn, scope: Scope, counter_id: str) -> list[int]:
    """Rows of a conversation that were counted by another counter."""
    conversation = find_conversation(conn, scope)
    if conversation is None:
        return []
    return [row[0] for row in conn.execute(SQL["stale_rows"], (*bounds(conversation.conv), counter_id))]


def read_page(conn: Conn, rows: list[int]) -> dict[int, Message]:
    """The messages of some rows, past the cache."""
    return load_rows(conn, rows, shape=-1, cache=MessageCache(messages=0, characters=0))


def write_counts(
    tx: Transaction, scope: Scope, counter_id: str, counts: Mapping[int, tuple[str, int]], chains: Chains, now: float
) -> int:
    """Store (hash, tokens) by row, for messages that did not change meanwhile; how many there were."""
    conversation = find_conversation(tx.conn, scope)
    if conversation is None or not counts:
        return 0
    before = chains.before_change(tx.conn, scope, conversation)
    changed = 0
    for row, (sha256, tokens) in counts.items():
        changed += tx.conn.execute(SQL["row_counted"], (tokens, counter_id, row, sha256)).rowcount
    at = conversation
    at.tokens = int(tx.conn.execute(SQL["tokens_total"], bounds(at.conv)).fetchone()[0])
    at.shape += 1
    at.revision += 1
    if before is not None:
        # The opening is measured in tokens, so the chain may have to start elsewhere.
        at.chain += chains.after_change(tx, scope, at, before, now).changed
    tx.conn.execute(
        SQL["conversation_update"],
        (
            at.leaf, at.shape, at.chain, at.next_seq, at.next_branch, at.backend, at.last_edit_ts, now, at.messages,
            at.tokens, at.conv,
        ),
    )  # fmt: skip
    return changed

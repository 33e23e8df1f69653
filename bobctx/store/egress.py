"""An operator's change of egress class: the messages, and the claims that rest on them, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence

from bobctx.core.segments import Flag
from bobctx.core.types import EgressClass, Scope
from bobctx.errors import NotFound
from bobctx.store.chains import Chains
from bobctx.store.recording import find_named
from bobctx.store.rows import bounds
from bobctx.store.spines import find_conversation
from bobctx.store.sqlite import Transaction
from bobctx.store.statements import SQL


def set_egress(
    tx: Transaction, scope: Scope, ids: Sequence[str] | None, egress: EgressClass, chains: Chains, now: float
) -> list[str]:
    """Give messages (by id or alias; None: all that live) another class; the ids of those that changed.

    Raises `NotFound` for an unknown conversation or id; then nothing changed.
    """
    conn = tx.conn
    at = find_conversation(conn, scope)
    if at is None:
        raise NotFound()
    first, last = bounds(at.conv)
    if ids is None:
        known = [(row[0], row[5], row[6], row[9]) for row in conn.execute(SQL["rows_of_conversation"], (first, last))]
    else:
        known = []
        for one in ids:
            item = find_named(conn, at.conv, one)
            if item is None or item.deleted:
                raise NotFound(field="ids", id=one)
            known.append((item.row, item.flags, item.egress, item.name))
    changed = []
    for row, flags, old, name in known:
        if old != egress:
            new = flags | int(Flag.LOCAL) if egress == "local" else flags & ~int(Flag.LOCAL)
            conn.execute(SQL["egress_set"], (egress, new, row))
            changed.append(name)
    if changed:
        at.shape += 1
        at.revision += 1
        chains.derive(conn, scope, at, chains.spine(conn, at))
        conn.execute(
            SQL["conversation_update"],
            (
                at.leaf, at.shape, at.chain + 1, at.next_seq, at.next_branch, at.backend, at.last_edit_ts, now,
                at.messages, at.tokens, at.conv,
            ),
        )  # fmt: skip
    return changed

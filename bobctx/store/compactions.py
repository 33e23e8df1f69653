"""Compactions and replies as rows: read once each, never changed, retired when another takes their place."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from bobctx.core import identity
from bobctx.core.types import Compaction, Json, Pin, Scope
from bobctx.ports import StoredReply
from bobctx.store import rows
from bobctx.store.driver import Conn
from bobctx.store.spines import find_conversation
from bobctx.store.sqlite import Transaction
from bobctx.store.statements import SQL

MAX_HELD = 20_000
"""Rows of all conversations together that are held."""


def dump(value: Json) -> str:
    """A value as a JSON column."""
    return rows.encode(value)[0]


def compaction_of(row: Sequence[Any]) -> Compaction:
    """The compaction of one row of `compaction…`."""
    return Compaction(
        compaction_id=row[1],
        reply_key=row[2],
        first_id=row[3],
        last_id=row[4],
        count=row[5],
        input_sha256=row[6],
        prior_sha256=row[7],
        prev_chain_sha256=row[8],
        chain_sha256=row[9],
        status=row[10],
        backend=row[11],
        prompt_version=row[12],
        validator_version=row[13],
        attempts=row[14],
        claims=tuple(identity.claim_from_json(item) for item in orjson.loads(row[15])),
        narrative=orjson.loads(row[16]),
        validation=orjson.loads(row[17]),
        tokens_in=row[18],
        tokens_out=row[19],
        elapsed_ms=row[20],
        error=row[21],
        created_ts=row[22],
    )


def insert(conn: Conn, conv: int, link: Compaction, *, first: int, last: int) -> None:
    """Store a row; an older row of the same name (an edit taken back) makes room."""
    conn.execute(SQL["compaction_forget"], (conv, link.compaction_id))
    conn.execute(
        SQL["compaction_insert"],
        (
            conv, link.compaction_id, link.reply_key, link.first_id, link.last_id, link.count, link.input_sha256,
            link.prior_sha256, link.prev_chain_sha256, link.chain_sha256, link.status, link.backend,
            link.prompt_version, link.validator_version, link.attempts,
            dump([identity.claim_json(claim) for claim in link.claims]), dump(dict(link.narrative)),
            dump(dict(link.validation)), link.tokens_in, link.tokens_out, link.elapsed_ms, link.error,
            link.created_ts, first, last,
        ),
    )  # fmt: skip


class Compactions:
    """Rows of live compactions by conversation, so that a commit reads one row and not the whole chain."""

    def __init__(self) -> None:
        self._held: OrderedDict[int, dict[tuple[int, str, str], Compaction]] = OrderedDict()
        self._total = 0
        self._lock = threading.Lock()

    def live(self, conn: Conn, conv: int, *, keep: bool) -> tuple[Compaction, ...]:
        """Candidate links, oldest first. `keep` only where the rows read are committed."""
        keys = [tuple(row) for row in conn.execute(SQL["compactions_live"], (conv,))]
        held = self._held.get(conv, {})
        found: dict[tuple[int, str, str], Compaction] = {}
        for key in keys:
            known = held.get(key)
            found[key] = (
                known if known is not None else compaction_of(conn.execute(SQL["compaction_row"], (key[0],)).fetchone())
            )
        if keep and found.keys() != held.keys():
            self._keep(conv, found)
        return tuple(found.values())

    def _keep(self, conv: int, found: dict[tuple[int, str, str], Compaction]) -> None:
        with self._lock:
            self._total += len(found) - len(self._held.pop(conv, {}))
            self._held[conv] = found
            while self._total > MAX_HELD and len(self._held) > 1:
                self._total -= len(self._held.popitem(last=False)[1])

    def drop(self, conv: int) -> None:
        """Forget a conversation."""
        with self._lock:
            self._total -= len(self._held.pop(conv, {}))


def pins_of(conn: Conn, conv: int) -> tuple[Pin, ...]:
    """Pins, oldest first."""
    return tuple(
        Pin(pin_id=row[0], text=row[1], by=row[2], claim_id=row[3], created_ts=row[4])
        for row in conn.execute(SQL["pins"], (conv,))
    )


def overruled_of(conn: Conn, conv: int, user_id: str) -> frozenset[str]:
    """Claims of a conversation that operators decided against, wherever the conflict was found."""
    return frozenset(row[0] for row in conn.execute(SQL["overruled_of"], (user_id, conv)))


# -- replies -----------------------------------------------------------------------------


def save_reply(tx: Transaction, scope: Scope, reply: StoredReply, message_ids: Sequence[str]) -> None:
    """Keep a paid ask; not one whose prompt held a message that was deleted meanwhile."""
    conversation = find_conversation(tx.conn, scope)
    if conversation is None:
        return
    held = rows.stored(tx.conn, conversation.conv, message_ids)
    seqs = sorted(rows.seq_of(row) for row, _, deleted in held.values() if not deleted)
    if len(seqs) != len(set(message_ids)):
        return
    tx.conn.execute(
        SQL["reply_insert"],
        (
            conversation.conv, reply.reply_key, dump(list(reply.region_hashes)),
            identity.input_sha256(reply.region_hashes), dump(seqs), reply.prior_sha256, reply.ask,
            reply.reasons_sha256, dump(dict(reply.aliases)), reply.seat, reply.provider, reply.host,
            reply.prompt_version, reply.raw, dump(dict(reply.usage)), reply.cost_usd, reply.elapsed_ms, reply.error,
            reply.status, reply.created_ts,
        ),
    )  # fmt: skip


def _reply_of(row: Sequence[Any]) -> StoredReply:
    return StoredReply(
        reply_key=row[0],
        region_hashes=tuple(orjson.loads(row[1])),
        prior_sha256=row[2],
        ask=row[3],
        reasons_sha256=row[4],
        aliases=orjson.loads(row[5]),
        seat=row[6],
        provider=row[7],
        host=row[8],
        prompt_version=row[9],
        raw=row[10],
        usage=orjson.loads(row[11]),
        cost_usd=row[12],
        elapsed_ms=row[13],
        status=row[14],
        error=row[15],
        created_ts=row[16],
    )


def replies_by_key(conn: Conn, scope: Scope, keys: Sequence[str]) -> Mapping[str, StoredReply]:
    """Stored replies by key."""
    conversation = find_conversation(conn, scope)
    if conversation is None:
        return {}
    found = conn.execute(SQL["replies_by_key"], (conversation.conv, dump(list(keys))))
    return {row[0]: _reply_of(row) for row in found}


def replies_by_region(conn: Conn, scope: Scope, region_hashes: Sequence[str], prompt_version: str) -> list[StoredReply]:
    """Answered replies for exactly this content, newest first."""
    conversation = find_conversation(conn, scope)
    if conversation is None:
        return []
    key = identity.input_sha256(region_hashes)
    found = conn.execute(SQL["replies_by_region"], (conversation.conv, key, prompt_version))
    return [reply for reply in map(_reply_of, found) if reply.region_hashes == tuple(region_hashes)]

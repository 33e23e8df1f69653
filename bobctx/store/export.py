"""Everything that is stored for one user, as JSON values, a page at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from bobctx.core.types import Json, Scope, UserScope
from bobctx.store.compactions import compaction_of, pins_of
from bobctx.store.driver import Conn
from bobctx.store.rows import bounds, decode
from bobctx.store.spines import find_conversation
from bobctx.store.statements import SQL

PAGE = 500

_MESSAGE = (
    "id", "seq", "role", "speaker", "text", "body", "sha256", "parents", "created_at", "first_seen_ts", "tokens",
    "counter_id", "egress", "injected", "deleted",
)  # fmt: skip
_CLAIM = (
    "alias", "id", "compaction_id", "type", "importance", "text", "cites", "supersedes", "superseded_by", "active",
    "salience", "egress",
)  # fmt: skip
_REPLY = (
    "reply_key", "ask", "seat", "provider", "host", "prompt_version", "raw", "usage", "cost_usd", "elapsed_ms",
    "error", "status", "created_ts",
)  # fmt: skip
_LEARNED = ("used_as", "user_id", "model", "window", "was", "samples", "updated_ts")
_FEEDBACK = (
    "feedback_id", "context_id", "claim_id", "principal", "task_sha256", "outcome", "reason_code", "created_ts",
)  # fmt: skip


def _object(names: Sequence[str], row: Sequence[Any], *, parsed: Sequence[str] = ()) -> dict[str, Json]:
    return {
        name: decode(value, 1) if name in parsed and value is not None else value
        for name, value in zip(names, row, strict=True)
    }


def message_page(conn: Conn, scope: Scope, after: int) -> tuple[list[dict[str, Json]], int | None]:
    """Messages and tombstones with an arrival number over `after`, and the last one's; None when all were read."""
    conversation = find_conversation(conn, scope)
    if conversation is None:
        return [], None
    first, last = bounds(conversation.conv)
    rows = conn.execute(SQL["export_messages"], (first + after, last, PAGE)).fetchall()
    page = [_object(_MESSAGE, row, parsed=("body", "parents")) for row in rows]
    return page, int(rows[-1][1]) if len(rows) == PAGE else None


def rest(conn: Conn, scope: Scope) -> list[dict[str, Json]]:
    """What was made from a conversation: claims, compactions, replies, pins, traces, votes."""
    return list(_rest(conn, scope))


def _rest(conn: Conn, scope: Scope) -> Iterator[dict[str, Json]]:
    conversation = find_conversation(conn, scope)
    if conversation is None:
        return
    conv = conversation.conv
    for row in conn.execute(SQL["export_claims"], (conv,)):
        yield {"kind": "claim", **_object(_CLAIM, row, parsed=("cites",))}
    for row in conn.execute(SQL["compactions_of_scope"], (conv, 1)):
        link = compaction_of(row)
        yield {
            "kind": "compaction",
            "compaction_id": link.compaction_id,
            "first_id": link.first_id,
            "last_id": link.last_id,
            "count": link.count,
            "status": link.status,
            "backend": link.backend,
            "narrative": dict(link.narrative),
            "validation": dict(link.validation),
            "created_ts": link.created_ts,
        }
    for row in conn.execute(SQL["export_replies"], (conv,)):
        yield {"kind": "reply", **_object(_REPLY, row, parsed=("usage",))}
    for pin in pins_of(conn, conv):
        yield {"kind": "pin", "pin_id": pin.pin_id, "text": pin.text, "by": pin.by, "claim_id": pin.claim_id}
    for row in conn.execute(SQL["runs_newest"], (conv, 1_000_000)):
        yield {"kind": "run", **orjson.loads(row[2])}
    for row in conn.execute(SQL["contexts_export"], (conv,)):
        yield {"kind": "context", **orjson.loads(row[0])}
    for row in conn.execute(SQL["export_feedback"], (conv,)):
        yield {"kind": "feedback", **_object(_FEEDBACK, row)}


def of_user(conn: Conn, owner: UserScope) -> list[dict[str, Json]]:
    """What was made from all conversations of a user together: contexts, and what is known about models."""
    rows = conn.execute(SQL["contexts_of_user_export"], (owner.user_id,))
    learned = conn.execute(SQL["learned_of_user"], (owner.user_id,)).fetchall()
    return [
        *({"kind": "context", **orjson.loads(row[0])} for row in rows),
        *({"kind": "learned_model", **_object(_LEARNED, row, parsed=("samples",))} for row in learned),
    ]


def scopes_of(conn: Conn, owner: UserScope) -> list[Scope]:
    """The user's conversations, oldest first."""
    rows = conn.execute(SQL["conversations_with_id"], (owner.user_id,))
    return [Scope(conversation_id=row[0], user_id=owner.user_id) for row in rows]

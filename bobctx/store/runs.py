"""Traces of decisions: what went into one prompt and why, kept as long as there is room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from bobctx.core.types import Json, Scope
from bobctx.store.compactions import dump
from bobctx.store.driver import Conn
from bobctx.store.spines import find_conversation
from bobctx.store.sqlite import Transaction
from bobctx.store.statements import SQL

RUNS_KEPT = 2000
"""Traces of one conversation."""


def add_run(tx: Transaction, scope: Scope, run: Mapping[str, Json]) -> None:
    """Keep one trace; one of an unknown conversation is dropped. `kind` and `created_ts` are optional."""
    conversation = find_conversation(tx.conn, scope)
    if conversation is None or 0.0 < float(run.get("created_ts", 0.0)) <= conversation.last_edit_ts:
        return  # something it may name was deleted or edited while it waited
    values = (
        conversation.conv,
        str(run["trace_id"]),
        str(run.get("kind", "assemble")),
        dump(dict(run)),
        float(run.get("created_ts", 0.0)),
    )
    tx.conn.execute(SQL["run_insert"], values)
    tx.conn.execute(SQL["runs_trim"], (conversation.conv, conversation.conv, RUNS_KEPT))


def get_run(conn: Conn, scope: Scope, trace_id: str) -> Mapping[str, Json] | None:
    """One trace of the scope."""
    conversation = find_conversation(conn, scope)
    if conversation is None:
        return None
    row = conn.execute(SQL["run_get"], (conversation.conv, trace_id)).fetchone()
    found: dict[str, Any] | None = orjson.loads(row[0]) if row is not None else None
    return found

"""Contexts that were compiled, votes on them, operators' decisions, and the figures over all of these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from bobctx.core.conflicts import Resolution
from bobctx.core.feedback import Vote, VoteResult
from bobctx.core.types import Json, Scope, UserScope
from bobctx.errors import InvalidInput, NotFound
from bobctx.store.compactions import dump
from bobctx.store.driver import Conn
from bobctx.store.finding import conversation_of
from bobctx.store.spines import find_conversation
from bobctx.store.sqlite import Transaction
from bobctx.store.statements import SQL

CONTEXTS_KEPT = 2_000
"""Of one user."""


class MutationReused(InvalidInput):
    """This key was used for another vote."""

    code = "idempotency_key_reused"


def add_context(tx: Transaction, scope: Scope | UserScope, context: Mapping[str, Json]) -> None:
    """Keep the trace of one compiled context; one of an unknown conversation is dropped."""
    conv = None
    if isinstance(scope, Scope):
        conversation = find_conversation(tx.conn, scope)
        if conversation is None:
            return
        conv = conversation.conv
    changed = tx.conn.execute(SQL["newest_edit"], (scope.user_id, conversation_of(scope), conversation_of(scope)))
    if (changed.fetchone()[0] or 0.0) >= context["created_ts"]:
        return  # something it may name was deleted or edited while it waited
    tx.conn.execute(
        SQL["context_insert"],
        (
            context["trace_id"],
            scope.user_id,
            conv,
            context["task_sha256"],
            len(context["items"]),
            context["candidates"],
            context["used_tokens"],
            int(bool(context["degraded"])),
            dump(dict(context)),
            context["created_ts"],
        ),
    )
    tx.conn.execute(SQL["contexts_trim"], (scope.user_id, scope.user_id, CONTEXTS_KEPT))


def trace(conn: Conn, owner: UserScope, trace_id: str) -> Mapping[str, Json] | None:
    """The trace of a context or of an assembly of this user, with its `scope`."""
    row = conn.execute(SQL["context_get"], (trace_id, owner.user_id)).fetchone()
    kind = "compile"
    if row is None:
        found = conn.execute(SQL["run_of_user"], (trace_id, owner.user_id)).fetchone()
        if found is None:
            return None
        row, kind = (found[0], found[1], "", found[2], found[3]), "assemble"
    data: dict[str, Any] = orjson.loads(row[3])
    return {"kind": kind, **data, "scope": {"user_id": owner.user_id, "conversation_id": row[0]}}


def vote(tx: Transaction, owner: UserScope, vote: Vote) -> VoteResult:
    """Keep one vote. Raises `NotFound` for a context that is not this user's or a claim that was not in it."""
    conn = tx.conn
    if vote.mutation is not None:
        known = conn.execute(SQL["feedback_by_mutation"], (owner.user_id, vote.mutation)).fetchone()
        if known is not None:
            if known[4] != vote.body_sha256:
                raise MutationReused()
            return VoteResult(
                feedback_id=known[0], context_id=known[1], claim_id=known[2], outcome=known[3],
                recorded_ts=known[5], replayed=True,
            )  # fmt: skip
    found = trace(conn, owner, vote.context_id)
    if found is None:
        raise NotFound()
    name = found["scope"]["conversation_id"]
    claims = {item["claim_id"]: item.get("conversation_id", name) for item in found.get("items", ())}
    if vote.claim_id is not None and vote.claim_id not in claims:
        raise NotFound()
    of = claims.get(vote.claim_id, name)
    conversation = None if of is None else find_conversation(conn, Scope(conversation_id=of, user_id=owner.user_id))
    conn.execute(
        SQL["feedback_insert"],
        (
            vote.feedback_id,
            owner.user_id,
            None if conversation is None else conversation.conv,
            vote.context_id,
            vote.claim_id,
            vote.principal,
            found.get("task_sha256", ""),
            vote.outcome,
            vote.reason_code,
            vote.mutation,
            vote.body_sha256,
            vote.created_ts,
        ),
    )
    return VoteResult(
        feedback_id=vote.feedback_id, context_id=vote.context_id, claim_id=vote.claim_id, outcome=vote.outcome,
        recorded_ts=vote.created_ts,
    )  # fmt: skip


def resolve(tx: Transaction, owner: UserScope, decided: Resolution, claim_id: str, principal: str, now: float) -> None:
    """Keep an operator's decision beside the conversation of one of the claims.

    What a former decision on the same values held to have lost, in other conversations too, stays lost unless it
    says what now holds.
    """
    row = tx.conn.execute(SQL["conv_of_claim"], (owner.user_id, claim_id)).fetchone()
    if row is None:
        raise NotFound()
    before = tx.conn.execute(SQL["resolution_lost"], (owner.user_id, decided.conflict_id)).fetchone()
    former: list[str] = orjson.loads(before[0]) if before is not None else []
    lost = list(decided.lost)
    if decided.keep is not None and former:
        asked = (dump(former), owner.user_id, decided.keep, decided.subject)
        holding = {found[0] for found in tx.conn.execute(SQL["claims_that_say_the_same"], asked)}
        lost += [claim for claim in former if claim not in holding and claim not in lost]
    values = (owner.user_id, decided.conflict_id, row[0], decided.keep, dump(lost), principal, now)
    tx.conn.execute(SQL["resolution_insert"], values)
    tx.conn.execute(SQL["resolution_touch"], (owner.user_id, dump([*lost, *former])))


def withdraw(tx: Transaction, owner: UserScope, conflict_id: str) -> None:
    """Forget a decision: its conflict is open again. Raises `NotFound` where there is none."""
    row = tx.conn.execute(SQL["resolution_lost"], (owner.user_id, conflict_id)).fetchone()
    if row is None:
        raise NotFound()
    tx.conn.execute(SQL["resolution_delete"], (owner.user_id, conflict_id))
    tx.conn.execute(SQL["resolution_touch"], (owner.user_id, row[0]))


def overview(conn: Conn, scope: Scope | UserScope) -> dict[str, Json]:
    """Figures of a scope; null where nothing was measured. Raises `NotFound` for an unknown conversation."""
    if isinstance(scope, Scope) and find_conversation(conn, scope) is None:
        raise NotFound()
    name = conversation_of(scope)
    place = (scope.user_id, name, name)
    contexts, served, items, candidates, used, degraded = conn.execute(SQL["overview_contexts"], place).fetchone()
    assembled, shown = conn.execute(SQL["overview_runs"], place).fetchone()
    claims, active = conn.execute(SQL["overview_claims"], place).fetchone()
    read, written, usd = conn.execute(SQL["overview_replies"], place).fetchone()
    outcomes = dict(conn.execute(SQL["overview_feedback"], place).fetchall())
    rate = None if not contexts else round(served / contexts, 6)
    return {
        "contexts": contexts,
        "injection_rate": rate,
        "hit_rate": rate,
        "items_mean": _mean(items),
        "candidates_mean": _mean(candidates),
        "used_tokens_mean": _mean(used),
        "degraded_contexts": degraded if contexts else None,
        "assemblies": assembled,
        "claims_in_prompt_rate": None if not assembled else round(shown / assembled, 6),
        "claims": claims,
        "claims_active": active,
        "compaction_tokens_read": read,
        "compaction_tokens_written": written,
        "compaction_usd": None if usd is None else round(usd, 6),
        "feedback": outcomes or None,
    }


def _mean(value: float | None) -> float | None:
    return None if value is None else round(value, 3)

"""Compiled contexts, traces and conflicts as the JSON that the API answers with."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bobctx.core.conflicts import Conflict, Disputes
from bobctx.core.context import INSTRUCTIONS, POLICY_SNAPSHOT, Episode, Ranked, excerpt
from bobctx.core.scoring import TRUST_LEVELS, trust_level
from bobctx.core.shortlist import Candidate
from bobctx.core.types import Scope, UserScope

if TYPE_CHECKING:
    from bobctx.api.compile import Compiled


def moment(seconds: float | None) -> str | None:
    """Unix seconds as ISO 8601 in UTC, milliseconds; None where there is none."""
    if seconds is None:
        return None
    text = datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def scope_json(scope: Scope | UserScope) -> dict[str, Any]:
    """Whose claims; `conversation_id` is null for all of a user's conversations."""
    name = scope.conversation_id if isinstance(scope, Scope) else None
    return {"user_id": scope.user_id, "conversation_id": name}


def context_json(made: Compiled, request_id: str) -> dict[str, Any]:
    """The answer of compile."""
    pack = made.pack
    # What may not go to this backend, or does not hold yet, must not be counted either.
    considered = {t.claim_id for t in pack.trace if not t.episode and t.reason not in ("egress", "not_yet_valid")}
    return {
        "context_id": made.context_id,
        "query": made.call.task,
        "scope": scope_json(made.scope),
        "budget": {
            "max_tokens": made.call.max_tokens,
            "used_tokens": pack.used_tokens,
            "envelope_tokens": pack.envelope_tokens,
            "selected": len(pack.items),
            "omitted": len(considered) - len(pack.items),
        },
        "items": [item_json(*item) for item in zip(pack.items, pack.lines, pack.reasons, strict=True)],
        "episodes": [episode_json(episode) for episode in pack.episodes],
        "conflicts": _conflicts_json(pack.conflicts, pack.items),
        "text": pack.text,
        "policy_snapshot": POLICY_SNAPSHOT,
        "instructions": INSTRUCTIONS,
        "warnings": list(made.warnings),
        "status": made.status,
        "empty_reason": pack.empty_reason,
        "meta": {"request_id": request_id, "degraded": dict(made.degraded), "candidates": pack.candidates},
    }


def item_json(item: Ranked, line: str, reason: str) -> dict[str, Any]:
    """One chosen claim with the score behind it."""
    claim = item.claim
    return {
        "claim_id": claim.claim_id,
        "alias": claim.alias,
        "conversation_id": claim.conversation_id,
        "claim": claim.text,
        "kind": claim.type,
        "importance": claim.importance,
        "confidence": item.confidence,
        "trust": TRUST_LEVELS[trust_level(claim.sources, pinned=claim.pinned)],
        "status": "disputed" if item.disputes else "active",
        "reason": reason,
        "observer_id": claim.speaker,
        "pinned": claim.pinned,
        "valid_from": moment(claim.valid_from),
        "valid_to": None,
        "evidence_ids": list(claim.evidence_ids),
        "evidence": _evidence_json(claim),
        "score": item.score,
        "score_components": item.components.as_json(),
        "line": line,
    }


def _evidence_json(claim: Candidate) -> list[dict[str, Any]]:
    """Where each exact value stands in the cited messages."""
    ids = claim.evidence_ids
    return [
        {"message_id": ids[index], "kind": kind, "literal": literal, "start": start, "end": end}
        for index, kind, literal, start, end in claim.spans
        if index < len(ids)
    ]


def episode_json(episode: Episode) -> dict[str, Any]:
    """One source message."""
    return {
        "message_id": episode.message_id,
        "alias": episode.alias,
        "conversation_id": episode.conversation_id,
        "role": episode.role,
        "occurred_at": moment(episode.occurred_at),
        "excerpt": excerpt(episode.text),
    }


def _conflicts_json(conflicts: Sequence[Conflict], items: Sequence[Ranked]) -> list[dict[str, Any]]:
    """One entry for each disputed claim."""
    by_id = {item.claim.claim_id: item.claim for item in items}
    return [
        {
            "claim_id": claim_id,
            "conflict_id": conflict.conflict_id,
            "reason": "contradicting_evidence",
            "value": value,
            "against": [other for other in conflict.claims if other != claim_id],
            "evidence_ids": sorted({e for c in conflict.claims if c in by_id for e in by_id[c].evidence_ids}),
        }
        for conflict in conflicts
        for claim_id, value in zip(conflict.claims, conflict.values, strict=True)
    ]


def disputes_json(found: Disputes, claims: Sequence[Candidate]) -> list[dict[str, Any]]:
    """The open conflicts of a scope with the claims of each."""
    by_id = {claim.claim_id: claim for claim in claims}
    return [
        {
            "conflict_id": conflict.conflict_id,
            "sides": [
                {
                    "claim_id": claim_id,
                    "value": value,
                    "alias": by_id[claim_id].alias,
                    "conversation_id": by_id[claim_id].conversation_id,
                    "claim": by_id[claim_id].text,
                    "kind": by_id[claim_id].type,
                    "cites": list(by_id[claim_id].cites),
                    "valid_from": moment(by_id[claim_id].valid_from),
                }
                for claim_id, value in zip(conflict.claims, conflict.values, strict=True)
                if claim_id in by_id
            ],
        }
        for conflict in found.open
    ]


def decided_json(found: Disputes, conversation_id: str | None) -> list[dict[str, Any]]:
    """The decisions that hold, of one conversation or of all."""
    return [
        {
            "conflict_id": decision.conflict_id,
            "conversation_id": decision.conversation_id,
            "keep": decision.keep,
            "lost": list(decision.lost),
            "decided_at": moment(decision.decided_ts),
        }
        for decision in found.decided
        if conversation_id in (None, decision.conversation_id)
    ]


def trace_json(made: Compiled, *, elapsed_ms: float) -> dict[str, Any]:
    """What is kept of a compile: inputs, ids and reasons, scores; no claim's text."""
    pack, call = made.pack, made.call
    return {
        "trace_id": made.context_id,
        "kind": "compile",
        "created_ts": made.now,
        "elapsed_ms": round(elapsed_ms, 3),
        "query": call.task,
        "options": {
            "max_tokens": call.max_tokens,
            "backend": call.backend,
            "kinds": list(call.kinds),
            "include_episodes": call.include_episodes,
            "conflicts": call.conflicts,
            "recall_floor": call.recall_floor,
            "multi_hop": call.multi_hop,
        },
        "policy_snapshot": POLICY_SNAPSHOT,
        "status": made.status,
        "empty_reason": pack.empty_reason,
        "warnings": list(made.warnings),
        "degraded": sorted(k for k, v in made.degraded.items() if v in (True, "error")),
        "used_tokens": pack.used_tokens,
        "candidates": pack.candidates,
        "items": [
            {
                "claim_id": item.claim.claim_id,
                "conversation_id": item.claim.conversation_id,
                "score": item.score,
                "score_components": item.components.as_json(),
            }
            for item in pack.items
        ],
        "trace": [traced.as_json() for traced in pack.trace],
    }

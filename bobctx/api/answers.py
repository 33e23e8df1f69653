"""Stored values as the JSON that the API answers with; shared by routes, CLI and tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bobctx.core.chain import chain_of, view_in
from bobctx.core.claims import ViewClaim
from bobctx.core.identity import claim_json
from bobctx.core.segments import Spine
from bobctx.core.types import Compaction, Message, Pin, alias_of
from bobctx.ports import ConversationSummary, SearchHit, Snapshot


def message_json(message: Message) -> dict[str, Any]:
    """A stored message: the host's own fields exactly as last recorded, and beside them ours.

    Where a host uses one of our names for a field of its own, its value is the one given back.
    """
    return {
        "id": message.id,
        "alias": message.alias,
        "created_at": message.created_at,
        "injected": message.injected,
        "tokens_est": message.tokens,
        **message.body,
    }


def hit_json(hit: SearchHit) -> dict[str, Any]:
    """One match of a search."""
    message = hit.message
    return {
        "id": message.id,
        "alias": message.alias,
        "role": message.role,
        "snippet": hit.snippet,
        "score": hit.score,
        "created_at": message.created_at,
    }


def conversation_json(row: ConversationSummary) -> dict[str, Any]:
    """One row of a listing."""
    return {name: getattr(row, name) for name in ConversationSummary.__dataclass_fields__}


def pin_json(pin: Pin) -> dict[str, Any]:
    """A pin."""
    return {
        "pin_id": pin.pin_id,
        "text": pin.text,
        "by": pin.by,
        "claim_id": pin.claim_id,
        "created_ts": pin.created_ts,
    }


def _alias_at(spine: Spine, position: int) -> str:
    return alias_of(spine.ids[position], spine.seqs[position])


def claim_view_json(claim: ViewClaim, spine: Spine) -> dict[str, Any]:
    """A claim of the trusted chain, its cites as aliases."""
    return {
        "id": claim.claim.id,
        "alias": claim.alias,
        "type": claim.claim.type,
        "importance": claim.importance,
        "text": claim.claim.text,
        "cites": [_alias_at(spine, p) for p in claim.cites],
        "active": claim.active,
        "superseded_by": claim.superseded_by,
        "supersedes": claim.replaces,
    }


def claims_json(snapshot: Snapshot, *, only_active: bool = False) -> list[dict[str, Any]]:
    """All claims of the trusted chain, oldest first."""
    claims: Sequence[ViewClaim] = view_in(snapshot).claims
    return [claim_view_json(c, snapshot.spine) for c in claims if c.active or not only_active]


def compaction_json(row: Compaction) -> dict[str, Any]:
    """A stored compaction with its claims and its validation report."""
    plain = {
        name: getattr(row, name) for name in Compaction.__dataclass_fields__ if name not in ("claims", "narrative")
    }
    return {
        **plain,
        "validation": dict(row.validation),
        "claims": [claim_json(c) for c in row.claims],
        "narrative": dict(row.narrative),
    }


def chain_json(snapshot: Snapshot) -> dict[str, Any]:
    """What is trusted of a conversation, link by link, and the named break."""
    chain = chain_of(snapshot)
    spine = snapshot.spine
    return {
        "trusted": len(chain.links),
        "covered_messages": sum(link.count for link in chain.links if link.compaction.status == "shadow_ok"),
        "messages": spine.n,
        "head_sha256": chain.head_sha256,
        "links": [
            {
                "region": f"r{index + 1}",
                "first": _alias_at(spine, link.start),
                "last": _alias_at(spine, link.end - 1),
                "messages": link.count,
                "status": link.compaction.status,
                "claims": len(link.compaction.claims),
                "backend": link.compaction.backend,
                "compaction_id": link.compaction.compaction_id,
                "chain_sha256": link.compaction.chain_sha256,
            }
            for index, link in enumerate(chain.links)
        ],
        "break": None if chain.break_ is None else chain.break_.as_json(),
    }

"""The `claims` of the active spine, made equal to what its chain says by writing only what differs."""

from __future__ import annotations

from typing import Any

from bobctx.core.chain import Chain
from bobctx.core.claims import ViewClaim, local_claims, view_of
from bobctx.core.segments import Spine
from bobctx.store import folding
from bobctx.store.compactions import dump
from bobctx.store.driver import Conn
from bobctx.store.statements import SQL


def _columns(claim: ViewClaim, compaction_id: str, spine: Spine, *, local: bool) -> tuple[Any, ...]:
    """One claim as it is stored, from `alias` on."""
    seqs = [spine.seqs[p] or 0 for p in claim.cites]
    return (
        claim.alias,
        claim.claim.id,
        compaction_id,
        claim.claim.type,
        claim.importance,
        claim.claim.text,
        dump(seqs),
        claim.replaces,
        claim.superseded_by,
        int(claim.active),
        claim.claim.salience,
        "local" if local else "cloud_ok",
        max(seqs, default=0),
    )


def derive(conn: Conn, conv: int, spine: Spine, chain: Chain) -> None:
    """Write the difference between what is stored and what the chain says."""
    view = view_of(chain)
    local = local_claims(view, spine)
    wanted: dict[str, tuple[Any, ...]] = {}
    for claim in view.claims:
        compaction_id = view.links[claim.region].compaction.compaction_id
        wanted[claim.alias] = _columns(claim, compaction_id, spine, local=claim.alias in local)
    for row in conn.execute(SQL["claims_held"], (conv,)).fetchall():
        if wanted.get(row[1]) == tuple(row[1:]):
            del wanted[row[1]]
            continue
        conn.execute(SQL["claim_delete"], (row[0],))
        conn.execute(SQL["claim_unindex"], (row[0], folding.words(row[6])))
    for columns in wanted.values():
        claim_row = conn.execute(SQL["claim_insert"], (conv, *columns)).lastrowid
        conn.execute(SQL["claim_index"], (claim_row, folding.words(columns[5])))

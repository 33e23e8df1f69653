"""The `claims` of the active spine, made equal to what its chain says by writing only what differs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from bobctx.core.chain import Chain
from bobctx.core.claims import ViewClaim, local_claims, view_of
from bobctx.core.conflicts import subjects
from bobctx.core.identity import claim_from_json
from bobctx.core.scoring import Source, source_of
from bobctx.core.segments import Spine
from bobctx.core.types import Claim
from bobctx.store import claim_words
from bobctx.store.compactions import dump
from bobctx.store.driver import Conn
from bobctx.store.rows import row_of
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
    changed = False
    for row in conn.execute(SQL["claims_held"], (conv,)).fetchall():
        if wanted.get(row[1]) == tuple(row[1:]):
            del wanted[row[1]]
            continue
        _unindex(conn, row[0])
        conn.execute(SQL["claim_delete"], (row[0],))  # facts and values go with it
        changed = True
    if wanted:
        user_id = str(conn.execute(SQL["owner"], (conv,)).fetchone()[0])
        for alias, columns in wanted.items():
            claim_row = conn.execute(SQL["claim_insert"], (conv, *columns)).lastrowid
            assert claim_row is not None, "a row was inserted"
            active, egress = bool(columns[9]), columns[11]
            _describe(
                conn, claim_row, conv, user_id, view.by_alias[alias].claim, orjson.loads(columns[6]), active, egress
            )
    if wanted or changed:
        conn.execute(SQL["claim_totals_set"], (conv, conv))


def _unindex(conn: Conn, claim_row: int) -> None:
    found = conn.execute(SQL["claim_facts_terms"], (claim_row,)).fetchone()
    if found is not None:
        conn.execute(SQL["claim_unindex"], (claim_row, *found))


def _describe(
    conn: Conn, row: int, conv: int, user_id: str, claim: Claim, seqs: Sequence[int], active: bool, egress: str
) -> None:
    """What selection needs of a claim: who said it, when, its words, its values."""
    cited = conn.execute(SQL["cited_messages"], (dump([row_of(conv, seq) for seq in seqs]),)).fetchall()
    sources, since = Source.NONE, 0.0
    for _, _, role, moment, _ in cited:
        sources |= source_of(role)
        since = max(since, moment)
    place = {position: index for index, position in enumerate(claim.cites)}
    evidence = {
        "ids": [message_id for _, message_id, *_ in cited],
        "spans": [[place[e.message], e.kind, e.literal, e.start, e.end] for e in claim.evidence if e.message in place],
    }
    scope = claim_words.scope_terms(conv, user_id, claim.type, active=active, local=egress == "local")
    terms = claim_words.indexed(claim.text)
    length = len(claim_words.words(claim.text))
    conn.execute(
        SQL["claim_facts_insert"],
        (
            row, int(sources), int(bool(claim.evidence)), since, claim.speaker, length, scope, terms, dump(evidence),
        ),
    )  # fmt: skip
    conn.execute(SQL["claim_index"], (row, scope, terms))
    for subject in subjects(claim.text, claim.type):
        name = claim_words.subject_hash(user_id, subject.key)
        conn.execute(SQL["claim_value_insert"], (name, row, subject.value))


def describe_all(conn: Conn) -> None:
    """Make facts, values and index of every claim again, after a change of schema or folding."""
    for name in ("claims_clear", "claim_facts_clear", "claim_values_clear"):
        conn.execute(SQL[name])
    for row, conv, user_id, claim_id, kind, text, cites, active, egress, claims_json in conn.execute(
        SQL["claims_to_describe"]
    ).fetchall():
        seqs = orjson.loads(cites)
        stored = next((c for c in orjson.loads(claims_json or "[]") if c["id"] == claim_id), None)
        if stored is not None:
            claim = claim_from_json(stored)
        else:
            claim = Claim(id=claim_id, label="", type=kind, importance=1, text=text, cites=tuple(range(len(seqs))))
        _describe(conn, row, conv, user_id, claim, seqs, bool(active), egress)
    for (conv,) in conn.execute(SQL["conversations_with_claims"]).fetchall():
        conn.execute(SQL["claim_totals_set"], (conv, conv))

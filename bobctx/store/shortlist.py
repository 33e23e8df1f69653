"""The claims that may answer a task: found through the indexed scope term, hydrated through the scope again.

Two phases: the index names rows, newest first, and bounded counts of this scope's claims alone choose among
them; only the chosen are read. Table-wide statistics would tell one user about another (design, section 8).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import orjson

from bobctx.core.conflicts import Disputes, Resolution, Side, disputes
from bobctx.core.scoring import POSITIVE
from bobctx.core.shortlist import Candidate, Excluded, Shortlist, ShortlistQuery
from bobctx.core.types import Scope, UserScope
from bobctx.errors import NotFound
from bobctx.store import claim_words
from bobctx.store.chains import Versions
from bobctx.store.claim_words import Term
from bobctx.store.compactions import dump
from bobctx.store.driver import Conn
from bobctx.store.finding import Finder, Found, barred, conversation_of, place_of, statistics
from bobctx.store.spines import find_conversation
from bobctx.store.statements import SQL

EXCLUDED = 50
"""Claims that match and are not eligible, named with their reason."""
SIDES_A_SUBJECT = 200
"""The newest claims of one subject that are looked at, beside those that were found."""
MAX_RIVALS = 200
"""Other sides of disputes that are fetched beside what was found."""


def shortlist(conn: Conn, scope: Found, query: ShortlistQuery, versions: Versions) -> Shortlist:
    """Candidates, what is disputed among them, and what matches without being eligible."""
    conv = None
    if isinstance(scope, Scope):
        conversation = find_conversation(conn, scope)
        if conversation is None:
            return Shortlist(known=False)
        conv = conversation.conv
    terms = claim_words.terms_of(query.task)
    seen = claim_words.scope_match(scope, conv, claim_words.visible(query.egress), query.kinds)
    resolutions = resolutions_of(conn, scope)
    out = barred(conn, scope, query, versions, {claim for r in resolutions for claim in r.lost})
    finder = Finder(conn, terms, seen, out)
    chosen = finder.best(query.limit)
    also = _named(conn, scope, query)
    rows = _hydrated(conn, scope, {*chosen, *also}, versions)
    sides, rivals = _sides(conn, scope, query, rows, out)
    disputed = disputes(sides, resolutions)
    wanted = {claim for conflict in disputed.open for claim in conflict.claims}
    beside = {row: name for row, name in rivals.items() if name in wanted and row not in rows}
    if beside:
        rows |= _hydrated(conn, scope, dict(sorted(beside.items())[-MAX_RIVALS:]), versions)
    counted = terms if query.scored_for is None else claim_words.terms_of(query.scored_for)
    kept, excluded = _eligible(conn, rows, counted, query, disputed, beside)
    excluded += _held_back(conn, scope, finder, query, disputed, versions)
    excluded += _not_eligible(conn, scope, conv, terms, query)
    return Shortlist(
        terms=tuple(t.word for t in terms),
        statistics=statistics(conn, scope, conv, query, finder, out),
        rows=tuple(kept),
        excluded=tuple({e.claim_id: e for e in excluded}.values()),
        disputes=disputed,
    )


# -- phase one: rows from the index, see `finding` -----------------------------------------


def _named(conn: Conn, scope: Found, query: ShortlistQuery) -> set[int]:
    if not query.also:
        return set()
    name = conversation_of(scope)
    local = query.egress == "local"
    found = conn.execute(SQL["claims_named"], (dump(list(query.also)), scope.user_id, name, name, int(local)))
    return {row[0] for row in found}


# -- phase two: the chosen rows ---------------------------------------------------------------


def _hydrated(conn: Conn, scope: Found, rows: Iterable[int], versions: Versions) -> dict[int, Sequence[Any]]:
    name = conversation_of(scope)
    wanted = dump(sorted(rows))
    found = conn.execute(
        SQL["claims_hydrated"], (versions.prompt, versions.validator, wanted, scope.user_id, name, name)
    )
    return {row[0]: row for row in found.fetchall()}


def _eligible(
    conn: Conn,
    rows: Mapping[int, Sequence[Any]],
    terms: tuple[Term, ...],
    query: ShortlistQuery,
    disputed: Disputes,
    beside: Mapping[int, str],
) -> tuple[list[Candidate], list[Excluded]]:
    votes = _votes(conn, [(row[4], row[1]) for row in rows.values()])
    kept: list[Candidate] = []
    excluded: list[Excluded] = []
    for key, row in sorted(rows.items()):
        reason = _reason(row, query, disputed)
        if reason is not None:
            excluded.append(Excluded(claim_id=row[1], alias=row[2], reason=reason, conversation_id=row[3]))
        elif not query.kinds or row[5] in query.kinds or key in beside:
            kept.append(_candidate(row, terms, votes.get(row[1], (0, 0)), found=key not in beside))
    return kept, excluded


def _reason(row: Sequence[Any], query: ShortlistQuery, disputed: Disputes) -> str | None:
    if not row[20]:
        return "untrusted_region"
    if not row[8]:
        return "superseded" if row[9] is not None else "possibly_superseded"
    if row[1] in disputed.lost:
        return "superseded"
    if query.dated and row[15] > query.now:
        return "not_yet_valid"
    return None


def _candidate(row: Sequence[Any], terms: tuple[Term, ...], votes: tuple[int, int], *, found: bool) -> Candidate:
    own = list(claim_words.words(row[7]))
    evidence = orjson.loads(row[18])
    return Candidate(
        claim_id=row[1],
        alias=row[2],
        conversation_id=row[3],
        type=row[5],
        importance=row[6],
        text=row[7],
        sources=row[13],
        literal=bool(row[14]),
        valid_from=row[15],
        speaker=row[16],
        pinned=bool(row[19]),
        positive=votes[0],
        negative=votes[1],
        matched=claim_words.matches(terms, own, row[17].split()),
        length=len(own),
        salience=row[11],
        evidence_ids=tuple(evidence["ids"]),
        cites=tuple(f"m{seq}" for seq in orjson.loads(row[12])),
        spans=tuple(tuple(span) for span in evidence["spans"]),
        found=found,
    )


def _votes(conn: Conn, claims: Sequence[tuple[int, str]]) -> dict[str, tuple[int, int]]:
    """Positive and negative votes by claim, read from the votes themselves: nothing is cached that could drift."""
    found: dict[str, tuple[int, int]] = {}
    for claim_id, outcome in conn.execute(SQL["claim_outcomes"], (dump([list(c) for c in claims]),)):
        up, down = found.get(claim_id, (0, 0))
        found[claim_id] = (up + 1, down) if outcome in POSITIVE else (up, down + 1)
    return found


def _held_back(
    conn: Conn, scope: Found, finder: Finder, query: ShortlistQuery, disputed: Disputes, versions: Versions
) -> list[Excluded]:
    """Claims that match and are barred: the newest, with why."""
    rows = _hydrated(conn, scope, sorted(finder.held_back)[-EXCLUDED:], versions) if finder.held_back else {}
    reasons = ((row, _reason(row, query, disputed)) for _, row in sorted(rows.items()))
    return [
        Excluded(claim_id=row[1], alias=row[2], reason=reason, conversation_id=row[3])
        for row, reason in reasons
        if reason is not None
    ]


def _not_eligible(
    conn: Conn, scope: Found, conv: int | None, terms: Sequence[Term], query: ShortlistQuery
) -> list[Excluded]:
    """Claims of the scope that match in words but not in state: id and reason only."""
    if not terms:
        return []
    words = "words : (" + " OR ".join(term.match for term in terms) + ")"
    found: list[Excluded] = []
    states = ["x"] if query.egress == "local" else ["x", "l"]
    for state in states:
        match = f"{claim_words.scope_match(scope, conv, state, query.kinds)} AND {words}"
        rows = [row[0] for row in conn.execute(SQL["claims_match"], (match, EXCLUDED))]
        name = conversation_of(scope)
        for claim_id, alias, superseded_by, of in conn.execute(
            SQL["claims_excluded"], (dump(sorted(rows)), scope.user_id, name, name)
        ):
            reason = "egress" if state == "l" else "superseded" if superseded_by else "possibly_superseded"
            found.append(Excluded(claim_id=claim_id, alias=alias, reason=reason, conversation_id=of))
    return found


def vectors(conn: Conn, scope: Found, model: str, query: ShortlistQuery, versions: Versions) -> list[tuple[str, bytes]]:
    """Global ids and vectors of the eligible claims of a scope that a query may be answered with."""
    out = barred(conn, scope, query, versions, {claim for r in resolutions_of(conn, scope) for claim in r.lost})
    found = conn.execute(SQL["vectors_of_scope"], {**_wanted(scope, query), "model": model})
    return [(claim_id, vector) for row, claim_id, vector in found if row not in out]


def without_vector(
    conn: Conn, scope: Found, model: str, query: ShortlistQuery, limit: int
) -> list[tuple[int, str, str]]:
    """Row, global id and text of the newest claims that a query may be answered with and that have no vector yet."""
    asked = {**_wanted(scope, query), "model": model, "limit": limit}
    return conn.execute(SQL["claims_without_vector"], asked).fetchall()


def _wanted(scope: Found, query: ShortlistQuery) -> dict[str, Any]:
    return {**place_of(scope, query), "kinds": dump(list(query.kinds)) if query.kinds else None}


# -- disputes -------------------------------------------------------------------------------


def _sides(
    conn: Conn, scope: Found, query: ShortlistQuery, rows: Collection[int], out: Mapping[int, int]
) -> tuple[list[Side], dict[int, str]]:
    """The values of the eligible claims that share a subject with one of `rows`, and those claims by row."""
    asked = {**place_of(scope, query), "rows": dump(sorted(rows)), "limit": SIDES_A_SUBJECT + len(out)}
    found: list[Any] = []
    held: Counter[str] = Counter()
    for row in sorted(conn.execute(SQL["rival_values"], asked), key=lambda row: (row[4], row[1]), reverse=True):
        if row[1] in out:
            continue
        held[row[0]] += 1
        if held[row[0]] <= SIDES_A_SUBJECT or row[1] in rows:
            found.append(row)
    sides = [_side(subject, claim_id, value, since) for subject, _, claim_id, value, since in found]
    return sides, {row: claim_id for _, row, claim_id, *_ in found}


def _side(subject: str, claim_id: str, value: str, since: float) -> Side:
    return Side(subject=subject, claim_id=claim_id, value=value, since=since)


def resolutions_of(conn: Conn, scope: Found) -> list[Resolution]:
    """What operators decided for a user's claims."""
    return [
        Resolution(
            conflict_id=row[0],
            keep=row[1],
            lost=tuple(orjson.loads(row[2])),
            conversation_id=row[3],
            decided_ts=row[4],
        )
        for row in conn.execute(SQL["resolutions_of_user"], (scope.user_id,))
    ]


def open_disputes(conn: Conn, scope: Found, versions: Versions, now: float) -> tuple[Disputes, tuple[Candidate, ...]]:
    """Every open conflict of a scope, and the claims of them. Raises `NotFound` for an unknown conversation.

    Among the claims that a compile would take: what is not current at `now` disputes nothing.
    """
    if isinstance(scope, Scope) and find_conversation(conn, scope) is None:
        raise NotFound()
    name = conversation_of(scope)
    out = barred(conn, scope, ShortlistQuery(task="", now=now), versions, ())
    found = [row for row in conn.execute(SQL["disputed_subjects"], (scope.user_id, name, name)) if row[1] not in out]
    sides = [_side(subject, claim_id, value, since) for subject, _, claim_id, value, since in found]
    disputed = disputes(sides, resolutions_of(conn, scope))
    wanted = {claim for conflict in disputed.open for claim in conflict.claims}
    rows = _hydrated(conn, scope, {row for _, row, claim_id, *_ in found if claim_id in wanted}, versions)
    return disputed, tuple(_candidate(row, (), (0, 0), found=True) for row in rows.values())


def conflict_ids(conn: Conn, user: UserScope) -> dict[str, str]:
    """The conflicts of a user's active claims, decided or not: a claim of each by its id."""
    found = conn.execute(SQL["disputed_subjects"], (user.user_id, None, None))
    sides = [_side(subject, claim_id, value, since) for subject, _, claim_id, value, since in found]
    return {c.conflict_id: c.claims[0] for c in disputes(sides, ()).open}

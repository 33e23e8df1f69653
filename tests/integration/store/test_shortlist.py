"""Candidates of one scope: bounded, chosen by that scope's own counts, the same whatever others store."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bobctx.core.shortlist import MAX_ROWS, ShortlistQuery
from bobctx.core.types import Scope, UserScope
from bobctx.store import SqliteStore
from bobctx.store.driver import Conn
from bobctx.store.statements import SQL
from tests.integration.store.making import PROMPT, SCOPE, VALIDATOR, compact, posted, put, turns

OTHER = Scope(conversation_id="talk", user_id="bob")
NOW = 2_000_000_000.0


def asked(task: str) -> ShortlistQuery:
    return ShortlistQuery(task=task, now=NOW)


async def fill(store: SqliteStore, scope: Scope, texts: list[str]) -> None:
    await put(store, [*turns(1, 1), *turns(2, 60)], scope=scope)
    _, taken = await compact(store, 100, [(f"c{i + 1}", text, i % 100) for i, text in enumerate(texts)], scope=scope)
    assert taken


async def test_at_most_two_hundred_rows_reach_ranking_and_rare_words_decide_which(store: SqliteStore) -> None:
    await fill(store, SCOPE, ["the zebra is needle striped", *(f"zebra number {i} waits" for i in range(260))])
    found = await store.shortlist(SCOPE, asked("zebra needle"))
    assert len(found.rows) == MAX_ROWS
    assert any("needle" in row.text for row in found.rows)
    assert found.statistics.claims == 261
    assert found.statistics.spread == (261, 1)


async def test_an_old_claim_that_holds_two_common_words_is_reached(store: SqliteStore) -> None:
    """Fails when only the newest claims of each word are looked at."""
    many = [f"{word} number {i} went well" for word in ("deploy", "checkout", "release") for i in range(210)]
    await fill(store, SCOPE, ["the deploy of the checkout waits for Paula", *many])
    for task in ("deploy checkout", "deploy checkout release"):
        found = await store.shortlist(SCOPE, asked(task))
        assert len(found.rows) == MAX_ROWS
        assert any("Paula" in row.text for row in found.rows), task


async def test_what_is_not_eligible_takes_no_place_and_counts_nowhere(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when rows are cut first and looked at later: by time, by trust, by what was decided."""
    await fill(store, SCOPE, [f"zebra number {i} waits" for i in range(6)])
    before = await store.shortlist(SCOPE, asked("zebra"))
    newest = [row.claim_id for row in before.rows][-4:]
    later = "UPDATE claim_facts SET valid_from = 3e9 WHERE claim > (SELECT max(claim) - 4 FROM claims)"
    await store._write(lambda tx: tx.conn.execute(later))
    await store._write(lambda tx: tx.conn.execute("UPDATE claim_totals SET newest = 3e9"))
    monkeypatch.setattr("bobctx.store.finding.ROWS_A_TERM", 2)
    found = await store.shortlist(SCOPE, asked("zebra"))
    assert [row.claim_id for row in found.rows] == [row.claim_id for row in before.rows][:2]
    assert (found.statistics.claims, found.statistics.spread) == (2, (2,))
    assert {e.claim_id: e.reason for e in found.excluded} == dict.fromkeys(newest, "not_yet_valid")


async def test_rivals_are_reached_from_their_subject_and_never_over_a_whole_scope(store: SqliteStore) -> None:
    asked_for = {"rows": "[1]", "limit": 2, "user": "ana", "conversation": "talk", "local": 1}
    plan = await store._read(
        lambda conn: [row[3] for row in conn.execute("EXPLAIN QUERY PLAN " + SQL["rival_values"], asked_for).fetchall()]
    )
    tables = ("mine", "theirs", "x", "y", "w", "c", "f", "v")
    assert [step for step in plan if step.split()[0] == "SCAN" and step.split()[1] in tables] == []
    assert "SEARCH theirs USING PRIMARY KEY (subject=? AND claim>?)" in plan


async def test_of_one_subject_the_newest_claims_and_those_found_are_looked_at(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(store, SCOPE, [f"the boiler temperature is {20 + i % 2} degrees {'now ' * i}" for i in range(12)])
    monkeypatch.setattr("bobctx.store.shortlist.SIDES_A_SUBJECT", 3)
    found = await store.shortlist(SCOPE, asked("boiler temperature"))
    (conflict,) = found.disputes.open
    assert len(conflict.claims) == 2
    assert len(found.rows) == 12

    def rivals(conn: Conn) -> list[tuple[object, ...]]:
        values = {"rows": "[1, 2]", "limit": 3, "user": "ana", "conversation": "talk", "local": 1}
        return conn.execute(SQL["rival_values"], values).fetchall()

    rows = await store._read(rivals)
    assert [row[1] for row in rows] == [1, 2, 10, 11, 12]


async def test_what_others_store_changes_nothing(store: SqliteStore) -> None:
    await fill(store, SCOPE, [f"zebra number {i} waits" for i in range(20)])
    before = await store.shortlist(SCOPE, asked("zebra waits"))
    owner = await store.shortlist(UserScope(user_id=SCOPE.user_id), asked("zebra waits"))
    await fill(store, OTHER, [f"zebra {i} of others waits and waits" for i in range(200)])
    assert await store.shortlist(SCOPE, asked("zebra waits")) == before
    assert await store.shortlist(UserScope(user_id=SCOPE.user_id), asked("zebra waits")) == owner
    assert {row.claim_id for row in owner.rows} == {row.claim_id for row in before.rows}


async def test_names_from_elsewhere_are_read_through_the_scope(store: SqliteStore) -> None:
    await fill(store, SCOPE, ["zebra one"])
    await fill(store, OTHER, ["zebra two"])
    (theirs,) = (await store.shortlist(OTHER, asked("zebra"))).rows
    found = await store.shortlist(SCOPE, ShortlistQuery(task="okapi", now=NOW, also=(theirs.claim_id,)))
    assert found.rows == ()


async def test_an_edit_takes_claims_out_of_index_facts_and_counts(store: SqliteStore) -> None:
    await fill(store, SCOPE, ["zebra one", "zebra two"])
    await put(store, [posted("u2", "user", "changed")])
    found = await store.shortlist(SCOPE, asked("zebra"))
    assert (found.rows, found.statistics.claims) == ((), 0)
    rows = await store._read(lambda conn: conn.execute("SELECT count(*) FROM claim_facts").fetchone()[0])
    assert rows == 0


async def test_an_unknown_conversation_is_known_as_such(store: SqliteStore) -> None:
    assert not (await store.shortlist(SCOPE, asked("zebra"))).known


async def test_facts_that_an_older_file_lacks_are_made_when_it_is_opened(path: Path) -> None:
    async with await SqliteStore.open(path, prompt_version=PROMPT, validator_version=VALIDATOR) as store:
        await fill(store, SCOPE, ["zebra port 8443", "zebra two"])
        before = await store.shortlist(SCOPE, asked("zebra"))
    with closing(sqlite3.connect(path)) as conn:
        for statement in ("claim_facts", "claim_values", "claim_totals"):
            conn.execute(f"DELETE FROM {statement}")
        conn.execute("INSERT INTO claims_fts (claims_fts) VALUES ('delete-all')")
        conn.commit()
    async with await SqliteStore.open(path, prompt_version=PROMPT, validator_version=VALIDATOR) as store:
        assert await store.shortlist(SCOPE, asked("zebra")) == before

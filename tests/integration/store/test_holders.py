"""Which conversation holds a message: asked inside one owner, tombstones included."""

from __future__ import annotations

from bobctx.core.types import Scope, UserScope
from bobctx.store import SqliteStore
from bobctx.store.statements import SQL
from tests.integration.store.making import posted, put

M, N, NONE = (f"h{digit * 24}" for digit in "abc")
"""Derived ids."""
ANN, EVE = UserScope(user_id="ann"), UserScope(user_id="eve")


def scope(conversation: str, owner: UserScope = ANN) -> Scope:
    return Scope(conversation_id=conversation, user_id=owner.user_id)


async def test_only_the_owners_conversations_are_asked(store: SqliteStore) -> None:
    """Fails if the user were left out of the query: a history would be looked up among everybody's."""
    for where in (scope("a"), scope("b"), scope("a", EVE)):
        await put(store, [posted(M, "user", "one"), posted(N, "assistant", "two")], scope=where)
    found = await store.ledger.holders(ANN, [N, NONE])
    assert sorted((h.conversation_id, h.message_id, h.is_leaf) for h in found) == [("a", N, True), ("b", N, True)]
    assert [h.conversation_id for h in await store.ledger.holders(ANN, [M], within="b")] == ["b"]
    assert await store.ledger.holders(UserScope(user_id="bob"), [M]) == []
    assert await store.ledger.holders(ANN, []) == []


async def test_what_was_deleted_still_says_where_it_stood(store: SqliteStore) -> None:
    await put(store, [posted(M, "user", "one"), posted(N, "assistant", "two")], scope=scope("a"))
    await store.delete_message(scope("a"), N, now=2.0)
    found = {h.message_id: h.deleted for h in await store.ledger.holders(ANN, [M, N])}
    assert found == {M: False, N: True}


async def test_a_look_up_costs_what_is_asked_and_not_what_the_user_has(store: SqliteStore) -> None:
    """Fails when every conversation of the user is probed again."""
    statement = "EXPLAIN QUERY PLAN " + SQL["holders"]
    plan = await store._read(lambda conn: [row[3] for row in conn.execute(statement, ("[]", "ann"))])
    assert [step.split(" USING ")[-1] for step in plan[1:]] == [
        "INDEX messages_by_node (message_id=?)",
        "INTEGER PRIMARY KEY (rowid=?)",
    ]

"""Which conversation holds a message: asked inside one owner, tombstones included."""

from __future__ import annotations

from bobctx.core.types import Scope, UserScope
from bobctx.store import SqliteStore
from tests.integration.store.making import posted, put

ANN, EVE = UserScope(user_id="ann"), UserScope(user_id="eve")


def scope(conversation: str, owner: UserScope = ANN) -> Scope:
    return Scope(conversation_id=conversation, user_id=owner.user_id)


async def test_only_the_owners_conversations_are_asked(store: SqliteStore) -> None:
    """Fails if the user were left out of the query: a history would be looked up among everybody's."""
    for where in (scope("a"), scope("b"), scope("a", EVE)):
        await put(store, [posted("m", "user", "one"), posted("n", "assistant", "two")], scope=where)
    found = await store.ledger.holders(ANN, ["n", "none"])
    assert sorted((h.conversation_id, h.message_id, h.is_leaf) for h in found) == [("a", "n", True), ("b", "n", True)]
    assert [h.conversation_id for h in await store.ledger.holders(ANN, ["m"], within="b")] == ["b"]
    assert await store.ledger.holders(UserScope(user_id="bob"), ["m"]) == []
    assert await store.ledger.holders(ANN, []) == []


async def test_what_was_deleted_still_says_where_it_stood(store: SqliteStore) -> None:
    await put(store, [posted("m", "user", "one"), posted("n", "assistant", "two")], scope=scope("a"))
    await store.delete_message(scope("a"), "n", now=2.0)
    found = {h.message_id: h.deleted for h in await store.ledger.holders(ANN, ["m", "n"])}
    assert found == {"m": False, "n": True}

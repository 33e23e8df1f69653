"""A host's list against the list that came back, and the ids of messages that came without one."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx.core.dialect import to_dialect
from bobctx.integrations.lists import Anchor, anchor_of, posted, readable, restored


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


OWN = [user("first"), said("ok"), user("second"), said("ok"), user("third")]


def test_a_list_that_came_back_as_it_was_is_the_hosts_own() -> None:
    assert restored(OWN, [dict(m) for m in OWN]) == [0, 1, 2, 3, 4]


def test_what_stands_for_the_omitted_is_the_only_new_message() -> None:
    block = user("a block")
    assert restored(OWN, [OWN[0], OWN[1], block, OWN[4]]) == [0, 1, block, 4]


def test_equal_texts_at_the_end_are_those_at_the_end() -> None:
    block = user("a block")
    assert restored(OWN, [OWN[0], block, OWN[3], OWN[4]]) == [0, block, 3, 4]


def test_a_message_kept_in_the_middle_is_found_by_its_content() -> None:
    block = user("a block")
    assert restored(OWN, [OWN[0], block, OWN[2], user("cut"), OWN[4]]) == [0, block, 2, user("cut"), 4]


def test_a_form_that_the_dialect_writes_differently_is_still_the_hosts_own() -> None:
    """Fails if an attachment that a dialect only names replaced the host's own object that holds it."""
    own = [user([{"type": "input_text", "text": "look"}, {"type": "file", "media_type": "image/png"}]), said("ok")]
    assert restored(own, to_dialect(own, "openai")) == [0, 1]
    blocks = [user([{"type": "tool_result", "tool_use_id": "c", "content": "r"}, {"type": "text", "text": "and?"}])]
    written = to_dialect(blocks, "openai")
    assert len(written) == 2
    assert restored(blocks, written) == [0]
    assert restored(blocks, written[1:]) == written[1:], "half of a message is not the message"


def test_bobctx_own_fields_are_no_part_of_a_message() -> None:
    assert restored([{**user("x"), "id": "a", "injected": True}], [user("x")]) == [0]


def test_ids_are_chained_and_stay_the_same() -> None:
    ids = [m["id"] for m in posted(OWN)]
    assert len(set(ids)) == 5
    assert [m["id"] for m in posted([*OWN, user("more")])][:5] == ids
    assert all(i.startswith("h") and len(i) == 25 for i in ids)


def test_the_system_prompt_is_no_part_of_the_conversation() -> None:
    """Fails if a prompt that holds the time of day gave every message of every turn a new id."""
    morning = posted([{"role": "system", "content": "It is 9:00."}, *OWN])
    assert morning == posted([{"role": "developer", "content": "It is 17:00."}, *OWN])
    assert [m["role"] for m in morning] == [m["role"] for m in OWN]


def anchored(place: int, id: str = "stored") -> Anchor:
    items = list(range(place + 1))
    plan: list[dict[str, Any]] = [*({"id": "x", "alias": None} for _ in range(place)), {"id": id, "alias": "m9"}]
    found = anchor_of(OWN, items, plan)
    assert found is not None
    return found


def test_only_what_follows_the_anchor_is_sent_under_its_stored_name() -> None:
    found = posted(OWN, anchored(2))
    assert [m["content"] for m in found] == ["ok", "third"]
    assert found[0]["parents"] == ["stored"]
    assert "parents" not in found[1]


def test_an_anchor_of_another_list_is_not_used() -> None:
    changed = [*OWN[:2], user("changed"), *OWN[3:]]
    assert len(posted(changed, anchored(2))) == 5
    assert len(posted(OWN[:2], anchored(2))) == 2


def test_an_anchor_is_the_last_known_message_if_it_can_be_told() -> None:
    plan: list[dict[str, Any]] = [{"id": "a", "alias": "m1"}, {"id": "b", "alias": "m2"}, {"id": "h1", "alias": None}]
    found = anchor_of(OWN, [0, 1, 2], plan)
    assert found is not None
    assert (found.place, found.id) == (1, "b")
    assert anchor_of(OWN, [0, 1], plan) is None, "a repaired list has other places"
    cut = anchor_of(OWN, [0, user("cut"), 2], plan)
    assert cut is not None
    assert cut.place == 0


def test_lone_surrogates_and_empty_fields_are_mended_and_what_is_no_json_is_refused() -> None:
    assert readable([{**user("\ud800x"), "name": None}]) == [user("�x")]
    assert readable([{"role": "assistant", "content": None}]) == [{"role": "assistant", "content": None}]
    with pytest.raises(TypeError):
        readable([user({1, 2})])

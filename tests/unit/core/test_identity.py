"""Canonical bytes and hashes: what is the same stays the same, what differs differs."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bobctx.core import identity
from bobctx.core.types import Claim, Evidence, Message, Scope

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
SCOPE = Scope(conversation_id="c", user_id="u")


@given(JSON)
def test_canonical_bytes_do_not_depend_on_key_order(value: Any) -> None:
    def reverse(item: Any) -> Any:
        if isinstance(item, dict):
            return {k: reverse(item[k]) for k in reversed(list(item))}
        return [reverse(v) for v in item] if isinstance(item, list) else item

    clean, _ = identity.scrub_surrogates(value)
    assert identity.canonical(clean) == identity.canonical(reverse(clean))


@pytest.mark.parametrize(
    ("value", "clean", "count"),
    [
        ("plain", "plain", 0),
        ("a\ud800b", "a\ufffdb", 1),
        ("\ud83d\ude00", "😀", 0),  # a pair that came as two escapes is one character
        ({"k\udfff": ["\ud800", 1, None]}, {"k\ufffd": ["\ufffd", 1, None]}, 2),
        ("kept \ufffd", "kept \ufffd", 0),
    ],
)
def test_lone_surrogates_become_the_replacement_character_and_are_counted(value: Any, clean: Any, count: int) -> None:
    assert identity.scrub_surrogates(value) == (clean, count)


def test_a_string_and_one_text_part_have_the_same_content_hash() -> None:
    text = {"role": "user", "content": "hi"}
    part = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    assert identity.content_sha256(text) == identity.content_sha256(part)


def test_volatile_extras_do_not_change_the_content_hash() -> None:
    plain = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    cached = {"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}]}
    assert identity.content_sha256(plain) == identity.content_sha256(cached)


@pytest.mark.parametrize(
    "other",
    [
        {"role": "assistant", "content": "hi"},
        {"role": "user", "content": "hi", "speaker": "ann"},
        {"role": "user", "content": "hi "},
        {"role": "user", "content": "hi", "tool_calls": [{"id": "1"}]},
        {"role": "user", "content": [{"type": "text", "text": "h"}, {"type": "text", "text": "i"}]},
    ],
)
def test_role_speaker_text_calls_and_splits_change_the_content_hash(other: dict[str, Any]) -> None:
    assert identity.content_sha256({"role": "user", "content": "hi"}) != identity.content_sha256(other)


def test_region_hash_changes_with_order_and_split() -> None:
    assert identity.input_sha256(["a", "b"]) != identity.input_sha256(["b", "a"])
    assert identity.input_sha256(["ab"]) != identity.input_sha256(["a", "b"])


def test_derived_ids_of_equal_texts_differ_by_what_came_before() -> None:
    body = {"role": "user", "content": "ok"}
    first = identity.derived_id(None, body)
    assert first == identity.derived_id(None, dict(body))
    assert first != identity.derived_id(first, body)
    assert first.startswith("h")
    assert len(first) == 25


def test_a_claim_reads_back_as_it_was_written() -> None:
    claim = Claim(
        id="x",
        label="c1",
        type="fact",
        importance=2,
        text="port 9443",
        cites=(0, 2),
        supersedes="y",
        evidence=(Evidence(literal="9443", kind="number", message=2, start=4, end=8),),
        salience=0.5,
    )
    assert identity.claim_from_json(identity.claim_json(claim)) == claim


def test_altering_a_stored_claim_changes_the_chain_hash() -> None:
    claim = Claim(id="x", label="c1", type="fact", importance=2, text="port 9443", cites=(0,))
    altered = Claim(id="x", label="c1", type="fact", importance=2, text="port 9444", cites=(0,))
    before = identity.chain_sha256(identity.CHAIN_START, "in", [claim], {})
    assert before != identity.chain_sha256(identity.CHAIN_START, "in", [altered], {})
    assert before != identity.chain_sha256("1" * 64, "in", [claim], {})
    assert before != identity.chain_sha256(identity.CHAIN_START, "in", [claim], {"goal": "x"})


def test_claim_ids_do_not_cross_scopes_or_depend_on_cite_order() -> None:
    one = identity.claim_id(SCOPE, "fact", "t", ["b", "a"])
    assert one == identity.claim_id(SCOPE, "fact", "t", ["a", "b"])
    assert one != identity.claim_id(Scope(conversation_id="c", user_id="v"), "fact", "t", ["a", "b"])


@pytest.mark.parametrize("hashes", [["ab" * 32], ["a", "b"], [], [""], ['a"', "b"], ["a\\"], ["é"], ["a\n"], ['","']])
def test_a_region_hash_is_that_of_its_canonical_bytes(hashes: list[str]) -> None:
    assert identity.input_sha256(hashes) == identity.digest("region", hashes)


def test_a_message_in_another_place_keeps_every_other_field() -> None:
    """Fails when a new field of `Message` is left out of the copy."""
    values = {f.name: f"<{f.name}>" for f in dataclasses.fields(Message)}
    placed = Message(**values).placed(id="b", seq=7, tokens=9)  # type: ignore[arg-type]
    assert dataclasses.asdict(placed) == {**values, "id": "b", "seq": 7, "tokens": 9}
    assert Message(**values).sized(9) == Message(**{**values, "tokens": 9})  # type: ignore[arg-type]

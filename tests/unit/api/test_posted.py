"""Posted messages: what is refused, what is kept as it is, and how missing ids are found."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bobctx.api import posted
from bobctx.api.schemas import PostedMessage
from bobctx.errors import InvalidInput, TooLarge

OK: dict[str, Any] = {"id": "a", "role": "user", "content": "hi"}

REFUSED: list[tuple[Any, str]] = [
    (7, "messages.0"),
    ({"content": "no role"}, "messages.0.role"),
    ({**OK, "role": "robot"}, "messages.0.role"),
    ({**OK, "role": ["user"]}, "messages.0.role"),
    ({**OK, "role": None}, "messages.0.role"),
    ({**OK, "id": ""}, "messages.0.id"),
    ({**OK, "id": 7}, "messages.0.id"),
    ({**OK, "id": None}, "messages.0.id"),
    ({**OK, "id": "a\nb"}, "messages.0.id"),
    ({**OK, "id": "x" * 513}, "messages.0.id"),
    ({"role": "user", "content": "x", "parents": ["a"]}, "messages.0.id"),
    ({**OK, "parents": "a"}, "messages.0.parents"),
    ({**OK, "parents": [1]}, "messages.0.parents"),
    ({**OK, "content": 7}, "messages.0.content"),
    ({**OK, "content": {"type": "text"}}, "messages.0.content"),
    ({**OK, "speaker": 7}, "messages.0.speaker"),
    ({**OK, "tool_calls": {}}, "messages.0.tool_calls"),
    ({**OK, "tool_call_id": 1}, "messages.0.tool_call_id"),
    ({**OK, "injected": "yes"}, "messages.0.injected"),
    ({**OK, "egress": "cloud_ok"}, "messages.0.egress"),
    ({**OK, "created_at": "yesterday"}, "messages.0.created_at"),
    ({**OK, "created_at": -1}, "messages.0.created_at"),
    ({**OK, "created_at": True}, "messages.0.created_at"),
    ({**OK, "created_at": 1_700_000_000_000}, "messages.0.created_at"),
]


@pytest.mark.parametrize(("item", "field"), REFUSED)
def test_a_bad_message_is_refused_and_its_field_named(item: Any, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        posted.check_all([item], "messages", at_most=10)
    assert caught.value.field == field


@pytest.mark.parametrize(
    "more",
    [
        {},
        {
            "content": None,
            "role": "assistant",
            "tool_calls": [{"id": "t", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"content": ""},
        {"content": [{"type": "text", "text": "\0"}, {"type": "image_url", "image_url": {"url": "x"}}]},
        {"created_at": 1_700_000_000.5},
        {"created_at": "2026-01-02T03:04:05Z"},
        {"role": "tool", "tool_call_id": "t"},
        {"speaker": "Ann", "anything": {"else": [1]}},
        {"egress": "local"},
    ],
)
def test_a_good_message_keeps_every_field(more: dict[str, Any]) -> None:
    item = {**OK, **more}
    (found,) = posted.check_all([item], "messages", at_most=10)
    message = posted.read(found)
    own = {"id", "created_at", "egress"}
    assert message.body == {k: v for k, v in item.items() if k not in own}


@given(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "tool", "robot", 7])},
        optional={
            "id": st.sampled_from(["a", "", 7]),
            "content": st.sampled_from(["x", None, [], 7, {}]),
            "parents": st.sampled_from([["p"], "p", [7]]),
            "speaker": st.sampled_from(["s", 7]),
            "tool_calls": st.sampled_from([[], {}]),
            "injected": st.sampled_from([True, "no"]),
            "egress": st.sampled_from(["local", "cloud_ok"]),
        },
    )
)
def test_the_check_and_the_published_model_agree(item: dict[str, Any]) -> None:
    """Fails if a rule is added to one of the two only."""
    try:
        PostedMessage.model_validate(item, strict=True)
        model_says = "id" in item or "parents" not in item
    except ValidationError:
        model_says = False
    try:
        posted.check(item, "m")
        check_says = True
    except InvalidInput:
        check_says = False
    assert check_says == model_says


def test_too_many_messages_are_too_large() -> None:
    with pytest.raises(TooLarge):
        posted.check_all([OK, OK], "messages", at_most=1)


def test_times_without_a_zone_are_utc() -> None:
    a, b = posted.check_all(
        [{**OK, "created_at": "2026-01-02T03:04:05"}, {**OK, "created_at": "2026-01-02T04:04:05+01:00"}],
        "messages",
        at_most=9,
    )
    assert a.created_at == b.created_at


def read(*texts: str) -> list[Any]:
    return [posted.read(posted.check({"role": "user", "content": t}, "m"), id="") for t in texts]


def test_one_id_with_other_bytes_is_refused_and_the_same_bytes_count_once() -> None:
    first = posted.read(posted.check(OK, "m"))
    again = posted.read(posted.check(dict(OK), "m"))
    other = posted.read(posted.check({**OK, "content": "bye"}, "m"))
    assert posted.refuse_conflicts([first, again]) == [first]
    with pytest.raises(posted.ConflictingIds):
        posted.refuse_conflicts([first, other])


@pytest.mark.parametrize(
    ("stored", "mine", "place"),
    [
        ("", "ab", None),  # nothing there
        ("ab", "cd", None),  # a new turn
        ("ab", "abcd", (0, 2)),  # the whole history again, and a new turn
        ("abcd", "abx", (0, 2)),  # history again, changed after two messages
        ("abcd", "cd", (2, 2)),  # the last call repeated
        ("abcd", "d", (3, 1)),
        ("abcd", "a", None),  # a turn that looks like the first one is a new turn
        ("abcd", "ab", None),  # and so is an exchange that does
        ("abcd", "ax", None),
        ("ab", "ab", (0, 2)),
    ],
)
def test_where_a_call_without_ids_stands(stored: str, mine: str, place: tuple[int, int] | None) -> None:
    assert posted.align(list(mine), list(stored)) == place


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), min_size=1, max_size=8))
def test_a_place_always_holds_the_same_messages(stored: list[str], mine: list[str]) -> None:
    place = posted.align(mine, stored)
    if place is not None:
        start, same = place
        assert stored[start : start + same] == mine[:same]
        assert same > 0


def test_derived_ids_are_chained_so_equal_texts_differ() -> None:
    items = [posted.check({"role": "user", "content": "yes"}, "m")] * 2
    first, second = posted.with_ids(items, read("yes", "yes"), (), None)
    assert first.id != second.id
    assert first.id.startswith("h")
    assert posted.with_ids(items, read("yes", "yes"), (), None)[1].id == second.id
    known = posted.with_ids(items, read("yes", "yes"), ("m1",), None)
    assert known[0].id == "m1"


@pytest.mark.parametrize(
    ("bodies", "long"),
    [
        ([{"role": "user", "content": "hi"}], False),
        ([{"role": "user", "content": None}], False),
        ([{"role": "user", "content": "x" * (posted.INLINE_CHARS + 1)}], True),
        ([{"role": "user", "content": "x" * 150_000}] * 2, True),
        ([{"role": "user", "content": [{"type": "text", "text": "x" * 150_000}] * 2}], True),
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x" * 300_000}}]}], True),
        ([{"role": "assistant", "tool_calls": [{"id": "a", "function": {"arguments": "x" * 300_000}}]}], True),
        ([{"role": "user", "content": [1, None, {"text": 3}]}], False),
        ([{"role": "user", "content": ""}] * (posted.INLINE_MESSAGES + 1), True),
    ],
)
def test_messages_that_take_long_to_read_are_told_by_size_and_number(bodies: list[Any], long: bool) -> None:
    assert posted.are_long(bodies) is long

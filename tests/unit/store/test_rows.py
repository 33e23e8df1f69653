"""Row numbers, lossless JSON, runs of rows, the bounded cache."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bobctx.core.parts import read_message
from bobctx.core.types import Message
from bobctx.errors import InvalidInput
from bobctx.store import rows

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(alphabet=st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(alphabet="abc", max_size=3), inner, max_size=4),
    max_leaves=12,
)


def same(a: Any, b: Any) -> bool:
    """Equal with equal types at every depth: 1 is not 1.0 and not True."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


@given(JSON)
def test_every_json_value_comes_back_exactly(value: Any) -> None:
    text, exact = rows.encode(value)
    assert same(rows.decode(text, exact), value)


@pytest.mark.parametrize("value", [float("nan"), {"x": float("inf")}, {"x": object()}, {"x": {1, 2}}])
def test_what_is_not_json_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput):
        rows.encode(value)


def test_a_row_number_is_its_conversation_and_arrival() -> None:
    row = rows.row_of(7, 42)
    assert (rows.conv_of(row), rows.seq_of(row)) == (7, 42)
    first, last = rows.bounds(7)
    assert first < row < last
    assert rows.bounds(8)[0] == last + 1


def message(text: str) -> Message:
    return read_message({"id": text[:5], "role": "user", "content": text})


def test_the_cache_is_bounded_and_keyed_by_shape() -> None:
    cache = rows.MessageCache(messages=3, characters=1000)
    cache.put(1, {i: (10, message(f"text {i}")) for i in range(5)})
    assert set(cache.get(1, range(10))) == {2, 3, 4}
    assert cache.get(2, range(10)) == {}
    cache.put(1, {9: (500, message("large"))})
    assert 9 not in cache.get(1, [9]), "one that would push out most others is not held"
    cache.put(1, {i: (120, message(f"text {i}")) for i in range(20, 23)})
    cache.put(1, {i: (10, message(f"text {i}")) for i in range(30, 33)})
    assert set(cache.get(1, range(100))) == {30, 31, 32}
    cache.drop(0)
    assert cache.get(1, range(100)) == {}

"""Reading JSON: exact, bounded, and refused with the right error."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bobctx.api.body import Limits, dump, parse
from bobctx.errors import InvalidInput, Malformed, TooLarge

LIMITS = Limits(depth=8, nodes=1_000)

TEXTS = st.text(st.characters(codec="utf-8"))
SCALARS = st.none() | st.booleans() | st.integers(-(2**80), 2**80) | TEXTS
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    SCALARS | FLOATS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_what_goes_in_comes_out_exactly(value: Any) -> None:
    """Fails if integers over 64 bits lose digits, which orjson alone would do."""
    raw = json.dumps(value, ensure_ascii=False).encode()
    assert parse(raw, Limits(depth=100)) == value
    assert json.loads(dump(value)) == value


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":-Infinity}',
        b'{"a":"\xff"}',
        b'{"a":"\xed\xa0\x80"}',
        b"{'a':1}",
        b'{"a":1}{',
        b"\xff\xfe{\x00",
        b'{"\\ud800":NaN}',
    ],
)
def test_what_is_not_json_is_malformed(raw: bytes) -> None:
    with pytest.raises(Malformed):
        parse(raw, LIMITS)


@pytest.mark.parametrize("number", [b"1e999", b"-1e999", b"9" * 5000])
@pytest.mark.parametrize("beside", [b'"x"', b'"\\ud800"'])
def test_a_number_that_overflows_is_refused_as_such(number: bytes, beside: bytes) -> None:
    with pytest.raises(InvalidInput, match="number is too large"):
        parse(b'{"a":' + number + b',"b":' + beside + b"}", LIMITS)


def test_an_integer_that_no_float_holds_is_kept() -> None:
    assert parse(b"[" + b"9" * 400 + b"]", LIMITS) == [int("9" * 400)]


@pytest.mark.parametrize("levels", [9, 500, 5_000, 200_000])
@pytest.mark.parametrize("pair", [(b"[", b"]"), (b'{"a":', b"}")])
def test_depth_bombs_are_refused_as_such(levels: int, pair: tuple[bytes, bytes]) -> None:
    with pytest.raises(InvalidInput, match="nested"):
        parse(pair[0] * levels + b"1" + pair[1] * levels, LIMITS)


def test_brackets_inside_texts_are_no_depth() -> None:
    assert parse(json.dumps({"a": "[" * 5000}).encode(), LIMITS) == {"a": "[" * 5000}
    with pytest.raises(Malformed):
        parse(b'{"a": "' + b"[" * 5000 + b'", }', LIMITS)


def test_a_body_of_too_many_values_is_refused() -> None:
    with pytest.raises(TooLarge):
        parse(json.dumps([0] * 2_000).encode(), LIMITS)


def test_lone_surrogates_become_replacement_characters_and_are_counted() -> None:
    seen: list[int] = []
    limits = Limits(on_replaced=seen.append)
    raw = rb'{"a":"x\ud800y\udc00","b":"\ud83d\ude00","c":"\u0000","n":123456789012345678901234567890}'
    value = parse(raw, limits)
    assert value == {"a": "x\ufffdy\ufffd", "b": "😀", "c": "\0", "n": 123456789012345678901234567890}
    assert seen == [2]


def test_the_last_of_repeated_keys_counts_in_both_parsers() -> None:
    assert parse(b'{"a":1,"a":2}', LIMITS) == {"a": 2}
    assert parse(b'{"a":1,"a":2,"b":"\\ud800"}', LIMITS)["a"] == 2

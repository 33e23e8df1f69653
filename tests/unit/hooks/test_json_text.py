"""The hooks' own JSON says exactly what the library says, with and without its C part."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bobctx.hooks import json_text

TEXTS = st.text(st.characters(exclude_categories=[]), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture(params=["with", "without"])
def c_part(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python that has no C part of `json` answers the same."""
    if request.param == "without":
        monkeypatch.setitem(sys.modules, "_json", None)


@given(VALUES)
def test_what_is_written_is_what_the_library_writes(value: object) -> None:
    assert json_text.dumps(value) == json.dumps(value)
    assert json_text.dumps(value, plain=True) == json.dumps(value, ensure_ascii=False)
    assert json_text.loads(json.dumps(value, indent=1).encode()) == value


@pytest.mark.usefixtures("c_part")
@pytest.mark.parametrize(
    "text", ['{"a": [1, 2.5, "é", null, true, -0.0, 1e9]}', " \n[]\t", "\ufeff{}", '"\\ud800"', "[Infinity, -Infinity]"]
)
def test_what_is_read_is_what_the_library_reads(text: str) -> None:
    assert json_text.loads(text.encode()) == json.loads(text.encode())


@pytest.mark.usefixtures("c_part")
@pytest.mark.parametrize(
    "text", [b"", b"  ", b"{", b"{} {}", b"[1,]", b'{"a" 1}', b"nul", b'"\x01"', b'"\xff"', b"'a'"]
)
def test_what_is_no_json_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError):
        json_text.loads(text)


@pytest.mark.usefixtures("c_part")
def test_what_is_nested_too_deep_is_an_error_and_no_crash() -> None:
    with pytest.raises(RecursionError):
        json_text.loads(b"[" * 200_000)


@pytest.mark.usefixtures("c_part")
def test_what_json_has_no_word_for_is_an_error() -> None:
    with pytest.raises(TypeError):
        json_text.dumps({"a": object()})

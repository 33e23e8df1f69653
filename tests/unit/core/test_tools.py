"""Tool definitions: one meaning, four dialects; and the names of tools however they are given."""

from __future__ import annotations

import json

import pytest

from bobctx.core import tools


@pytest.mark.parametrize("dialect", tools.DIALECTS)
def test_every_dialect_defines_both_tools_with_a_schema(dialect: str) -> None:
    found = tools.definitions(dialect)
    assert tools.names_of(found) == [tools.EXPAND, tools.SEARCH]
    assert json.dumps(found).count('"required"') == 2


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(ValueError, match="morse"):
        tools.definitions("morse")


def test_names_are_read_from_names_and_definitions_of_any_dialect() -> None:
    given = ["a", {"name": "b"}, {"type": "function", "function": {"name": "c"}}, {"function": 7}, 7, None, {}]
    assert tools.names_of(given) == ["a", "b", "c"]
    assert tools.names_of(None) == []

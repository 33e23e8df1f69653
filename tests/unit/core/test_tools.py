"""Tool definitions: one meaning, five dialects; and the names of tools however they are given."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bobctx.core import tools
from bobctx.core.render import Run, gap_marker, header
from bobctx.core.types import ToolSet

SHAPES: dict[str, tuple[set[str], str]] = {
    "openai": ({"type", "function"}, "parameters"),
    "anthropic": ({"name", "description", "input_schema"}, "input_schema"),
    "responses": ({"type", "name", "description", "parameters"}, "parameters"),
    "gemini": ({"name", "description", "parameters"}, "parameters"),
    "mcp": ({"name", "description", "inputSchema"}, "inputSchema"),
}
"""Fields of a definition, and the one that holds the schema."""


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


@pytest.mark.parametrize("dialect", tools.DIALECTS)
def test_a_definition_has_just_the_fields_of_its_dialect(dialect: str) -> None:
    found: list[Any] = tools.definitions(dialect)
    found = found[0]["functionDeclarations"] if dialect == "gemini" else found
    fields, schema = SHAPES[dialect]
    for tool in found:
        assert set(tool) == fields
        inner = tool["function"] if dialect == "openai" else tool
        assert inner[schema]["type"] == "object"
        assert set(inner[schema]["required"]) <= set(inner[schema]["properties"])
        assert ("additionalProperties" in inner[schema]) == (dialect != "gemini"), "Gemini refuses the field"
        assert len(inner["description"]) < 400


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["conv_expand", "conv_search"], ToolSet(expand=True, search=True)),
        (["conv_search", "other"], ToolSet(search=True)),
        (["mcp__bobctx__conv_expand"], ToolSet(expand=True, prefix="mcp__bobctx__")),
        (["bobctx_conv_expand", "bobctx_conv_search"], ToolSet(expand=True, search=True, prefix="bobctx_")),
        (["a__conv_expand", "b__conv_expand", "b__conv_search"], ToolSet(expand=True, search=True, prefix="b__")),
        (["mcp__x__conv_expand", "conv_expand"], ToolSet(expand=True)),
        (["my_conv_expand", "deconv_expand", "conv_expand2", "conv", ""], ToolSet()),
        (["ignore all rules; conv_expand"], ToolSet()),
        (["x" * 80 + "__conv_expand"], ToolSet()),
        (None, ToolSet()),
    ],
)
def test_the_callers_tools_are_found_under_the_names_they_have_there(names: list[str] | None, found: ToolSet) -> None:
    assert ToolSet.of(names) == found


RUN = Run(start=1, end=10, count=9, tokens=900, first="m2", last="m10")


@pytest.mark.parametrize("style", ["seed", "compact"])
@pytest.mark.parametrize("expand", [True, False])
@pytest.mark.parametrize("search", [True, False])
def test_the_prompt_mentions_only_tools_that_the_caller_has_and_by_their_names(
    style: Any, expand: bool, search: bool
) -> None:
    """Fails if a model was told to call what it cannot: it would make the call up."""
    owned = ToolSet(expand=expand, search=search, prefix="mcp__bobctx__")
    text = header(style, owned) + gap_marker([RUN], owned, covered=True)
    assert ("mcp__bobctx__conv_expand" in text) == expand
    assert ("mcp__bobctx__conv_search" in text) == search
    assert text.count("conv_") == text.count("mcp__bobctx__conv_")

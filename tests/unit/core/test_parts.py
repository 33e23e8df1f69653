"""Message bodies of every host read as the same parts; nothing is lost and nothing raises."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bobctx.core.parts import parts_of, read_message, text_of


def test_openai_calls_follow_the_content() -> None:
    body = {
        "role": "assistant",
        "content": "looking",
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"p": 1}'}}],
    }
    assert [(p.kind, p.call_id, p.name) for p in parts_of(body)] == [("text", None, None), ("call", "a", "f")]
    assert text_of(parts_of(body)) == 'looking\nf({"p": 1})'


def test_null_content_with_calls_has_only_calls() -> None:
    body = {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": {"name": "f"}}]}
    assert [p.kind for p in parts_of(body)] == ["call"]


@pytest.mark.parametrize("content", ["", "done", [{"type": "text", "text": "done"}], [], None])
def test_a_tool_message_always_answers_its_call(content: Any) -> None:
    parts = parts_of({"role": "tool", "tool_call_id": "a", "content": content})
    assert [(p.kind, p.call_id) for p in parts] == [("result", "a")]


def test_anthropic_blocks_keep_ids_errors_and_native_form() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    use = {"type": "tool_use", "id": "t1", "name": "ls", "input": {"p": "."}}
    result = {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": [{"type": "text", "text": "a b"}],
        "is_error": True,
    }
    parts = parts_of({"role": "assistant", "content": [thought, use, result]})
    assert [p.kind for p in parts] == ["thinking", "call", "result"]
    assert [p.native for p in parts] == [thought, use, result]
    assert parts[2].text == "a b"
    assert parts[2].is_error


def test_server_tool_blocks_pair_like_ordinary_ones() -> None:
    parts = parts_of(
        {
            "role": "assistant",
            "content": [
                {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
                {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
            ],
        }
    )
    assert [(p.kind, p.call_id) for p in parts] == [("call", "s1"), ("result", "s1")]


def test_thinking_and_media_are_not_quotable_text() -> None:
    body = {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "secret plan"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            {"type": "text", "text": "said"},
        ],
    }
    assert text_of(parts_of(body)) == "said"


def test_own_envelope_fields_are_no_part_of_the_body() -> None:
    message = read_message(
        {"id": 7, "role": "user", "content": "x", "created_at": "now", "parents": [], "injected": True}
    )
    assert message.body == {"role": "user", "content": "x"}
    assert message.id == "7"
    assert message.injected


def test_a_block_whose_type_is_no_text_is_opaque() -> None:
    assert [p.kind for p in parts_of({"role": "user", "content": [{"type": []}, {"type": {}}, {"type": 1}]})] == [
        "opaque"
    ] * 3


@given(
    st.dictionaries(
        st.sampled_from(["content", "tool_calls", "tool_call_id", "name"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["type", "text", "id", "function", "content", "input"]), inner, max_size=3
                )
            ),
            max_leaves=10,
        ),
        max_size=4,
    ),
    st.sampled_from(["user", "assistant", "tool"]),
)
def test_no_body_makes_reading_raise(body: dict[str, Any], role: str) -> None:
    assert isinstance(text_of(parts_of({"role": role, **body})), str)

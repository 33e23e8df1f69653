"""Conversations with every hazard of agent sessions, for property tests.

Both host forms, mixed: parallel batches, reused ids, orphans, aborted turns, signed thinking,
husks, giant messages, injected messages, media, wide scripts, surrogate-adjacent emoji.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from bobctx.core import parts
from bobctx.core.tokens import estimate, message_tokens
from bobctx.core.types import Message

WORDS = st.sampled_from(
    [
        "please check the port 9443",
        "never enable zeta-sync",
        "好的，请把端口改成八千",
        "設定を変更しないでください",
        "설정을 바꾸지 마세요",
        "👩‍👩‍👧‍👦🏳️‍🌈",
        "e\u0301\u0302\u0303",
        "```python\nprint('x')\n",
        "plain words of no interest",
        "\U0001f468\u200d\U0001f4bb\ufffd",
        "a/b/c.py:12: error",
        " ",
        "",
        "\n\n",
        "x" * 40,
    ]
)
TEXTS = st.one_of(
    st.lists(WORDS, min_size=1, max_size=6).map(" ".join),
    st.tuples(WORDS, st.integers(50, 900)).map(lambda t: (t[0] + " ") * t[1]),
)
SHORT = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
CALL_IDS = st.sampled_from(["call_0", "call_1", "toolu_01A", "a|b:c", "", "x" * 70, "call_2"])
SERVER_TOOLS = [
    ("server_tool_use", "web_search_tool_result"),
    ("server_tool_use", "advisor_tool_result"),
    ("mcp_tool_use", "mcp_tool_result"),
]
IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"


def _openai_call(call_id: str, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "read", "arguments": arguments}}


@st.composite
def openai_message(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(["user", "assistant", "calls", "tool", "tool", "husk", "media", "system", "injected"]))
    if kind == "user":
        return {"role": "user", "content": draw(TEXTS)}
    if kind == "injected":
        return {"role": "user", "content": draw(TEXTS), "injected": True}
    if kind == "assistant":
        return {"role": "assistant", "content": draw(TEXTS)}
    if kind == "husk":
        return {"role": "assistant", "content": draw(st.sampled_from([None, "", " "]))}
    if kind == "system":
        return {"role": "system", "content": draw(SHORT)}
    if kind == "tool":
        return {"role": "tool", "tool_call_id": draw(CALL_IDS), "content": draw(TEXTS)}
    if kind == "media":
        block = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + IMAGE}}
        return {"role": "user", "content": [{"type": "text", "text": draw(SHORT)}, block]}
    ids = draw(st.lists(CALL_IDS, min_size=1, max_size=3))
    arguments = draw(st.sampled_from(["{}", '{"path": "a.py"}', "not json", '{"text": "' + "y " * 400 + '"}']))
    return {
        "role": "assistant",
        "content": draw(st.one_of(st.none(), SHORT)),
        "tool_calls": [_openai_call(i, arguments) for i in ids],
    }


@st.composite
def anthropic_message(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(["thinking", "calls", "results", "mixed", "server", "media", "text", "unsigned"]))
    text = {"type": "text", "text": draw(SHORT)}
    if kind == "text":
        return {"role": draw(st.sampled_from(["user", "assistant"])), "content": [text]}
    if kind == "media":
        source = {"type": "base64", "media_type": "image/png", "data": IMAGE}
        return {"role": "user", "content": [{"type": "image", "source": source}, text]}
    if kind in ("results", "mixed"):
        ids = draw(st.lists(CALL_IDS, min_size=1, max_size=3))
        blocks: list[dict[str, Any]] = [
            {"type": "tool_result", "tool_use_id": i, "content": draw(st.one_of(TEXTS, st.just([text])))} for i in ids
        ]
        return {"role": "user", "content": [*blocks, text] if kind == "mixed" else blocks}
    thought = {"type": "thinking", "thinking": draw(SHORT), "signature": "c2lnbmVk"}
    if kind == "unsigned":
        return {"role": "assistant", "content": [{"type": "thinking", "thinking": draw(SHORT)}, text]}
    if kind == "thinking":
        return {"role": "assistant", "content": [thought, *draw(st.sampled_from([[], [text]]))]}
    if kind == "server":
        asked, told = draw(st.sampled_from(SERVER_TOOLS))
        use = {"type": asked, "id": draw(CALL_IDS) or "s", "name": "web_search", "input": {"query": "q"}}
        found = {"type": told, "tool_use_id": use["id"], "content": [{"type": "x", "text": "r"}]}
        return {"role": "assistant", "content": [use, *draw(st.sampled_from([[], [found]])), text]}
    ids = draw(st.lists(CALL_IDS, min_size=1, max_size=3))
    uses = [{"type": "tool_use", "id": i, "name": "read", "input": {"path": "a.py"}} for i in ids]
    return {"role": "assistant", "content": [*draw(st.sampled_from([[], [thought], [text]])), *uses]}


@st.composite
def tool_round(draw: st.DrawFn) -> list[dict[str, Any]]:
    """An ordinary round of parallel calls, some of whose results may be missing, late or doubled."""
    ids = draw(st.lists(CALL_IDS, min_size=1, max_size=3, unique=True))
    calls: dict[str, Any] = {
        "role": "assistant",
        "content": None,
        "tool_calls": [_openai_call(i, '{"path": "a.py"}') for i in ids],
    }
    answered = draw(st.lists(st.sampled_from(ids), max_size=4))
    return [calls, *({"role": "tool", "tool_call_id": i, "content": draw(TEXTS)} for i in answered)]


def bodies(max_size: int = 14) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Posted messages of one conversation."""
    pieces = st.one_of(
        openai_message().map(lambda m: [m]), anthropic_message().map(lambda m: [m]), tool_round(), tool_round()
    )
    return st.lists(pieces, min_size=1, max_size=max_size).map(lambda groups: [m for g in groups for m in g])


def read_all(posted: Sequence[dict[str, Any]]) -> list[Message]:
    """Messages with ids, arrival numbers and counts."""
    messages = []
    for number, body in enumerate(posted, 1):
        message = parts.read_message(body, id=f"id{number}", seq=number)
        messages.append(replace(message, tokens=message_tokens(message.parts, estimate)))
    return messages


def conversations(max_size: int = 14) -> st.SearchStrategy[list[Message]]:
    """Whole conversations as messages."""
    return bodies(max_size).map(read_all)

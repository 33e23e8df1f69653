"""What a call says again: the bytes last recorded are kept, marks are not lost, results of our own tools are known."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx.store import SqliteStore
from tests.integration.store.making import SCOPE, chain_of, compact, posted, put, turns

TEXT = {"type": "text", "text": "x"}


async def body(store: SqliteStore, message_id: str) -> dict[str, Any]:
    """As `expand` gives it."""
    found, _, _ = await store.expand(SCOPE, [message_id], offset=0, max_messages=1, max_chars=1000)
    return dict(found[0].message.body)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"content": "x"}, {"content": [TEXT]}),
        ({"content": [TEXT]}, {"content": "x"}),
        ({"content": "x", "refusal": None}, {"content": "x", "refusal": "no"}),
        ({"content": "x", "host": {"n": 1}}, {"content": "x", "host": {"n": 1.5}}),
        ({"content": "x", "host": 1}, {"content": "x"}),
    ],
)
async def test_fields_beside_what_was_said_come_back_as_last_recorded(
    store: SqliteStore, first: dict[str, Any], second: dict[str, Any]
) -> None:
    """Fails if equal content hashes are taken for equal bytes (I2); and if claims are dropped for it."""
    await put(store, turns(1, 4))
    await put(store, [posted("a1", "assistant", **first)])
    await compact(store, 4, [("c1", "about port 8002", 2)])
    assert (await body(store, "a1")) == {"role": "assistant", **first}
    result = await put(store, [posted("a1", "assistant", **second)])
    assert (result.indexed, result.updated, result.unchanged, result.invalidated) == (0, 1, 0, 0)
    assert (await body(store, "a1")) == {"role": "assistant", **second}
    chain = chain_of(await store.snapshot(SCOPE))
    assert chain.break_ is None
    assert [link.compaction.status for link in chain.links] == ["shadow_ok"]


async def test_volatile_extras_and_the_order_of_fields_change_nothing(store: SqliteStore) -> None:
    await put(store, [posted("a1", "assistant", [TEXT], one=1, two=2)])
    again = posted("a1", "assistant", [{**TEXT, "cache_control": {"type": "ephemeral"}}], two=2, one=1)
    result = await put(store, [again])
    assert (result.updated, result.unchanged, result.revision) == (0, 1, 1)


async def test_a_mark_that_comes_later_is_an_edit_and_stays(store: SqliteStore) -> None:
    """Fails if a text that the host says it put there itself goes on counting as the user's."""
    await put(store, [*turns(1, 1), posted("u2", "user", "Always copy Eve.")])
    result = await put(store, [posted("u2", "user", "Always copy Eve.", injected=True)])
    assert result.updated == 1
    assert (await store.load(SCOPE, ["u2"]))[0].injected
    result = await put(store, [posted("u2", "user", "Always copy Eve.")])
    assert result.unchanged == 1
    assert (await store.load(SCOPE, ["u2"]))[0].injected


CALL = {"id": "t1", "type": "function", "function": {"name": "mcp__bobctx__conv_expand", "arguments": "{}"}}
ORIGINALS = '{"messages": [{"content": "the harbour gate is closed"}]}'
RESULTS = [
    posted("r1", "tool", ORIGINALS, tool_call_id="t1"),
    posted("r1", "user", [{"type": "tool_result", "tool_use_id": "t1", "content": ORIGINALS}]),
]


@pytest.mark.parametrize("result", RESULTS, ids=["openai", "anthropic"])
async def test_what_our_tools_gave_back_is_neither_found_nor_taken_for_news(store: SqliteStore, result: Any) -> None:
    """Fails if originals that a model read back are found a second time, under another message."""
    await put(store, [posted("u1", "user", "the harbour gate is closed")])
    await put(store, [posted("a1", "assistant", None, tool_calls=[CALL]), result])
    assert [hit.message.id for hit in await store.search(SCOPE, "harbour", limit=5)] == ["u1"]
    assert (await store.load(SCOPE, ["r1"]))[0].injected


async def test_a_result_of_another_tool_is_found(store: SqliteStore) -> None:
    call = {**CALL, "function": {"name": "my_conv_expand", "arguments": "{}"}}
    await put(store, [posted("a1", "assistant", None, tool_calls=[call]), RESULTS[0]])
    assert [hit.message.id for hit in await store.search(SCOPE, "harbour", limit=5)] == ["r1"]

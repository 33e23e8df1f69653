"""`ranked` and the recall block over HTTP: the prefix stands still while a tool loop goes on."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bobctx.core.recall import HEADER
from tests.integration.api.conftest import Api, Open
from tests.integration.api.contexts import Said, tell

THINGS = ("quota", "ledger", "roster", "budget", "banner", "carpet", "window", "kettle", "mirror", "ladder")
PLACES = ("harbour", "station", "library", "kitchen", "orchard", "foundry", "chapel", "archive", "garden", "tower")
ASIDES: list[Said] = [
    ("user", f"The {thing} of the {place} was looked at by hand and kept as it was.", "fact")
    for thing in THINGS
    for place in PLACES
]


async def long_conversation(api: Api) -> list[str]:
    ids = await tell(api, [("user", "The zebra gateway answers on host quagga.", "fact"), *ASIDES])
    filler = [{"role": "assistant" if i % 2 else "user", "content": f"{i} " + "lorem " * 240} for i in range(60)]
    await api.record(*filler)
    await api.record({"id": "ask", "role": "user", "content": "which host does the zebra gateway answer on?"})
    return ids


async def assemble(api: Api, **more: Any) -> dict[str, Any]:
    answer = await api.http.post("/v1/conversations/c1/assemble", json={"user_id": "u1", "window": 16384, **more})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    assert found["budget"]["used"] <= found["budget"]["history"]
    return found


def recall_of(found: dict[str, Any]) -> str:
    texts = [m["content"] for m in found["messages"] if isinstance(m["content"], str) and HEADER in m["content"]]
    return texts[0] if texts else ""


async def test_recall_is_off_by_default_and_brings_what_the_block_has_no_room_for(open_api: Open) -> None:
    api = await open_api()
    await long_conversation(api)
    assert recall_of(await assemble(api)) == ""
    found = await assemble(api, recall=True)
    assert "quagga" in recall_of(found)
    assert [i["kind"] for i in found["plan"]][-2:] == ["recall", "tail"]
    assert found["decision"]["recall"]["claims"] >= 1
    assert found["decision"]["recall"]["tokens"] + found["decision"]["tokens"] <= 0.15 * found["budget"]["history"]


async def test_a_tool_loop_changes_no_byte_before_its_own_messages(open_api: Open) -> None:
    api = await open_api(recall=True)
    await long_conversation(api)
    first = await assemble(api)
    call = {"id": "t1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    await api.record(
        {"id": "call", "role": "assistant", "content": None, "tool_calls": [call]},
        {"id": "result", "role": "tool", "tool_call_id": "t1", "content": "the okapi gateway answers"},
    )
    second = await assemble(api)
    assert second["messages"][: len(first["messages"])] == first["messages"]


async def test_assembling_twice_gives_the_same(open_api: Open) -> None:
    api = await open_api(recall=True)
    await long_conversation(api)
    first = await assemble(api)
    again = await assemble(api, messages=first["messages"])
    assert again["messages"] == first["messages"]


async def test_ranked_puts_what_was_asked_for_into_the_block(open_api: Open) -> None:
    api = await open_api()
    await long_conversation(api)
    plain = await assemble(api, policy="pinned", query="nothing of this")
    ranked = await assemble(api, policy="ranked")
    asked = await assemble(api, policy="ranked", query="the carpet of the chapel")
    block = next(m["content"] for m in ranked["messages"] if "compacted history" in str(m["content"]))
    assert "quagga" in block
    assert ranked["decision"]["policy"] == "ranked"
    assert plain["decision"]["policy"] == "pinned"
    assert "carpet of the chapel" in "".join(
        str(m["content"]) for m in asked["messages"] if "compacted" in str(m["content"])
    )


async def test_a_slow_search_costs_the_recall_block_and_never_the_claims(
    open_api: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails when the whole assembly waits for it, until its deadline leaves nothing but a plain fit."""
    api = await open_api(recall=True, assemble_deadline_ms=4_000)
    await long_conversation(api)
    store, released = api.runtime.store, asyncio.Event()
    real = store.shortlist

    async def slow(*given: Any) -> Any:
        await released.wait()
        return await real(*given)

    monkeypatch.setattr(store, "shortlist", slow)
    first = await assemble(api)
    assert first["decision"]["mode"] == "live"
    assert first["decision"]["claims_shown"] > 0
    assert (recall_of(first), "recall_late" in first["warnings"]) == ("", True)
    released.set()
    second = await assemble(api)
    assert "quagga" in recall_of(second)
    assert "recall_late" not in second["warnings"]


async def test_a_lane_closes_while_a_search_is_under_way(open_api: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    api = await open_api(recall=True, assemble_deadline_ms=2_000)
    await long_conversation(api)

    async def never(*_: Any) -> Any:
        await asyncio.Event().wait()

    monkeypatch.setattr(api.runtime.store, "shortlist", never)
    assert "recall_late" in (await assemble(api))["warnings"]
    await api.close()
    assert not [t for t in asyncio.all_tasks() if t.get_name() == "bobctx-relevance"]


@pytest.mark.parametrize(
    "more", [{"recall": True}, {"policy": "ranked"}, {"policy": "ranked", "query": "zebra gateway host"}]
)
async def test_a_question_asked_again_in_the_same_words_finds_what_is_known_by_then(
    open_api: Open, more: dict[str, Any]
) -> None:
    """Fails if scores are remembered by the words alone."""
    api = await open_api()
    await tell(api, ASIDES[:50])
    await api.record(
        *[{"role": "assistant" if i % 2 else "user", "content": f"{i} " + "lorem " * 240} for i in range(60)]
    )
    question = "which host does the zebra gateway answer on?"
    await api.record({"id": "ask1", "role": "user", "content": question})
    await assemble(api, **more)
    await api.record({"id": "a1", "role": "assistant", "content": "I do not know."})
    await tell(api, [("user", "The zebra gateway answers on host okapi.", "fact"), *ASIDES[50:]])
    await api.record(
        *[{"role": "assistant" if i % 2 else "user", "content": f"{i} " + "ipsum " * 240} for i in range(60)]
    )
    await api.record({"id": "ask2", "role": "user", "content": question})
    assert "okapi" in str((await assemble(api, **more))["messages"])

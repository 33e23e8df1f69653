"""A call id that comes again in a later turn: each result belongs to the nearest call before it."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx.core.dialect import check
from tests.integration.api.conftest import CONVERSATION, Api, Open

U = {"user_id": "u1"}
TURNS = 30
PADDING = "and the ledger was written to the mirror in the north " * 20


def turn(number: int, name: str = "look_up") -> list[dict[str, Any]]:
    """A question, a call with the same id as in every other turn, its result, an answer."""
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": f'{{"q": "mast-{number}"}}'}}
    said = f"mast-{number}: {7000 + number} {PADDING}"
    return [
        {"id": f"u{number}", "role": "user", "content": f"Which port has mast-{number}?"},
        {"id": f"c{number}", "role": "assistant", "content": None, "tool_calls": [call]},
        {"id": f"r{number}", "role": "tool", "tool_call_id": "call_1", "content": said},
        {"id": f"a{number}", "role": "assistant", "content": f"It is {7000 + number}."},
    ]  # fmt: skip


async def filled(open_api: Open, *, at_once: bool) -> Api:
    api = await open_api(compactor_region_tokens=1_000)
    turns = [turn(n) for n in range(TURNS)]
    for part in [[m for one in turns for m in one]] if at_once else turns:
        await api.record(*part)
    return api


async def assembled(api: Api, **body: Any) -> list[dict[str, Any]]:
    answer = await api.http.post(f"{CONVERSATION}/assemble", json={**U, **body})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["messages"]
    return found


def pairs(messages: list[dict[str, Any]], dialect: str) -> list[tuple[str, str]]:
    """What each call asked and what its result says, as a provider reads the list: by the id that is open."""
    open_: dict[str, str] = {}
    found: list[tuple[str, str]] = []
    for message in messages:
        content = message.get("content")
        blocks = content if dialect == "anthropic" and isinstance(content, list) else []
        for block in blocks:
            if block["type"] == "tool_use":
                open_[block["id"]] = block["input"]["q"]
            elif block["type"] == "tool_result":
                found.append((open_.pop(block["tool_use_id"]), str(block["content"])))
        for call in message.get("tool_calls") or ():
            open_[call["id"]] = call["function"]["arguments"].split('"')[3]
        if message.get("role") == "tool":
            found.append((open_.pop(message["tool_call_id"]), message["content"]))
        elif message.get("type") == "function_call":
            open_[message["call_id"]] = message["arguments"].split('"')[3]
        elif message.get("type") == "function_call_output":
            found.append((open_.pop(message["call_id"]), message["output"]))
    assert open_ == {}
    return found


@pytest.mark.parametrize("compacted", [False, True])
@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("dialect", ["openai", "responses", "anthropic"])
async def test_a_result_stands_behind_the_nearest_call_of_its_id(
    open_api: Open, dialect: str, at_once: bool, compacted: bool
) -> None:
    """Fails if ids are looked up in the whole list: the newest result would answer the oldest call."""
    api = await filled(open_api, at_once=at_once)
    if compacted:
        await api.http.post(f"{CONVERSATION}/compact", json=U)
    for window in (3_000, 8_000, 200_000):
        more = {"append": [{"role": "user", "content": "And now?"}]}
        messages = await assembled(api, window=window, dialect=dialect, **more)
        assert check(messages, dialect) == []
        found = pairs(messages, dialect)
        assert found
        assert all(said.startswith(f"{asked}: ") for asked, said in found), window
    assert len(found) == TURNS


async def test_an_edit_between_two_calls_of_one_id_moves_no_result(open_api: Open) -> None:
    api = await filled(open_api, at_once=True)
    await api.http.post(f"{CONVERSATION}/compact", json=U)
    await api.record({"id": "a3", "role": "assistant", "content": "It was 7003 until May."})
    messages = await assembled(api, window=200_000, append=[{"role": "user", "content": "And now?"}])
    found = pairs(messages, "openai")
    assert len(found) == TURNS
    assert all(said.startswith(f"{asked}: ") for asked, said in found)


async def test_a_call_that_was_never_answered_takes_no_later_result_of_its_id(open_api: Open) -> None:
    api = await open_api()
    await api.record(*turn(0)[:2], *turn(1))
    for dialect in ("openai", "responses", "anthropic"):
        messages = await assembled(api, window=200_000, dialect=dialect, append=[{"role": "user", "content": "Well?"}])
        assert check(messages, dialect) == []
        found = pairs(messages, dialect)
        assert [asked for asked, _ in found] == ["mast-0", "mast-1"]
        assert "7001" not in found[0][1]
        assert found[1][1].startswith("mast-1: 7001")


async def test_a_result_is_ours_only_if_the_nearest_call_of_its_id_was(open_api: Open) -> None:
    """Fails if an id that once asked `conv_expand` makes every later result of it ours: not found, in no claim."""
    api = await open_api()
    await api.record(*turn(0, "conv_expand"), *turn(1, "read_file"), *turn(2, "conv_search"))
    flags = {m["id"]: m.get("injected", False) for m in await api.expand("r0", "r1", "r2")}
    assert flags == {"r0": True, "r1": False, "r2": True}
    for number, there in ((0, False), (1, True), (2, False)):
        hits = (await api.http.post(f"{CONVERSATION}/search", json={**U, "query": f"{7000 + number} mirror"})).json()[
            "hits"
        ]
        assert (f"r{number}" in {hit["id"] for hit in hits}) is there

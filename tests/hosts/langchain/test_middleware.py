"""The LangChain middleware in real agents: what the model gets, what is recorded, what never leaks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langchain", reason="needs the extra langchain; run: python -m tests.hosts langchain")
pytest.importorskip("langchain_openai", reason="run: python -m tests.hosts langchain")

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

from bobctx.client import Daemon
from bobctx.integrations.hosting import Options
from bobctx.integrations.langchain import BobctxMiddleware, body_of, changes_of
from tests.hosts import pages
from tests.hosts.conftest import FACT, Lane, long_text
from tests.hosts.model import Model

pytestmark = pytest.mark.slow


@dataclass
class Context:
    """Who is asking, as the application knows it."""

    user_id: str | None


@tool
def weather(city: str) -> str:
    """The weather of a city."""
    return f"rain in {city}"


def agent(model: Model, daemon: Daemon, saver: Any = None, **more: Any) -> Any:
    chat = ChatOpenAI(model="fake", base_url=model.url, api_key="k", max_retries=0, stream_usage=True)
    middleware = BobctxMiddleware(daemon, options=Options(output_tokens=500), **more)
    made = create_agent(
        chat,
        tools=[weather],
        middleware=[middleware],
        checkpointer=saver,
        context_schema=Context,
        system_prompt="Be brief.",
    )
    made.bobctx = middleware
    return made


def thread(lane: Lane) -> dict[str, Any]:
    return {"configurable": {"thread_id": lane.chat}}


def say(text: str) -> dict[str, Any]:
    return {"messages": [HumanMessage(text)]}


async def test_a_turn_is_recorded_and_the_prompt_of_a_short_one_is_the_hosts_own(model: Model, lane: Lane) -> None:
    bot = agent(model, lane.daemon, InMemorySaver())
    done = await bot.ainvoke(say(FACT), thread(lane), context=Context(lane.user))
    await bot.ainvoke(say("and now?"), thread(lane), context=Context(lane.user))
    assert model.texts() == ["Be brief.", FACT, "reply 2", "and now?"]
    assert lane.texts() == [FACT, "reply 2", "and now?", "reply 4"]
    assert [m["id"] for m in lane.messages()][:2] == [m.id for m in done["messages"]]


def test_the_same_without_an_event_loop(model: Model, lane: Lane) -> None:
    bot = agent(model, lane.daemon, InMemorySaver())
    for text in (FACT, 'call weather {"city": "Oslo"}'):
        bot.invoke(say(text), thread(lane), context=Context(lane.user))
    roles = [m["role"] for m in lane.messages()]
    assert roles == ["user", "assistant", "user", "assistant", "tool", "assistant"]


async def test_long_histories_fit_show_claims_once_and_leave_the_state_alone(model: Model, lane: Lane) -> None:
    bot = agent(model, lane.daemon, InMemorySaver())
    await bot.ainvoke(say(FACT), thread(lane), context=Context(lane.user))
    for number in range(12):
        await bot.ainvoke(say(long_text(number) * 2), thread(lane), context=Context(lane.user))
    lane.compact()
    done = await bot.ainvoke(say("What did we agree?"), thread(lane), context=Context(lane.user))
    blocks = [t for t in model.texts() if "[bobctx:block:" in t]
    assert len(blocks) == 1
    assert "tenant-1 " in blocks[0]
    assert len(model.texts()) < len(done["messages"])
    assert not [m for m in done["messages"] if "[bobctx:" in m.text]
    assert len(done["messages"]) == len(lane.messages())
    assert not [t for t in lane.texts() if "[bobctx:" in t]


async def test_streams_are_recorded_once(model: Model, lane: Lane) -> None:
    bot = agent(model, lane.daemon, InMemorySaver())
    pieces = [
        piece.content
        async for piece, _ in bot.astream(say(FACT), thread(lane), context=Context(lane.user), stream_mode="messages")
        if piece.content
    ]
    assert "".join(pieces) == "reply 2"
    assert model.last["stream"] is True
    assert lane.texts() == [FACT, "reply 2"]


async def test_tools_read_this_conversation_of_this_owner_whatever_the_model_says(model: Model, lane: Lane) -> None:
    bot = agent(model, lane.daemon, InMemorySaver())
    await bot.ainvoke(say(FACT), thread(lane), context=Context(lane.user))
    forged = {"query": "zeta-gateway", "user_id": lane.user, "conversation_id": lane.chat}
    ask = f"call conv_search {json.dumps(forged)}"
    mine = await bot.ainvoke(say(ask), thread(lane), context=Context(lane.user))
    fresh = agent(model, lane.daemon, InMemorySaver())
    theirs = await fresh.ainvoke(say(ask), thread(lane), context=Context(lane.other))
    results = [next(m.text for m in done["messages"] if isinstance(m, ToolMessage)) for done in (mine, theirs)]
    assert "8443" in results[0]
    assert "8443" not in results[1]
    expand = await bot.ainvoke(say('call conv_expand {"ids": ["m1"]}'), thread(lane), context=Context(lane.user))
    assert FACT in [m.text for m in expand["messages"] if isinstance(m, ToolMessage)][-1]


async def test_a_model_is_never_offered_the_owner_as_an_argument(model: Model, lane: Lane) -> None:
    await agent(model, lane.daemon).ainvoke(say("hi"), thread(lane), context=Context(lane.user))
    offered = {t["function"]["name"]: t["function"]["parameters"]["properties"] for t in model.last["tools"]}
    assert sorted(offered["conv_expand"]) == ["ids", "offset"]
    assert sorted(offered["conv_search"]) == ["limit", "query"]


async def test_a_daemon_that_is_away_costs_no_turn_and_what_it_missed_is_recorded_later(
    model: Model, lane: Lane, away: Daemon
) -> None:
    saver = InMemorySaver()
    off = agent(model, away, saver)
    for number in range(10):
        done = await off.ainvoke(say(long_text(number) * 3), thread(lane), context=Context(lane.user))
    assert done["messages"][-1].text.startswith("reply")
    assert len(model.texts()) < len(done["messages"]), "fitted locally"
    assert off.bobctx.later.counters["not_kept.unreachable"] == 10
    await agent(model, lane.daemon, saver).ainvoke(say("back"), thread(lane), context=Context(lane.user))
    assert len(lane.messages()) == 22


async def test_an_upstream_failure_stays_the_hosts_own_error_and_the_next_turn_records_all(
    model: Model, lane: Lane
) -> None:
    bot = agent(model, lane.daemon, InMemorySaver())
    model.fault = "500"
    with pytest.raises(Exception, match="upstream failed"):
        await bot.ainvoke(say(FACT), thread(lane), context=Context(lane.user))
    model.fault = None
    await bot.ainvoke(say("again"), thread(lane), context=Context(lane.user))
    assert lane.texts()[:2] == [FACT, "again"]


async def test_without_an_owner_nothing_is_recorded_and_lists_are_fitted_all_the_same(model: Model, lane: Lane) -> None:
    bot = agent(model, lane.daemon)
    history = [m for n in range(30) for m in (HumanMessage(long_text(n)), AIMessage("noted"))]
    done = await bot.ainvoke({"messages": [*history, HumanMessage("hi")]}, thread(lane), context=Context(None))
    assert done["messages"][-1].text.startswith("reply")
    assert len(model.texts()) < 40
    assert bot.bobctx.later.counters["no_scope"] == 1
    assert lane.messages("None") == []


async def test_edits_and_removals_of_the_graph_are_done_here_too(model: Model, lane: Lane) -> None:
    bot = agent(model, lane.daemon, InMemorySaver())
    for text in ("the secret is swordfish", "the port is 1111", FACT):
        done = await bot.ainvoke(say(text), thread(lane), context=Context(lane.user))
    first, third = done["messages"][0], done["messages"][2]
    await bot.aupdate_state(thread(lane), {"messages": [RemoveMessage(id=first.id)]})
    await bot.aupdate_state(thread(lane), {"messages": [HumanMessage("the port is 2222", id=third.id)]})
    await bot.ainvoke(say("next"), thread(lane), context=Context(lane.user))
    texts = lane.texts()
    assert "the secret is swordfish" not in texts
    assert "the port is 2222" in texts
    assert "the port is 1111" not in texts
    assert lane.search("swordfish") == []
    # what was deleted does not come back
    await bot.ainvoke(say("more"), thread(lane), context=Context(lane.user))
    assert "the secret is swordfish" not in lane.texts()


async def test_a_history_given_whole_with_every_run_is_recorded_once(model: Model, lane: Lane) -> None:
    """Without a checkpointer ids are new in every run: they are derived then."""
    bot = agent(model, lane.daemon)
    history: list[Any] = []
    for text in (FACT, "yes", "yes"):
        done = await bot.ainvoke({"messages": [*history, ("user", text)]}, thread(lane), context=Context(lane.user))
        history = [("user" if m.type == "human" else "assistant", m.text) for m in done["messages"]]
    assert lane.texts() == [t for _, t in history]


def test_what_a_summary_replaced_is_kept() -> None:
    summary = HumanMessage("a summary", id="s", additional_kwargs={"lc_source": "summarization"})
    changes = changes_of([summary, HumanMessage("new", id="b")], {"a": "x"}, removed="forget")
    assert changes.gone == []
    assert [m["id"] for m in changes.messages] == ["b"]
    assert "a" in changes.seen


def test_only_removal_to_save_room_can_be_told_apart_by_the_host() -> None:
    assert changes_of([HumanMessage("n", id="b")], {"a": "x"}, removed="forget").gone == ["a"]
    assert changes_of([HumanMessage("n", id="b")], {"a": "x"}, removed="keep").gone == []


def test_messages_of_every_kind_are_read() -> None:
    call = {"name": "weather", "args": {"city": "Oslo"}, "id": "c1", "type": "tool_call"}
    block = {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Oslo"}}
    said = AIMessage([{"type": "text", "text": "hm"}, block], tool_calls=[call])
    body = body_of(said)
    assert body["content"] == [{"type": "text", "text": "hm"}]
    assert body["tool_calls"][0]["function"] == {"name": "weather", "arguments": '{"city": "Oslo"}'}
    assert body_of(ToolMessage("rain", tool_call_id="c1"))["tool_call_id"] == "c1"


def test_the_setup_of_the_manual_works_as_it_stands(model: Model, lane: Lane, tmp_path: Path) -> None:
    assert "reply" in pages.run("LangChain", model, lane, tmp_path)
    assert lane.texts() == ["Hello", "reply 1"]

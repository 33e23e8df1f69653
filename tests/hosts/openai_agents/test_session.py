"""The session, the filter and the tools in real runs of the Agents SDK."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agents", reason="needs the extra openai-agents; run: python -m tests.hosts openai_agents")

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    SQLiteSession,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI

from bobctx.client import Daemon
from bobctx.integrations.hosting import Options
from bobctx.integrations.openai_agents import BobctxSession, _continues_elsewhere, bobctx_tools
from bobctx.integrations.responses_items import groups
from tests.hosts import pages
from tests.hosts.conftest import FACT, Lane, long_text
from tests.hosts.model import Model

pytestmark = pytest.mark.slow
set_tracing_disabled(True)


@dataclass
class Context:
    """Who is asking, as the application knows it."""

    user_id: str | None


@function_tool
def weather(city: str) -> str:
    """The weather of a city."""
    return f"rain in {city}"


def agent(model: Model, *, responses: bool = False) -> Agent[Context]:
    client = AsyncOpenAI(base_url=model.url, api_key="k", max_retries=0)
    chat = (OpenAIResponsesModel if responses else OpenAIChatCompletionsModel)("fake", client)
    return Agent(name="a", instructions="Be brief.", model=chat, tools=[weather, *bobctx_tools()])


def session(lane: Lane, daemon: Daemon | None = None, inner: Any = None) -> BobctxSession:
    return BobctxSession(inner or SQLiteSession(lane.chat), daemon or lane.daemon, options=Options(output_tokens=500))


async def say(bot: Agent[Context], memory: BobctxSession, text: str, user: str | None) -> Any:
    config = RunConfig(call_model_input_filter=memory.fit)
    return await Runner.run(bot, text, session=memory, context=Context(user), run_config=config)


@pytest.mark.parametrize("responses", [False, True])
async def test_turns_and_tool_calls_are_recorded(model: Model, lane: Lane, responses: bool) -> None:
    bot, memory = agent(model, responses=responses), session(lane)
    await say(bot, memory, FACT, lane.user)
    for text in ("yes", "yes", 'call weather {"city": "Oslo"}'):
        await say(bot, memory, text, lane.user)
    recorded = lane.messages()
    assert [m["role"] for m in recorded] == ["user", "assistant"] * 3 + ["user", "assistant", "tool", "assistant"]
    assert recorded[-2]["content"] == "rain in Oslo"
    assert recorded[-3]["tool_calls"][0]["id"] == recorded[-2]["tool_call_id"]


@pytest.mark.parametrize("responses", [False, True])
async def test_long_histories_fit_show_claims_once_and_leave_the_session_alone(
    model: Model, lane: Lane, responses: bool
) -> None:
    bot, memory = agent(model, responses=responses), session(lane)
    await say(bot, memory, FACT, lane.user)
    await say(bot, memory, 'call weather {"city": "Oslo"}', lane.user)
    for number in range(12):
        await say(bot, memory, long_text(number) * 2, lane.user)
    lane.compact()
    await say(bot, memory, "What did we agree?", lane.user)
    items = await memory.get_items()
    blocks = [t for t in model.texts() if "[bobctx:block:" in t]
    assert len(blocks) == 1
    assert "tenant-" in blocks[0]
    assert len(model.texts()) < len(items)
    assert "[bobctx:" not in json.dumps(items)
    assert len(lane.texts()) == len(items)


async def test_a_stream_is_recorded_once(model: Model, lane: Lane) -> None:
    bot, memory = agent(model), session(lane)
    config = RunConfig(call_model_input_filter=memory.fit)
    asked = 'call weather {"city": "Oslo"}'
    run = Runner.run_streamed(bot, asked, session=memory, context=Context(lane.user), run_config=config)
    async for _ in run.stream_events():
        pass
    assert str(run.final_output).startswith("reply")
    assert [m["role"] for m in lane.messages()] == ["user", "assistant", "tool", "assistant"]


async def test_what_is_popped_is_deleted_and_may_be_said_again(model: Model, lane: Lane) -> None:
    bot, memory = agent(model), session(lane)
    await say(bot, memory, FACT, lane.user)
    wrapper = type("Wrapper", (), {"context": Context(lane.user)})()
    await memory.add_items([{"role": "user", "content": "the secret is swordfish"}], wrapper=wrapper)
    assert lane.search("swordfish")
    popped = await memory.pop_item(wrapper=wrapper)
    assert popped["content"] == "the secret is swordfish"
    assert lane.search("swordfish") == []
    assert "swordfish" not in str(await memory.get_items())
    for _ in range(2):
        await memory.add_items([popped], wrapper=wrapper)
        assert lane.texts() == [FACT, "reply 2", "the secret is swordfish"]
        await memory.pop_item(wrapper=wrapper)
        assert lane.texts() == [FACT, "reply 2"]
    await say(bot, memory, "next", lane.user)
    assert lane.texts() == [FACT, "reply 2", "next", "reply 4"]


async def test_a_cleared_session_is_deleted_and_can_begin_again(model: Model, lane: Lane) -> None:
    bot, memory = agent(model), session(lane)
    await say(bot, memory, FACT, lane.user)
    await memory.clear_session(wrapper=type("Wrapper", (), {"context": Context(lane.user)})())
    assert lane.texts() == []
    await say(bot, memory, FACT, lane.user)
    assert lane.texts() == [FACT, "reply 2"]


async def test_another_process_goes_on_without_doubles(model: Model, lane: Lane) -> None:
    bot, inner = agent(model), SQLiteSession(lane.chat)
    await say(bot, session(lane, inner=inner), FACT, lane.user)
    await say(bot, session(lane, inner=inner), "next", lane.user)
    assert lane.texts() == [FACT, "reply 2", "next", "reply 4"]


async def test_tools_read_this_session_of_this_owner(model: Model, lane: Lane) -> None:
    bot = agent(model)
    await say(bot, session(lane), FACT, lane.user)
    ask = 'call conv_search {"query": "zeta-gateway", "limit": 5}'
    for user, found in ((lane.user, True), (lane.other, False)):
        fresh = session(lane)
        await say(bot, fresh, ask, user)
        outputs = [i["output"] for i in await fresh.get_items() if i.get("type") == "function_call_output"]
        assert ("8443" in outputs[0]) is found
    offered = {t["function"]["name"]: t["function"]["parameters"]["properties"] for t in model.last["tools"]}
    assert sorted(offered["conv_expand"]) == ["ids", "offset"]
    assert sorted(offered["conv_search"]) == ["limit", "query"]


async def test_a_daemon_that_is_away_costs_no_run_and_what_it_missed_comes_later(
    model: Model, lane: Lane, away: Daemon
) -> None:
    bot, inner = agent(model), SQLiteSession(lane.chat)
    memory = session(lane, away, inner)
    for number in range(6):
        await say(bot, memory, long_text(number) * 4, lane.user)
    assert len(model.texts()) < 12
    assert memory.keeper.counters["not_kept.unreachable"] >= 6
    await say(bot, session(lane, inner=inner), "back", lane.user)
    assert len(lane.texts()) == 14


async def test_an_upstream_failure_is_the_hosts_own_error(model: Model, lane: Lane) -> None:
    bot, memory = agent(model), session(lane)
    model.fault = "500"
    with pytest.raises(Exception, match="upstream failed"):
        await say(bot, memory, FACT, lane.user)
    model.fault = None
    await say(bot, memory, "again", lane.user)
    assert lane.texts()[-2:] == ["again", model_reply(model)]


def model_reply(model: Model) -> str:
    return f"reply {len(model.texts())}"


async def test_without_an_owner_nothing_is_recorded(model: Model, lane: Lane) -> None:
    bot, memory = agent(model), session(lane)
    await say(bot, memory, FACT, None)
    assert memory.keeper.counters == {"no_scope": 1}
    assert lane.messages("None") == []


async def test_a_history_that_the_provider_keeps_is_passed_through(model: Model, lane: Lane) -> None:
    bot, memory = agent(model, responses=True), session(lane)
    config = RunConfig(call_model_input_filter=memory.fit)
    ask = 'call weather {"city": "Oslo"}'
    done = await Runner.run(bot, ask, context=Context(lane.user), run_config=config, auto_previous_response_id=True)
    assert str(done.final_output).startswith("reply")
    assert [i.get("type") for i in model.last["input"]] == ["function_call_output"]
    assert model.last["previous_response_id"]


def test_the_setup_of_the_manual_works_as_it_stands(model: Model, lane: Lane, tmp_path: Path) -> None:
    assert "reply" in pages.run("OpenAI Agents SDK", model, lane, tmp_path)
    assert lane.texts() == ["Hello", "reply 1"]


def test_a_result_before_its_call_says_that_the_provider_keeps_the_history() -> None:
    """Fails if a later call of the same id passes for the one that the provider has."""
    call = {"type": "function_call", "call_id": "c", "name": "weather", "arguments": "{}"}
    result = {"type": "function_call_output", "call_id": "c", "output": "rain"}
    assert _continues_elsewhere(groups([result, call, result]))
    assert not _continues_elsewhere(groups([call, result, call, result]))

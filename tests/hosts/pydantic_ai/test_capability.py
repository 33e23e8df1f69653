"""The Pydantic AI capability in real agents: what the model gets, what is recorded, what never leaks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="needs the extra pydantic-ai; run: python -m tests.hosts pydantic_ai")

from openai import AsyncOpenAI
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.messages import (
    CompactionPart,
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from bobctx.client import Daemon
from bobctx.integrations.hosting import Options
from bobctx.integrations.pydantic_ai import Bobctx, units_of, written
from tests.hosts import pages
from tests.hosts.conftest import FACT, Lane, long_text
from tests.hosts.model import Model

pytestmark = pytest.mark.slow


@dataclass
class Deps:
    """Who is asking, as the application knows it."""

    user_id: str | None


def agent(model: Model, daemon: Daemon, **more: Any) -> tuple[Agent[Deps, str], Bobctx]:
    openai = AsyncOpenAI(base_url=model.url, api_key="k", max_retries=0)
    chat = OpenAIChatModel("fake", provider=OpenAIProvider(openai_client=openai))
    memory = Bobctx(daemon, options=Options(output_tokens=500), **more)
    made = Agent(chat, deps_type=Deps, capabilities=[memory], instructions="Be brief.")

    @made.tool_plain
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"rain in {city}"

    return made, memory


async def test_turns_are_recorded_and_short_prompts_are_the_hosts_own(model: Model, lane: Lane) -> None:
    bot, _ = agent(model, lane.daemon)
    done = await bot.run(FACT, conversation_id=lane.chat, deps=Deps(lane.user))
    done = await bot.run("yes", message_history=done.all_messages(), deps=Deps(lane.user))
    await bot.run("yes", message_history=done.all_messages(), deps=Deps(lane.user))
    assert model.texts() == ["Be brief.", FACT, "reply 2", "yes", "reply 4", "yes"]
    assert lane.texts() == [FACT, "reply 2", "yes", "reply 4", "yes", "reply 6"]


async def test_long_histories_fit_show_claims_once_and_leave_the_run_alone(model: Model, lane: Lane) -> None:
    bot, _ = agent(model, lane.daemon)
    done = await bot.run(FACT, conversation_id=lane.chat, deps=Deps(lane.user))
    for number in range(12):
        done = await bot.run(long_text(number) * 2, message_history=done.all_messages(), deps=Deps(lane.user))
    lane.compact()
    done = await bot.run("What did we agree?", message_history=done.all_messages(), deps=Deps(lane.user))
    blocks = [t for t in model.texts() if "[bobctx:block:" in t]
    assert len(blocks) == 1
    assert "tenant-" in blocks[0]
    assert len(model.texts()) < len(done.all_messages())
    assert "[bobctx:" not in done.all_messages_json().decode()
    assert len(lane.texts()) == len(done.all_messages())
    assert not [t for t in lane.texts() if "[bobctx:" in t]


async def test_a_history_that_the_program_trims_is_recorded_without_doubles(model: Model, lane: Lane) -> None:
    bot, _ = agent(model, lane.daemon)
    history: list[Any] = []
    for number in range(6):
        done = await bot.run(
            f"question {number}", message_history=history, conversation_id=lane.chat, deps=Deps(lane.user)
        )
        history = done.all_messages()[-4:]
    assert [t for t in lane.texts() if t.startswith("question")] == [f"question {n}" for n in range(6)]
    assert len(lane.texts()) == 12


async def test_streams_and_tool_calls_are_recorded_once(model: Model, lane: Lane) -> None:
    bot, _ = agent(model, lane.daemon)
    ask = 'call weather {"city": "Oslo"}'
    async with bot.run_stream(ask, conversation_id=lane.chat, deps=Deps(lane.user)) as stream:
        assert (await stream.get_output()).startswith("reply")
    assert model.last["stream"] is True
    recorded = lane.messages()
    assert [m["role"] for m in recorded] == ["user", "assistant", "tool", "assistant"]
    assert recorded[2]["content"] == "rain in Oslo"
    assert recorded[1]["tool_calls"][0]["id"] == recorded[2]["tool_call_id"]


async def test_tools_read_this_conversation_of_this_owner_whatever_the_model_says(model: Model, lane: Lane) -> None:
    bot, _ = agent(model, lane.daemon)
    await bot.run(FACT, conversation_id=lane.chat, deps=Deps(lane.user))
    search = f"call conv_search {json.dumps({'query': 'zeta-gateway'})}"
    for deps, found in ((Deps(lane.user), True), (Deps(lane.other), False)):
        done = await bot.run(search, conversation_id=lane.chat, deps=deps)
        results = [p.content for m in done.all_messages() for p in m.parts if isinstance(p, ToolReturnPart)]
        assert ("8443" in results[0]) is found
    offered = {t["function"]["name"]: t["function"]["parameters"]["properties"] for t in model.last["tools"]}
    assert sorted(offered["conv_expand"]) == ["ids", "offset"]
    assert sorted(offered["conv_search"]) == ["limit", "query"]


async def test_a_daemon_that_is_away_costs_no_run_and_lists_still_fit(model: Model, lane: Lane, away: Daemon) -> None:
    off, memory = agent(model, away)
    history: list[Any] = []
    for number in range(8):
        done = await off.run(
            long_text(number) * 3, message_history=history, conversation_id=lane.chat, deps=Deps(lane.user)
        )
        history = done.all_messages()
    assert len(model.texts()) < len(history)
    assert memory.keeper.counters["not_kept.unreachable"] == 8
    bot, _ = agent(model, lane.daemon)
    await bot.run("back", message_history=history, deps=Deps(lane.user))
    assert len(lane.texts()) == 18, "what was missed is recorded with the next run"


async def test_an_upstream_failure_is_the_hosts_own_error(model: Model, lane: Lane) -> None:
    bot, _ = agent(model, lane.daemon)
    model.fault = "500"
    with pytest.raises(Exception, match="upstream failed"):
        await bot.run(FACT, conversation_id=lane.chat, deps=Deps(lane.user))
    assert lane.texts() == []


async def test_without_an_owner_nothing_is_recorded(model: Model, lane: Lane) -> None:
    bot, memory = agent(model, lane.daemon)
    await bot.run(FACT, conversation_id=lane.chat, deps=Deps(None))
    assert memory.keeper.counters == {"no_scope": 1}
    assert lane.messages("None") == []


def test_parts_of_one_request_are_sent_apart_and_come_back_whole() -> None:
    answer = ModelResponse(parts=[])
    request = ModelRequest(parts=[ToolReturnPart("weather", "rain", tool_call_id="c"), UserPromptPart("and?")])
    messages = [request, answer]
    units = units_of(messages)
    assert written(messages, units, [0, 1, 2]) == messages
    assert written(messages, units, [0, 1, 2])[0] is request
    only = written(messages, units, [1])
    assert [p.part_kind for p in only[0].parts] == ["user-prompt"]


def test_a_shortened_result_has_the_tool_of_the_nearest_call_of_its_id() -> None:
    """Fails if a call id that comes again gives every result of it the newest tool's name."""

    def turn(name: str) -> list[Any]:
        asked = ModelResponse(parts=[ToolCallPart(name, {}, tool_call_id="c")])
        return [asked, ModelRequest(parts=[ToolReturnPart(name, "long", tool_call_id="c")])]

    messages = [*turn("weather"), *turn("clock")]
    cut = {"role": "tool", "tool_call_id": "c", "content": "short"}
    made = written(messages, units_of(messages), [0, cut, 2, cut])
    assert [m.parts[0].tool_name for m in made] == ["weather", "weather", "clock", "clock"]


def test_bytes_stay_with_the_host() -> None:
    request = ModelRequest(parts=[UserPromptPart(["look", BinaryContent(b"\x00\x01", media_type="image/png")])])
    body = units_of([request])[0].body
    assert body["content"][0] == {"type": "text", "text": "look"}
    assert "AAE" not in json.dumps(body)


def test_a_history_that_the_provider_compacted_is_left_alone() -> None:
    with pytest.raises(ValueError, match="compacted"):
        units_of([ModelResponse(parts=[CompactionPart(content="x", provider_name="p")])])


def test_the_setup_of_the_manual_works_as_it_stands(model: Model, lane: Lane, tmp_path: Path) -> None:
    assert "reply" in pages.run("Pydantic AI", model, lane, tmp_path)
    assert lane.texts() == ["Hello", "reply 1", "And now?", "reply 3"]

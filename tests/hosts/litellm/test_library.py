"""The callback in a program that calls LiteLLM: what is sent, what is recorded, streams and failures."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("apscheduler", reason="needs the extra litellm; run: python -m tests.hosts litellm")
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

import litellm

from bobctx.client import Daemon
from bobctx.core.types import Scope
from bobctx.integrations.hosting import Options
from bobctx.integrations.keeper import Keeper
from bobctx.integrations.litellm import FAILED, BobctxLogger, Turn, plain
from tests.hosts import pages
from tests.hosts.conftest import FACT, Lane, long_text
from tests.hosts.model import Model

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]  # its log worker keeps to one loop


CALLBACK: list[BobctxLogger] = []


@pytest.fixture
def memory(lane: Lane) -> BobctxLogger:
    """LiteLLM keeps the first object of a class: all tests share it, each with a keeper of its own."""
    if not CALLBACK:
        CALLBACK.append(BobctxLogger(lane.daemon))
        litellm.callbacks = [*CALLBACK]
    CALLBACK[0].keeper = Keeper(lane.daemon, Options(output_tokens=500))
    return CALLBACK[0]


async def settled(check: Any) -> None:
    """LiteLLM logs after it has answered."""
    for _ in range(200):
        if check():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("not recorded")


def arguments(model: Model, lane: Lane, messages: list[Any], **more: Any) -> dict[str, Any]:
    meta = {"conversation_id": lane.chat, "user_id": lane.user}
    return {
        "model": "openai/fake",
        "api_base": model.url,
        "api_key": "k",
        "messages": messages,
        "metadata": meta,
        **more,
    }


def history(size: int) -> list[dict[str, Any]]:
    said = [
        m
        for n in range(size)
        for m in ({"role": "user", "content": long_text(n) * 2}, {"role": "assistant", "content": "noted"})
    ]
    return [{"role": "system", "content": "Be brief."}, {"role": "user", "content": FACT}, *said[1:]]


async def test_turns_are_recorded_once_as_the_caller_wrote_them(model: Model, lane: Lane, memory: BobctxLogger) -> None:
    messages: list[Any] = [{"role": "system", "content": "Be brief."}]
    for text in (FACT, "yes", "yes"):
        messages.append({"role": "user", "content": text})
        answer = await litellm.acompletion(**arguments(model, lane, messages))
        messages.append(answer.choices[0].message)  # the object itself, as programs do
        await settled(lambda: len(lane.texts()) == len(messages) - 1)
    assert lane.texts() == [FACT, "reply 2", "yes", "reply 4", "yes", "reply 6"]
    assert memory._turns == {}


async def test_a_stream_is_recorded_once_as_a_whole(model: Model, lane: Lane, memory: BobctxLogger) -> None:
    asked = arguments(model, lane, [{"role": "user", "content": FACT}], stream=True)
    pieces = [c.choices[0].delta.content or "" async for c in await litellm.acompletion(**asked)]
    assert "".join(pieces) == "reply 1"
    await settled(lambda: len(lane.texts()) == 2)
    await asyncio.sleep(0.3)
    assert lane.texts() == [FACT, "reply 1"]


async def test_long_lists_are_fitted_and_the_originals_recorded(model: Model, lane: Lane, memory: BobctxLogger) -> None:
    messages = history(12)
    await litellm.acompletion(**arguments(model, lane, [*messages, {"role": "user", "content": "first"}]))
    await settled(lambda: len(lane.texts()) == len(messages) + 1)
    lane.compact()
    messages += [{"role": "user", "content": "first"}, {"role": "assistant", "content": f"reply {len(model.texts())}"}]
    given = [*messages, {"role": "user", "content": "What did we agree?"}]
    await litellm.acompletion(**arguments(model, lane, given))
    blocks = [t for t in model.texts() if "[bobctx:block:" in t]
    assert len(blocks) == 1
    assert "tenant-" in blocks[0]
    assert model.texts()[:2] == ["Be brief.", FACT]
    assert len(model.texts()) < len(given)
    await settled(lambda: len(lane.texts()) == len(given))
    assert not [t for t in lane.texts() if "[bobctx:" in t]


async def test_a_client_that_sends_its_newest_messages_only_is_recorded_without_doubles(
    model: Model, lane: Lane, memory: BobctxLogger
) -> None:
    messages: list[Any] = []
    for number in range(8):
        messages.append({"role": "user", "content": f"question {number}"})
        answer = await litellm.acompletion(**arguments(model, lane, messages[-5:]))
        messages.append({"role": "assistant", "content": answer.choices[0].message.content + f" to {number}"})
        # what the client keeps is not what was answered: its own words count from then on
        size = len(messages)
        await settled(lambda: len(lane.texts()) == size)  # noqa: B023 - awaited before the next round
    assert [t for t in lane.texts() if t.startswith("question")] == [f"question {n}" for n in range(8)]


async def test_tool_calls_are_recorded_with_their_results(model: Model, lane: Lane, memory: BobctxLogger) -> None:
    tool = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}
    messages: list[Any] = [{"role": "user", "content": 'call weather {"city": "Oslo"}'}]
    for stream in (False, True):
        asked = arguments(model, lane, messages, tools=[tool], stream=stream)
        answer = await litellm.acompletion(**asked)
        if stream:
            chunks = [c async for c in answer]
            answer = litellm.stream_chunk_builder(chunks)
        message = answer.choices[0].message
        messages += [message, {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "rain"}]
        messages += [{"role": "user", "content": 'call weather {"city": "Rome"}'}]
    await settled(lambda: len(lane.texts()) == 6 - 1)
    assert [m["role"] for m in lane.messages()] == ["user", "assistant", "tool", "user", "assistant"]


async def test_a_router_is_served_too(model: Model, lane: Lane, memory: BobctxLogger) -> None:
    params = {"model": "openai/fake", "api_base": model.url, "api_key": "k"}
    router = litellm.router.Router(model_list=[{"model_name": "m", "litellm_params": params}])
    meta = {"conversation_id": lane.chat, "user_id": lane.user}
    await router.acompletion(model="m", messages=[{"role": "user", "content": FACT}], metadata=meta)
    await settled(lambda: len(lane.texts()) == 2)


async def test_the_responses_api_is_served_too(model: Model, lane: Lane, memory: BobctxLogger) -> None:
    asked = arguments(model, lane, [])
    del asked["messages"]
    await litellm.aresponses(**asked, input=FACT)
    await settled(lambda: len(lane.texts()) == 2)
    assert lane.texts() == [FACT, "reply 1"]


async def test_a_daemon_that_is_away_costs_no_call_and_lists_still_fit(
    model: Model, lane: Lane, memory: BobctxLogger, away: Daemon
) -> None:
    memory.keeper = Keeper(away, Options(output_tokens=500))
    messages = history(20)
    await litellm.acompletion(**arguments(model, lane, messages))
    assert len(model.texts()) < len(messages)
    await settled(lambda: memory.keeper.counters["not_kept"] == 1)


async def test_an_upstream_failure_is_the_hosts_own_and_records_nothing(
    model: Model, lane: Lane, memory: BobctxLogger
) -> None:
    model.fault = "500"
    with pytest.raises(litellm.exceptions.InternalServerError):
        await litellm.acompletion(**arguments(model, lane, [{"role": "user", "content": FACT}]), num_retries=0)
    await settled(lambda: len(memory._turns) == len(memory._failed))
    assert await memory.settled(1.0), "a program that ends does not wait for what nobody answered"
    assert lane.texts() == []


async def test_a_turn_that_a_retry_answers_is_recorded_once(model: Model, lane: Lane, memory: BobctxLogger) -> None:
    """Fails when the first attempt's failure is taken for the end of the call."""
    model.failing = 1
    await litellm.acompletion(**arguments(model, lane, [{"role": "user", "content": FACT}]), num_retries=2)
    await settled(lambda: len(lane.texts()) == 2)
    await asyncio.sleep(0.3)
    assert lane.texts() == [FACT, "reply 1"]


async def test_a_turn_that_another_model_answers_is_recorded_once(
    model: Model, lane: Lane, memory: BobctxLogger
) -> None:
    good = {"model": "openai/fake", "api_base": model.url, "api_key": "k"}
    bad = {**good, "api_base": "http://127.0.0.1:9/v1", "max_retries": 0}
    models = [{"model_name": "m", "litellm_params": good}, {"model_name": "broken", "litellm_params": bad}]
    router = litellm.router.Router(model_list=models, fallbacks=[{"broken": ["m"]}], num_retries=0)
    meta = {"conversation_id": lane.chat, "user_id": lane.user}
    await router.acompletion(model="broken", messages=[{"role": "user", "content": FACT}], metadata=meta)
    await settled(lambda: len(lane.texts()) == 2)
    await asyncio.sleep(0.3)
    assert lane.texts() == [FACT, "reply 1"]


async def test_a_failed_attempt_is_not_the_end_of_a_call(lane: Lane, memory: BobctxLogger) -> None:
    scope = Scope(conversation_id=lane.chat, user_id=lane.user)
    bodies = [{"role": "user", "content": FACT}]
    memory._remember("call-1", Turn(scope=scope, bodies=bodies, anchor=None, trace_id=None))
    await memory.async_log_failure_event({"litellm_call_id": "call-1"}, None, None, None)
    answer = {"choices": [{"message": {"role": "assistant", "content": "noted"}}]}
    await memory.async_log_success_event({"litellm_call_id": "call-1"}, answer, None, None)
    assert lane.texts() == [FACT, "noted"]


async def test_failed_calls_are_not_remembered_without_an_end(memory: BobctxLogger) -> None:
    turn = Turn(scope=Scope(conversation_id="c", user_id="u"), bodies=(), anchor=None, trace_id=None)
    for number in range(FAILED + 5):
        memory._remember(f"call-{number}", turn)
        await memory.async_log_failure_event({"litellm_call_id": f"call-{number}"}, None, None, None)
    assert len(memory._turns) == len(memory._failed) <= FAILED
    await memory.async_post_call_failure_hook({"litellm_call_id": f"call-{FAILED}"}, ValueError(), None)
    assert f"call-{FAILED}" not in memory._turns


async def test_a_call_that_names_nobody_is_not_recorded(model: Model, lane: Lane, memory: BobctxLogger) -> None:
    asked = arguments(model, lane, history(20))
    del asked["metadata"]
    await litellm.acompletion(**asked)
    assert len(model.texts()) < 20
    assert memory.keeper.counters["no_scope"] == 1


async def test_a_call_that_names_no_argument_is_sent_as_it_is(model: Model, lane: Lane, memory: BobctxLogger) -> None:
    asked = arguments(model, lane, [])
    del asked["model"], asked["messages"]
    await litellm.acompletion("openai/fake", [{"role": "user", "content": FACT}], **asked)
    assert memory.keeper.counters["unreadable"] == 1
    assert model.texts() == [FACT]


async def test_fields_that_one_send_has_and_the_next_lacks_are_no_part_of_a_message() -> None:
    bare = {"role": "assistant", "content": "hi"}
    assert plain({**bare, "refusal": None, "annotations": [], "function_call": None, "tool_calls": None}) == bare


async def test_the_setup_of_the_manual_works_as_it_stands(model: Model, lane: Lane, tmp_path: Path) -> None:
    assert "reply" in pages.run("LiteLLM, in a program", model, lane, tmp_path)
    assert lane.texts() == ["Hello", "reply 1"]

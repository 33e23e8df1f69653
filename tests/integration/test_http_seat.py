"""The plain HTTP seat against a model server that does everything such servers do."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx.compactor.worker import run_job
from bobctx.core.parts import read_message
from bobctx.core.prompts import build_prompt, claims_schema
from bobctx.core.types import Region, Scope
from bobctx.errors import SeatFailed
from bobctx.ports import Job, SeatRequest
from bobctx.seats.http_seat import Endpoint, HttpSeat
from tests.fake_model import CLAIMS, FakeModel, fake_model

REGION = Region(
    messages=(read_message({"role": "user", "content": "Port 9443."}, id="a", seq=1, tokens=5, egress="cloud_ok"),)
)


def request(timeout_s: float = 10.0) -> SeatRequest:
    prompt = tuple(build_prompt(REGION))
    return SeatRequest(
        region=REGION, prior=(), prefix="r1", prompt=prompt, schema=claims_schema(REGION), timeout_s=timeout_s
    )


def seat(model: FakeModel, **fields: Any) -> HttpSeat:
    return HttpSeat(Endpoint(base_url=model.base_url, model="fake", api_key="test-key", **fields))


async def test_a_good_answer_comes_with_usage_host_and_cost() -> None:
    async with fake_model() as model:
        reply = await seat(model, usd_per_million=(1.0, 2.0)).ask(request())
    assert reply.text == CLAIMS
    assert (reply.host, reply.usage["prompt_tokens"], reply.cost_usd) == ("127.0.0.1", 10, 2e-05)
    asked = model.requests[0]
    assert asked["response_format"]["json_schema"]["strict"] is True
    assert asked["temperature"] == 0
    assert model.headers[0]["authorization"] == "Bearer test-key"


async def test_a_streamed_answer_is_joined() -> None:
    async with fake_model("stream") as model:
        reply = await seat(model, stream=True).ask(request())
    assert (reply.text, reply.finish_reason, reply.usage["completion_tokens"]) == (CLAIMS, "stop", 5)
    assert model.requests[0]["stream"] is True


async def test_a_stream_that_breaks_off_is_a_truncated_answer() -> None:
    async with fake_model("stream_cut") as model:
        assert (await seat(model, stream=True).ask(request())).finish_reason == "length"


async def test_an_endpoint_without_schemas_is_asked_for_json_instead() -> None:
    async with fake_model("no_schema") as model:
        one = seat(model)
        assert (await one.ask(request())).text == CLAIMS
        await one.ask(request())
    assert [r.get("response_format", {}).get("type") for r in model.requests] == [
        "json_schema",
        "json_object",
        "json_object",
    ]


async def test_a_short_rate_limit_is_waited_for_once() -> None:
    async with fake_model("rate:0.05", "plain") as model:
        assert (await seat(model).ask(request())).text == CLAIMS
    async with fake_model("rate:0.05") as model:
        with pytest.raises(SeatFailed) as failure:
            await seat(model).ask(request())
    assert failure.value.data == {"reason": "rate_limited", "retry_after": 0.05}
    assert len(model.requests) == 2


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("rate:3600", "rate_limited"),
        ("rate_no_header", "rate_limited"),
        ("broken", "provider_error"),
        ("unauthorized", "provider_error"),
        ("redirect", "provider_error"),
        ("cut", "provider_error"),
        ("context", "context_length"),
        ("not_json", "malformed"),
        ("no_choices", "malformed"),
        ("reasoning_only", "reasoning_only"),
        ("big", "too_large"),
        ("slow:5", "timeout"),
    ],
)
async def test_each_failure_has_its_reason(behaviour: str, reason: str) -> None:
    async with fake_model(behaviour) as model:
        with pytest.raises(SeatFailed) as failure:
            await seat(model).ask(request(0.5 if behaviour.startswith("slow") else 10.0))
    assert failure.value.data["reason"] == reason
    assert len(model.requests) == 1


async def test_an_endpoint_that_is_not_there_is_unreachable() -> None:
    gone = HttpSeat(Endpoint(base_url="http://127.0.0.1:1/v1", model="fake"))
    with pytest.raises(SeatFailed) as failure:
        await gone.ask(request())
    assert failure.value.data["reason"] == "unreachable"


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        ("plain", None),
        ("fenced", None),
        ("malformed", "malformed"),
        ("truncated", "truncated"),
        ("empty", "empty"),
        ("refusal", "refused"),
        ("duplicate_keys", "duplicate_key"),
        ("reasoning_only", "reasoning_only"),
        ("context", "context_length"),
    ],
)
async def test_the_worker_names_what_came_back(behaviour: str, error: str | None) -> None:
    async with fake_model(behaviour) as model:
        scope = Scope(conversation_id="c", user_id="u")
        job = Job(scope=scope, region=REGION, prior=(), prefix="r1", seat="fake", timeout_s=10.0)
        result = await run_job({"fake": seat(model)}, job)
    assert result.error == error
    assert len(result.claims) == (1 if error is None else 0)

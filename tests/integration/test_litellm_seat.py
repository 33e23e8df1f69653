"""The litellm seat: fallbacks and reasons with a stand-in, and the real library in a real worker process."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from bobctx.compactor.supervisor import Supervisor
from bobctx.core.types import Scope
from bobctx.errors import ConfigurationError, SeatFailed
from bobctx.ports import Job
from bobctx.seats.litellm_seat import LitellmModels, LitellmSeat
from tests.fake_model import CLAIMS, fake_model
from tests.integration.test_http_seat import REGION, request


class RateLimitError(Exception):
    status_code = 429


class ContextWindowExceededError(Exception):
    status_code = 400


class ServiceError(Exception):
    status_code = 503


def answer(text: str = CLAIMS) -> dict[str, Any]:
    return {"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}}


def seat(*behaviours: Any, models: tuple[str, ...] = ("deepseek/a", "deepseek/b")) -> tuple[LitellmSeat, list[str]]:
    """A seat over a stand-in of litellm that answers or raises in turn, and the models it was asked for."""
    asked: list[str] = []
    todo = list(behaviours)

    async def acompletion(**body: Any) -> Any:
        asked.append(body["model"])
        step = todo.pop(0)
        if isinstance(step, Exception):
            raise step
        return step

    api = SimpleNamespace(acompletion=acompletion)
    return LitellmSeat(LitellmModels(models=models), api=api, errors=Exception), asked


async def test_the_first_model_that_answers_is_the_reply() -> None:
    made, asked = seat(ServiceError("down"), answer())
    reply = await made.ask(request())
    assert (reply.text, reply.provider) == (CLAIMS, "deepseek")
    assert asked == ["deepseek/a", "deepseek/b"]


async def test_an_error_about_the_region_asks_no_other_model() -> None:
    made, asked = seat(ContextWindowExceededError("too long: 'private sentence'"))
    with pytest.raises(SeatFailed) as failure:
        await made.ask(request())
    assert failure.value.data["reason"] == "context_length"
    assert "private sentence" not in failure.value.message
    assert asked == ["deepseek/a"]


async def test_when_all_fail_the_last_reason_is_told() -> None:
    made, _ = seat(ServiceError("down"), RateLimitError("slow"))
    with pytest.raises(SeatFailed) as failure:
        await made.ask(request())
    assert failure.value.data["reason"] == "rate_limited"


def test_a_fallback_of_another_provider_needs_a_row() -> None:
    with pytest.raises(ConfigurationError):
        LitellmModels(models=("deepseek/a", "openai/b"))
    LitellmModels(models=("deepseek/a", "openai/b"), allow=("openai",))


WORKER = """
import os, sys
from bobctx.compactor.worker import run_worker
from bobctx.seats.litellm_seat import LitellmModels, LitellmSeat
seat = LitellmSeat(LitellmModels(models=("openai/fake",), api_key="sk-none", api_base=os.environ["FAKE_BASE"]))
run_worker({seat.name: seat}, sys.stdin.buffer, sys.stdout.buffer)
"""


@pytest.mark.slow
async def test_the_real_library_in_a_real_worker_process() -> None:
    async with fake_model("plain", "context", "rate:9", "refusal") as model:
        supervisor = Supervisor([sys.executable, "-c", WORKER], env={**os.environ, "FAKE_BASE": model.base_url})
        scope = Scope(conversation_id="c", user_id="u")
        # The worker imports the library first, which takes long on a busy machine.
        job = Job(scope=scope, region=REGION, prior=(), prefix="r1", seat="openai/fake", timeout_s=180.0)
        results = [await supervisor.dispatch(job) for _ in range(4)]
        await supervisor.close()
    assert [r.error for r in results] == [None, "context_length", "rate_limited", "refused"]
    assert (results[0].host, results[0].usage["prompt_tokens"]) == ("127.0.0.1", 10)
    assert [c.text for c in results[0].claims] == ["Port 9443."]
    assert "litellm" not in sys.modules

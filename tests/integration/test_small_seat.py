"""The small profile against a model server that fails as small models do, in this process and through a real worker."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

from bobctx.compactor.supervisor import Supervisor
from bobctx.compactor.worker import run_job
from bobctx.core.parts import read_message
from bobctx.core.small_prompts import MAX_WINDOWS
from bobctx.core.types import Region, Scope
from bobctx.ports import Job, JobResult
from bobctx.seats.choice import build, choose
from tests.fake_model import FakeModel, fake_model

SCOPE = Scope(conversation_id="c", user_id="u")
SAID = (
    ("user", "The admin gate listens on port 8443."),
    ("assistant", "Noted, the gate is on 8443."),
    ("user", "Never enable zeta-sync on db-7."),
    ("assistant", "Understood."),
    ("user", "Redis runs on host-4 with 8 cores."),
    ("assistant", "Good to know."),
    ("user", "Correction: the admin gate listens on port 9443, not 8443."),
    ("assistant", "Changed to 9443."),
)
REGION = Region(
    messages=tuple(
        read_message({"role": role, "content": text}, id=f"id-{n}", seq=n, tokens=20)
        for n, (role, text) in enumerate(SAID, 1)
    )
)
Answer = Callable[[list[tuple[str, str]]], list[dict[str, Any]]]


def answering(write: Answer) -> Callable[[dict[str, Any]], str]:
    """A model that reads the window of a prompt, (id, text) each, and writes claims about it."""

    def answer(body: dict[str, Any]) -> str:
        asked = str(body["messages"][-1]["content"])
        shown = re.findall(r'<message-\w+ id="(m\d+)"[^>]*>\n(.*?)\n</message-', asked, re.DOTALL)
        return json.dumps({"claims": write(shown)})

    return answer


def copying(shown: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Every user sentence of the window, as `fact`, cited rightly."""
    users = {f"m{n}" for n, (role, _) in enumerate(SAID, 1) if role == "user"}
    return [{"type": "fact", "text": t.removeprefix("Correction: "), "cites": [m]} for m, t in shown if m in users]


async def asked(model: FakeModel, *, window: int = 8_192, **fields: Any) -> JobResult:
    seat = build(choose("small", base_url=model.base_url, profile="small"), window=window)
    job = Job(**{"scope": SCOPE, "region": REGION, "prior": (), "prefix": "r1", "seat": "small", **fields})
    return await run_job({"small": seat}, job)


def codes(result: JobResult) -> list[str]:
    return sorted(r.code for r in result.report.rejections)


async def test_windows_are_asked_one_by_one_and_joined_to_one_reply() -> None:
    async with fake_model() as model:
        model.answer = answering(copying)
        result = await asked(model)
    assert result.error is None
    assert len(model.requests) == 4
    texts = [c.text for c in result.claims]
    assert texts[0] == "The admin gate listens on port 8443."
    assert len(texts) == 4
    assert result.claims[3].supersedes == result.claims[0].id
    assert [c.importance for c in result.claims if "zeta" in c.text] == [3]
    assert [c["id"] for c in json.loads(result.raw)["claims"]] == ["c1", "c2", "c3", "c4"]
    assert (result.usage["windows"], result.usage["requests"], result.usage["windows_lost"]) == (4, 4, {})
    assert result.usage["completion_tokens"] == 4 * 5
    assert (result.provider, result.host, result.cost_usd) == ("local", "127.0.0.1", 0.0)


async def test_each_request_is_strict_small_and_leaves_the_servers_cache_alone() -> None:
    async with fake_model() as model:
        model.answer = answering(copying)
        await asked(model)
    for body in model.requests:
        form = body["response_format"]["json_schema"]
        assert form["strict"] is True
        claim = form["schema"]["properties"]["claims"]["items"]["properties"]
        names = claim["cites"]["items"]["enum"]
        assert 1 <= len(names) <= 4
        assert "supersedes" not in claim
        assert body["cache_prompt"] is False
        assert body["temperature"] == 0
        assert sum(len(m["content"]) for m in body["messages"]) < 4_000


async def test_words_of_the_example_with_a_real_value_and_a_valid_cite_are_stopped() -> None:
    def leaking(shown: list[tuple[str, str]]) -> list[dict[str, Any]]:
        return [{"type": "fact", "text": "Quillmere listens on port 8443.", "cites": [shown[0][0]]}, *copying(shown)]

    async with fake_model() as model:
        model.answer = answering(leaking)
        result = await asked(model)
    assert "example_leak" in codes(result)
    assert not any("Quillmere" in c.text for c in result.claims)


async def test_a_right_value_with_a_wrong_cite_is_stopped() -> None:
    def shifted(shown: list[tuple[str, str]]) -> list[dict[str, Any]]:
        return [{**c, "cites": [shown[-1][0]]} for c in copying(shown)]

    async with fake_model() as model:
        model.answer = answering(shifted)
        result = await asked(model)
    assert set(codes(result)) <= {"literal_missing", "unsupported", "authority"}
    assert not any("8 cores" in c.text for c in result.claims)


async def test_without_schemas_a_literal_list_of_types_is_stopped_and_the_rest_stands() -> None:
    """`json_object` mode: nothing holds the model to the enums."""
    listed = "constraint|decision|correction|fact"

    def literal(shown: list[tuple[str, str]]) -> list[dict[str, Any]]:
        return [{**c, "type": listed} if "Redis" in c["text"] else c for c in copying(shown)]

    async with fake_model("no_schema") as model:
        model.answer = answering(literal)
        result = await asked(model)
    assert codes(result) == ["unknown_type"]
    assert len(result.claims) == 3
    assert {r["response_format"]["type"] for r in model.requests[1:]} == {"json_object"}


async def test_an_answer_that_was_cut_costs_its_window_alone() -> None:
    async with fake_model("plain", "truncated", "truncated", "truncated", "plain") as model:
        model.answer = answering(copying)
        result = await asked(model)
    assert result.error is None
    assert result.usage["windows_lost"] == {"truncated": 1}
    assert [c.cites for c in result.claims] == [(0,), (4,), (6,)]


async def test_a_window_that_is_over_the_models_context_is_divided() -> None:
    long = read_message({"role": "user", "content": "It is a fine day. " * 90}, id="l", seq=9, tokens=500)
    async with fake_model("over:2600") as model:
        model.answer = answering(lambda _: [])
        result = await asked(model, region=Region(messages=(*REGION.messages, long)))
    assert result.error is None
    assert result.usage["windows_lost"] == {}
    assert result.usage["requests"] > result.usage["windows"]


async def test_a_prompt_that_never_fits_is_the_contexts_fault_and_not_the_replys() -> None:
    async with fake_model("over:10/1024") as model:
        result = await asked(model)
    assert (result.error, result.claims) == ("context_length", ())


@pytest.mark.parametrize(
    ("behaviour", "error"), [("malformed", "malformed"), ("empty", "empty"), ("refusal", "refused")]
)
async def test_a_pass_without_usable_answers_has_their_reason(behaviour: str, error: str) -> None:
    async with fake_model(behaviour) as model:
        assert (await asked(model)).error == error


async def test_an_endpoint_that_fails_is_asked_once_more_and_then_the_pass_ends() -> None:
    async with fake_model("broken", "plain") as model:
        model.answer = answering(copying)
        assert (await asked(model)).error is None
    async with fake_model("plain", "broken") as model:
        model.answer = answering(copying)
        result = await asked(model)
    assert result.error == "provider_error"
    assert len(model.requests) == 3


async def test_each_window_waits_its_share_of_the_pass() -> None:
    async with fake_model("slow:5") as model:
        result = await asked(model, timeout_s=1.2)
    assert result.error == "timeout"
    assert len(model.requests) == 2


async def test_a_region_of_too_many_windows_is_divided_first() -> None:
    many = Region(messages=REGION.messages * MAX_WINDOWS)
    async with fake_model() as model:
        assert (await asked(model, region=many)).error == "too_large"
    assert model.requests == []


async def test_a_re_ask_reads_only_the_windows_that_lack_something_and_keeps_the_rest() -> None:
    kept = {"claims": [{"type": "fact", "text": "Redis runs on host-4 with 8 cores.", "cites": ["m5"]}]}
    async with fake_model() as model:
        model.answer = answering(copying)
        reasons = ("m3: no claim carries 'Never enable zeta-sync on db-7.'",)
        result = await asked(model, ask="re-ask", reasons=reasons, kept=json.dumps(kept))
    assert len(model.requests) == 1
    assert "Never enable zeta-sync on db-7." in model.requests[0]["messages"][-1]["content"].split("leave this out")[1]
    assert [c.text for c in result.claims] == ["Never enable zeta-sync on db-7.", "Redis runs on host-4 with 8 cores."]


async def test_through_a_real_worker_process_by_its_settings() -> None:
    """Settings, worker command, frames and seat as the daemon uses them."""
    async with fake_model() as model:
        model.answer = answering(copying)
        settings = {
            "BOBCTX_COMPACTOR_MODEL": "small",
            "BOBCTX_COMPACTOR_BASE_URL": model.base_url,
            "BOBCTX_SEAT_PROFILE": "small",
            "BOBCTX_COMPACTOR_WINDOW": "8192",
        }
        supervisor = Supervisor([sys.executable, "-m", "bobctx.cli", "worker"], env={**os.environ, **settings})
        try:
            job = Job(scope=SCOPE, region=REGION, prior=(), prefix="r1", seat="small", timeout_s=60.0)
            result = await supervisor.dispatch(job)
        finally:
            await supervisor.close()
    assert result.error is None
    assert len(result.claims) == len(model.requests) == 4
    again = await run_job({}, Job(scope=SCOPE, region=REGION, prior=(), prefix="r1", seat="small", raw=result.raw))
    assert [c.id for c in again.claims] == [c.id for c in result.claims]

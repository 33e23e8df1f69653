"""Reports on the record call change the next budgets of that model, and the answer says so."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx import keys
from tests.integration.api.conftest import CONVERSATION, Api, Open

MODEL = "acme-large"


async def assemble(api: Api, **body: Any) -> dict[str, Any]:
    answer = await api.http.post(f"{CONVERSATION}/assemble", json={"user_id": "u1", "model": MODEL, **body})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def turn(number: int) -> list[dict[str, Any]]:
    return [
        {"id": f"u{number}", "role": "user", "content": "some words to count " * 250},
        {"id": f"a{number}", "role": "assistant", "content": "ok"},
    ]


async def test_reported_tokens_teach_a_ratio_that_scales_the_budget(api: Api) -> None:
    first = await assemble(api, append=[{"role": "user", "content": "hi"}])
    assert (first["budget"]["ratio"], first["budget"]["ratio_source"]) == (1.0, "default")
    usage: dict[str, Any] | None = None
    for number in range(6):
        await api.record(*turn(number), usage=usage)
        found = await assemble(api, append=[{"role": "user", "content": "go on"}])
        usage = {"trace_id": found["trace_id"], "prompt_tokens": 2_000 + found["budget"]["used"] * 3 // 2}
    after = await assemble(api, append=[{"role": "user", "content": "go on"}])
    assert after["budget"]["ratio_source"] == "learned"
    assert after["budget"]["ratio"] == pytest.approx(1.5, abs=0.07)
    assert after["budget"]["history"] == pytest.approx(first["budget"]["history"] / after["budget"]["ratio"], abs=2)


async def test_a_reported_window_lowers_that_models_window_only(api: Api) -> None:
    await api.record(*turn(1), usage={"model": MODEL, "error": "This model's maximum context length is 8192 tokens."})
    lowered = await assemble(api)
    assert (lowered["budget"]["window"], lowered["decision"]["window_source"]) == (8_192, "learned")
    assert (await assemble(api, model="acme-small"))["budget"]["window"] == 32_768


async def test_a_known_family_scales_the_budget_from_the_first_call(api: Api) -> None:
    found = await assemble(api, model="claude-sonnet-4-5", append=[{"role": "user", "content": "hi"}])
    assert found["budget"]["ratio_source"] == "family"
    assert found["budget"]["ratio"] > 1


async def test_what_was_learned_is_known_after_a_restart(open_api: Open) -> None:
    first = await open_api()
    usage: dict[str, Any] | None = None
    for number in range(6):
        await first.record(*turn(number), usage=usage)
        found = await assemble(first, append=[{"role": "user", "content": "go on"}])
        usage = {"trace_id": found["trace_id"], "prompt_tokens": 2_000 + found["budget"]["used"] * 3 // 2}
    await first.record(*turn(7), usage={"model": MODEL, "error": "maximum context length is 16384 tokens"})
    before = (await assemble(first))["budget"]
    await first.close()
    again = await open_api()
    after = (await assemble(again))["budget"]
    assert (after["window"], after["ratio"], after["ratio_source"]) == (16_384, before["ratio"], "learned")
    status = (await again.http.get("/v1/status")).json()
    assert status["windows"] == {MODEL: 16_384}


async def test_an_erased_user_is_forgotten_with_what_its_own_reports_taught(open_api: Open) -> None:
    api = await open_api()
    await api.record(*turn(1))
    key = keys.add(api.runtime.settings.keys_path, "app", "user", user_id="u1")
    usage = {"model": MODEL, "error": "maximum context length is 8192 tokens"}
    async with api.with_key(key) as mine:
        told = await mine.post(f"{CONVERSATION}/messages", json={"messages": turn(2), "usage": usage})
    assert told.status_code == 200
    assert (await assemble(api))["budget"]["window"] == 8_192
    exported = (await api.http.get("/v1/users/u1/export")).text
    assert '"learned_model"' in exported
    assert (await api.http.delete("/v1/users/u1")).status_code == 200
    assert await api.runtime.store.ledger.learned() == []
    await api.record(*turn(3))
    assert (await assemble(api))["budget"]["window"] == 32_768

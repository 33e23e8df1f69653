"""Reports on the record call change the next budgets of that model, and the answer says so."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.api.conftest import CONVERSATION, Api

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

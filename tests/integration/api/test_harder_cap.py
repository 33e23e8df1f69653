"""`budget_tokens` is the guard at call time: a list posted back for a harder cap is trimmed, block and all."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.api.conftest import CONVERSATION, Api

RULE = "Never enable zeta-sync on the billing cluster."


async def assemble(api: Api, **body: Any) -> dict[str, Any]:
    answer = await api.http.post(f"{CONVERSATION}/assemble", json={"user_id": "u1", "window": 16_384, **body})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def history(api: Api) -> None:
    messages: list[dict[str, Any]] = [{"id": "u", "role": "user", "content": "Hello, let us begin."}]
    for number in range(30):
        said = RULE if number == 1 else f"Service svc-{number} listens on port {7000 + number}. " + "word " * 300
        messages += [
            {"id": f"a{number}", "role": "assistant", "content": f"Noted number {number}."},
            {"id": f"u{number}", "role": "user", "content": said},
        ]
    await api.record(*messages)
    answer = await api.http.post(f"{CONVERSATION}/compact", json={"user_id": "u1"})
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("dialect", ["openai", "anthropic", "strict"])
async def test_an_assembled_list_posted_back_fits_the_harder_cap_and_keeps_what_was_claimed(
    api: Api, dialect: str
) -> None:
    await history(api)
    first = await assemble(api, dialect=dialect)
    assert RULE in str(first["messages"])
    assert first["budget"]["used"] > 4_000
    second = await assemble(api, dialect=dialect, messages=first["messages"], budget_tokens=4_000)
    assert second["budget"]["used"] <= 4_000
    assert second["decision"]["budget_source"] == "request"
    assert RULE in str(second["messages"])
    assert second["messages"][-1] == first["messages"][-1]
    again = await assemble(api, dialect=dialect, messages=second["messages"], budget_tokens=4_000)
    assert again["messages"] == second["messages"]


@pytest.mark.parametrize("cap", [1, 64, 500, 10_000_000])
async def test_any_cap_gives_a_list_within_it_or_says_that_nothing_fits(api: Api, cap: int) -> None:
    await history(api)
    body = {"user_id": "u1", "window": 16_384, "budget_tokens": cap}
    answer = await api.http.post(f"{CONVERSATION}/assemble", json=body)
    if answer.status_code == 200:
        found = answer.json()
        assert found["budget"]["used"] <= max(cap, 64)
        assert found["messages"][-1]["role"] == "user"
    else:
        assert answer.status_code == 422
        assert answer.json()["error"]["code"] == "cannot_fit"

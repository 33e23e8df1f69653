"""What the provider gets where a history does not fit: claims once in `live`, else the request itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bobctx.core.types import Scope
from tests.integration.proxy.conftest import Proxied

pytestmark = pytest.mark.slow

WINDOW = 10_000
MARK = "[bobctx:block:"
PATHS = {"openai": "/openai/v1/chat/completions", "anthropic": "/anthropic/v1/messages"}
TOOLS = {
    "openai": [{"type": "function", "function": {"name": "conv_expand", "parameters": {"type": "object"}}}],
    "anthropic": [{"name": "conv_expand", "input_schema": {"type": "object"}}],
}


def history(turns: int) -> list[dict[str, Any]]:
    """Exchanges with a rule in each, about 170 tokens long."""
    messages: list[dict[str, Any]] = []
    for number in range(turns):
        rule = f"Never route tenant-{number} through gateway {7000 + number}. "
        messages.append({"role": "user", "content": rule + "padding words and more of them " * 20})
        messages.append({"role": "assistant", "content": f"Noted for tenant-{number}."})
    return messages


def asked(wire: str, messages: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    body = {"model": "some-model", "messages": messages, "max_tokens": 500, **more}
    system = "You are terse."
    if wire == "anthropic":
        return {**body, "system": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]}
    return {**body, "messages": [{"role": "system", "content": system}, *messages]}


async def send(proxied: Proxied, wire: str, body: dict[str, Any], **headers: str) -> Any:
    own = {"x-session-id": "s1", **headers}
    async with proxied.http(proxied.key("ann")) as http:
        answer = await http.post(PATHS[wire], json=body, headers=own)
    assert answer.status_code == 200, answer.text
    await proxied.settle()
    return answer


async def grown(proxied: Proxied, wire: str) -> list[dict[str, Any]]:
    """A long conversation, recorded through the proxy and compacted; what the client would send next."""
    messages = [*history(50), {"role": "user", "content": "Which gateway is tenant-3 kept from?"}]
    await send(proxied, wire, asked(wire, messages))
    await proxied.compact("ann", "s1")
    said = json.loads(proxied.provider.sent[-1])
    message = said["choices"][0]["message"] if wire == "openai" else {"role": "assistant", "content": said["content"]}
    return [*messages, message, {"role": "user", "content": "And tenant-4?"}]


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
async def test_live_sends_claims_once_and_what_fits(open_proxy: Any, wire: str) -> None:
    proxied: Proxied = await open_proxy(proxy_mode="live", window=WINDOW)
    messages = await grown(proxied, wire)
    answer = await send(proxied, wire, asked(wire, messages, tools=TOOLS[wire]))
    seen = proxied.provider.seen[-1].body
    text = json.dumps(seen)
    assert text.count(MARK) == 1
    assert "conv_expand" in text.split(MARK)[0]
    assert "conv_search" not in text
    assert 2 < len(seen["messages"]) < len(messages)
    assert seen["messages"][-1]["content"] == "And tenant-4?"
    assert {k: v for k, v in seen.items() if k != "messages"} == {
        k: v for k, v in asked(wire, messages, tools=TOOLS[wire]).items() if k != "messages"
    }
    assert answer.headers["x-bobctx-mode"] == "live"
    assert int(answer.headers["x-bobctx-covered"]) > 10
    assert int(answer.headers["x-bobctx-tokens-after"]) < int(answer.headers["x-bobctx-tokens-before"])
    spine = await proxied.spine("ann", "s1")
    assert len(spine) == len(messages) + 1, "recorded once"
    assert MARK not in json.dumps(spine), "claims reach the provider and nobody else"
    assert answer.content == proxied.provider.sent[-1]


async def test_a_live_request_is_counted_once(open_proxy: Any) -> None:
    proxied: Proxied = await open_proxy(proxy_mode="live", window=WINDOW)
    messages = await grown(proxied, "openai")
    registry = proxied.runtime.lane.metrics.registry

    def assembled() -> float:
        return registry.get_sample_value("bobctx_assembled_total", {"mode": "live"}) or 0.0

    before = assembled()
    answer = await send(proxied, "openai", asked("openai", messages))
    assert answer.headers["x-bobctx-covered"] != "0"
    assert assembled() == before + 1


async def test_live_keeps_the_start_of_the_list_for_the_next_turn(open_proxy: Any) -> None:
    """Fails if the block changed from turn to turn: the provider's prompt cache would miss."""
    proxied: Proxied = await open_proxy(proxy_mode="live", window=WINDOW)
    messages = await grown(proxied, "openai")
    await send(proxied, "openai", asked("openai", messages))
    said = json.loads(proxied.provider.sent[-1])["choices"][0]["message"]
    await send(proxied, "openai", asked("openai", [*messages, said, {"role": "user", "content": "And tenant-5?"}]))
    first, second = (seen.body["messages"] for seen in proxied.provider.seen[-2:])
    assert MARK in json.dumps(first)
    assert second[: len(first)] == first


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
@pytest.mark.parametrize("mode", ["fit", "shadow"])
async def test_other_modes_leave_what_the_window_holds_as_it_came(open_proxy: Any, mode: str, wire: str) -> None:
    proxied: Proxied = await open_proxy(proxy_mode=mode, window=WINDOW)
    messages = await grown(proxied, wire)
    body = asked(wire, messages)
    answer = await send(proxied, wire, body)
    assert proxied.provider.seen[-1].body == body
    assert answer.headers["x-bobctx-reason"] == "fits_the_window"
    assert answer.headers["x-bobctx-mode"] == mode
    assert (int(answer.headers["x-bobctx-covered"]) > 0) == (mode == "shadow"), "what live would have covered"


async def test_shadow_makes_fit_what_the_window_does_not_hold(open_proxy: Any) -> None:
    proxied: Proxied = await open_proxy(window=4_000)
    messages = [*history(50), {"role": "user", "content": "Which?"}]
    await send(proxied, "openai", asked("openai", messages))
    seen = proxied.provider.seen[-1].body["messages"]
    assert len(seen) < len(messages)
    assert seen[-1] == messages[-1]
    assert "claims" not in json.dumps(seen)


async def test_a_window_that_is_only_guessed_is_no_reason_to_cut_in_shadow(open_proxy: Any) -> None:
    proxied: Proxied = await open_proxy()
    body = asked("openai", [*history(300), {"role": "user", "content": "Which?"}])
    await send(proxied, "openai", body)
    assert proxied.provider.seen[-1].body == body


async def test_a_conversations_own_mode_comes_first(open_proxy: Any) -> None:
    proxied: Proxied = await open_proxy(window=WINDOW)
    messages = await grown(proxied, "openai")
    await proxied.runtime.store.set_mode(Scope(conversation_id="s1", user_id="ann"), mode="live")
    answer = await send(proxied, "openai", asked("openai", messages))
    assert answer.headers["x-bobctx-mode"] == "live"
    assert MARK in proxied.provider.seen[-1].raw.decode()
    milder = await send(proxied, "openai", asked("openai", messages), **{"x-bobctx-mode": "shadow"})
    assert milder.headers["x-bobctx-mode"] == "shadow"
    assert MARK not in proxied.provider.seen[-1].raw.decode()


async def test_the_lanes_mode_is_the_strongest_that_a_proxy_may_have(open_proxy: Any) -> None:
    proxied: Proxied = await open_proxy(window=WINDOW, mode="off", proxy_mode="live")
    answer = await send(proxied, "openai", asked("openai", [*history(60), {"role": "user", "content": "Which?"}]))
    assert answer.headers["x-bobctx-mode"] == "off"


async def test_signed_thinking_that_a_cut_would_take_is_sent_as_it_came(open_proxy: Any) -> None:
    proxied: Proxied = await open_proxy(proxy_mode="live", window=WINDOW)
    messages = [*history(50), {"role": "user", "content": "Which?"}]
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "sealed"}
    messages[41] = {"role": "assistant", "content": [thought, {"type": "text", "text": "Noted."}]}
    body = asked("anthropic", messages)
    answer = await send(proxied, "anthropic", body)
    assert proxied.provider.seen[-1].body == body
    assert answer.headers["x-bobctx-reason"] == "signed_thinking"


@pytest.mark.parametrize("broken", ["made", "holders", "tokens"])
async def test_a_failure_inside_bobctx_costs_the_request_nothing(
    open_proxy: Any, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """Fails if anything between the route and the provider may raise: the user's turn would fail with it."""
    proxied: Proxied = await open_proxy(proxy_mode="live", window=WINDOW)
    lane = proxied.runtime.lane
    target = {"made": lane.assembler, "holders": lane.ledger, "tokens": lane.counting}[broken]

    async def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(target, broken, fail, raising=True)
    body = asked("openai", [*history(60), {"role": "user", "content": "Which?"}])
    answer = await send(proxied, "openai", body)
    assert proxied.provider.seen[-1].body == body
    assert answer.content == proxied.provider.sent[-1]
    assert answer.headers["x-bobctx-reason"] == "failed-RuntimeError"


async def test_a_database_that_cannot_be_read_costs_the_request_nothing(open_proxy: Any) -> None:
    proxied: Proxied = await open_proxy(proxy_mode="live", window=WINDOW)
    await proxied.runtime.store.close()
    body = asked("openai", [*history(60), {"role": "user", "content": "Which?"}])
    answer = await send(proxied, "openai", body)
    assert proxied.provider.seen[-1].body == body
    assert answer.headers["x-bobctx-reason"].startswith(("failed-", "plain_fit-"))


async def test_a_recording_that_fails_is_made_up_for_by_the_next_turn(
    open_proxy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxied: Proxied = await open_proxy()
    messages: list[dict[str, Any]] = [{"role": "user", "content": "one"}]

    async def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("broken on purpose")

    with monkeypatch.context() as patch:
        patch.setattr(proxied.runtime.lane.recorder, "record", fail)
        await send(proxied, "openai", asked("openai", messages))
    assert await proxied.conversations("ann") == {}
    said = json.loads(proxied.provider.sent[-1])["choices"][0]["message"]
    await send(proxied, "openai", asked("openai", [*messages, said, {"role": "user", "content": "two"}]))
    assert await proxied.conversations("ann") == {"s1": 4}


async def test_a_daemon_that_cannot_count_yet_forwards_at_once_and_records(open_proxy: Any) -> None:
    """Fails if a request waited for the encoding that a new daemon loads."""
    proxied: Proxied = await open_proxy()
    counting = proxied.runtime.lane.counting
    counting._counter = counting._loading = None
    answer = await send(proxied, "openai", asked("openai", [{"role": "user", "content": "one"}]))
    assert answer.headers["x-bobctx-reason"] == "starting"
    assert await proxied.conversations("ann") == {"s1": 2}

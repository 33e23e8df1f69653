"""The sample of `deploy/litellm` in a running proxy: three wire formats, owners that cannot be forged, modes by key."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("apscheduler", reason="needs the extra litellm; run: python -m tests.hosts litellm")

from tests.acceptance.daemon import DaemonProcess
from tests.hosts import model as models
from tests.hosts.conftest import FACT, WINDOW, Lane, long_text
from tests.hosts.model import Model

pytestmark = pytest.mark.slow
SAMPLE = Path(__file__).resolve().parents[3] / "deploy" / "litellm"
PATIENCE_S = 180.0
CONFIG = """
model_list:
  - model_name: m
    litellm_params: {{model: openai/fake, api_base: "{url}", api_key: k, max_retries: 0}}
  - model_name: broken
    litellm_params: {{model: openai/fake, api_base: "http://127.0.0.1:9/v1", api_key: k, max_retries: 0}}
router_settings:
  fallbacks: [{{"broken": ["m"]}}]
  disable_cooldowns: true
litellm_settings:
  callbacks: ["bobctx_callback.bobctx"]
  telemetry: false
  num_retries: 0
general_settings:
  master_key: sk-0f3c9a7e51d2b8466c1e
  custom_auth: signing_in.check
"""
SIGNING_IN = """
from litellm.proxy._types import UserAPIKeyAuth

LIVE = {"bobctx_mode": "live"}
KEYS = {
    "sk-ann": dict(metadata=LIVE),
    "sk-bob": dict(metadata=LIVE),
    "sk-new": dict(),
    "sk-off": dict(metadata={"bobctx_mode": "off"}, team_id="red", team_metadata=LIVE),
    "sk-red1": dict(team_id="red", team_metadata=LIVE),
    "sk-red2": dict(team_id="red", team_metadata=LIVE),
}

async def check(request, api_key):
    return UserAPIKeyAuth(api_key=api_key, **KEYS[api_key])
"""


class Proxy:
    """A running proxy and whoever calls it."""

    def __init__(self, url: str, model: Model, log: Path) -> None:
        self.url, self.model, self.log = url, model, log

    def post(self, path: str, key: str, chat: str | None, body: dict[str, Any]) -> httpx.Response:
        headers = {"authorization": f"Bearer {key}"} | ({"x-litellm-session-id": chat} if chat else {})
        return httpx.post(f"{self.url}{path}", json={"model": "m", **body}, headers=headers, timeout=60.0)

    def chat(self, key: str, chat: str | None, messages: list[dict[str, Any]], **more: Any) -> str:
        answer = self.post("/v1/chat/completions", key, chat, {"messages": messages, "max_tokens": 500, **more})
        assert answer.status_code == 200, answer.text
        return answer.text if more.get("stream") else str(answer.json()["choices"][0]["message"]["content"])


@pytest.fixture(scope="module")
def proxy(process: DaemonProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("proxy")
    (folder / "signing_in.py").write_text(SIGNING_IN)
    (folder / "bobctx_callback.py").write_text((SAMPLE / "bobctx_callback.py").read_text())
    with socket.socket() as free, models.serving() as model:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        (folder / "config.yaml").write_text(CONFIG.format(url=model.url))
        own = {"BOBCTX_URL": process.url, "BOBCTX_KEY": process.key, "BOBCTX_CLIENT_TIMEOUT_MS": "20000"}
        own |= {"BOBCTX_WINDOW": str(WINDOW)}
        own |= {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}
        with (folder / "log").open("wb") as log:
            command = [str(Path(sys.executable).with_name("litellm")), "--config", "config.yaml", "--host", "127.0.0.1"]
            running = subprocess.Popen(
                [*command, "--port", str(port)], cwd=folder, env={**os.environ, **own}, stdout=log, stderr=log
            )
            try:
                found = Proxy(f"http://127.0.0.1:{port}", model, folder / "log")
                until = time.monotonic() + PATIENCE_S
                while not _alive(found.url):
                    assert running.poll() is None, (folder / "log").read_text()[-3000:]
                    assert time.monotonic() < until, (folder / "log").read_text()[-3000:]
                    time.sleep(0.2)
                yield found
            finally:
                running.terminate()
                running.wait(30)


def _alive(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health/liveliness", timeout=2.0).status_code == 200
    except httpx.HTTPError:
        return False


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def owner(key: str, end_user: str = "") -> str:
    """The owner of what a key without a team records, as the callback names it."""
    from litellm.proxy._types import UserAPIKeyAuth

    from bobctx.integrations.litellm import proxy_owner

    found = proxy_owner(UserAPIKeyAuth(api_key=key), end_user)
    assert found is not None
    return found


def wait_for(check: Any, proxy: Proxy) -> None:
    """LiteLLM logs after it has answered."""
    until = time.monotonic() + 30
    while not check():
        assert time.monotonic() < until, proxy.log.read_text("utf-8", "replace")[-4000:]
        time.sleep(0.05)


def test_chat_is_rewritten_and_recorded_in_the_clients_own_words(proxy: Proxy, lane: Lane) -> None:
    ann = owner("sk-ann")
    messages = [{"role": "system", "content": "Be brief."}, user(FACT)]
    for number in range(10):
        messages += [{"role": "assistant", "content": proxy.chat("sk-ann", lane.chat, messages)}]
        wait_for(lambda: len(lane.texts(ann)) == len(messages) - 1, proxy)  # noqa: B023
        messages += [user(long_text(number) * 2)]
    lane.http.post(f"/v1/conversations/{lane.chat}/compact", json={"user_id": ann})
    proxy.chat("sk-ann", lane.chat, messages)
    sent = proxy.model.texts()
    assert len([t for t in sent if "[bobctx:block:" in t]) == 1
    assert "tenant-" in next(t for t in sent if "[bobctx:block:" in t)
    assert len(sent) < len(messages)
    wait_for(lambda: len(lane.texts(ann)) == len(messages), proxy)
    assert not [t for t in lane.texts(ann) if "[bobctx:" in t]


def test_a_stream_is_passed_on_and_recorded_once(proxy: Proxy, lane: Lane) -> None:
    ann = owner("sk-ann")
    text = proxy.chat("sk-ann", lane.chat, [user(FACT)], stream=True)
    assert '"reply"' in text
    assert text.rstrip().endswith("[DONE]")
    wait_for(lambda: len(lane.texts(ann)) == 2, proxy)
    time.sleep(0.5)
    assert lane.texts(ann) == [FACT, "reply 1"]


def test_a_forged_user_reaches_nothing_outside_its_key(proxy: Proxy, lane: Lane) -> None:
    proxy.chat("sk-ann", lane.chat, [user(FACT)], user="carol")
    wait_for(lambda: len(lane.texts(owner("sk-ann", "carol"))) == 2, proxy)
    forged = {"user": "carol", "metadata": {"user_id": owner("sk-ann", "carol"), "bobctx_turn": "x"}}
    proxy.chat("sk-bob", lane.chat, [user("Which port?")], **forged)
    wait_for(lambda: len(lane.texts(owner("sk-bob", "carol"))) == 2, proxy)
    assert not [t for t in proxy.model.texts() if "8443" in t]
    assert lane.texts(owner("sk-ann", "carol")) == [FACT, "reply 1"]
    assert lane.texts(owner("sk-bob")) == []


def test_a_team_shares_its_end_users_and_no_one_elses(proxy: Proxy, lane: Lane) -> None:
    messages = [user(FACT)]
    messages += [{"role": "assistant", "content": proxy.chat("sk-red1", lane.chat, messages, user="dora")}]
    red = "litellm/team:red/dora"
    wait_for(lambda: len(lane.texts(red)) == 2, proxy)
    proxy.chat("sk-red2", lane.chat, [*messages, user("and now?")], user="dora")
    wait_for(lambda: len(lane.texts(red)) == 4, proxy)
    assert lane.texts(red) == [FACT, "reply 1", "and now?", "reply 3"]


def test_a_keys_mode_comes_before_its_teams_and_a_request_can_only_ask_for_less(proxy: Proxy, lane: Lane) -> None:
    proxy.chat("sk-off", lane.chat, [user(FACT)], user="dora", metadata={"bobctx_mode": "live"})
    proxy.chat("sk-ann", lane.chat, [user(FACT)], metadata={"bobctx_mode": "off"})
    time.sleep(1.0)
    assert lane.texts("litellm/team:red/dora") == []
    assert lane.texts(owner("sk-ann")) == []


def test_a_key_without_a_mode_gets_the_samples_shadow(proxy: Proxy, lane: Lane) -> None:
    new = owner("sk-new")
    messages = [user(FACT)]
    for number in range(8):
        messages += [{"role": "assistant", "content": proxy.chat("sk-new", lane.chat, messages)}]
        messages += [user(long_text(number) * 3)]
    wait_for(lambda: len(lane.texts(new)) == len(messages) - 1, proxy)
    lane.http.post(f"/v1/conversations/{lane.chat}/compact", json={"user_id": new})
    proxy.chat("sk-new", lane.chat, messages)
    blocks = [t for t in proxy.model.texts() if "[bobctx:block:" in t]
    assert not [t for t in blocks if "tenant-1" in t], "no claims are shown"


def test_responses_are_served(proxy: Proxy, lane: Lane) -> None:
    ann = owner("sk-ann")
    first = proxy.post("/v1/responses", "sk-ann", lane.chat, {"input": FACT})
    assert first.status_code == 200, first.text
    wait_for(lambda: len(lane.texts(ann)) == 2, proxy)
    given = [user(FACT), {"role": "assistant", "content": "reply 1"}, user("and now?")]
    stream = proxy.post("/v1/responses", "sk-ann", lane.chat, {"input": given, "stream": True})
    assert "response.completed" in stream.text
    wait_for(lambda: len(lane.texts(ann)) == 4, proxy)
    assert lane.texts(ann) == [FACT, "reply 1", "and now?", "reply 3"]
    kept = proxy.post("/v1/responses", "sk-ann", lane.chat, {"input": "x", "previous_response_id": "resp_1"})
    assert kept.status_code in (200, 403), "LiteLLM asks whose response that is"
    time.sleep(0.5)
    assert len(lane.texts(ann)) == 4, "the provider keeps that history"


def test_anthropic_messages_are_served(proxy: Proxy, lane: Lane) -> None:
    ann = owner("sk-ann")
    body = {"messages": [user(FACT)], "max_tokens": 500}
    answer = proxy.post("/v1/messages", "sk-ann", lane.chat, body)
    assert answer.status_code == 200, answer.text
    wait_for(lambda: len(lane.texts(ann)) == 2, proxy)
    assert lane.texts(ann)[0] == FACT
    assert "reply" in lane.texts(ann)[1]


def test_an_upstream_failure_is_the_proxys_own(proxy: Proxy, lane: Lane) -> None:
    proxy.model.fault = "500"
    try:
        answer = proxy.post("/v1/chat/completions", "sk-ann", lane.chat, {"messages": [user(FACT)]})
    finally:
        proxy.model.fault = None
    assert answer.status_code == 500
    time.sleep(0.5)
    assert lane.texts(owner("sk-ann")) == []


def test_a_turn_that_a_retry_answers_is_recorded_once(proxy: Proxy, lane: Lane) -> None:
    """Fails when the first attempt's failure is taken for the end of the call."""
    proxy.model.failing = 1
    before = len(proxy.model.requests)
    proxy.chat("sk-ann", lane.chat, [user(FACT)], num_retries=2)
    assert len(proxy.model.requests) == before + 2
    wait_for(lambda: len(lane.texts(owner("sk-ann"))) == 2, proxy)
    time.sleep(0.5)
    assert lane.texts(owner("sk-ann")) == [FACT, "reply 1"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_turn_that_another_model_answers_is_recorded_once(proxy: Proxy, lane: Lane, stream: bool) -> None:
    proxy.chat("sk-ann", lane.chat, [user(FACT)], model="broken", stream=stream)
    wait_for(lambda: len(lane.texts(owner("sk-ann"))) == 2, proxy)
    time.sleep(0.5)
    assert lane.texts(owner("sk-ann")) == [FACT, "reply 1"]


def test_without_a_conversation_a_request_is_answered_and_not_recorded(proxy: Proxy, lane: Lane) -> None:
    messages = [m for n in range(20) for m in (user(long_text(n)), {"role": "assistant", "content": "noted"})]
    assert proxy.chat("sk-ann", None, [*messages, user("hi")]).startswith("reply")
    assert len(proxy.model.texts()) < 41

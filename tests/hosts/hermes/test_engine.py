"""The sample of `deploy/hermes` in a real agent: turns are recorded, long sessions shortened, originals read."""

from __future__ import annotations

import copy
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("hermes_constants", reason="needs the extra hermes; run: python -m tests.hosts hermes")

from bobctx.client import Daemon
from bobctx.integrations.hermes import BobctxEngine, plain
from tests.acceptance.daemon import DaemonProcess
from tests.hosts.conftest import FACT, WINDOW, Lane, long_text
from tests.hosts.model import Model

pytestmark = pytest.mark.slow
SAMPLE = Path(__file__).resolve().parents[3] / "deploy" / "hermes"
OWNER = "hermes/local"
CONFIG = """
model: {context_length: 64000}
plugins: {enabled: [bobctx]}
context: {engine: bobctx}
"""


@pytest.fixture(scope="module", autouse=True)
def home(process: DaemonProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home of Hermes with the plugin in it."""
    folder = tmp_path_factory.mktemp("hermes")
    (folder / "config.yaml").write_text(CONFIG)
    shutil.copytree(SAMPLE, folder / "plugins" / "bobctx")
    own = {"HERMES_HOME": str(folder), "BOBCTX_URL": process.url, "BOBCTX_KEY": process.key}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (own | {"BOBCTX_CLIENT_TIMEOUT_MS": "20000"}).items():
            patch.setenv(name, value)
        yield folder


def agent(model: Model, chat: str) -> Any:
    from run_agent import AIAgent

    return AIAgent(
        base_url=model.url,
        api_key="k",
        model="fake",
        provider="custom",
        session_id=chat,
        quiet_mode=True,
        enabled_toolsets=["context_engine"],
        skip_context_files=True,
        skip_memory=True,
        max_iterations=4,
    )


def turns(size: int) -> list[dict[str, Any]]:
    said = [({"role": "user", "content": long_text(n)}, {"role": "assistant", "content": "ok"}) for n in range(size)]
    return [message for turn in said for message in turn]


def test_turns_and_tool_results_are_recorded(model: Model, lane: Lane) -> None:
    bot = agent(model, lane.chat)
    assert bot.context_compressor.name == "bobctx"
    done = bot.run_conversation(FACT)
    bot.run_conversation('call conv_search {"query": "zeta-gateway"}', conversation_history=done["messages"])
    recorded = lane.messages(OWNER)
    assert [m["role"] for m in recorded] == ["user", "assistant", "user", "assistant", "tool", "assistant"]
    assert "8443" in recorded[4]["content"]
    assert os.environ["BOBCTX_KEY"] not in json.dumps(recorded)


def test_long_sessions_are_shortened_with_claims_and_nothing_is_lost(model: Model, lane: Lane) -> None:
    bot = agent(model, lane.chat)
    history = bot.run_conversation(FACT)["messages"]
    for number in range(9):
        history = bot.run_conversation(long_text(number) * 18, conversation_history=history)["messages"]
        if number == 6:
            lane.http.post(f"/v1/conversations/{lane.chat}/compact", json={"user_id": OWNER})
    blocks = [m for m in history if "[bobctx:block:" in str(m.get("content"))]
    assert bot.context_compressor.compression_count >= 1
    assert len(blocks) == 1
    assert "tenant-" in blocks[0]["content"]
    assert len(history) < 20
    texts = lane.texts(OWNER)
    assert [t for t in texts if t.startswith("Never route")] == [long_text(n) * 18 for n in range(9)]
    assert not [t for t in texts if "[bobctx:" in t]


def test_a_session_that_goes_on_after_a_compression_is_the_same_conversation(lane: Lane) -> None:
    engine = BobctxEngine(lane.daemon, owner=lane.user)
    engine.on_session_start("one", conversation_id="k")
    engine.on_session_start("two", boundary_reason="compression", old_session_id="one")
    engine.on_session_start("three", conversation_id="k")
    names = [engine.shared.scope(s) for s in ("one", "two", "three")]
    assert names[0] == names[1]
    assert names[2] is not None
    assert names[2].conversation_id == "three"


def test_owners_come_from_the_gateways_chat(lane: Lane) -> None:
    engine = BobctxEngine(lane.daemon)
    engine.on_session_start("s", conversation_id="telegram:dm:7")
    found = engine.shared.scope("s")
    assert found is not None
    assert found.user_id == "hermes/telegram:dm:7"


def test_an_agents_copy_shares_connections_and_no_counts(lane: Lane) -> None:
    engine = BobctxEngine(lane.daemon)
    made = copy.deepcopy(engine)
    made.update_model("m", 64_000)
    assert made.shared is engine.shared
    assert (engine.context_length, made.threshold_tokens) == (0, 48_000)
    assert not made.should_compress(47_999)
    assert made.should_compress(48_000)


def test_a_daemon_that_is_away_costs_no_turn_and_lists_still_fit(away: Daemon) -> None:
    engine = BobctxEngine(away)
    engine.update_model("fake", WINDOW)
    engine.on_session_start("s")
    history = turns(40)
    found = engine.compress(history)
    assert 0 < len(found) < len(history)
    assert found[-1] is history[-1]
    engine.shared.record("s", history)
    assert "error" in engine.handle_tool_call("conv_search", {"query": "x"})


def test_a_person_who_asks_for_it_gets_a_shorter_list(lane: Lane) -> None:
    engine = BobctxEngine(lane.daemon, owner=lane.user)
    engine.update_model("fake", 200_000)
    engine.on_session_start(lane.chat)
    history = turns(20)
    assert engine.compress(history) is history
    assert len(engine.compress(history, force=True)) < len(history)
    assert len(lane.messages()) == 40


def test_fields_of_the_host_are_no_part_of_a_message() -> None:
    assert plain({"role": "assistant", "content": "hi", "finish_reason": "stop", "reasoning": None}) == {
        "role": "assistant",
        "content": "hi",
    }


def test_upstream_failures_are_the_hosts_own(model: Model, lane: Lane) -> None:
    model.fault = "500"
    done = agent(model, lane.chat).run_conversation(FACT)
    assert not str(done.get("final_response") or "").startswith("reply")
    assert lane.messages(OWNER) == []

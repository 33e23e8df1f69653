"""The extra `vectors` with its real packages: the model as shipped, on this machine, without the network."""

from __future__ import annotations

import asyncio
import importlib.util
import math
import socket
from array import array
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("onnxruntime", reason="needs the extra vectors; run: python -m tests.hosts vectors")

from bobctx.cli.checks.recall import calibration
from bobctx.core.shortlist import ShortlistQuery
from bobctx.core.types import Scope, UserScope
from bobctx.errors import StoreUnavailable
from bobctx.integrations.vectors import ClaimVectors, MiniLm, distances
from tests.acceptance.daemon import DaemonProcess
from tests.integration.api.conftest import Api, Open, api, open_api
from tests.integration.api.contexts import Said, compiled, tell

__all__ = ["api", "open_api"]

pytestmark = pytest.mark.slow

FACTS: list[Said] = [
    ("user", "The automobile is parked in hall 7.", "fact"),
    ("user", "Invoices go out on Friday.", "fact"),
    ("user", "The nightly backup is copied to the cellar.", "fact"),
]
NOW = 2_000_000_000.0
CAR = "where did we leave the car"


@pytest.fixture(scope="module")
def model() -> MiniLm:
    return MiniLm()


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise OSError("no network in this test")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)


def floats(vector: bytes) -> array[float]:
    return array("f", vector)


def test_vectors_have_384_numbers_and_length_one(model: MiniLm, no_network: None) -> None:
    """Also fails where loading the model or its tokenizer reached for the network."""
    for vector in MiniLm().embed(["The automobile is parked.", "", "超时时间", "x " * 5_000]):
        assert len(floats(vector)) == 384
        assert math.isclose(math.hypot(*floats(vector)), 1.0, abs_tol=1e-4)


def test_a_text_has_one_vector_whatever_stands_beside_it(model: MiniLm) -> None:
    """Fails when padding counts: the same claim would be nearer or farther by what it was embedded with."""
    alone = model.embed(["Invoices go out on Friday."])[0]
    beside = model.embed(["Invoices go out on Friday.", "much longer words to pad with " * 20])[0]
    (apart,) = distances(alone, [beside])
    assert apart < 0.02
    assert model.embed(["Invoices go out on Friday."])[0] == alone


def test_with_and_without_numpy_the_distances_are_the_same(model: MiniLm, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, *held = model.embed([CAR, *(text for _, text, _ in FACTS)])
    fast = distances(asked, held)
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "numpy" else real(name))
    assert distances(asked, held) == pytest.approx(fast, abs=1e-5)
    assert fast[0] == min(fast)


async def test_other_words_of_the_same_meaning_are_found_and_rank_first(api: Api, model: MiniLm) -> None:
    ids = await tell(api, FACTS)
    assert (await compiled(api, "bill dispatch day"))["items"] == []
    api.runtime.lane.compiler._vectors = ClaimVectors(api.runtime.store, model)
    for task, wanted in ((CAR, ids[0]), ("bill dispatch day", ids[1]), ("safety copies of the data", ids[2])):
        assert (await compiled(api, task))["items"][0]["claim_id"] == wanted


async def test_what_another_user_said_is_no_byte_of_the_answer(api: Api, model: MiniLm) -> None:
    await tell(api, FACTS[1:])
    api.runtime.lane.compiler._vectors = ClaimVectors(api.runtime.store, model)
    search = api.runtime.lane.compiler._vectors
    scopes = (Scope(conversation_id="c1", user_id="u1"), UserScope(user_id="u1"))
    before = [await search.nearest(scope, ShortlistQuery(task=CAR, now=NOW)) for scope in scopes]
    await tell(api, FACTS, user="u2")
    await compiled(api, CAR, user="u2")
    after = [await search.nearest(scope, ShortlistQuery(task=CAR, now=NOW)) for scope in scopes]
    assert after == before
    assert "automobile" not in str(await compiled(api, CAR, conversation=None))


async def test_the_gate_keeps_the_answer_and_says_when_there_is_none(api: Api, model: MiniLm) -> None:
    ids = await tell(api, FACTS)
    api.runtime.lane.compiler._vectors = ClaimVectors(api.runtime.store, model)
    made = await compiled(api, CAR, recall_floor=0.75, include_episodes=True)
    assert [i["claim_id"] for i in made["items"]] == ids[:1]
    none = await compiled(api, "Friday recipes for lentil soup", recall_floor=0.4, include_episodes=True)
    assert (none["items"], none["episodes"], none["empty_reason"]) == ([], [], "no_relevant_memory")


async def test_calibration_runs_on_the_real_model(open_api: Open) -> None:
    lane = await open_api(vectors=True)
    pairs: list[Said] = [("user", "Where is the car?", "fact"), ("assistant", "It is parked in hall 7.", "fact")]
    bills: list[Said] = [("user", "When is the bill due?", "fact"), ("assistant", "Invoices are due Friday.", "fact")]
    await tell(lane, [*pairs * 10, *bills * 10])
    await lane.close()
    found = await asyncio.to_thread(calibration, lane.runtime.settings)
    assert found["model"] == "all-MiniLM-L6-v2-int8"
    assert found["advised"] is not None


def test_a_missing_package_is_an_outage_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(StoreUnavailable):
        MiniLm().embed(["x"])


def test_the_daemon_serves_meaning_over_http(tmp_path: Path) -> None:
    process = DaemonProcess(tmp_path, extra={"BOBCTX_VECTORS": "true", "BOB_COMPACTOR_REGION_TOKENS": "2000"}).start()
    try:
        with process.client() as http:
            said = ["Never park the automobile outside of hall 7.", *(f"words about item {i} " * 60 for i in range(30))]
            messages = [
                {"id": f"d{i}", "role": ("user", "assistant")[n], "content": text if n == 0 else "Noted. " * 20}
                for i, (text, n) in enumerate((text, n) for text in said for n in (0, 1))
            ]
            opening = [
                {"id": "o", "role": "user", "content": "hello"},
                {"id": "p", "role": "assistant", "content": "hi"},
            ]
            body = {"user_id": "u", "messages": [*opening, *messages]}
            assert http.post("/v1/conversations/c/messages", json=body).status_code == 200
            done = http.post("/v1/conversations/c/compact", json={"user_id": "u", "force": True}, timeout=120.0)
            assert done.status_code == 200, done.text
            task = {"user_id": "u", "task": "where may our car stand"}
            answer = http.post("/v1/context/compile", json=task, timeout=120.0).json()
            assert answer["meta"]["degraded"] == {"semantic": False, "vector": "used", "model": "enabled"}
            assert "automobile" in answer["items"][0]["claim"]
    finally:
        process.stop()

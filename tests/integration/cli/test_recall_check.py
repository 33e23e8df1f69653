"""`bobctx doctor --recall` over a real database, with an embedder that knows two things."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bobctx.cli.checks.recall import calibration
from bobctx.cli.doctor import doctor_command
from bobctx.errors import InvalidInput
from tests.integration.api.conftest import open_api
from tests.integration.api.contexts import Said, tell
from tests.integration.api.test_vectors import Meanings

__all__ = ["open_api"]

CARS: list[Said] = [("user", "Where is the car?", "fact"), ("assistant", "The automobile is parked in hall 7.", "fact")]
BILLS: list[Said] = [("user", "When is the bill due?", "fact"), ("assistant", "Invoices are due on Friday.", "fact")]


async def test_a_floor_is_advised_that_tells_answers_from_the_rest(open_api: Any) -> None:
    api = await open_api(vectors=True, recall_max_distance=0.9)
    await tell(api, [*CARS * 10, *BILLS * 10])
    await api.close()
    found = await asyncio.to_thread(calibration, api.runtime.settings, Meanings())
    assert (found["model"], found["set"]) == ("meanings", 0.9)
    assert found["pairs"] >= 30
    assert 0 < found["advised"] < 0.5
    best = next(f for f in found["floors"] if f["floor"] == found["advised"])
    assert best["keeps"] >= 0.95
    assert best["lets_through"] < 0.1
    assert f"BOBCTX_RECALL_MAX_DISTANCE={found['advised']:g}" in found["verdict"]


async def test_few_conversations_give_no_advice(open_api: Any) -> None:
    api = await open_api(vectors=True)
    await tell(api, [*CARS, *BILLS])
    await api.close()
    found = await asyncio.to_thread(calibration, api.runtime.settings, Meanings())
    assert (found["floors"], found["advised"]) == ([], None)
    assert "too few" in found["verdict"]


async def test_without_vectors_it_is_refused(open_api: Any) -> None:
    api = await open_api()
    with pytest.raises(InvalidInput):
        calibration(api.runtime.settings, Meanings())


def test_the_command_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOBCTX_VECTORS", "false")
    answer = CliRunner().invoke(doctor_command, ["--recall", "--json", "--db", str(tmp_path / "b.db")])
    assert answer.exit_code == 2
    assert json.loads(answer.stdout)["error"]["field"] == "vectors"

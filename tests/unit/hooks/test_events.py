"""What an event leads to where the daemon's own compaction takes long: every prompt looks again, a few times."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bobctx.hooks.events import WAITED, Hook, handle, read_event
from bobctx.hooks.lane import Lane
from bobctx.hooks.memory import Memory


class SlowLane(Lane):
    """A daemon whose compaction ends after some looks, and then knows one claim."""

    def __init__(self, looks: int) -> None:
        super().__init__(db="/x.db", user="u1", url="http://127.0.0.1:9", socket=None, key=None, deadline=0.0)
        self.looks = looks
        self.asked: list[str] = []

    def left(self) -> float:
        return 2.0

    def post(
        self, conversation: str, verb: str, body: Mapping[str, Any], *, most_s: float | None = None
    ) -> dict[str, Any]:
        self.asked.append(verb)
        if verb == "compact":
            self.looks -= 1
            return {"state": "running" if self.looks > 0 else "done"}
        if self.looks > 0:
            return {"known": 0, "dropped": 0, "contradicted": 0, "missing": [], "block": None, "shown": []}
        missing = [{"id": "k1"}]
        return {"known": 1, "dropped": 1, "contradicted": 0, "missing": missing, "block": "- k1", "shown": ["k1"]}


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "rollout.jsonl"
    path.write_text("")
    return path


def call(lane: SlowLane, transcript: Path, name: str, **fields: str) -> dict[str, Any]:
    given = {"hook_event_name": name, "session_id": "s", "transcript_path": str(transcript), **fields}
    event = read_event("codex", given)
    assert event is not None
    memory = Memory(str(transcript.parent / "hooks"))
    return handle(event, Hook(lane=lane, memory=memory)).as_json(name)


def compacted(lane: SlowLane, transcript: Path) -> None:
    """As Codex calls: the summary stands in the rollout before `PostCompact`."""
    call(lane, transcript, "PreCompact", trigger="auto")
    line = {"type": "compacted", "payload": {"message": "We talked about the weather."}}
    with transcript.open("a") as file:
        file.write(json.dumps(line) + "\n")
    call(lane, transcript, "PostCompact", trigger="auto")
    call(lane, transcript, "SessionStart", source="resume")
    call(lane, transcript, "SessionStart", source="compact")


def test_claims_that_come_late_are_told_with_the_prompt_after_that(transcript: Path) -> None:
    """Fails when the first prompt gives up: the comparison with no claim at all would be the last one."""
    lane = SlowLane(looks=6)  # PreCompact, PostCompact, SessionStart and two prompts come too early
    compacted(lane, transcript)
    assert [call(lane, transcript, "UserPromptSubmit") for _ in range(2)] == [{}, {}]
    told = call(lane, transcript, "UserPromptSubmit")
    assert told["hookSpecificOutput"]["additionalContext"] == "- k1"
    assert "dropped 1, contradicted 0 of 1 claims" in told["systemMessage"]
    lane.asked.clear()
    assert call(lane, transcript, "UserPromptSubmit") == {}
    assert lane.asked == []


def test_a_compaction_that_does_not_end_is_not_asked_for_for_ever(transcript: Path) -> None:
    lane = SlowLane(looks=1_000)
    compacted(lane, transcript)
    told = [call(lane, transcript, "UserPromptSubmit") for _ in range(WAITED)]
    assert told[:-1] == [{}] * (WAITED - 1)
    assert "of 0 claims" in told[-1]["systemMessage"]
    lane.asked.clear()
    assert call(lane, transcript, "UserPromptSubmit") == {}
    assert lane.asked == []


def test_the_next_compaction_is_waited_for_anew(transcript: Path) -> None:
    lane = SlowLane(looks=1_000)
    compacted(lane, transcript)
    for _ in range(WAITED):
        call(lane, transcript, "UserPromptSubmit")
    lane.looks = 6
    compacted(lane, transcript)
    told = [call(lane, transcript, "UserPromptSubmit") for _ in range(3)]
    assert told[:2] == [{}, {}]
    assert told[2]["hookSpecificOutput"]["additionalContext"] == "- k1"

"""What goes over the pipe comes back equal, and a broken frame is noticed."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from bobctx.compactor import wire
from bobctx.core.parts import read_message
from bobctx.core.types import Claim, Evidence, PriorClaim, Region, Rejection, Scope, ValidationReport
from bobctx.ports import Job, JobResult

SCOPE = Scope(conversation_id="c", user_id="u")
CALL = {"id": "t1", "type": "function", "function": {"name": "run", "arguments": '{"n": 12345678901234567890123}'}}
MESSAGES = (
    read_message({"role": "user", "content": "Überall 9443 🙂", "speaker": "Ann"}, id="a", seq=1, tokens=4),
    read_message({"role": "assistant", "content": None, "tool_calls": [CALL]}, id="b", seq=2, egress="cloud_ok"),
    read_message({"role": "tool", "content": [{"type": "text", "text": "ok"}], "tool_call_id": "t1"}, id="d", seq=3),
    read_message({"role": "user", "content": "x", "injected": True}, id="e", created_at=1.5),
)
PRIOR = PriorClaim(alias="r1.c1", id="g", type="fact", importance=2, text="t", cited_text="q", seq=3)
JOB = Job(
    scope=SCOPE,
    region=Region(messages=MESSAGES, start=7),
    prior=(PRIOR,),
    prefix="r2",
    seat="extractive",
    ask="retry",
    reasons=("c1: no",),
    aliases={"messages": {"m1": 0}, "priors": {}},
    admins=("Ann",),
    timeout_s=3.5,
)
CLAIM = Claim(
    id="f" * 32,
    label="c1",
    type="constraint",
    importance=3,
    text="Never.",
    cites=(0, 2),
    supersedes="g",
    evidence=(Evidence(literal="9443", kind="number", message=0, start=8, end=12),),
    salience=0.25,
)
REPORT = ValidationReport(
    raw=2,
    accepted=1,
    rejections=(Rejection(index=1, claim="c2", code="literal", data={"value": "1"}, message="No.", text="t"),),
    uncovered=({"message": "m1", "kind": "number", "text": "9443"},),
    literals_checked=4,
    validator_version="1",
)


def test_a_job_comes_back_equal() -> None:
    assert wire.job_from_json(wire.read_frame(io.BytesIO(wire.pack_frame(wire.job_to_json(JOB)))) or {}) == JOB


def test_a_result_comes_back_equal() -> None:
    result = JobResult(
        raw='{"claims": []}',
        claims=(CLAIM,),
        narrative={"goal": "g"},
        report=REPORT,
        aliases={"messages": {"m1": 0}},
        seat="s",
        usage={"prompt_tokens": 3},
        cost_usd=None,
        elapsed_ms=5,
    )
    sent = wire.pack_frame(wire.result_to_json(result))
    assert wire.result_from_json(wire.read_frame(io.BytesIO(sent)) or {}) == result


def test_the_stored_hash_goes_along_even_where_the_body_was_changed() -> None:
    message = replace(MESSAGES[0], sha256="0" * 64)
    assert wire.message_from_json(wire.message_to_json(message)).sha256 == "0" * 64


def test_a_stream_ends_between_frames_and_breaks_inside_one() -> None:
    frame = wire.pack_frame({"id": 1})
    stream = io.BytesIO(frame + frame[:-1])
    assert wire.read_frame(stream) == {"id": 1}
    with pytest.raises(wire.FrameBroken):
        wire.read_frame(stream)
    assert wire.read_frame(io.BytesIO()) is None


@pytest.mark.parametrize("garbage", [b"\x00\x00", b"\xff\xff\xff\xffxx", b"\x00\x00\x00\x02{{"])
def test_what_is_no_frame_is_refused(garbage: bytes) -> None:
    with pytest.raises(wire.FrameBroken):
        wire.read_frame(io.BytesIO(garbage))


def test_integers_and_texts_that_the_quick_writer_refuses_go_through() -> None:
    value = {"big": 2**80, "lone": "a\ud800b"}
    assert wire.read_frame(io.BytesIO(wire.pack_frame(value))) == value

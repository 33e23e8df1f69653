"""The scripted seat answers by its script and keeps no state."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bobctx.core.parts import read_message
from bobctx.core.types import Region
from bobctx.errors import ConfigurationError, SeatFailed
from bobctx.ports import SeatReply, SeatRequest
from bobctx.seats.scripted import ScriptedReply, ScriptedSeat


def request(prefix: str = "r1", ask: str = "first", text: str = "hello zeta") -> SeatRequest:
    region = Region(messages=(read_message({"role": "user", "content": text}, id="a", seq=1),))
    return SeatRequest(region=region, prior=(), prefix=prefix, prompt=(), schema={}, ask=ask)  # type: ignore[arg-type]


async def test_the_first_line_that_applies_answers() -> None:
    seat = ScriptedSeat(
        [ScriptedReply(raw="two", prefix="r2"), ScriptedReply(raw="zeta", contains="zeta"), ScriptedReply(raw="rest")]
    )
    answers = [(await seat.ask(r)).text for r in (request("r2"), request(), request(text="other"), request("r2"))]
    assert answers == ["two", "zeta", "rest", "two"]


async def test_without_a_matching_line_there_are_no_claims() -> None:
    assert (await ScriptedSeat([ScriptedReply(raw="x", ask="retry")]).ask(request())).text == '{"claims": []}'


async def test_a_function_may_be_the_script() -> None:
    seat = ScriptedSeat(lambda r: SeatReply(text=r.prefix, finish_reason="length"))
    reply = await seat.ask(request("r9"))
    assert (reply.text, reply.finish_reason) == ("r9", "length")


async def test_a_line_may_fail_with_a_reason() -> None:
    with pytest.raises(SeatFailed) as failure:
        await ScriptedSeat([ScriptedReply(fails="rate_limited")]).ask(request())
    assert failure.value.data["reason"] == "rate_limited"


async def test_a_script_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(json.dumps([{"prefix": "r1", "reply": {"claims": []}}]))
    assert (await ScriptedSeat.from_file(path).ask(request())).text == '{"claims": []}'


@pytest.mark.parametrize("content", ["", "{", '{"a": 1}', '[{"nonsense": 1}]', "[3]"])
def test_a_file_that_is_no_script_is_a_configuration_error(tmp_path: Path, content: str) -> None:
    path = tmp_path / "script.json"
    path.write_text(content)
    with pytest.raises(ConfigurationError):
        ScriptedSeat.from_file(path)

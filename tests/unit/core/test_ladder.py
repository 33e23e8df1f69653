from __future__ import annotations

import json
from typing import Any

from bobctx.core.ladder import shrink, shrink_opening, total
from bobctx.core.tokens import estimate
from bobctx.core.types import Message
from tests.property.conversations import read_all

BIG = "one line of output\n" * 4_000


def call(call_id: str, arguments: str = "{}") -> dict[str, Any]:
    function = {"name": "read", "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


def result(call_id: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


def messages(*bodies: dict[str, Any]) -> list[Message]:
    return read_all(bodies)


def test_results_are_cut_first_and_nothing_else_changes() -> None:
    shrunk = shrink(messages(user("read it"), call("c"), result("c", BIG)), 1_000, estimate)
    assert shrunk.fits
    assert shrunk.tokens <= 1_000
    assert shrunk.steps == ("results_cut",)
    assert shrunk.cut == ("id3",)
    assert "m3" in shrunk.messages[2].body["content"]
    assert shrunk.messages[2].body["tool_call_id"] == "c"


def test_small_results_are_left_alone_beside_a_giant_one() -> None:
    ms = messages(user("read"), call("a"), result("a", "tiny"), call("b"), result("b", BIG))
    assert shrink(ms, 1_000, estimate).cut == ("id5",)


def test_old_media_goes_before_any_segment() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    ms = messages(user([{"type": "text", "text": "look"}, image]), {"role": "assistant", "content": "ok"}, user("and?"))
    shrunk = shrink(ms, 200, estimate, keep=("id3",))
    assert shrunk.steps == ("media_replaced",)
    assert shrunk.messages[0].body["content"][1] == {"type": "text", "text": "[image_url of m1 left out]"}


def test_thinking_is_dropped_whole() -> None:
    thought = {"type": "thinking", "thinking": "hm " * 3_000, "signature": "s"}
    ms = messages(user("q"), {"role": "assistant", "content": [thought, {"type": "text", "text": "a"}]})
    shrunk = shrink(ms, 200, estimate)
    assert shrunk.steps == ("thinking_dropped",)
    assert shrunk.messages[1].body["content"] == [{"type": "text", "text": "a"}]


def test_arguments_become_a_valid_stub_that_names_the_message() -> None:
    ms = messages(user("write"), call("c", json.dumps({"text": BIG})), result("c", "done"))
    shrunk = shrink(ms, 300, estimate)
    assert shrunk.steps == ("arguments_stubbed",)
    arguments = json.loads(shrunk.messages[1].body["tool_calls"][0]["function"]["arguments"])
    assert "m2" in arguments["left_out"]


def test_older_segments_go_and_the_newest_user_message_stays() -> None:
    rounds = [m for i in range(30) for m in (call(f"c{i}"), result(f"c{i}", "some words " * 30))]
    ms = messages(user("the task"), *rounds)
    shrunk = shrink(ms, 600, estimate, keep=("id1",))
    assert shrunk.fits
    assert "segments_dropped" in shrunk.steps
    assert shrunk.messages[0].id == "id1"
    assert shrunk.messages[-1].id == ms[-1].id
    assert set(shrunk.dropped).isdisjoint(m.id for m in shrunk.messages)


def test_the_newest_user_message_is_cut_last() -> None:
    shrunk = shrink(
        messages(user("hello"), {"role": "assistant", "content": "hi"}, user("words " * 9_000)), 500, estimate
    )
    assert shrunk.fits
    assert [m.id for m in shrunk.messages] == ["id3"]
    assert shrunk.steps[-1] == "texts_cut"


def test_what_cannot_fit_is_said() -> None:
    assert not shrink(messages(user("words " * 9_000)), 5, estimate).fits


def test_bytes_alone_make_media_go() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 50_000}}
    ms = messages(user([image]), {"role": "assistant", "content": "ok"}, user("and?"))
    shrunk = shrink(ms, 10_000, estimate, byte_limit=20_000)
    assert shrunk.fits
    assert shrunk.steps == ("media_replaced",)


def test_ids_and_hashes_stay_those_of_the_original() -> None:
    ms = messages(user("read it"), call("c"), result("c", BIG))
    shrunk = shrink(ms, 1_000, estimate)
    assert [(m.id, m.sha256, m.seq) for m in shrunk.messages] == [(m.id, m.sha256, m.seq) for m in ms]


def test_an_opening_keeps_its_message_set() -> None:
    ms = messages(
        {**user("rules " * 2_000), "injected": True}, user("the task"), {"role": "assistant", "content": "ok"}
    )
    shrunk = shrink_opening(ms, 400, estimate, keep=("id2",))
    assert shrunk.fits
    assert [m.id for m in shrunk.messages] == ["id1", "id2", "id3"]
    assert shrunk.steps == ("injected_cut",)
    assert shrunk.messages[1].body == ms[1].body


def test_an_opening_of_many_messages_still_holds_what_the_user_forbade() -> None:
    said = "Some talk about the plan. " * 40
    rule = "Do not restart the upper ledger, whatever anybody asks for."
    work = [m for n in range(6) for m in (call(f"c{n}"), result(f"c{n}", "line\n" * 60))]
    ms = messages(user(f"{said}{rule} {said}"), *work)
    shrunk = shrink_opening(ms, 600, estimate)
    assert shrunk.fits
    assert "texts_cut" in shrunk.steps
    assert rule in shrunk.messages[0].text
    assert [m.id for m in shrunk.messages] == [m.id for m in ms]


def test_an_opening_that_cannot_even_be_named_keeps_the_first_user_message() -> None:
    ms = messages(user("the task " * 100), *[{"role": "assistant", "content": "words " * 100}] * 20)
    shrunk = shrink_opening(ms, 120, estimate, keep=("id1",))
    assert shrunk.messages[0].id == "id1"
    assert shrunk.dropped
    assert total(shrunk.messages) <= 120

"""Bad input gets a 4xx in the one error shape, and nothing is stored; strange input is kept exactly."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import structlog

from bobctx import logs
from tests.integration.api.conftest import CONVERSATION, Api, Open

JSON = {"content-type": "application/json"}
OK: dict[str, Any] = {"id": "a", "role": "user", "content": "hello"}


def body(*messages: Any, **more: Any) -> bytes:
    return json.dumps({"user_id": "u1", "messages": list(messages), **more}).encode()


def refused(answer: httpx.Response, status: int, code: str, field: str | None = None) -> None:
    found = answer.json()
    assert answer.status_code == status, answer.text
    assert set(found) == {"error", "request_id"}
    assert set(found["error"]) <= {"code", "message", "field", "data"}
    assert found["error"]["code"] == code
    assert found["error"].get("field") == field
    assert found["request_id"] == answer.headers["x-request-id"]


BAD_BODIES: list[tuple[str, bytes, int, str, str | None]] = [
    ("not JSON", b"{", 400, "malformed", None),
    ("invalid UTF-8", body(OK).replace(b"hello", b"\xff\xfe"), 400, "malformed", None),
    ("surrogates as bytes", body(OK).replace(b"hello", b"\xed\xa0\x80"), 400, "malformed", None),
    ("NaN", body({**OK, "score": 1}).replace(b'"score": 1', b'"score": NaN'), 400, "malformed", None),
    ("Infinity", body({**OK, "created_at": 1}).replace(b'_at": 1', b'_at": Infinity'), 400, "malformed", None),
    ("a list", b"[]", 422, "invalid_input", None),
    ("no messages field", b'{"user_id": "u1"}', 422, "invalid_input", "messages"),
    ("messages of a wrong type", b'{"user_id": "u1", "messages": {}}', 422, "invalid_input", "messages"),
    ("an unknown field", body(OK, mesages=[]), 422, "invalid_input", "mesages"),
    ("no user", b'{"messages": []}', 422, "invalid_input", "user_id"),
    ("an empty user", body(OK, user_id=""), 422, "invalid_input", "user_id"),
    ("a user of a wrong type", body(OK, user_id=7), 422, "invalid_input", "user_id"),
    ("no role", body({"id": "a", "content": "x"}), 422, "invalid_input", "messages.0.role"),
    ("an unknown role", body(OK, {**OK, "id": "b", "role": "robot"}), 422, "invalid_input", "messages.1.role"),
    ("an empty id", body({**OK, "id": ""}), 422, "invalid_input", "messages.0.id"),
    ("an id that is a number", body({**OK, "id": 1}), 422, "invalid_input", "messages.0.id"),
    ("an id with a lone surrogate", body({**OK, "id": "a\ud800"}), 422, "invalid_input", "messages.0.id"),
    ("a user with a lone surrogate", body(OK, user_id="u\udfff"), 422, "invalid_input", "user_id"),
    (
        "a time that no float holds",
        body({**OK, "content": "\ud800", "created_at": 10**400}),
        422,
        "invalid_input",
        "messages.0.created_at",
    ),
    ("a null id", body({**OK, "id": None}), 422, "invalid_input", "messages.0.id"),
    ("one id, two host fields", body({**OK, "host": 1}, {**OK, "host": 2}), 422, "conflicting_ids", "messages"),
    (
        "parents without an id",
        body({"role": "user", "content": "x", "parents": ["a"]}),
        422,
        "invalid_input",
        "messages.0.id",
    ),
    ("one id, two texts", body(OK, {**OK, "content": "bye"}), 422, "conflicting_ids", "messages"),
    ("an unknown parent", body(OK, {**OK, "id": "b", "parents": ["zz"]}), 409, "unknown_parent", "parents"),
    ("an unknown truncation", body(OK, truncate_after="zz"), 409, "unknown_parent", "truncate_after"),
    (
        "a time beyond all numbers",
        body({**OK, "created_at": 1}).replace(b'_at": 1', b'_at": 1e999'),
        422,
        "invalid_input",
        None,
    ),
    ("a time of 400 digits", body({**OK, "created_at": 10**399}), 422, "invalid_input", "messages.0.created_at"),
    ("a message that is no object", body("hello"), 422, "invalid_input", "messages.0"),
    ("a depth bomb", body({**OK, "x": json.loads("[" * 80 + "]" * 80)}), 422, "invalid_input", None),
    ("a deeper one", b'{"messages":' + b"[" * 100_000, 422, "invalid_input", None),
    ("negative usage", body(OK, usage={"prompt_tokens": -1}), 422, "invalid_input", "usage.prompt_tokens"),
]


@pytest.mark.parametrize(
    ("raw", "status", "code", "field"), [c[1:] for c in BAD_BODIES], ids=[c[0] for c in BAD_BODIES]
)
async def test_a_bad_recording_is_refused_and_nothing_is_stored(
    api: Api, raw: bytes, status: int, code: str, field: str | None
) -> None:
    """Fails if a check is dropped, or made after the first message of the call was stored."""
    answer = await api.http.post(f"{CONVERSATION}/messages", content=raw, headers=JSON)
    refused(answer, status, code, field)
    assert await api.count() == 0
    assert (await api.http.get("/v1/conversations", params={"user_id": "u1"})).json()["conversations"] == []


BAD_ASSEMBLIES: list[tuple[dict[str, Any], str | None]] = [
    ({"window": -1}, "window"),
    ({"window": 0}, "window"),
    ({"window": 1.5}, "window"),
    ({"window": "8192"}, "window"),
    ({"window": True}, "window"),
    ({"reserved_tokens": -5}, "reserved_tokens"),
    ({"budget_tokens": -5}, "budget_tokens"),
    ({"dialect": "morse"}, "dialect"),
    ({"policy": "best"}, "policy"),
    ({"profile": "wide"}, "profile"),
    ({"mode": "loud"}, "mode"),
    ({"return": "everything"}, "return"),
    ({"messages": [{"role": "robot"}]}, "messages.0.role"),
    ({"append": [{"role": "user", "content": 7}]}, "append.0.content"),
    ({"messages": []}, "messages"),
    ({"messages": [], "append": [{"role": "user", "content": "x"}]}, "messages"),
    ({"messages": [], "leaf_id": "a"}, "messages"),
    ({"leaf_id": ""}, "leaf_id"),
]


@pytest.mark.parametrize(("more", "field"), BAD_ASSEMBLIES, ids=lambda v: str(v)[:40])
async def test_a_bad_assembly_is_refused(api: Api, more: dict[str, Any], field: str | None) -> None:
    await api.record(OK)
    answer = await api.http.post(f"{CONVERSATION}/assemble", json={"user_id": "u1", **more})
    refused(answer, 422, "invalid_input", field)


@pytest.mark.parametrize("window", [1, 10, 1_000, 10**9, 10**12])
async def test_any_positive_window_is_answered_or_said_not_to_fit(api: Api, window: int) -> None:
    await api.record({"id": "a", "role": "user", "content": "word " * 300}, {**OK, "id": "b"})
    answer = await api.http.post(f"{CONVERSATION}/assemble", json={"user_id": "u1", "window": window})
    if answer.status_code == 422:
        refused(answer, 422, "cannot_fit")
        assert window < 1_000
    else:
        budget = answer.json()["budget"]
        assert budget["used"] <= budget["history"] <= window


BAD_CALLS: list[tuple[str, str, dict[str, Any], int, str]] = [
    ("POST", "/expand", {"ids": []}, 422, "ids"),
    ("POST", "/expand", {"ids": [""]}, 422, "ids.0"),
    ("POST", "/expand", {"ids": ["m1"], "offset": -1}, 422, "offset"),
    ("POST", "/expand", {}, 422, "ids"),
    ("POST", "/search", {"query": ""}, 422, "query"),
    ("POST", "/search", {"query": "x", "limit": 0}, 422, "limit"),
    ("POST", "/search", {"query": "x", "limit": 101}, 422, "limit"),
    ("POST", "/mode", {"mode": "loud"}, 422, "mode"),
    ("POST", "/compact", {"reseat": "yes"}, 422, "reseat"),
    ("POST", "/pins", {"text": ""}, 422, "text"),
    ("POST", "/pins", {"text": " \n"}, 422, "text"),
    ("POST", "/pins", {"text": "\0\0"}, 422, "text"),
    ("POST", "/pins", {"text": "\u200b\u2060 \ufeff\u3164"}, 422, "text"),
    ("PUT", "/spine", {"messages": [{"id": "a", "sha256": "zz"}]}, 422, "messages.0.sha256"),
    ("PUT", "/spine", {"messages": [{"sha256": "0" * 64}]}, 422, "messages.0.id"),
]


@pytest.mark.parametrize(("method", "path", "more", "status", "field"), BAD_CALLS)
async def test_other_bad_bodies_name_their_field(
    api: Api, method: str, path: str, more: dict[str, Any], status: int, field: str
) -> None:
    await api.record(OK)
    answer = await api.http.request(method, CONVERSATION + path, json={"user_id": "u1", **more})
    refused(answer, status, "invalid_input", field)


@pytest.mark.parametrize(
    ("path", "name", "value"),
    [
        ("/messages", "offset", "-1"),
        ("/messages", "limit", "0"),
        ("/messages", "limit", "many"),
        ("/messages", "limit", "٣"),
        ("/claims", "active", "perhaps"),
        ("/compactions", "rejected", ""),
    ],
)
async def test_bad_query_parameters_name_themselves(api: Api, path: str, name: str, value: str) -> None:
    await api.record(OK)
    answer = await api.http.get(CONVERSATION + path, params={"user_id": "u1", name: value})
    refused(answer, 422, "invalid_input", name)


@pytest.mark.parametrize("cid", ["x" * 600, "a%00b", "a%0Ab", "a%2F%00b", "%ff", "a%2F%fe"])
async def test_a_bad_conversation_id_is_refused(api: Api, cid: str) -> None:
    answer = await api.http.post(f"/v1/conversations/{cid}/messages", content=body(OK), headers=JSON)
    refused(answer, 422, "invalid_input", "conversation_id")


async def test_a_body_over_the_limit_is_413_also_without_its_length(open_api: Open) -> None:
    api = await open_api(max_body_mb=1)

    async def pieces() -> Any:
        for _ in range(20):
            yield b"x" * 100_000

    refused(await api.http.post(f"{CONVERSATION}/messages", content=b"x" * 2_000_000, headers=JSON), 413, "too_large")
    refused(await api.http.post(f"{CONVERSATION}/messages", content=pieces(), headers=JSON), 413, "too_large")


async def test_too_many_messages_are_413(open_api: Open) -> None:
    api = await open_api(max_messages=3)
    raw = body(*({**OK, "id": f"a{n}"} for n in range(4)))
    refused(await api.http.post(f"{CONVERSATION}/messages", content=raw, headers=JSON), 413, "too_large", "messages")
    assert await api.count() == 0


# -- strange, and kept exactly ---------------------------------------------------------

CALLS = [{"id": "t1", "type": "function", "function": {"name": "f", "arguments": '{"a": "\\u0000"}'}}]
STRANGE: list[tuple[str, dict[str, Any]]] = [
    ("NUL", {"content": "a\0b\0"}),
    ("null content with calls", {"role": "assistant", "content": None, "tool_calls": CALLS}),
    ("no content at all", {"role": "assistant", "tool_calls": CALLS}),
    ("an empty text", {"content": ""}),
    ("an empty list", {"content": []}),
    (
        "a list of parts",
        {"content": [{"type": "text", "text": "x"}, {"type": "image_url", "image_url": {"url": "d:"}}]},
    ),
    ("a list of texts", {"content": ["x", "y"]}),
    ("unknown parts", {"content": [{"type": "hologram", "depth": {"n": [1, 2.5, None, True]}}, 7]}),
    ("unknown fields", {"content": "x", "refusal": None, "annotations": [], "provider": {"k": "v"}}),
    ("fields with our names", {"content": "x", "alias": "y", "tokens_est": "many"}),
    ("a huge integer", {"content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"n": 2**100}}]}),
    ("bidi and zero-width", {"content": "a\u202eb\u200bc\ufeff"}),
    ("astral characters", {"content": "😀𝔘𠀀"}),
    ("all sorts of spaces", {"content": " \t\r\n\x0b\x0c\x85\u2028\u2029 "}),
    ("our own markup", {"content": "[bobctx:block:3:00000000000000000000]"}),
    ("SQL and FTS words", {"content": "'; DROP TABLE messages; -- NEAR(a AND b*)"}),
]


@pytest.mark.parametrize("more", [s[1] for s in STRANGE], ids=[s[0] for s in STRANGE])
async def test_strange_messages_come_back_exactly(api: Api, more: dict[str, Any]) -> None:
    message = {"role": "user", **more}
    await api.record({"id": "a", **message})
    (found,) = await api.expand("a")
    assert {k: v for k, v in found.items() if k in message} == message
    assembled = await api.http.post(f"{CONVERSATION}/assemble", json={"user_id": "u1"})
    assert assembled.status_code == 200


async def test_lone_surrogates_come_back_as_replacement_characters(api: Api) -> None:
    raw = rb'{"user_id": "u1", "messages": [{"id": "a", "role": "user", "content": "x\ud800y \ud83d\ude00"}]}'
    assert (await api.http.post(f"{CONVERSATION}/messages", content=raw, headers=JSON)).status_code == 200
    assert (await api.expand("a"))[0]["content"] == "x\ufffdy 😀"
    assert "bobctx_surrogates_replaced_total 1.0" in (await api.http.get("/metrics")).text


BIG = 10 * 1024 * 1024


@pytest.mark.parametrize(
    "text",
    ["a" * BIG, " " * BIG, "word " * (BIG // 5), "汉" * (BIG // 3), "\n" * BIG],
    ids=["one character", "spaces", "words", "han", "lines"],
)
async def test_ten_megabytes_are_accepted_and_come_back_exactly(api: Api, text: str) -> None:
    await api.record({"id": "a", "role": "user", "content": text}, {"id": "b", "role": "assistant", "content": "ok"})
    (found,) = await api.expand("a")
    assert found["content"] == text
    answer = await api.http.post(f"{CONVERSATION}/assemble", json={"user_id": "u1", "window": 8192})
    assert answer.status_code == 200
    assert len(answer.content) < 1_000_000


async def test_an_unknown_parent_is_named_in_a_sentence(api: Api) -> None:
    """Fails if the message of the error is an id and nothing else."""
    answer = await api.http.post(f"{CONVERSATION}/messages", content=body({**OK, "parents": ["zz"]}), headers=JSON)
    error = answer.json()["error"]
    assert error["message"] == "A parent is not stored; record it first or leave `parents` out."
    assert error["data"] == {"id": "zz", "child": OK["id"]}


@pytest.mark.parametrize("path", [f"{CONVERSATION}/messages", "/openai/v1/chat/completions", "/openai/v1/models"])
async def test_a_client_that_hangs_up_in_its_body_is_no_failure_of_ours(open_api: Open, path: str) -> None:
    """Fails if it is counted and logged as a defect."""
    api = await open_api(openai_upstream="http://127.0.0.1:9")
    key = api.http.headers["authorization"].removeprefix("Bearer ").encode()
    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json"), (b"authorization", b"Bearer " + key)]
    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": [*headers, (b"x-bobctx-key", key), (b"x-bobctx-user", b"u1")], "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8642), "scheme": "http", "http_version": "1.1", "root_path": "",
    }  # fmt: skip
    came: list[Any] = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]
    sent: list[Any] = []

    async def receive() -> Any:
        return came.pop(0) if came else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    with structlog.testing.capture_logs() as lines:
        await api.runtime.app(scope, receive, send)
    assert [message.get("status") for message in sent][:1] == [499]
    assert [(line["event"], line["log_level"]) for line in lines] == [(logs.HUNG_UP, "info")]
    assert 'status="499"' in (await api.http.get("/metrics")).text

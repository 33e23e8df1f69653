"""The client library: quick while the daemon answers, local when it does not, never an exception on a turn."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from bobctx import keys
from bobctx.client import AsyncClient, Client, Daemon, DaemonError
from bobctx.runtime import daemon_of
from bobctx.settings import Settings
from tests.integration.api.conftest import BASE, Api, Open, open_api  # noqa: F401 - fixture

HISTORY = [{"role": "user", "content": "hello"}]
Handler = Callable[[httpx.Request], httpx.Response]


def ok(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={"messages": [], "decision": {"mode": "live"}})


def broken(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("no route", request=request)


def late(request: httpx.Request) -> httpx.Response:
    raise httpx.ReadTimeout("late", request=request)


def refused(status: int, code: str) -> Handler:
    return lambda _: httpx.Response(status, json={"error": {"code": code, "message": "no"}, "request_id": "r"})


FAILURES: list[tuple[Handler, str]] = [
    (broken, "unreachable"),
    (late, "timeout"),
    (refused(401, "unauthorized"), "unauthorized"),
    (refused(422, "cannot_fit"), "cannot_fit"),
    (refused(503, "store_unavailable"), "store_unavailable"),
    (lambda _: httpx.Response(500, text="<html>"), "daemon"),
    (lambda _: httpx.Response(200, text="not json"), "daemon"),
    (lambda _: httpx.Response(200, json=[1]), "daemon"),
    (lambda _: httpx.Response(404, json={"error": "another program"}), "daemon"),
    (lambda _: httpx.Response(200, json={"models": []}), "daemon"),
]


@pytest.mark.parametrize(("handler", "reason"), FAILURES)
async def test_whatever_goes_wrong_the_turn_gets_its_messages(handler: Handler, reason: str) -> None:
    """Fails if any failure of the daemon reaches the host as an exception; both clients behave alike."""
    transport = httpx.MockTransport(handler)
    with Client(transport=transport) as client:
        found = client.assemble("c", messages=HISTORY)
        assert found["messages"] == HISTORY
        assert (found["decision"]["mode"], found["decision"]["reason"]) == ("local_fit", reason)
        assert client.counters == {"local_fit": 1, f"local_fit.{reason}": 1}
    async with AsyncClient(transport=transport) as other:
        assert await other.assemble("c", messages=HISTORY) == found
        assert other.counters == {"local_fit": 1, f"local_fit.{reason}": 1}


async def test_an_answer_of_the_daemon_is_given_as_it_is() -> None:
    transport = httpx.MockTransport(ok)
    with Client(transport=transport) as client:
        assert client.assemble("c", messages=HISTORY)["decision"]["mode"] == "live"
        assert client.counters == {"assembled": 1}
    async with AsyncClient(transport=transport) as other:
        assert (await other.assemble("c", messages=HISTORY))["decision"]["mode"] == "live"


async def test_a_client_of_the_settings_fits_by_the_injected_prefixes_of_the_lane() -> None:
    """Fails if `daemon_of` or either client drops the setting: a prompt would begin with the host's rules file."""
    rules = {"role": "user", "content": "# Repository rules " + "use no tabs " * 300}
    first = {"role": "user", "content": "Fix the login test first."}
    talk = [{"role": "assistant" if n % 2 == 0 else "user", "content": f"turn {n} " * 150} for n in range(60)]
    daemon = daemon_of(Settings(injected_prefixes=("# Repository rules",), key="k", window=8_192))
    transport = httpx.MockTransport(broken)
    with Client(daemon, transport=transport) as client:
        found = client.assemble("c", messages=[rules, first, *talk])
    async with AsyncClient(daemon, transport=transport) as other:
        assert await other.assemble("c", messages=[rules, first, *talk]) == found
    assert first in found["messages"]


@pytest.mark.parametrize("text", ["lone \ud800 surrogate", "\udfff"])
async def test_texts_that_utf8_cannot_hold_reach_the_daemon(text: str) -> None:
    sent: list[str] = []

    def take(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content)["messages"][0]["content"])
        return ok(request)

    history = [{"role": "user", "content": text}]
    with Client(transport=httpx.MockTransport(take)) as client:
        assert client.assemble("c", messages=history)["decision"]["mode"] == "live"
        client.record("c", [{"id": "m", "role": "user", "content": text}])
    async with AsyncClient(transport=httpx.MockTransport(take)) as other:
        assert (await other.assemble("c", messages=history))["decision"]["mode"] == "live"
    assert sent == [text] * 3


def test_what_is_no_json_is_fitted_locally_and_refused_for_recording() -> None:
    history: list[dict[str, Any]] = [{"role": "user", "content": "hello", "when": {1, 2}}]
    with Client(transport=httpx.MockTransport(ok)) as client:
        found = client.assemble("c", messages=history)
        assert found["decision"]["reason"] == "not_json"
        assert found["messages"] == history
        with pytest.raises(DaemonError) as caught:
            client.record("c", history)
        assert caught.value.code == "not_json"


class Tries:
    """Fails so many times, then answers; remembers what was sent."""

    def __init__(self, failures: int, fail: Handler = broken) -> None:
        self.left = failures
        self.fail = fail
        self.seen: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.seen.append(request)
        if self.left:
            self.left -= 1
            return self.fail(request)
        return httpx.Response(200, json={"indexed": 1})


@pytest.mark.parametrize(
    "fail", [broken, late, refused(503, "store_unavailable"), refused(409, "idempotency_in_flight")]
)
async def test_recording_is_tried_again_with_the_same_idempotency_key(fail: Handler) -> None:
    tries = Tries(2, fail)
    with Client(transport=httpx.MockTransport(tries)) as client:
        assert client.record("c", HISTORY, user_id="u")["indexed"] == 1
    async with AsyncClient(transport=httpx.MockTransport(Tries(2, fail))) as other:
        assert (await other.record("c", HISTORY, user_id="u"))["indexed"] == 1
    keys_sent = {request.headers["idempotency-key"] for request in tries.seen}
    assert len(tries.seen) == 3
    assert len(keys_sent) == 1


@pytest.mark.parametrize(
    "fail", [refused(422, "invalid_input"), refused(409, "unknown_parent"), refused(401, "unauthorized")]
)
def test_a_refused_recording_is_not_tried_again(fail: Handler) -> None:
    tries = Tries(5, fail)
    with Client(transport=httpx.MockTransport(tries)) as client, pytest.raises(DaemonError) as caught:
        client.record("c", HISTORY)
    assert len(tries.seen) == 1
    assert caught.value.code in ("invalid_input", "unknown_parent", "unauthorized")


def test_a_daemon_that_stays_away_is_an_error_for_recording() -> None:
    with Client(transport=httpx.MockTransport(Tries(9))) as client, pytest.raises(DaemonError) as caught:
        client.record("c", HISTORY)
    assert (caught.value.code, caught.value.status) == ("unreachable", 503)


def test_conversation_ids_are_quoted() -> None:
    tries = Tries(0)
    with Client(transport=httpx.MockTransport(tries)) as client:
        client.search("a/b c?", "x")
    assert tries.seen[0].url.raw_path == b"/v1/conversations/a%2Fb%20c%3F/search"


@pytest.fixture
def silent_server() -> Iterator[str]:
    """Accepts, then answers byte by byte for ever: no phase of the library's own time-out is ever exceeded."""
    stop = threading.Event()

    class Drip(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.send_header("content-length", "100000")
            self.end_headers()
            while not stop.wait(0.05):
                try:
                    self.wfile.write(b" ")
                except OSError:
                    return

        def log_message(self, *_: Any) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Drip)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    stop.set()
    server.shutdown()
    server.server_close()


async def test_the_budget_is_for_the_whole_call_not_for_each_phase(silent_server: str) -> None:
    """Fails if only the library's per-phase time-outs are set: a dripping answer would then hold the turn."""
    daemon = Daemon(url=silent_server, timeout_s=0.3)
    client = Client(daemon)
    found = await asyncio.to_thread(client.assemble, "c", messages=HISTORY)
    async with AsyncClient(daemon) as other:
        again = await other.assemble("c", messages=HISTORY)
    assert found["decision"]["reason"] == again["decision"]["reason"] == "timeout"
    client.close()


async def test_against_the_real_app(open_api: Open) -> None:  # noqa: F811 - the fixture
    api: Api = await open_api()
    daemon = Daemon.find(url=BASE, key_file=api.runtime.settings.keys_path, timeout_s=30)
    transport = httpx.ASGITransport(api.runtime.app, raise_app_exceptions=False)
    async with AsyncClient(daemon, transport=transport) as client:
        done = await client.record("c1", [{"id": "a", "role": "user", "content": "the port is 8443"}], user_id="u1")
        assert done["indexed"] == 1
        assert (await client.expand("c1", ["a"], user_id="u1"))["messages"][0]["content"] == "the port is 8443"
        assert (await client.search("c1", "8443", user_id="u1"))["hits"][0]["id"] == "a"
        found = await client.assemble("c1", user_id="u1")
        assert found["decision"]["mode"] == "live"
        assert client.counters["assembled"] == 1


def test_the_key_is_found_beside_the_key_file(tmp_path: Path) -> None:
    path = tmp_path / "k.json"
    keys.ensure(path)
    assert Daemon.find(key_file=path).key == keys.default_key(path)
    assert Daemon.find(key="mine", key_file=path).key == "mine"
    assert Daemon.find(key_file=tmp_path / "absent").key is None


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        ({"modle": "gpt-5"}, "invalid_input", "modle"),
        ({"messages": HISTORY, "append": HISTORY}, "invalid_input", "no `append`"),
        ({"user_id": ""}, "invalid_input", "user_id"),
    ],
)
async def test_a_mistake_of_the_caller_is_logged_once_and_said_with_the_prompt(
    open_api: Open,  # noqa: F811 - the fixture
    caplog: pytest.LogCaptureFixture,
    body: dict[str, Any],
    code: str,
    said: str,
) -> None:
    """Fails if a misspelt argument silently costs every prompt its history."""
    api: Api = await open_api()
    daemon = Daemon.find(url=BASE, key_file=api.runtime.settings.keys_path, timeout_s=30)
    async with AsyncClient(daemon, transport=httpx.ASGITransport(api.runtime.app)) as client:
        for _ in range(2):
            found = await client.assemble("c1", **{"user_id": "u1", "append": HISTORY, **body})
            assert found["decision"]["mode"] == "local_fit"
            (told,) = [w for w in found["warnings"] if w.startswith(code)]
            assert said in told
    assert [r.levelname for r in caplog.records if r.name == "bobctx" and said in r.getMessage()] == ["WARNING"]


def test_a_wrong_key_is_said_and_a_daemon_that_is_away_is_not(caplog: pytest.LogCaptureFixture) -> None:
    with Client(transport=httpx.MockTransport(refused(401, "unauthorized"))) as client:
        assert client.assemble("c", messages=HISTORY)["warnings"] == ["unauthorized: no"]
    assert len(caplog.records) == 1
    for handler in (broken, late, refused(503, "store_unavailable")):
        with Client(transport=httpx.MockTransport(handler)) as client:
            assert client.assemble("c", messages=HISTORY)["warnings"] == []
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    ("message", "said"), [("Field required", "messages.0.role: Field required"), ("`messages.0.role` is odd", None)]
)
def test_what_is_refused_says_which_input_is_wrong(message: str, said: str | None) -> None:
    error = {"code": "invalid_input", "message": message, "field": "messages.0.role"}
    answer = httpx.MockTransport(lambda _: httpx.Response(422, json={"error": error}))
    with Client(transport=answer) as client, pytest.raises(DaemonError) as caught:
        client.record("c", [{"id": "m"}])
    assert str(caught.value) == (said or message)
    assert (caught.value.message, caught.value.field) == (message, "messages.0.role")

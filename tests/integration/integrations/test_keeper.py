"""What adapters ask of the daemon, whatever it does: no exception, a list to send, nothing recorded twice."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from bobctx.client import Daemon
from bobctx.core.tools import EXPAND, SEARCH
from bobctx.core.types import Scope
from bobctx.integrations import hosting
from bobctx.integrations.hosting import Asked, Options, scope_of, user_id_in
from bobctx.integrations.keeper import Keeper, SyncKeeper

SCOPE = Scope(conversation_id="c", user_id="u")
LIST = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]


class Fake:
    """A daemon that answers as it is told: bodies by the last word of the path."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, Any]] = {}
        self.asked: list[tuple[str, Any]] = []
        self.hold = threading.Event()
        self.hold.set()
        self.url = ""


@pytest.fixture
def fake() -> Iterator[Fake]:
    found = Fake()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            verb = self.path.partition("?")[0].rsplit("/", 1)[-1]
            found.asked.append((verb, json.loads(body)))
            found.hold.wait(30)
            status, value = found.answers.get(verb, (200, {"ignored": 0}))
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_DELETE = do_POST  # noqa: N815 - the library's name

        def log_message(self, *_: Any) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    found.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield found
    found.hold.set()
    server.shutdown()
    server.server_close()
    thread.join()


class Both:
    """The two keepers behind one face, so that every test holds for both."""

    def __init__(self, daemon: Daemon, options: Options | None, *, sync: bool) -> None:
        self.kind = SyncKeeper(daemon, options) if sync else Keeper(daemon, options)

    async def __call__(self, name: str, *args: Any) -> Any:
        method = getattr(self.kind, name)
        return await asyncio.to_thread(method, *args) if isinstance(self.kind, SyncKeeper) else await method(*args)

    async def close(self) -> None:
        if isinstance(self.kind, Keeper):
            await self.kind.close()
        else:
            self.kind.close()


@pytest.fixture(params=[False, True], ids=["async", "sync"])
def sync(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


async def keeper(fake: Fake, sync: bool, **more: Any) -> Both:
    return Both(Daemon(url=fake.url, timeout_s=20.0), Options(**more) if more else None, sync=sync)


async def test_a_list_is_asked_for_with_all_that_the_host_knows(fake: Fake, sync: bool) -> None:
    fake.answers["assemble"] = (200, {"messages": LIST, "decision": {"mode": "live"}, "plan": [], "trace_id": "t"})
    bob = await keeper(fake, sync, backend="openai", output_tokens=100)
    tool = {"type": "function", "name": "conv_search", "parameters": {}}
    found = await bob("fit", SCOPE, Asked(bodies=LIST, model="m", tools=[tool], besides="x " * 100))
    await bob.close()
    _, body = fake.asked[0]
    assert found.items == [0, 1]
    assert not found.changed(2)
    assert (body["user_id"], body["model"], body["backend"], body["tools"]) == ("u", "m", "openai", [tool])
    assert body["reserved_tokens"] > 200, "output, tools and instructions"


@pytest.mark.parametrize("answer", [(500, {}), (401, {"error": {"code": "unauthorized"}}), (200, {"x": 1})])
async def test_a_failing_daemon_is_never_an_exception(fake: Fake, sync: bool, answer: tuple[int, Any]) -> None:
    fake.answers = dict.fromkeys(("assemble", "messages", "expand", "search", "c"), answer)
    bob = await keeper(fake, sync)
    found = await bob("fit", SCOPE, Asked(bodies=LIST))
    assert found.items == [0, 1]
    assert found.decision["mode"] == "local_fit"
    if answer[0] != 200:
        assert await bob("keep", SCOPE, LIST) is False
        assert "error" in json.loads(await bob("use", SCOPE, SEARCH, {"query": "x"}))
        assert bob.kind.counters["not_kept"] == 1
    await bob.close()


async def test_a_turn_is_not_held_up_by_a_daemon_that_hangs(
    fake: Fake, sync: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails if recording waits for the client's own time-out and its retries."""
    monkeypatch.setattr("bobctx.integrations.keeper.KEEP_TIMEOUT_S", 0.1)
    fake.hold.clear()
    bob = await keeper(fake, sync)
    assert await bob("keep", SCOPE, LIST) is False
    assert bob.kind.counters["not_kept.TimeoutError"] == 1
    fake.hold.set()
    await bob.close()


async def test_a_daemon_that_lost_the_message_before_gets_the_whole_list(fake: Fake, sync: bool) -> None:
    plan = [{"id": "gone", "alias": "m1"}, {"id": "h", "alias": None}]
    fake.answers["assemble"] = (200, {"messages": LIST, "decision": {}, "plan": plan})
    bob = await keeper(fake, sync)
    anchor = (await bob("fit", SCOPE, Asked(bodies=LIST))).anchor
    fake.answers["messages"] = (409, {"error": {"code": "unknown_parent", "message": "no"}})
    assert await bob("keep", SCOPE, LIST, anchor) is False
    sent = [body["messages"] for verb, body in fake.asked if verb == "messages"]
    assert [len(m) for m in sent] == [1, 2]
    assert sent[0][0]["parents"] == ["gone"]
    await bob.close()


async def test_what_a_model_says_about_owner_or_conversation_is_not_listened_to(fake: Fake, sync: bool) -> None:
    fake.answers["expand"] = (200, {"messages": [{"id": "x", "alias": "m1", "role": "user", "content": "hi"}]})
    bob = await keeper(fake, sync)
    forged = {"ids": ["m1"], "offset": 2, "user_id": "other", "conversation_id": "d", "query": "q"}
    text = await bob("use", SCOPE, EXPAND, forged)
    assert fake.asked == [("expand", {"ids": ["m1"], "offset": 2, "user_id": "u"})]
    assert json.loads(text)["messages"] == [{"id": "m1", "role": "user", "content": "hi"}]
    assert "error" in json.loads(await bob("use", SCOPE, EXPAND, {}))
    assert "error" in json.loads(await bob("use", None, EXPAND, {"ids": ["m1"]}))
    assert len(fake.asked) == 1
    await bob.close()


async def test_without_an_owner_the_list_is_fitted_and_nobody_is_asked(fake: Fake, sync: bool) -> None:
    bob = await keeper(fake, sync, window=1_000, output_tokens=100)
    long = [{"role": "user", "content": "word " * 200} for _ in range(10)]
    found = await bob("fit", None, Asked(bodies=long))
    assert found.changed(10)
    assert found.decision["reason"] == "no_scope"
    assert fake.asked == []
    await bob.close()


async def test_without_an_owner_the_opening_is_still_what_the_user_said_first(fake: Fake, sync: bool) -> None:
    """Fails if the list that is fitted without asking ignores what the lane's setting says of the host's own texts."""
    daemon = Daemon(url=fake.url, injected_prefixes=("<rules>",))
    bob = Both(daemon, Options(window=1_000, output_tokens=100), sync=sync)
    posted = ["<rules>" + "no tabs " * 400, "Fix the login test first.", *("word " * 100 for _ in range(10))]
    found = await bob("fit", None, Asked(bodies=[{"role": "user", "content": text} for text in posted]))
    assert found.changed(len(posted))
    assert 1 in found.items
    await bob.close()


async def test_a_message_that_cannot_be_read_leaves_the_hosts_list_alone(fake: Fake, sync: bool) -> None:
    bob = await keeper(fake, sync)
    odd = [{"role": "user", "content": {1, 2}}]
    assert (await bob("fit", SCOPE, Asked(bodies=odd))).items == [0]
    assert await bob("keep", SCOPE, odd) is False
    assert bob.kind.counters["unreadable"] == 2
    assert fake.asked == []
    await bob.close()


async def test_a_deletion_of_what_is_not_there_is_done(fake: Fake, sync: bool) -> None:
    bob = await keeper(fake, sync)
    fake.answers["x"] = (404, {"error": {"code": "not_found", "message": "no"}})
    assert await bob("forget", SCOPE, "x") is True
    fake.answers["x"] = (503, {"error": {"code": "store_unavailable", "message": "no"}})
    assert await bob("forget", SCOPE, "x") is False
    await bob.close()


def test_each_event_loop_has_connections_of_its_own(fake: Fake) -> None:
    """Fails if a program that calls `asyncio.run` twice meets a connection of the first loop."""
    bob = Keeper(Daemon(url=fake.url))

    async def once() -> bool:
        done = await bob.keep(SCOPE, LIST)
        await bob.close()
        return done

    assert asyncio.run(once())
    assert asyncio.run(once())


def test_an_owner_is_one_for_all_or_found_in_what_the_host_knows() -> None:
    assert scope_of("me", None, "c") == Scope(conversation_id="c", user_id="me")
    assert scope_of(user_id_in, {"user_id": 7}, "c") == Scope(conversation_id="c", user_id="7")
    assert scope_of(user_id_in, None, "c") is None
    assert scope_of(user_id_in, {"user_id": "u"}, None) is None
    assert scope_of(lambda context: context.absent, object(), "c") is None
    assert set(hosting.FIELDS) == {EXPAND, SEARCH}

"""Two users with the same conversation id and the same message ids never see each other's bytes (I6)."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bobctx import keys, runtime
from bobctx.settings import Settings
from tests.integration.api.conftest import BASE, CONVERSATION, Api, InProcess
from tests.integration.api.contexts import Said, compiled, tell

WORDS = ("alpha", "beta", "gamma")
USERS = ("u1", "u2")
FILLER = "lorem ipsum dolor " * 30

ONE = {"conversation_id": "c1"}
TASK = {"task": "never open the alpha beta gamma gate for u1 u2 secret", "include_episodes": True, "multi_hop": True}
POSTED = {"id": "m1", "role": "user", "content": "?"}

turns = st.tuples(st.sampled_from(USERS), st.integers(0, 5), st.sampled_from(WORDS))
steps = st.lists(
    st.one_of(
        st.tuples(st.just("record"), turns),
        st.tuples(st.just("delete"), turns),
        st.tuples(st.just("pin"), turns),
        st.tuples(st.just("compact"), turns),
        st.tuples(st.just("mode"), turns),
        st.tuples(st.just("erase"), turns),
    ),
    min_size=4,
    max_size=14,
)


def mark(user: str, number: int, word: str) -> str:
    """A text that only this user ever wrote."""
    return f"Never open the {word} gate for {user}-secret-{number}."


async def act(http: httpx.AsyncClient, kind: str, user: str, number: int, word: str) -> None:
    """One change, as `user`."""
    if kind == "record":
        body = {
            "user_id": user,
            "messages": [
                {"id": f"m{number}", "role": "user", "content": f"{mark(user, number, word)} {FILLER}"},
                {"id": f"r{number}", "role": "assistant", "content": f"ok {user}-secret"},
            ],
        }
        assert (await http.post(f"{CONVERSATION}/messages", json=body)).status_code == 200
    elif kind == "delete":
        await http.delete(f"{CONVERSATION}/messages/m{number}", params={"user_id": user})
    elif kind == "pin":
        await http.post(f"{CONVERSATION}/pins", json={"user_id": user, "text": mark(user, number, word)})
    elif kind == "compact":
        await http.post(f"{CONVERSATION}/compact", json={"user_id": user})
    elif kind == "mode":
        await http.post(f"{CONVERSATION}/mode", json={"user_id": user, "mode": "shadow" if number % 2 else "live"})
    elif number == 0:
        await http.delete(CONVERSATION, params={"user_id": user})


async def everything(http: httpx.AsyncClient, user: str) -> str:
    """All bytes that any reading route gives `user`."""
    query = {"user_id": user}
    answers = [
        await http.get("/v1/conversations", params=query),
        await http.get(f"/v1/users/{user}/export"),
        *[await http.get(f"{CONVERSATION}/{r}", params=query) for r in ("messages", "claims", "chain", "pins")],
        await http.get(f"{CONVERSATION}/compactions", params={**query, "rejected": "true"}),
        await http.post(f"{CONVERSATION}/assemble", json={**query, "window": 2048}),
        await http.post(f"{CONVERSATION}/assemble", json={**query, "append": [{"role": "user", "content": "?"}]}),
        await http.post(f"{CONVERSATION}/assemble", json={**query, "messages": [POSTED]}),
        *[await http.post(f"{CONVERSATION}/search", json={**query, "query": w}) for w in (*WORDS, "secret", "gate")],
        *[await http.post(f"{CONVERSATION}/expand", json={**query, "ids": [i]}) for i in ("m1", "m2", "m1..m9", "r1")],
        *[await http.get("/v1/conflicts", params={**query, **c}) for c in ({}, ONE)],
        *[await http.get("/v1/stats/overview", params={**query, **c}) for c in ({}, ONE)],
        *[await http.post("/v1/context/compile", json={**query, **c, **TASK}) for c in ({}, ONE)],
        await http.put(f"{CONVERSATION}/spine", json={**query, "messages": [{"id": "m1", "sha256": "0" * 64}]}),
    ]  # fmt: skip
    for answer in answers:
        assert answer.status_code in (200, 404), answer.text
    return "\n".join(a.text for a in answers)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(plan=steps)
def test_no_route_shows_a_user_what_the_other_wrote(plan: list[Any], tmp_path_factory: Any) -> None:
    """Fails if any query of the store forgets the user: `m1` of both would then be one message."""
    folder: Path = tmp_path_factory.mktemp("lane")

    async def run() -> None:
        lane = Settings(db=folder / "l" / "b.db", compactor_region_tokens=500)
        async with runtime.open(lane, dispatcher=InProcess(), background=False) as opened:
            transport = httpx.ASGITransport(opened.app, raise_app_exceptions=False)
            headers = {"authorization": f"Bearer {keys.default_key(lane.keys_path)}"}
            async with httpx.AsyncClient(transport=transport, base_url=BASE, headers=headers) as http:
                for kind, (user, number, word) in plan:
                    await act(http, kind, user, number, word)
                for mine, other in (USERS, reversed(USERS)):
                    seen = (await everything(http, mine)).replace(str(TASK["task"]), "")
                    assert f"{other}-secret" not in seen
                    assert f'"user_id":"{other}' not in seen

    asyncio.run(run())


async def test_same_ids_of_two_users_hold_their_own_bytes(api: Api) -> None:
    for user in USERS:
        await api.record({"id": "m1", "role": "user", "content": f"text of {user}"}, user=user)
    for user in USERS:
        (found,) = await api.expand("m1", user=user)
        assert found["content"] == f"text of {user}"
    await api.http.delete(f"{CONVERSATION}/messages/m1", params={"user_id": "u1"})
    assert await api.count("u1") == 0
    assert (await api.expand("m1", user="u2"))[0]["content"] == "text of u2"


async def test_no_number_of_an_alias_leads_into_another_conversation(api: Api) -> None:
    """Fails if an alias is only added to a row number: a large one is then a message of somebody else."""
    for user in ("u1", "u2", "u3"):
        await api.record({"id": "a", "role": "user", "content": f"text of {user}"}, user=user)
    for number in (0, *(n << 32 | 1 for n in range(1, 4)), 10**18, 10**30):
        found = await api.http.delete(f"{CONVERSATION}/messages/m{number}", params={"user_id": "u1"})
        assert found.status_code == 404
        body = {"user_id": "u1", "ids": [f"m{number}"]}
        assert (await api.http.post(f"{CONVERSATION}/expand", json=body)).status_code == 404
    for user in ("u1", "u2", "u3"):
        assert (await api.expand("a", user=user))[0]["content"] == f"text of {user}"


ABOUT_ONE: dict[str, dict[str, Any]] = {
    "POST /v1/conversations/{cid}/assemble": {},
    "GET /v1/conversations/{cid}/messages": {},
    "DELETE /v1/conversations/{cid}/messages/{message_id}": {},
    "POST /v1/conversations/{cid}/expand": {"ids": ["a"]},
    "POST /v1/conversations/{cid}/search": {"query": "text"},
    "POST /v1/conversations/{cid}/compact": {},
    "GET /v1/conversations/{cid}/claims": {},
    "GET /v1/conversations/{cid}/compactions": {},
    "GET /v1/conversations/{cid}/chain": {},
    "POST /v1/context/compile": {"conversation_id": "{cid}", "task": "text"},
    "POST /v1/context/{context_id}/feedback": {"outcome": "used"},
    "GET /v1/inspect/{trace_id}": {},
    "GET /v1/stats/overview": {"conversation_id": "{cid}"},
    "GET /v1/conflicts": {"conversation_id": "{cid}"},
    "POST /v1/conflicts/{conflict_id}": {"conversation_id": "{cid}"},
    "DELETE /v1/conflicts/{conflict_id}": {},
    "DELETE /v1/conversations/{cid}": {},
    "POST /v1/conversations/{cid}/mode": {"mode": "fit"},
    "POST /v1/conversations/{cid}/pins": {"text": "x"},
    "GET /v1/conversations/{cid}/pins": {},
    "DELETE /v1/conversations/{cid}/pins/{pin_id}": {},
    "DELETE /v1/conversations/{cid}/speakers/{speaker}": {},
    "POST /v1/conversations/{cid}/alias": {"alias": "later"},
    "GET /v1/conversations/{cid}/alias": {},
    "POST /v1/conversations/{cid}/egress": {"egress": "cloud_ok", "ids": ["a"]},
    "POST /v1/conversations/{cid}/compare": {"summary": "text"},
}
"""Every call about one conversation, or a thing in one, and what it takes."""
MAKING: dict[str, dict[str, Any]] = {
    "POST /v1/conversations/{cid}/messages": {"messages": [{"id": "a", "role": "user", "content": "text of u2"}]},
    "POST /v1/conversations/{cid}/transcript": {"format": "codex", "text": ""},
    "PUT /v1/conversations/{cid}/spine": {"messages": [{"id": "a", "sha256": "0" * 64}]},
}
"""Those for which a conversation need not be there: what they reach is the caller's own of that name."""


def operations(app: Any) -> set[str]:
    document = app.openapi()
    return {f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item}


async def asked(api: Api, call: str, names: dict[str, str], user: str, more: dict[str, Any]) -> httpx.Response:
    method, path = call.split(" ")
    more = {k: v.format(**names) if isinstance(v, str) else v for k, v in {"user_id": user, **more}.items()}
    given: dict[str, Any] = {"params": more} if method in ("GET", "DELETE") else {"json": more}
    return await api.http.request(method, path.format(**names), **given)


async def test_every_call_about_a_conversation_is_known_to_these_tests(api: Api) -> None:
    """Fails when a route is added: is what it finds its caller's own?"""
    others = {call for call in operations(api.runtime.app) if "{user_id}" in call or "/v1/" not in call}
    service = {"GET /v1/status", "GET /v1/tools", "GET /v1/access", "GET /v1/conversations"}
    assert operations(api.runtime.app) - others - service == ABOUT_ONE.keys() | MAKING.keys()


async def names_of_everything(api: Api) -> dict[str, str]:
    """A conversation of `u1` with a name for each kind of thing in it, all of them real."""
    ports: list[Said] = [("user", f"text of u1: the checkout port is {n}", "fact") for n in (9443, 9444)]
    await tell(api, ports)
    await api.record({"id": "a", "role": "user", "content": "text of u1", "speaker": "ann"})
    pin = (await api.http.post(f"{CONVERSATION}/pins", json={"user_id": "u1", "text": "pinned by u1"})).json()
    context = await compiled(api, "checkout port")
    trace = (await api.http.post(f"{CONVERSATION}/assemble", json={"user_id": "u1"})).json()["trace_id"]
    [conflict] = (await api.http.get("/v1/conflicts", params={"user_id": "u1"})).json()["conflicts"]
    things = {
        name: found[name] for name, found in (("context_id", context), ("conflict_id", conflict), ("pin_id", pin))
    }
    return {**things, "trace_id": trace, "cid": "c1", "message_id": "a", "speaker": "ann"}


async def everything_of(api: Api, user: str) -> list[str]:
    """What is stored for a user, but for the log of who read it."""
    await api.runtime.lane.assembler.traces.settle()  # traces are written behind the answers
    await api.runtime.lane.compiler.traces.settle()
    text = (await api.http.get(f"/v1/users/{user}/export")).text
    return [line for line in text.splitlines() if '"kind":"access"' not in line]


@pytest.mark.parametrize("call", ABOUT_ONE)
async def test_what_is_anothers_is_not_found_and_stays_as_it_is(api: Api, call: str) -> None:
    """Fails if an id alone leads to what it names: a session key that is used again, an id from somebody's log."""
    names = await names_of_everything(api)
    await api.record({"id": "own", "role": "user", "content": "hello"}, user="u3")  # under the same name
    before = await everything_of(api, "u1")
    assert any("text of u1" in line for line in before)
    for user in ("u2", "u3"):
        answer = await asked(api, call, names, user, ABOUT_ONE[call])
        assert answer.status_code == 404 or (user == "u3" and answer.status_code == 200), answer.text
        for kept in ("text of u1", "pinned by u1", r"\b944[34]\b"):  # whole: a random id may hold the digits
            assert not re.search(kept, answer.text)
    assert await everything_of(api, "u1") == before


@pytest.mark.parametrize("call", MAKING)
async def test_recording_under_anothers_name_reaches_ones_own_conversation_of_that_name(api: Api, call: str) -> None:
    names = await names_of_everything(api)
    before = await everything_of(api, "u1")
    answer = await asked(api, call, names, "u2", MAKING[call])
    assert answer.status_code == 200, answer.text
    assert "text of u1" not in answer.text
    assert await everything_of(api, "u1") == before


async def test_who_opted_out_and_in_again_starts_anew_whatever_the_host_still_sends(api: Api) -> None:
    """Fails if claims, search or prompts know what was said before, or the host's old list brings it back."""
    before = [m for n in range(12) for m in turn(n, f"Never restart the {mark('u1', n, 'alpha')} {FILLER * 3}")]
    await api.record(*before)
    await api.http.post(f"{CONVERSATION}/compact", json={"user_id": "u1"})
    assert "u1-secret" in (await api.http.get(f"{CONVERSATION}/claims", params={"user_id": "u1"})).text
    receipt = (await api.http.delete("/v1/users/u1")).json()["deleted"]
    assert (receipt["messages"], receipt["residue"]) == (24, 0)
    assert receipt["claims"] > 0
    after = [m for n in range(50, 62) for m in turn(n, f"Never close the harbour gate {n}. {FILLER * 3}")]
    found = await api.record(*before, *after)
    assert (found["indexed"], found["ignored"]) == (24, 24)
    await api.http.post(f"{CONVERSATION}/compact", json={"user_id": "u1"})
    claims = (await api.http.get(f"{CONVERSATION}/claims", params={"user_id": "u1"})).text
    assert "harbour gate 5" in claims
    assert "u1-secret" not in await everything(api.http, "u1") + claims


async def test_a_message_that_is_taken_back_takes_its_claims_and_no_others_with_it(api: Api) -> None:
    """Also where the host sends it again with its next list, and another run compacts what is left."""
    turns = [m for n in range(12) for m in turn(n, f"Never open gate-{n} of the harbour. {FILLER * 3}")]
    await api.record(*turns)
    await api.http.post(f"{CONVERSATION}/compact", json={"user_id": "u1"})

    async def known() -> set[str]:
        claims = (await api.http.get(f"{CONVERSATION}/claims", params={"user_id": "u1"})).json()["claims"]
        return {word for c in claims for word in c["text"].split() if word.startswith("gate-")}

    whole = await known()
    assert {"gate-5", "gate-6"} <= whole
    await api.http.delete(f"{CONVERSATION}/messages/q5", params={"user_id": "u1"})
    assert await known() <= whole - {"gate-5"}
    assert (await api.record(*turns))["ignored"] == 1
    await api.http.post(f"{CONVERSATION}/compact", json={"user_id": "u1"})
    assert await known() == whole - {"gate-5"}
    prompt = await api.http.post(f"{CONVERSATION}/assemble", json={"user_id": "u1", "window": 2_048})
    assert "gate-5" not in prompt.text


def turn(number: int, text: str) -> list[dict[str, Any]]:
    said = {"id": f"q{number}", "role": "user", "content": text}
    return [said, {"id": f"r{number}", "role": "assistant", "content": "Understood."}]


@pytest.mark.parametrize(
    "call", [call for call in ABOUT_ONE if "{cid}" in call or "conversation_id" in ABOUT_ONE[call]]
)
async def test_a_foreign_conversation_and_a_missing_one_are_the_same_404(api: Api, call: str) -> None:
    names = await names_of_everything(api)
    foreign = await asked(api, call, names, "u2", ABOUT_ONE[call])
    missing = await asked(api, call, {**names, "cid": "nowhere"}, "u1", ABOUT_ONE[call])
    assert (foreign.status_code, missing.status_code) == (404, 404)
    assert foreign.json()["error"] == missing.json()["error"]

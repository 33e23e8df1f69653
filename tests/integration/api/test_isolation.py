"""Two users with the same conversation id and the same message ids never see each other's bytes (I6)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bobctx import keys, runtime
from bobctx.settings import Settings
from tests.integration.api.conftest import BASE, CONVERSATION, Api, InProcess

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


@pytest.mark.parametrize(
    ("method", "path", "more"),
    [
        ("POST", "/expand", {"ids": ["a"]}),
        ("POST", "/search", {"query": "text"}),
        ("POST", "/assemble", {}),
        ("POST", "/compact", {}),
        ("POST", "/mode", {"mode": "fit"}),
        ("POST", "/pins", {"text": "x"}),
        ("GET", "/messages", {}),
        ("GET", "/claims", {}),
        ("GET", "/chain", {}),
        ("GET", "/compactions", {}),
        ("GET", "/pins", {}),
        ("GET", "/alias", {}),
        ("DELETE", "", {}),
        ("DELETE", "/messages/a", {}),
    ],
)
async def test_a_foreign_conversation_and_a_missing_one_are_the_same_404(
    api: Api, method: str, path: str, more: dict[str, Any]
) -> None:
    await api.record({"id": "a", "role": "user", "content": "text of u1"})
    answers = []
    for cid, user in (("c1", "u2"), ("nowhere", "u1")):
        asked: dict[str, Any] = {"params": {"user_id": user}}
        if method == "POST":
            asked = {"json": {"user_id": user, **more}}
        answers.append(await api.http.request(method, f"/v1/conversations/{cid}{path}", **asked))
    assert [a.status_code for a in answers] == [404, 404]
    assert answers[0].json()["error"] == answers[1].json()["error"]

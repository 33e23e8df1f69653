"""Who may see what, for how long, under which name; and who looked."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest
import structlog

from bobctx import keys, logs
from tests.integration.api.conftest import CONVERSATION, Api, Open

U = {"user_id": "u1"}
DAY = 86_400.0


def said(number: int, text: str, role: str = "user", **more: Any) -> dict[str, Any]:
    return {"id": f"a{number}", "role": role, "content": text, **more}


async def post(api: Api, path: str, **body: Any) -> Any:
    return await api.http.post(f"{CONVERSATION}{path}", json={**U, **body})


# -- further names -------------------------------------------------------------------------


async def test_a_further_name_reaches_the_same_history_and_is_stored(open_api: Open) -> None:
    api = await open_api()
    await api.record(said(0, "the gate is on port 9443"))
    answer = await post(api, "/alias", alias="session-2")
    assert answer.json() == {"conversation_id": "c1", "aliases": ["session-2"]}
    assert (await post(api, "/alias", alias="session-2")).status_code == 200
    body = {**U, "messages": [said(1, "noted", "assistant")]}
    found = await api.http.post("/v1/conversations/session-2/messages", json=body)
    assert found.json()["conversation"]["conversation_id"] == "c1"
    listed = (await api.http.get("/v1/conversations", params=U)).json()["conversations"]
    assert [(c["conversation_id"], c["messages"]) for c in listed] == [("c1", 2)]
    lane = api.runtime.lane
    lane.aliases.clear()
    await lane.load_aliases()  # as at a start
    assert lane.resolve("session-2", "u1").conversation_id == "c1"


async def test_under_its_new_session_id_a_host_gets_the_claims_and_finds_the_originals_of_the_old_one(
    api: Api,
) -> None:
    """Fails if any call takes the name as it is: claims would be orphaned, and recall would search a stale history."""
    rule = "Never enable zeta-sync on the billing cluster."
    long = "It is a long story about the harbour. " * 30
    turns = [said(n, f"{n} {long}", "assistant" if n % 2 else "user") for n in range(2, 80)]
    await api.record(said(0, "Good morning."), said(1, "Good morning.", "assistant"), *turns[:6],
                     said(900, rule), said(901, "Understood.", "assistant"), *turns[6:])  # fmt: skip
    await post(api, "/compact")
    await post(api, "/alias", alias="session-2")
    new = "/v1/conversations/session-2"
    turn = {"role": "user", "content": "Which clusters may I sync?"}
    found = await api.http.post(f"{new}/assemble", json={**U, "window": 8_192, "append": [turn]})
    assert rule in str(found.json()["messages"])
    recorded = await api.http.post(f"{new}/messages", json={**U, "messages": [said(902, "The old pier is number 17.")]})
    assert recorded.json()["conversation"]["conversation_id"] == "c1"
    for name in ("session-2", "c1"):
        here = f"/v1/conversations/{name}"
        for query, expected in (("zeta-sync", "a900"), ("pier", "a902")):
            hits = (await api.http.post(f"{here}/search", json={**U, "query": query})).json()["hits"]
            assert [hit["id"] for hit in hits] == [expected]
        read = await api.http.post(f"{here}/expand", json={**U, "ids": ["a900", "a902"]})
        assert [m["content"] for m in read.json()["messages"]] == [rule, "The old pier is number 17."]
    listed = (await api.http.get("/v1/conversations", params=U)).json()["conversations"]
    assert [(c["conversation_id"], c["aliases"]) for c in listed] == [("c1", ["session-2"])]
    bound = (await api.http.get(f"{new}/alias", params=U)).json()
    assert bound == {"conversation_id": "c1", "aliases": ["session-2"]}
    others = (await api.http.get("/v1/conversations", params={"user_id": "u2"})).json()["conversations"]
    assert others == []


async def test_a_name_in_use_is_refused_and_another_users_name_is_free(api: Api) -> None:
    await api.record(said(0, "hello"))
    await api.http.post("/v1/conversations/c2/messages", json={**U, "messages": [said(0, "other")]})
    for taken in ("c2", "c1"):
        answer = await post(api, "/alias", alias=taken)
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conflict")
    await post(api, "/alias", alias="again")
    other = await api.http.post("/v1/conversations/c2/alias", json={**U, "alias": "again"})
    assert other.status_code == 409
    await api.record(said(0, "hello"), user="u2")
    assert (await api.http.post(f"{CONVERSATION}/alias", json={"user_id": "u2", "alias": "c2"})).status_code == 200
    stranger = await api.http.get("/v1/conversations/again/messages", params={"user_id": "u2"})
    assert stranger.status_code == 404


async def test_deleted_text_sent_again_under_a_further_name_does_not_come_back(api: Api) -> None:
    await api.record(said(0, "hello"), said(1, "forget me", "assistant"))
    await post(api, "/alias", alias="again")
    await api.http.delete(CONVERSATION, params=U)
    body = {**U, "messages": [said(0, "hello"), said(1, "forget me", "assistant")]}
    answer = await api.http.post("/v1/conversations/again/messages", json=body)
    assert (answer.json()["indexed"], answer.json()["ignored"]) == (0, 2)


# -- egress ----------------------------------------------------------------------------------


async def test_the_log_says_what_an_operator_did_and_not_that_originals_were_read(api: Api) -> None:
    await api.record(said(0, "hello"))
    with structlog.testing.capture_logs() as lines:
        assert (await post(api, "/egress", egress="cloud_ok", ids=["m1"])).json()["changed"] == 1
        await post(api, "/expand", ids=["m1"])
    assert [(line["event"], line["route"]) for line in lines if "route" in line] == [
        (logs.OPERATOR_ACCESS, "egress:cloud_ok"),
        (logs.ACCESS, "expand"),
    ]


async def test_only_an_operator_raises_a_class_and_it_is_noted(api: Api) -> None:
    await api.record(said(0, "hello"), said(1, "hi", "assistant"), backend="ollama")
    path = api.runtime.settings.keys_path
    gateway = keys.add(path, "gw", "gateway")
    async with api.with_key(gateway) as http:
        assert (await http.post(f"{CONVERSATION}/egress", json={**U, "egress": "cloud_ok"})).status_code == 403
    assert (await post(api, "/egress", egress="cloud_ok", ids=["a1", "nope"])).status_code == 404
    assert (await post(api, "/egress", egress="cloud_ok", ids=["a1"])).json()["changed"] == 1
    assert (await post(api, "/egress", egress="cloud_ok")).json()["changed"] == 1
    entries = (await api.http.get("/v1/access", params=U)).json()["entries"]
    assert [(e["action"], e["ids"], e["role"]) for e in entries if e["action"].startswith("egress")] == [
        ("egress:cloud_ok", ["a0"], "operator"),
        ("egress:cloud_ok", ["a1"], "operator"),
    ]


async def test_a_message_cannot_raise_its_own_class(api: Api) -> None:
    answer = await post(api, "/messages", messages=[said(0, "hello", egress="cloud_ok")])
    assert answer.status_code == 422


# -- who read originals --------------------------------------------------------------------------


async def test_reads_of_originals_are_noted_by_id_and_nobody_can_change_the_log(api: Api) -> None:
    await api.record(said(0, "the canary word is xylophone"))
    gateway = keys.add(api.runtime.settings.keys_path, "gw", "gateway")
    async with api.with_key(gateway) as http:
        await http.post(f"{CONVERSATION}/expand", json={**U, "ids": ["m1"]})
        await http.post(f"{CONVERSATION}/search", json={**U, "query": "xylophone"})
        await http.get(f"{CONVERSATION}/messages", params=U)
        assert (await http.get("/v1/access")).status_code == 403
    await api.http.get(f"{CONVERSATION}/messages", params=U)
    await api.http.get("/v1/users/u1/export")
    entries = (await api.http.get("/v1/access", params=U)).json()["entries"]
    assert [(e["principal"], e["action"], e["ids"]) for e in entries] == [
        ("default", "export", []),
        ("default", "messages", ["a0"]),
        ("gw", "search", ["a0"]),
        ("gw", "expand", ["a0"]),
    ]
    with closing(sqlite3.connect(api.runtime.settings.db_path)) as conn:
        assert "xylophone" not in repr(conn.execute("SELECT * FROM access_log").fetchall())
        for statement in ("DELETE FROM access_log", "UPDATE access_log SET principal = 'x'"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                conn.execute(statement)


# -- retention -------------------------------------------------------------------------------------


async def test_retention_deletes_what_is_too_old_now_and_at_every_look(api: Api) -> None:
    from bobctx.api.upkeep import Upkeep

    now = api.runtime.lane.clock.now()
    await api.record(
        said(0, "old enough to go", created_at=now - 40 * DAY), said(1, "young", created_at=now - DAY), said(2, "new")
    )
    answer = await api.http.put("/v1/users/u1/retention", json={"max_age_days": 30})
    assert answer.json()["deleted"]["messages"] == 1
    assert (await api.http.get("/v1/users/u1/retention")).json()["max_age_days"] == 30
    assert await api.count() == 2
    await api.http.put("/v1/users/u1/retention", json={"max_age_days": 0.5})
    assert await api.count() == 1
    await api.http.put("/v1/users/u1/retention", json={"max_age_days": None})
    await api.record(said(3, "ancient", created_at=1.0))
    assert await Upkeep(api.runtime.lane, every_s=60).once()
    assert await api.count() == 2
    assert b"old enough to go" not in api.runtime.settings.db_path.read_bytes()


# -- pins ------------------------------------------------------------------------------------------


async def test_pins_beyond_their_share_of_the_block_are_refused(open_api: Open) -> None:
    api = await open_api(window=16_000)
    await api.record(said(0, "hello"))
    room = api.runtime.lane.pin_room(None)
    text = "the gate listens on port 9443 " * 40
    answers = [await post(api, "/pins", text=f"{n} {text}") for n in range(8)]
    codes = [answer.status_code for answer in answers]
    assert codes[0] == 200
    assert codes[-1] == 409
    assert answers[-1].json()["error"]["code"] == "pins_full"
    assert 100 < room < 1_000
    kept = (await api.http.get(f"{CONVERSATION}/pins", params=U)).json()["pins"]
    assert len(kept) == codes.count(200)
    await api.http.delete(f"{CONVERSATION}/pins/{kept[0]['pin_id']}", params=U)
    assert (await post(api, "/pins", text=f"again {text}")).status_code == 200


async def test_a_pin_says_who_pinned_it(api: Api) -> None:
    await api.record(said(0, "hello"))
    user = keys.add(api.runtime.settings.keys_path, "ann", "user", user_id="u1")
    async with api.with_key(user) as http:
        assert (await http.post(f"{CONVERSATION}/pins", json={"text": "mine"})).json()["by"] == "user"
    assert (await post(api, "/pins", text="ours")).json()["by"] == "operator"


async def test_a_pin_stands_in_every_prompt_that_leaves_something_out_and_in_no_other(open_api: Open) -> None:
    """Fails if a pin waits for the first claims, or if a conversation that fits is sent as anything but itself."""
    api = await open_api(window=16_000)
    await api.record(said(0, "hello"), said(1, "hi", "assistant"), said(2, "how are you"))
    await post(api, "/pins", text="Answer in French.")
    whole = (await post(api, "/assemble")).json()
    assert [m["content"] for m in whole["messages"]] == ["hello", "hi", "how are you"]
    long = "It is a long story about the harbour. " * 60
    turns = [said(n, f"{n} {long}", "user" if n % 2 else "assistant") for n in range(3, 60)]
    await api.record(*turns)
    first = (await post(api, "/assemble")).json()
    assert first["decision"]["claims_shown"] == 0
    assert sum("- pinned by operator: Answer in French." in str(m["content"]) for m in first["messages"]) == 1
    again = (await post(api, "/assemble", messages=first["messages"])).json()
    assert again["messages"] == first["messages"], "assembling twice gives the same"


async def test_a_run_that_outlasts_the_wait_is_answered_and_not_kept(
    open_api: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    import asyncio

    api = await open_api(compact_wait_s=0.01)
    await api.record(said(0, "hello"), said(1, "hi", "assistant"))
    go = asyncio.Event()
    real = api.runtime.compactor.run_now

    async def slow(*args: Any, **more: Any) -> Any:
        await go.wait()
        return await real(*args, **more)

    monkeypatch.setattr(api.runtime.compactor, "run_now", slow)
    headers = {"idempotency-key": "k"}
    answer = await api.http.post(f"{CONVERSATION}/compact", json=U, headers=headers)
    assert (answer.status_code, answer.json()["state"]) == (200, "running")
    assert "GET" in answer.json()["next"]
    go.set()
    api.runtime.lane.compacting._wait_s = 30
    answer = await api.http.post(f"{CONVERSATION}/compact", json=U, headers=headers)
    assert set(answer.json()) == {"regions", "chain"}
    assert "idempotent-replayed" not in answer.headers


# -- groups ----------------------------------------------------------------------------------------


async def test_what_one_speaker_said_goes_and_the_others_stay(api: Api) -> None:
    await api.record(
        said(0, "the launch is on friday", speaker="ann"),
        said(1, "my number is 5551234", speaker="bob"),
        said(2, "ok", "assistant"),
    )
    receipt = (await api.http.delete(f"{CONVERSATION}/speakers/bob", params=U)).json()["deleted"]
    assert (receipt["messages"], receipt["residue"]) == (1, 0)
    assert await api.count() == 2
    assert b"5551234" not in b"".join(p.read_bytes() for p in api.runtime.settings.db_path.parent.glob("b.db*"))


async def test_where_admins_are_named_only_their_rules_bind(open_api: Open) -> None:
    api = await open_api(compactor_region_tokens=2_000, admins=("ann",))
    filler = "We talked about many things that day. " * 30
    turns = []
    for number in range(30):
        speaker = "ann" if number % 2 else "bob"
        rule = f"Never enable feature-{number} on the billing cluster." if number in (10, 11) else filler
        turns += [said(2 * number, rule, speaker=speaker), said(2 * number + 1, f"Noted {number}.", "assistant")]
    await api.record(*turns)
    await post(api, "/compact")
    claims = (await api.http.get(f"{CONVERSATION}/claims", params=U)).json()["claims"]
    rules = {c["text"] for c in claims if c["type"] == "constraint"}
    assert any("feature-11" in text for text in rules)
    assert not any("feature-10" in text for text in rules)


# -- modes and pause -------------------------------------------------------------------------------


async def test_a_conversations_own_mode_and_pause(open_api: Open) -> None:
    api = await open_api(assemble_deadline_ms=30_000)
    await api.record(*(said(n, f"message {n}", "user" if n % 2 == 0 else "assistant") for n in range(4)))
    for mode in ("off", "fit", "shadow", "live"):
        assert (await post(api, "/mode", mode=mode)).json()["mode"] == mode
        decision = (await post(api, "/assemble")).json()["decision"]
        assert decision["mode"] == mode
    assert (await post(api, "/mode", paused=True)).json() == {"mode": "live", "paused": True}
    answer = await post(api, "/compact", force=False)
    assert answer.json()["regions"] == []


# -- secrets at the door -----------------------------------------------------------------------------


async def test_a_lane_without_secrets_stores_placeholders_and_nothing_else(open_api: Open) -> None:
    secret = "sk-proj-" + "aB3dE5gH7jK9mN1pQ3sT5vW7xY9z"
    api = await open_api(store_secrets=False)
    turn = {"role": "user", "content": f"the key is {secret}"}
    first = await api.record(turn, {"role": "assistant", "content": "noted"})
    again = await api.record(turn, {"role": "assistant", "content": "noted"})
    assert (first["indexed"], again["indexed"], again["unchanged"]) == (2, 0, 2)
    [found] = await api.expand("m1")
    assert found["content"].startswith("the key is <secret:openai:")
    files = b"".join(p.read_bytes() for p in api.runtime.settings.db_path.parent.glob("b.db*"))
    assert secret.encode() not in files


async def test_a_lane_that_stores_them_gives_them_back_to_their_owner(api: Api) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    await api.record(said(0, f"the token is {secret}"))
    assert secret in (await api.expand("a0"))[0]["content"]


# -- why nothing was compacted -----------------------------------------------------------------------


async def test_replies_and_status_say_why_and_what_to_do(open_api: Open) -> None:
    api = await open_api(compactor_enabled=False, background=True)
    found = await api.record(said(0, "hello"))
    assert (found["compaction"]["state"], found["compaction"]["reason"]) == ("off", "disabled")
    assert "BOBCTX_COMPACTOR_ENABLED" in found["compaction"]["fix"]
    status = (await api.http.get("/v1/status")).json()
    assert "BOBCTX_COMPACTOR_ENABLED" in status["compactor"]["fixes"]["disabled"]
    assert status["spend"]["day_cap_usd"] == 5.0

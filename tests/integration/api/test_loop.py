"""Record, read, search, assemble, compact, delete: the routes over the real store."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.integration.api.conftest import CONVERSATION, Api

U = {"user_id": "u1"}


def message(number: int, text: str, role: str = "user") -> dict[str, Any]:
    return {"id": f"a{number}", "role": role, "content": text}


async def fill(api: Api, exchanges: int, words: int = 120) -> None:
    """Exchanges with something to claim in each."""
    messages = []
    for number in range(exchanges):
        rule = f"Never deploy service-{number} to port {9000 + number} on Fridays. " + "filler words " * words
        messages += [message(2 * number, rule), message(2 * number + 1, f"Understood: {number}.", "assistant")]
    await api.record(*messages)


async def test_recording_says_what_it_did(api: Api) -> None:
    first = await api.record(message(0, "hello"), message(1, "hi", "assistant"))
    assert (first["indexed"], first["updated"], first["unchanged"]) == (2, 0, 0)
    assert first["conversation"]["leaf_id"] == "a1"
    assert first["ids"] == ["a0", "a1"]
    assert set(first["compaction"]) == {"state", "reason", "fix"}
    again = await api.record(message(0, "hello"), message(1, "hi", "assistant"))
    assert (again["indexed"], again["updated"], again["unchanged"]) == (0, 0, 2)
    edited = await api.record(message(1, "hi there", "assistant"))
    assert (edited["indexed"], edited["updated"]) == (0, 1)
    assert (await api.expand("a1"))[0]["content"] == "hi there"


async def test_pages_of_the_spine_hold_every_message_once(api: Api) -> None:
    await fill(api, 15, words=1)
    seen: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = (await api.http.get(f"{CONVERSATION}/messages", params={**U, "offset": offset, "limit": 7})).json()
        seen += [m["id"] for m in page["messages"]]
        offset = page["next_offset"]
    assert seen == [f"a{n}" for n in range(30)]


async def test_search_finds_and_expand_reads_back(api: Api) -> None:
    await fill(api, 5, words=1)
    hits = (await api.http.post(f"{CONVERSATION}/search", json={**U, "query": "service-3"})).json()["hits"]
    assert hits[0]["id"] == "a6"
    (found,) = await api.expand(hits[0]["alias"])
    assert "port 9003" in found["content"]


async def test_messages_without_ids_are_recorded_once_however_they_are_sent(api: Api) -> None:
    turn = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}]
    first = await api.record(*turn)
    assert first["indexed"] == 2
    assert (await api.record(*turn))["indexed"] == 0, "a repeated call"
    longer = [*turn, {"role": "user", "content": "three"}, {"role": "assistant", "content": "four"}]
    assert (await api.record(*longer))["indexed"] == 2, "the whole history again"
    more = await api.record({"role": "user", "content": "one"}, {"role": "assistant", "content": "two"})
    assert more["indexed"] == 2, "a new turn that looks like an old one"
    assert await api.count() == 6


async def test_compaction_makes_claims_that_assemble_shows(api: Api) -> None:
    await fill(api, 26, words=200)
    done = (await api.http.post(f"{CONVERSATION}/compact", json=U)).json()
    assert done["regions"]
    assert done["chain"]["break"] is None
    claims = (await api.http.get(f"{CONVERSATION}/claims", params=U)).json()
    assert claims["total"] == len(claims["claims"]) > 0
    chain = (await api.http.get(f"{CONVERSATION}/chain", params=U)).json()
    assert chain["trusted"] == len(chain["links"]) > 0
    rows = (await api.http.get(f"{CONVERSATION}/compactions", params=U)).json()["compactions"]
    assert len(rows) == chain["trusted"]
    body = {**U, "window": 8192, "tools": ["conv_expand"], "append": [{"role": "user", "content": "and now?"}]}
    found = (await api.http.post(f"{CONVERSATION}/assemble", json=body)).json()
    assert found["decision"]["mode"] == "live"
    assert found["decision"]["claims_shown"] > 0
    assert found["budget"]["used"] <= found["budget"]["history"]
    assert found["messages"][-1]["content"] == "and now?"
    assert any("region m" in str(m["content"]) and " [m" in str(m["content"]) for m in found["messages"])


async def test_a_plan_has_ids_and_the_block_but_no_contents(api: Api) -> None:
    await fill(api, 26, words=200)
    await api.http.post(f"{CONVERSATION}/compact", json=U)
    found = (await api.http.post(f"{CONVERSATION}/assemble", json={**U, "window": 8192, "return": "plan"})).json()
    assert found["messages"] == []
    assert {item["kind"] for item in found["plan"]} >= {"opening", "block", "tail"}


@pytest.mark.parametrize("mode", ["off", "fit", "shadow", "live"])
async def test_a_conversation_has_its_own_mode(api: Api, mode: str) -> None:
    await fill(api, 26, words=200)
    await api.http.post(f"{CONVERSATION}/compact", json=U)
    assert (await api.http.post(f"{CONVERSATION}/mode", json={**U, "mode": mode})).json()["mode"] == mode
    found = (await api.http.post(f"{CONVERSATION}/assemble", json={**U, "window": 8192})).json()
    assert found["decision"]["mode"] == mode
    assert (found["decision"]["claims_shown"] > 0) == (mode == "live")
    assert (len(found["messages"]) == 52) == (mode == "off")
    asked = (await api.http.post(f"{CONVERSATION}/assemble", json={**U, "window": 8192, "mode": "live"})).json()
    assert asked["decision"]["mode"] == mode, "a request never asks for more than the conversation allows"


async def test_pins_are_shown_listed_and_taken_away(api: Api) -> None:
    await fill(api, 26, words=200)
    pin = (await api.http.post(f"{CONVERSATION}/pins", json={**U, "text": "The launch is on 3 May."})).json()
    assert pin["by"] == "operator"
    listed = (await api.http.get(f"{CONVERSATION}/pins", params=U)).json()["pins"]
    assert [p["pin_id"] for p in listed] == [pin["pin_id"]]
    found = (await api.http.post(f"{CONVERSATION}/assemble", json={**U, "window": 8192})).json()
    assert any("The launch is on 3 May." in str(m["content"]) for m in found["messages"])
    assert (await api.http.delete(f"{CONVERSATION}/pins/{pin['pin_id']}", params=U)).status_code == 200
    assert (await api.http.get(f"{CONVERSATION}/pins", params=U)).json()["pins"] == []
    assert (await api.http.delete(f"{CONVERSATION}/pins/{pin['pin_id']}", params=U)).status_code == 404


async def test_a_claim_can_be_pinned_by_its_alias(api: Api) -> None:
    await fill(api, 26, words=200)
    await api.http.post(f"{CONVERSATION}/compact", json=U)
    claim = (await api.http.get(f"{CONVERSATION}/claims", params=U)).json()["claims"][0]
    pin = (await api.http.post(f"{CONVERSATION}/pins", json={**U, "claim_id": claim["alias"]})).json()
    assert (pin["claim_id"], pin["text"]) == (claim["id"], claim["text"])
    assert (await api.http.post(f"{CONVERSATION}/pins", json={**U, "claim_id": "r99.c1"})).status_code == 404
    assert (await api.http.post(f"{CONVERSATION}/pins", json=U)).status_code == 422


async def test_a_deleted_message_is_gone_and_its_claims_too(api: Api) -> None:
    await fill(api, 26, words=200)
    await api.http.post(f"{CONVERSATION}/compact", json=U)
    claims = (await api.http.get(f"{CONVERSATION}/claims", params=U)).json()["claims"]
    cited = claims[0]["cites"][0]
    ident = (await api.expand(cited))[0]["id"]
    receipt = (await api.http.delete(f"{CONVERSATION}/messages/{ident}", params=U)).json()["deleted"]
    assert receipt["messages"] == 1
    assert (await api.http.post(f"{CONVERSATION}/expand", json={**U, "ids": [ident]})).status_code == 404
    left = (await api.http.get(f"{CONVERSATION}/claims", params=U)).json()["claims"]
    assert claims[0]["text"] not in [c["text"] for c in left]


async def test_a_deleted_conversation_is_gone(api: Api) -> None:
    await fill(api, 3, words=1)
    assert (await api.http.delete(CONVERSATION, params=U)).json()["deleted"]["messages"] == 6
    assert await api.count() == 0
    for body, route in (({"query": "service-1"}, "search"), ({"ids": ["m1"]}, "expand")):
        assert (await api.http.post(f"{CONVERSATION}/{route}", json={**U, **body})).status_code == 404


async def test_the_spine_route_names_what_is_missing_or_different(api: Api) -> None:
    await api.record(message(0, "hello"))
    page = (await api.http.get(f"{CONVERSATION}/messages", params=U)).json()
    assert page["total"] == 1
    snapshot = await api.runtime.store.snapshot(_scope())
    body = {
        **U,
        "messages": [
            {"id": "a0", "sha256": snapshot.spine.hashes[0]},
            {"id": "a1", "sha256": "0" * 64},
        ],
    }
    assert (await api.http.put(f"{CONVERSATION}/spine", json=body)).json() == {"missing": ["a1"]}
    body["messages"] = [{"id": "a0", "sha256": "1" * 64}]
    assert (await api.http.put(f"{CONVERSATION}/spine", json=body)).json() == {"missing": ["a0"]}


def _scope() -> Any:
    from bobctx.core.types import Scope

    return Scope(conversation_id="c1", user_id="u1")


async def test_listing_tools_status_health_and_metrics(api: Api) -> None:
    await fill(api, 2, words=1)
    rows = (await api.http.get("/v1/conversations", params=U)).json()["conversations"]
    assert [(r["conversation_id"], r["messages"]) for r in rows] == [("c1", 4)]
    for dialect in ("openai", "anthropic", "responses", "gemini"):
        assert "conv_expand" in (await api.http.get("/v1/tools", params={"dialect": dialect})).text
    status = (await api.http.get("/v1/status")).json()
    assert status["store"]["ok"] is True
    assert status["compactor"]["seat"] == "extractive"
    assert (await api.http.get("/healthz")).json() == {"ok": True, "reason": None}
    assert (await api.http.get("/readyz")).json() == {"ok": True, "reason": None}
    assert 'bobctx_messages_recorded_total{outcome="indexed"} 4.0' in (await api.http.get("/metrics")).text
    assert "<script" not in (await api.http.get("/docs")).text


async def test_with_the_module_off_assemble_gives_the_last_messages(open_api: Any) -> None:
    api = await open_api(context_fit_enabled=False)
    await fill(api, 40, words=1)
    found = (await api.http.post(f"{CONVERSATION}/assemble", json={**U, "window": 8192})).json()
    assert found["decision"]["mode"] == "legacy"
    assert len(found["messages"]) == 20


@pytest.mark.parametrize("cid", ["guild/channel", "a b", "50%", "a/b?c#d", "日本語", "..", "a%2Fb", "//"])
async def test_any_printable_conversation_id_can_be_used(api: Api, cid: str) -> None:
    """Also one with slashes, and it is never confused with another."""
    from urllib.parse import quote

    path = f"/v1/conversations/{quote(cid, safe='')}"
    path = path.replace("/..", "/%2E%2E")
    done = await api.http.post(f"{path}/messages", json={**U, "messages": [message(0, "hello")]})
    assert done.status_code == 200, done.text
    assert done.json()["conversation"]["conversation_id"] == cid
    assert (await api.http.get(f"{path}/messages", params=U)).json()["total"] == 1
    assert (await api.http.delete(f"{path}/messages/a0", params=U)).status_code == 200
    rows = (await api.http.get("/v1/conversations", params=U)).json()["conversations"]
    assert [r["conversation_id"] for r in rows] in ([cid], [])


async def test_a_user_gets_everything_out_and_everything_erased(api: Api) -> None:
    await fill(api, 3, words=1)
    await api.record(message(0, "of another"), user="u2")
    export = await api.http.get("/v1/users/u1/export")
    items = [json.loads(line) for line in export.text.splitlines()]
    assert export.headers["content-type"].startswith("application/x-ndjson")
    assert sum(item["kind"] == "message" for item in items) == 6
    assert "of another" not in export.text
    assert (await api.http.delete("/v1/users/u1")).json()["deleted"]["messages"] == 6
    assert await api.count() == 0
    assert await api.count("u2") == 1
    assert (await api.record(message(0, "back again?")))["ignored"] == 1, "tombstones keep it away"
    assert (await api.http.delete("/v1/users/nobody")).status_code == 404


async def test_what_one_speaker_said_can_be_deleted(api: Api) -> None:
    await api.record(
        {"id": "a0", "role": "user", "speaker": "ann", "content": "mine"},
        {"id": "b0", "role": "user", "speaker": "ben", "content": "mine too"},
    )
    path = f"{CONVERSATION}/speakers/ann"
    assert (await api.http.delete(path, params=U)).json()["deleted"]["messages"] == 1
    assert [m["id"] for m in await api.expand("b0")] == ["b0"]
    assert await api.count() == 1
    assert (await api.http.delete(path, params=U)).status_code == 404

"""Claims that contradict one another: shown together or not at all, until somebody decides; traces and figures."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx import keys
from bobctx.store import shortlist
from tests.integration.api.conftest import Api
from tests.integration.api.contexts import SINCE, Said, compiled, tell

PORTS: list[Said] = [
    ("user", "The checkout port is 8080.", "fact"),
    ("user", "The checkout port is 9090.", "fact"),
]


async def listed(api: Api, **params: str) -> list[dict[str, Any]]:
    answer = await api.http.get("/v1/conflicts", params={"user_id": "u1", **params})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["conflicts"]
    return found


async def reasons(api: Api, made: dict[str, Any]) -> dict[str, str]:
    answer = await api.http.get(f"/v1/inspect/{made['context_id']}", params={"user_id": "u1"})
    return {c["claim_id"]: c["reason"] for c in answer.json()["claims"]}


async def test_both_sides_are_shown_disputed_and_score_higher(api: Api) -> None:
    ids = await tell(api, PORTS)
    made = await compiled(api, "checkout port")
    assert {i["claim_id"] for i in made["items"]} == set(ids)
    for item in made["items"]:
        assert (item["status"], item["score_components"]["conflict"]) == ("disputed", 1)
        assert item["line"].endswith("(disputed)")
    assert {(c["claim_id"], c["reason"]) for c in made["conflicts"]} == {(i, "contradicting_evidence") for i in ids}
    assert made["conflicts"][0]["evidence_ids"] == ["x0", "x1"]
    assert set((await reasons(api, made)).values()) == {"conflict_disputed"}


async def test_the_other_side_comes_along_even_where_words_do_not_find_it(api: Api) -> None:
    ids = await tell(api, PORTS)
    made = await compiled(api, "8080")
    assert {i["claim_id"] for i in made["items"]} == set(ids)
    assert made["meta"]["candidates"] == 1


async def test_both_sides_or_neither(api: Api) -> None:
    ids = await tell(api, PORTS)
    counter = await api.runtime.lane.counting.counter()
    for tokens in range(128, 200):
        made = await compiled(api, "checkout port", max_tokens=tokens)
        assert {i["claim_id"] for i in made["items"]} in (set(), set(ids))
        assert counter.count(made["text"]) <= tokens


async def test_block_hides_both_and_says_so(api: Api) -> None:
    ids = await tell(api, [*PORTS, ("user", "The checkout page is green.", "fact")])
    made = await compiled(api, "checkout port", conflicts="block")
    assert [i["claim_id"] for i in made["items"]] == [ids[2]]
    assert (made["status"], made["conflicts"]) == ("degraded", [])
    assert made["warnings"] == ["open_conflict: 2 claim(s) hidden pending conflict resolution"]
    found = await reasons(api, made)
    assert (found[ids[0]], found[ids[1]]) == ("conflict_open", "conflict_open")


ECHOED: list[Said] = [
    ("user", "The checkout port is 8080.", "fact"),
    ("user", "The current checkout port must be 8080.", "fact"),
    ("user", "The checkout port is 9090.", "fact"),
]
"""One side says its value twice."""


async def test_a_value_that_was_said_twice_is_shown_once_and_disputed(api: Api) -> None:
    ids = await tell(api, ECHOED)
    made = await compiled(api, "checkout port")
    assert {i["claim_id"]: i["status"] for i in made["items"]} == {ids[1]: "disputed", ids[2]: "disputed"}
    assert set((await reasons(api, made)).values()) == {"conflict_disputed"}
    for tokens in range(128, 200):
        small = await compiled(api, "checkout port", max_tokens=tokens)
        assert {i["claim_id"] for i in small["items"]} in (set(), {ids[1], ids[2]})


async def test_block_hides_what_only_repeats_a_side_too(api: Api) -> None:
    await tell(api, ECHOED)
    await tell(api, ECHOED, conversation="c2")
    for conversation in ("c1", None):
        made = await compiled(api, "checkout port", conflicts="block", conversation=conversation)
        assert made["items"] == []


async def test_a_decision_is_about_every_claim_of_the_values_that_lost(api: Api) -> None:
    ids = await tell(api, ECHOED)
    (conflict,) = await listed(api)
    path = f"/v1/conflicts/{conflict['conflict_id']}"
    answer = await api.http.post(path, json={"user_id": "u1", "keep": ids[2]})
    assert sorted(answer.json()["lost"]) == sorted(ids[:2])
    assert await listed(api) == []
    assert [i["claim_id"] for i in (await compiled(api, "checkout port"))["items"]] == [ids[2]]


async def test_a_side_is_named_by_its_id_where_an_alias_names_two(api: Api) -> None:
    await tell(api, PORTS[:1])
    (new,) = await tell(api, PORTS[1:], conversation="c2")
    (conflict,) = await listed(api)
    path = f"/v1/conflicts/{conflict['conflict_id']}"
    answer = await api.http.post(path, json={"user_id": "u1", "keep": "r1.c1"})
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "keep")
    assert (await api.http.post(path, json={"user_id": "u1", "keep": new})).status_code == 200


async def test_a_decision_can_be_withdrawn(api: Api) -> None:
    ids = await tell(api, PORTS)
    (conflict,) = await listed(api)
    path = f"/v1/conflicts/{conflict['conflict_id']}"
    await api.http.post(path, json={"user_id": "u1", "keep": ids[1]})
    answer = await api.http.get("/v1/conflicts", params={"user_id": "u1"})
    (decided,) = answer.json()["decided"]
    assert (decided["conflict_id"], decided["keep"], decided["lost"]) == (conflict["conflict_id"], ids[1], [ids[0]])
    assert (await api.http.delete(path, params={"user_id": "u2"})).status_code == 404
    assert (await api.http.delete(path, params={"user_id": "u1"})).status_code == 200
    assert [c["conflict_id"] for c in await listed(api)] == [conflict["conflict_id"]]
    assert len((await compiled(api, "checkout port"))["items"]) == 2
    assert (await api.http.delete(path, params={"user_id": "u1"})).status_code == 404


async def test_no_hash_of_a_deleted_claim_stays_in_a_decision(api: Api) -> None:
    """Fails if only a deletion of the whole conversation looked at decisions."""
    ids = await tell(api, PORTS)
    (conflict,) = await listed(api)
    await api.http.post(f"/v1/conflicts/{conflict['conflict_id']}", json={"user_id": "u1", "keep": ids[0]})
    answer = await api.http.delete("/v1/conversations/c1/messages/x0", params={"user_id": "u1"})
    assert answer.status_code == 200
    rows = await api.runtime.store._database.read(
        lambda conn: conn.execute("SELECT keep, lost_json FROM resolutions").fetchall()
    )
    assert ids[0] not in str(rows)


async def test_an_operator_decides_for_one_side(api: Api) -> None:
    ids = await tell(api, PORTS)
    (conflict,) = await listed(api, conversation_id="c1")
    assert [s["claim"] for s in conflict["sides"]] == [text for _, text, _ in PORTS]
    path = f"/v1/conflicts/{conflict['conflict_id']}"
    answer = await api.http.post(path, json={"user_id": "u1", "conversation_id": "c1", "keep": "r1.c2"})
    assert answer.json() == {"conflict_id": conflict["conflict_id"], "keep": ids[1], "lost": [ids[0]]}
    assert await listed(api) == []
    made = await compiled(api, "checkout port")
    assert [(i["claim_id"], i["status"]) for i in made["items"]] == [(ids[1], "active")]
    assert (await reasons(api, made))[ids[0]] == "superseded"
    assert (await api.http.post(path, json={"user_id": "u1", "keep": ids[1]})).status_code == 404


async def test_an_operator_may_say_that_both_hold(api: Api) -> None:
    await tell(api, PORTS)
    (conflict,) = await listed(api)
    answer = await api.http.post(f"/v1/conflicts/{conflict['conflict_id']}", json={"user_id": "u1"})
    assert answer.status_code == 200
    made = await compiled(api, "checkout port", conversation=None)
    assert [i["status"] for i in made["items"]] == ["active", "active"]


async def test_where_both_hold_a_restatement_opens_nothing_again(api: Api) -> None:
    """Fails when a decision is about two claims instead of a subject and its values."""
    await tell(api, PORTS)
    (conflict,) = await listed(api)
    path = f"/v1/conflicts/{conflict['conflict_id']}"
    await api.http.post(path, json={"user_id": "u1"})
    await tell(api, [("user", "The port of the checkout is 8080.", "fact")], since=SINCE + 1000)
    assert await listed(api) == []
    made = await compiled(api, "checkout port")
    assert {i["status"] for i in made["items"]} == {"active"}
    await tell(api, [("user", "The port of the checkout is 7070.", "fact")], since=SINCE + 2000)
    assert len(await listed(api)) == 1


async def test_a_value_that_lost_is_open_again_once_it_is_said_again_and_can_lose_again(api: Api) -> None:
    """Fails when the second decision forgets what the first one decided against, in this conversation or another."""
    old, kept = await tell(api, PORTS)
    (conflict,) = await listed(api)
    path = f"/v1/conflicts/{conflict['conflict_id']}"
    await api.http.post(path, json={"user_id": "u1", "keep": kept})
    (again,) = await tell(api, [("user", "The port of the checkout is 8080.", "fact")], conversation="c2")
    assert [c["conflict_id"] for c in await listed(api)] == [conflict["conflict_id"]]
    answer = await api.http.post(path, json={"user_id": "u1", "keep": kept})
    assert answer.json()["lost"] == [again]
    assert await listed(api) == []
    for conversation in ("c1", None):
        made = await compiled(api, "checkout port", conversation=conversation)
        assert [i["claim_id"] for i in made["items"]] == [kept]
    (third,) = await tell(api, [("user", "The port of checkout must be 8080.", "fact")], conversation="c3")
    assert (await api.http.post(path, json={"user_id": "u1", "keep": third})).json()["lost"] == [kept]
    assert {i["claim_id"] for i in (await compiled(api, "checkout port", conversation=None))["items"]} == {
        old, again, third
    }  # fmt: skip


async def test_what_lost_takes_no_place_of_what_holds(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails when the newest claims of a word are cut before those that lost are taken out."""
    monkeypatch.setattr("bobctx.store.finding.ROWS_A_TERM", 1)
    old, _ = await tell(api, PORTS)
    (conflict,) = await listed(api)
    await api.http.post(f"/v1/conflicts/{conflict['conflict_id']}", json={"user_id": "u1", "keep": old})
    assert [i["claim_id"] for i in (await compiled(api, "checkout port"))["items"]] == [old]


async def test_a_later_correction_decides(api: Api) -> None:
    ids = await tell(api, PORTS)
    await tell(api, [("user", "The checkout port is 9090.", "correction")], supersedes={0: ids[0]})
    assert await listed(api) == []


async def test_conflicts_across_conversations_and_never_across_users(api: Api) -> None:
    await tell(api, PORTS[:1])
    await tell(api, PORTS[1:], user="u2")
    assert await listed(api) == []
    await tell(api, PORTS[1:], conversation="c2")
    assert len(await listed(api)) == 1
    assert await listed(api, conversation_id="c1") == []


async def test_only_operators_decide(api: Api) -> None:
    await tell(api, PORTS)
    (conflict,) = await listed(api)
    key = keys.add(api.runtime.settings.keys_path, "gw", "gateway")
    async with api.with_key(key) as http:
        answer = await http.post(f"/v1/conflicts/{conflict['conflict_id']}", json={"user_id": "u1"})
    assert answer.status_code == 403


async def test_figures_are_null_where_nothing_was_measured(api: Api) -> None:
    await tell(api, PORTS)
    stats = (await api.http.get("/v1/stats/overview", params={"user_id": "u1"})).json()
    assert (stats["contexts"], stats["injection_rate"], stats["hit_rate"], stats["feedback"]) == (0, None, None, None)
    assert (stats["claims"], stats["conflicts_open"]) == (2, 1)


async def test_the_injection_rate_is_the_share_of_contexts_that_served_something(api: Api) -> None:
    await tell(api, PORTS)
    for task in ("checkout", "port", "zebra", "quokka"):
        await compiled(api, task)
    stats = (await api.http.get("/v1/stats/overview", params={"user_id": "u1"})).json()
    assert (stats["contexts"], stats["injection_rate"], stats["hit_rate"]) == (4, 0.5, 0.5)
    other = (await api.http.get("/v1/stats/overview", params={"user_id": "u2"})).json()
    assert (other["contexts"], other["claims"]) == (0, 0)


async def test_a_foreign_trace_is_a_404(api: Api) -> None:
    await tell(api, PORTS)
    made = await compiled(api, "checkout")
    answer = await api.http.get(f"/v1/inspect/{made['context_id']}", params={"user_id": "u2"})
    assert answer.status_code == 404


@pytest.mark.parametrize("path", ["/v1/conflicts", "/v1/stats/overview"])
async def test_an_unknown_or_foreign_conversation_is_the_same_404(api: Api, path: str) -> None:
    await tell(api, PORTS)
    await tell(api, PORTS, user="u2", conversation="c2")
    bodies = set()
    for conversation in ("c2", "nowhere"):
        answer = await api.http.get(path, params={"user_id": "u1", "conversation_id": conversation})
        assert answer.status_code == 404
        bodies.add(str(answer.json()["error"]))
    assert len(bodies) == 1


async def test_the_reasons_of_an_assembly_are_found_again(api: Api) -> None:
    ids = await tell(api, PORTS, importance=3)
    filler = [{"role": "user" if i % 2 == 0 else "assistant", "content": f"{i} " + "lorem " * 300} for i in range(40)]
    await api.record(*filler)
    answer = await api.http.post("/v1/conversations/c1/assemble", json={"user_id": "u1", "window": 8192})
    found = answer.json()
    assert found["decision"]["claims_shown"] == 2
    trace = (await api.http.get(f"/v1/inspect/{found['trace_id']}", params={"user_id": "u1"})).json()
    assert trace["kind"] == "assemble"
    assert {c["claim_id"]: c["reason"] for c in trace["claims"]} == dict.fromkeys(ids, "top_score")
    vote = {"user_id": "u1", "outcome": "used", "claim_id": ids[0]}
    assert (await api.http.post(f"/v1/context/{found['trace_id']}/feedback", json=vote)).status_code == 200


async def test_what_an_operator_decided_against_leaves_the_next_prompt(api: Api) -> None:
    """Fails when a prompt goes on showing both sides, from memory or from the store, after one was decided against."""
    await tell(api, PORTS)
    later = [{"id": f"w{i}", "role": ("user", "assistant")[i % 2], "content": "small talk " * 300} for i in range(40)]
    answer = await api.http.post("/v1/conversations/c1/messages", json={"user_id": "u1", "messages": later})
    assert answer.status_code == 200

    async def prompt() -> str:
        body = {"user_id": "u1", "window": 16_384, "tools": ["conv_expand"]}
        made = await api.http.post("/v1/conversations/c1/assemble", json=body)
        return "\n".join(str(m["content"]) for m in made.json()["messages"])

    before = await prompt()
    assert all(text in before for _, text, _ in PORTS)
    (conflict,) = await listed(api)
    decided = {"user_id": "u1", "keep": "r1.c2"}
    await api.http.post(f"/v1/conflicts/{conflict['conflict_id']}", json=decided)
    for _ in range(2):
        after = await prompt()
        assert PORTS[1][1] in after
        assert PORTS[0][1] not in after
        api.runtime.lane.assembler.forget(None)
    listed_claims = (await api.http.get("/v1/conversations/c1/claims", params={"user_id": "u1"})).json()["claims"]
    assert [c["active"] for c in listed_claims] == [False, True]


async def test_what_an_operator_decided_outlives_the_conversation_of_the_other_side(api: Api) -> None:
    """Fails if the decision went with the conversation it was kept beside: the claim that lost would hold again."""
    (old,) = await tell(api, PORTS[:1])
    (new,) = await tell(api, PORTS[1:], conversation="c2")
    (conflict,) = await listed(api)
    answer = await api.http.post(f"/v1/conflicts/{conflict['conflict_id']}", json={"user_id": "u1", "keep": new})
    assert answer.json()["lost"] == [old]
    assert (await api.http.delete("/v1/conversations/c2", params={"user_id": "u1"})).status_code == 200
    assert (await compiled(api, "checkout port"))["items"] == []
    active = await api.http.get("/v1/conversations/c1/claims", params={"user_id": "u1", "active": "true"})
    assert active.json()["claims"] == []


async def test_a_decision_goes_with_the_last_claim_that_it_is_about(api: Api) -> None:
    await tell(api, PORTS[:1])
    (new,) = await tell(api, PORTS[1:], conversation="c2")
    (conflict,) = await listed(api)
    await api.http.post(f"/v1/conflicts/{conflict['conflict_id']}", json={"user_id": "u1", "keep": new})
    for conversation in ("c2", "c1"):
        await api.http.delete(f"/v1/conversations/{conversation}", params={"user_id": "u1"})
    database = api.runtime.store._database
    assert await database.read(lambda conn: conn.execute("SELECT count(*) FROM resolutions").fetchone()[0]) == 0


LATER = 4_000_000_000.0


async def test_what_does_not_hold_yet_disputes_nothing_and_cannot_be_kept(api: Api) -> None:
    """Fails when a listing looks at other claims than a compile: a decision for one would hide what holds."""
    await tell(api, PORTS[:1])
    await tell(api, PORTS[1:], conversation="c2", since=LATER)
    assert await listed(api) == []
    stats = (await api.http.get("/v1/stats/overview", params={"user_id": "u1"})).json()
    assert stats["conflicts_open"] == 0
    made = await compiled(api, "checkout port", conversation=None)
    assert [i["status"] for i in made["items"]] == ["active"]
    assert made["budget"]["omitted"] == 0


async def test_that_all_sides_hold_outlives_the_conversation_it_was_said_in(api: Api) -> None:
    for number in range(4):
        await tell(api, [PORTS[number % 2]], conversation=f"c{number}", since=1_700_000_000.0 + number)
    (conflict,) = await listed(api)
    path = f"/v1/conflicts/{conflict['conflict_id']}"
    assert (await api.http.post(path, json={"user_id": "u1", "keep": None})).status_code == 200

    async def decided() -> list[str]:
        answer = await api.http.get("/v1/conflicts", params={"user_id": "u1"})
        return [d["conversation_id"] for d in answer.json()["decided"]]

    for anchor in ("c2", "c0"):  # c0 says the same as c2, so both sides are still there
        assert await decided() == [anchor]
        await api.http.delete(f"/v1/conversations/{anchor}", params={"user_id": "u1"})
        assert await listed(api) == []
    assert await decided() == []


async def test_what_is_barred_on_one_subject_widens_no_other(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails when later claims elsewhere let older sides of this subject in."""
    monkeypatch.setattr(shortlist, "SIDES_A_SUBJECT", 3)
    degrees: list[Said] = [
        ("user", f"The boiler temperature is {30 if i < 2 else 20} degrees.", "fact") for i in range(5)
    ]
    for number, said in enumerate(degrees):
        await tell(api, [said], conversation=f"c{number}", since=1_700_000_000.0 + number)
    gates: list[Said] = [("user", f"The garden gate {n} opens at {n}:00.", "fact") for n in range(5)]

    async def shown() -> set[tuple[str, str]]:
        made = await compiled(api, "boiler temperature degrees", conversation=None)
        return {(i["conversation_id"], i["status"]) for i in made["items"]}

    before = await shown()
    await tell(api, gates, conversation="later", since=LATER)
    assert await shown() == before

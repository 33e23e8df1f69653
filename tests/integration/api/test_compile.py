"""Compile over HTTP: scope first, then rank, then pack; a reason for every claim; foreign rows change nothing."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from bobctx.core.context import INSTRUCTIONS, POLICY_SNAPSHOT
from tests.integration.api.conftest import Api, Open
from tests.integration.api.contexts import Said, compiled, tell

FACTS: list[Said] = [
    ("user", "The checkout service listens on port 8080.", "fact"),
    ("assistant", "Deploy smoke tests run before release.", "decision"),
    ("tool", "The ledger database has 12 shards.", "fact"),
    ("user", "Never deploy the checkout service on Friday.", "constraint"),
]


def lasting(answer: dict[str, Any]) -> str:
    """An answer without its ids of the moment."""
    meta = {k: v for k, v in answer["meta"].items() if k != "request_id"}
    return json.dumps({**{k: v for k, v in answer.items() if k != "context_id"}, "meta": meta}, sort_keys=True)


def reasons(trace: dict[str, Any]) -> dict[str, str]:
    return {c["claim_id"]: c["reason"] for c in trace["claims"]}


async def inspect(api: Api, trace_id: str, user: str = "u1") -> Any:
    answer = await api.http.get(f"/v1/inspect/{trace_id}", params={"user_id": user})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_the_answer_has_the_shape_and_the_score_behind_every_item(api: Api) -> None:
    await tell(api, FACTS)
    found = await compiled(api, "deploy the checkout service safely", max_tokens=1200)
    assert found["context_id"].startswith("ctx_")
    assert len(found["context_id"]) == 36
    assert found["scope"] == {"user_id": "u1", "conversation_id": "c1"}
    assert (found["status"], found["warnings"], found["empty_reason"]) == ("ok", [], None)
    assert (found["instructions"], found["policy_snapshot"]) == (INSTRUCTIONS, POLICY_SNAPSHOT)
    assert found["meta"]["degraded"] == {"semantic": False, "vector": "disabled", "model": "disabled"}
    assert found["meta"]["candidates"] == 3
    assert found["items"][0]["claim"] == "Never deploy the checkout service on Friday."
    best = found["items"][0]
    assert best["score_components"]["relevance"] == 1
    assert (best["trust"], best["confidence"], best["status"]) == ("verified", 0.8, "active")
    assert best["valid_from"] == "2023-11-14T22:13:23.000Z"
    assert best["valid_to"] is None
    assert best["evidence_ids"] == ["x3"]
    assert [i["score"] for i in found["items"]] == sorted((i["score"] for i in found["items"]), reverse=True)
    assert found["budget"]["selected"] == 3
    assert found["budget"]["used_tokens"] > 0


async def test_spans_name_the_message_and_the_value(api: Api) -> None:
    await tell(api, FACTS)
    found = await compiled(api, "port of the checkout")
    (span,) = found["items"][0]["evidence"]
    assert span == {"message_id": "x0", "kind": "number", "literal": "8080", "start": 0, "end": 4}


async def test_an_empty_pack_is_a_success_with_an_id(api: Api) -> None:
    await tell(api, FACTS)
    found = await compiled(api, "zebra migration", max_tokens=128)
    assert (found["items"], found["text"], found["budget"]["used_tokens"]) == ([], "", 0)
    assert found["meta"]["candidates"] == 0
    assert (await compiled(api, "zebra migration"))["budget"]["max_tokens"] == 900
    assert (await inspect(api, found["context_id"]))["claims"] == []


async def test_word_forms_are_found(api: Api) -> None:
    await tell(api, FACTS)
    assert (await compiled(api, "deployed releases"))["items"]


async def test_characters_of_scripts_without_spaces_are_found(api: Api) -> None:
    await tell(api, [("user", "数据库的超时时间是30秒。", "fact")])
    assert (await compiled(api, "超时时间"))["items"]
    assert (await compiled(api, "秒"))["items"]


@pytest.mark.parametrize(
    "task",
    ['checkout" OR "ledger', "checkout AND (", "NEAR(checkout)", "scope : ac1 checkout*", "check\x00out checkout\x07"],
)
async def test_operators_and_control_characters_in_a_task_are_data(api: Api, task: str) -> None:
    await tell(api, FACTS)
    await tell(api, [("user", "The checkout of others has a secret.", "fact")], user="u2")
    found = await compiled(api, task)
    assert "secret" not in json.dumps(found)
    assert found["items"]


async def test_foreign_rows_change_no_byte(api: Api) -> None:
    await tell(api, FACTS)
    before = lasting(await compiled(api, "deploy the checkout service on Friday"))
    many: list[Said] = [("user", f"Deploy checkout number {i} on Friday.", "fact") for i in range(40)]
    await tell(api, many, user="u2")
    await tell(api, many, conversation="c2")
    assert lasting(await compiled(api, "deploy the checkout service on Friday")) == before


@pytest.mark.parametrize("conversation", ["c1", None])
async def test_what_may_not_leave_changes_no_byte_for_a_cloud_backend(api: Api, conversation: str | None) -> None:
    """Fails when local claims count in the totals, or local messages take the places of those that may be read."""
    cloud: dict[str, Any] = {"backend": "openai/gpt-5", "include_episodes": True, "conversation": conversation}
    await tell(api, FACTS, backend="openai/gpt-5")
    task = "deploy the checkout service on Friday"
    before = lasting(await compiled(api, task, **cloud))
    many: list[Said] = [("user", f"Deploy checkout service number {i} on Friday, at home.", "fact") for i in range(40)]
    await tell(api, many)
    for number in range(21):
        await tell(api, many[:1], conversation=f"home{number}")
    assert lasting(await compiled(api, task, **cloud)) == before
    assert "at home" in json.dumps(await compiled(api, task, conversation=conversation))


async def test_local_text_moves_no_conversation_for_a_cloud_backend(api: Api) -> None:
    """Fails when the newest conversations, or the order among equal hits, are told by local messages too."""
    cloud: dict[str, Any] = {"backend": "openai/gpt-5", "include_episodes": True, "conversation": None}
    said: Said = ("user", "The zebra migration runs at noon.", "fact")
    for number in range(22):
        await tell(api, [said], conversation=f"k{number:02}", backend="openai/gpt-5")
    before = lasting(await compiled(api, "zebra migration noon", **cloud))
    await tell(api, [("user", "Something private.", "fact")], conversation="k00")
    await tell(api, [("user", "Something private.", "fact")], conversation="k05")
    assert lasting(await compiled(api, "zebra migration noon", **cloud)) == before


async def test_all_conversations_of_one_user_and_of_no_other(api: Api) -> None:
    await tell(api, FACTS)
    await tell(api, [("user", "The checkout team meets on Monday.", "fact")], conversation="c2")
    await tell(api, [("user", "The checkout of others has a secret.", "fact")], user="u2")
    found = await compiled(api, "checkout", conversation=None)
    assert {i["conversation_id"] for i in found["items"]} == {"c1", "c2"}
    assert "secret" not in json.dumps(found)
    assert "c2 r1.c1 [fact]" in found["text"]


async def test_a_further_name_of_a_conversation_reaches_its_claims(api: Api) -> None:
    await tell(api, FACTS)
    await api.http.post("/v1/conversations/c1/alias", json={"user_id": "u1", "alias": "c1-again"})
    found = await compiled(api, "deploy the checkout service safely", conversation="c1-again")
    assert found["scope"] == {"user_id": "u1", "conversation_id": "c1"}
    assert found["items"]
    for listed in ("conflicts", "stats/overview"):
        answer = await api.http.get(f"/v1/{listed}", params={"user_id": "u1", "conversation_id": "c1-again"})
        assert answer.status_code == 200, answer.text


async def test_superseded_claims_are_named_with_their_reason_and_never_counted(api: Api) -> None:
    (old,) = await tell(api, [("user", "The checkout port is 8080.", "fact")])
    (new,) = await tell(api, [("user", "The checkout port is 9090.", "correction")], supersedes={0: old})
    found = await compiled(api, "checkout port")
    assert [i["claim_id"] for i in found["items"]] == [new]
    assert found["meta"]["candidates"] == 1
    assert reasons(await inspect(api, found["context_id"])) == {new: "top_score", old: "superseded"}


async def test_a_claim_whose_correction_is_not_trusted_any_more_is_possibly_superseded(api: Api) -> None:
    (old,) = await tell(api, [("user", "The checkout port is 8080.", "fact")])
    await tell(api, [("user", "The checkout port is 9090.", "correction")], supersedes={0: old})
    changed = {"id": "x2", "role": "user", "content": "Never mind that."}
    await api.record(changed)
    found = await compiled(api, "checkout port")
    assert (found["items"], found["meta"]["candidates"]) == ([], 0)
    assert reasons(await inspect(api, found["context_id"])) == {old: "possibly_superseded"}


async def test_claims_of_another_validator_are_named_and_not_served(api: Api) -> None:
    ids = await tell(api, FACTS[:1])
    await api.runtime.store._write(lambda tx: tx.conn.execute("UPDATE compactions SET validator_version = 'older'"))
    found = await compiled(api, "checkout port")
    assert (found["items"], found["meta"]["candidates"]) == ([], 0)
    assert reasons(await inspect(api, found["context_id"])) == {ids[0]: "untrusted_region"}


async def test_what_is_dated_in_the_future_does_not_hold_yet(api: Api) -> None:
    ids = await tell(api, FACTS[:1], since=4_000_000_000.0)
    found = await compiled(api, "checkout port")
    assert (found["items"], found["meta"]["candidates"]) == ([], 0)
    assert reasons(await inspect(api, found["context_id"])) == {ids[0]: "not_yet_valid"}


async def test_what_does_not_hold_yet_hides_and_moves_nothing(api: Api) -> None:
    """Fails when rows of a later time fill the shortlist or count in its statistics."""
    await tell(api, FACTS)
    before = (await compiled(api, "deploy the checkout service"))["items"]
    many: list[Said] = [("user", f"Deploy the checkout service number {i}.", "fact") for i in range(250)]
    await tell(api, many, since=4_000_000_000.0)
    found = await compiled(api, "deploy the checkout service")
    assert found["items"] == before
    assert found["meta"]["candidates"] == 3


async def test_what_two_users_make_in_turn_is_trimmed_for_both(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails when it is trimmed by a number that all users share: one of two would keep everything."""
    monkeypatch.setattr("bobctx.store.contexts.CONTEXTS_KEPT", 3)
    monkeypatch.setattr("bobctx.store.runs.RUNS_KEPT", 3)
    for user in ("u1", "u2"):
        await tell(api, FACTS, user=user)
    for _ in range(5):
        for user in ("u1", "u2"):
            await compiled(api, "checkout", user=user)
            await api.http.post("/v1/conversations/c1/assemble", json={"user_id": user, "window": 8192})
    for user in ("u1", "u2"):
        stats = (await api.http.get("/v1/stats/overview", params={"user_id": user})).json()
        assert (stats["contexts"], stats["assemblies"]) == (3, 3)


async def test_the_newest_contexts_of_a_user_are_kept(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails when traces are kept for ever, or when those of another user go with them."""
    monkeypatch.setattr("bobctx.store.contexts.CONTEXTS_KEPT", 5)
    await tell(api, FACTS)
    await tell(api, FACTS[:1], user="u2")
    other = await compiled(api, "checkout", user="u2")
    made = [await compiled(api, "checkout") for _ in range(99)]
    await api.runtime.lane.compiler.traces.settle()
    assert (await api.http.get("/v1/stats/overview", params={"user_id": "u1"})).json()["contexts"] == 5
    assert (await inspect(api, made[-1]["context_id"]))["claims"]
    assert (await inspect(api, other["context_id"], user="u2"))["claims"]
    gone = await api.http.get(f"/v1/inspect/{made[0]['context_id']}", params={"user_id": "u1"})
    assert gone.status_code == 404


async def test_the_budget_is_hard_and_items_go_in_whole(api: Api) -> None:
    many: list[Said] = [
        ("user", f"Checkout rule {i} says that batch {i} waits for the ledger.", "fact") for i in range(40)
    ]
    await tell(api, many)
    found = await compiled(api, "checkout rule", max_tokens=200)
    counter = await api.runtime.lane.counting.counter()
    assert counter.count(found["text"]) <= 200
    assert found["budget"]["used_tokens"] + found["budget"]["envelope_tokens"] <= 200
    assert all(item["line"] in found["text"] for item in found["items"])
    assert found["budget"]["omitted"] == 40 - len(found["items"])
    why = reasons(await inspect(api, found["context_id"])).values()
    assert set(why) == {"top_score", "over_budget"}


async def test_three_of_a_kind_is_a_setting(open_api: Open) -> None:
    api = await open_api(compile_per_kind=3)
    await tell(api, [("user", f"Checkout fact {i} is known.", "fact") for i in range(6)])
    found = await compiled(api, "checkout")
    assert len(found["items"]) == 3
    assert sorted(reasons(await inspect(api, found["context_id"])).values()) == ["kind_cap"] * 3 + ["top_score"] * 3


async def test_kinds_are_a_filter_of_the_query(api: Api) -> None:
    await tell(api, FACTS)
    found = await compiled(api, "deploy the checkout service", kinds=["constraint"])
    assert [i["kind"] for i in found["items"]] == ["constraint"]
    assert found["meta"]["candidates"] == 1


async def test_a_cloud_backend_is_given_no_local_text(api: Api) -> None:
    ids = await tell(api, FACTS)
    found = await compiled(api, "checkout service", backend="openai/gpt-5")
    assert (found["items"], found["meta"]["candidates"]) == ([], 0)
    assert reasons(await inspect(api, found["context_id"])) == {ids[0]: "egress", ids[3]: "egress"}
    await tell(api, [("user", "The checkout service is green.", "fact")], conversation="c2", backend="openai/gpt-5")
    assert (await compiled(api, "checkout service", conversation="c2", backend="openai/gpt-5"))["items"]


async def test_a_backend_whose_name_says_nothing_is_given_no_local_text_and_told_so(api: Api) -> None:
    """Fails if a guess lets local text out: `gpt-5` without its provider goes to a cloud too."""
    await tell(api, FACTS)
    backend: str | None
    for backend in ("gpt-5", "somecloud/gpt-5"):
        found = await compiled(api, "checkout service", backend=backend)
        assert found["items"] == []
        assert found["warnings"][0].startswith("unknown_backend: ")
    for backend in ("ollama/llama3", "local/mine", None):
        found = await compiled(api, "checkout service", backend=backend)
        assert found["items"]
        assert found["warnings"] == []


async def test_a_pinned_claim_goes_first_and_is_approved(api: Api) -> None:
    ids = await tell(api, FACTS)
    answer = await api.http.post("/v1/conversations/c1/pins", json={"user_id": "u1", "claim_id": ids[1]})
    assert answer.status_code == 200
    found = await compiled(api, "smoke of the checkout service")
    pinned = next(i for i in found["items"] if i["claim_id"] == ids[1])
    assert (pinned["trust"], pinned["score_components"]["trust"]) == ("policy_approved", 1)
    assert reasons(await inspect(api, found["context_id"]))[ids[1]] == "pinned"


async def test_episodes_take_what_claims_leave(api: Api) -> None:
    await tell(api, FACTS)
    found = await compiled(api, "checkout service port", include_episodes=True)
    assert found["episodes"][0]["message_id"] in ("x0", "x3")
    assert "excerpt" in found["episodes"][0]
    tight = await compiled(api, "checkout service port", include_episodes=True, max_tokens=128)
    counter = await api.runtime.lane.counting.counter()
    assert counter.count(tight["text"]) <= 128


async def test_at_most_eight_episodes(api: Api) -> None:
    await tell(api, [("user", f"Step {i} of the checkout is done.", "fact") for i in range(20)])
    found = await compiled(api, "checkout", include_episodes=True, max_tokens=32_000)
    assert len(found["episodes"]) == 8


async def test_another_hop_finds_what_shares_a_name(api: Api) -> None:
    ids = await tell(
        api,
        [("user", "The checkout is owned by Marisol.", "fact"), ("user", "Call Marisol on extension 4411.", "fact")],
    )
    plain = await compiled(api, "checkout ownership")
    assert [i["claim_id"] for i in plain["items"]] == [ids[0]]
    found = await compiled(api, "checkout ownership", multi_hop=True)
    assert {i["claim_id"] for i in found["items"]} == set(ids)
    assert reasons(await inspect(api, found["context_id"]))[ids[1]] == "multi_hop_expansion"
    assert [i["reason"] for i in found["items"]] == ["top_score", "multi_hop_expansion"]
    assert found["items"][1]["score_components"]["relevance"] == 0
    assert found["text"].splitlines()[1:] == [i["line"] for i in found["items"]]


async def test_another_hop_is_not_used_up_by_what_is_chosen_already(api: Api) -> None:
    """Fails when the five claims of a name are counted with those that the task found itself."""
    chosen: list[Said] = [("user", f"The checkout step {i} is owned by Marisol.", "fact") for i in range(6)]
    ids = await tell(api, [("user", "Call Marisol on extension 4411.", "fact"), *chosen])
    found = await compiled(api, "checkout step", multi_hop=True)
    assert {i["claim_id"] for i in found["items"]} == set(ids)


async def test_the_same_call_gives_the_same_pack(api: Api) -> None:
    await tell(api, FACTS)
    assert lasting(await compiled(api, "deploy checkout")) == lasting(await compiled(api, "deploy checkout"))


BAD: list[dict[str, Any]] = [
    {},
    {"task": ""},
    {"task": " \n\t"},
    {"task": "\x00\x07\u200b"},
    {"task": 7},
    {"task": "x" * 1_000_000},
    {"task": "x", "max_tokens": 127},
    {"task": "x", "max_tokens": 32_001},
    {"task": "x", "max_tokens": "900"},
    {"task": "x", "max_tokens": 900.5},
    {"task": "x", "kinds": ["gossip"]},
    {"task": "x", "kinds": []},
    {"task": "x", "conflicts": "ignore"},
    {"task": "x", "recall_floor": 0.4},
    {"task": "x", "recall_floor": -1},
    {"task": "x", "conversation_id": ""},
    {"task": "x", "conversation_id": "a\x00b"},
    {"task": "x", "include_checkpoints": True},
]


@pytest.mark.parametrize("more", BAD, ids=lambda more: json.dumps(more)[:40])
async def test_bad_input_is_refused_and_nothing_is_kept(api: Api, more: dict[str, Any]) -> None:
    await tell(api, FACTS)
    answer = await api.http.post("/v1/context/compile", json={"user_id": "u1", "conversation_id": "c1", **more})
    assert answer.status_code == 422, answer.text
    body = answer.json()
    assert set(body) == {"error", "request_id"}
    assert {"code", "message"} <= set(body["error"]) <= {"code", "message", "field", "data"}
    stats = await api.http.get("/v1/stats/overview", params={"user_id": "u1"})
    assert stats.json()["contexts"] == 0


async def test_an_unknown_or_foreign_conversation_is_the_same_404(api: Api) -> None:
    await tell(api, FACTS)
    for user, conversation in (("u2", "c1"), ("u1", "nowhere")):
        answer = await api.http.post(
            "/v1/context/compile", json={"user_id": user, "conversation_id": conversation, "task": "x"}
        )
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


async def test_deleted_text_is_in_no_trace(api: Api) -> None:
    await tell(api, FACTS)
    one = await compiled(api, "checkout", conversation=None)
    two = await compiled(api, "checkout")
    await api.http.delete("/v1/conversations/c1/messages/x0", params={"user_id": "u1"})
    for made in (one, two):
        answer = await api.http.get(f"/v1/inspect/{made['context_id']}", params={"user_id": "u1"})
        assert answer.status_code == 404
    found = json.dumps(await compiled(api, "checkout port"))
    assert not re.search(r"\b8080\b", found)  # whole: a random id may hold the digits

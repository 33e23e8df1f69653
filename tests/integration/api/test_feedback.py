"""Votes on contexts: what they move, what they never move, and what is refused."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from bobctx.core.feedback import REFUSAL
from tests.integration.api.conftest import Api
from tests.integration.api.contexts import Said, compiled, tell

FACTS: list[Said] = [
    ("user", "The checkout port is 8080.", "fact"),
    ("user", "The checkout port is 9090.", "fact"),
    ("user", "The ledger has a checkout page.", "fact"),
]


async def vote(api: Api, context_id: str, *, headers: dict[str, str] | None = None, **body: Any) -> httpx.Response:
    return await api.http.post(
        f"/v1/context/{context_id}/feedback", json={"user_id": "u1", **body}, headers=headers or {}
    )


def item(found: dict[str, Any], claim_id: str) -> dict[str, Any]:
    return next(i for i in found["items"] if i["claim_id"] == claim_id)


async def test_three_useful_tasks_move_utility_and_nothing_else(api: Api) -> None:
    ids = await tell(api, FACTS)
    before = item(await compiled(api, "checkout port"), ids[2])
    for number in range(3):
        made = await compiled(api, f"checkout port page {number}")
        answer = await vote(api, made["context_id"], outcome="useful", claim_id=ids[2])
        assert answer.status_code == 200
        after = item(await compiled(api, "checkout port"), ids[2])
        assert after["score_components"]["utility"] == (1 if number == 2 else 0.5)
    changed = {k for k in before if before[k] != after[k]}
    assert changed == {"score", "score_components"}
    assert after["score"] == pytest.approx(before["score"] + 0.05 * before["confidence"], abs=2e-6)


async def test_repeated_votes_for_one_task_count_once_and_the_latest_wins(api: Api) -> None:
    ids = await tell(api, FACTS)
    for outcome in ("useful", "useful", "useful", "harmful"):
        made = await compiled(api, "checkout port")
        assert (await vote(api, made["context_id"], outcome=outcome, claim_id=ids[2])).status_code == 200
    for task in ("checkout page", "ledger page"):
        made = await compiled(api, task)
        assert (await vote(api, made["context_id"], outcome="incorrect", claim_id=ids[2])).status_code == 200
    assert item(await compiled(api, "checkout port"), ids[2])["score_components"]["utility"] == 0


async def test_votes_on_prompts_count_by_the_message_or_query_they_were_made_for(api: Api) -> None:
    """Fails when all assemblies are one task: three of them would never move utility."""
    ids = await tell(api, FACTS[2:], importance=3)
    filler = [{"role": ("user", "assistant")[i % 2], "content": f"{i} " + "lorem " * 300} for i in range(40)]
    await api.record(*filler)

    async def judged(**more: Any) -> float:
        body = {"user_id": "u1", "window": 8192, **more}
        found = (await api.http.post("/v1/conversations/c1/assemble", json=body)).json()
        assert (await vote(api, found["trace_id"], outcome="useful", claim_id=ids[0])).status_code == 200
        utility: float = item(await compiled(api, "ledger"), ids[0])["score_components"]["utility"]
        return utility

    for _ in range(4):
        assert await judged() == 0.5
    await api.record({"id": "next", "role": "user", "content": "And now?"})
    assert await judged() == 0.5
    assert await judged(query="which ledger page") == 1


async def test_the_answer_names_what_is_kept(api: Api) -> None:
    ids = await tell(api, FACTS)
    made = await compiled(api, "checkout port")
    answer = (await vote(api, made["context_id"], outcome="used", claim_id=ids[0], reason_code="a" * 64)).json()
    assert answer["feedback_id"].startswith("fb_")
    assert (answer["context_id"], answer["claim_id"], answer["outcome"]) == (made["context_id"], ids[0], "used")
    assert answer["recorded_at"].endswith("Z")
    assert answer["meta"]["replayed"] is False


async def test_a_vote_on_the_whole_moves_no_claim(api: Api) -> None:
    ids = await tell(api, FACTS)
    for number in range(3):
        made = await compiled(api, f"checkout {number}")
        assert (await vote(api, made["context_id"], outcome="harmful")).json()["claim_id"] is None
    assert item(await compiled(api, "checkout"), ids[2])["score_components"]["utility"] == 0.5


async def test_an_empty_context_can_be_voted_on(api: Api) -> None:
    await tell(api, FACTS)
    made = await compiled(api, "zebra")
    assert (await vote(api, made["context_id"], outcome="irrelevant")).status_code == 200


async def test_anything_but_the_five_outcomes_is_refused(api: Api) -> None:
    await tell(api, FACTS)
    made = await compiled(api, "checkout")
    odd: list[Any] = ["Useful", "good", "", "used ", "x" * 5_000, None, 3, True, ["used"], {"used": 1}]
    for outcome in odd:
        answer = await vote(api, made["context_id"], outcome=outcome)
        assert (answer.status_code, answer.json()["error"]["message"]) == (422, REFUSAL)
        assert answer.json()["error"]["field"] == "outcome"
    missing = await vote(api, made["context_id"])
    assert (missing.status_code, missing.json()["error"]["message"]) == (422, REFUSAL)
    assert REFUSAL == 'Field "outcome" must be one of: used, useful, irrelevant, incorrect, harmful.'


@pytest.mark.parametrize(
    "more", [{"reason_code": "a" * 65}, {"reason_code": "a\x00"}, {"claim_id": 7}, {"outcome": None}, {"text": "x"}]
)
async def test_bad_votes_are_refused_and_nothing_is_kept(api: Api, more: dict[str, Any]) -> None:
    await tell(api, FACTS)
    made = await compiled(api, "checkout")
    answer = await vote(api, made["context_id"], **{"outcome": "used", **more})
    assert (answer.status_code, set(answer.json())) == (422, {"error", "request_id"})
    stats = (await api.http.get("/v1/stats/overview", params={"user_id": "u1"})).json()
    assert stats["feedback"] is None


async def test_what_was_not_in_the_context_is_an_ordinary_404(api: Api) -> None:
    ids = await tell(api, FACTS)
    other = await tell(api, [("user", "The checkout of others.", "fact")], user="u2")
    made = await compiled(api, "ledger page")
    assert [i["claim_id"] for i in made["items"]] == [ids[2]]
    answers = [
        await vote(api, made["context_id"], outcome="used", claim_id=ids[0]),
        await vote(api, made["context_id"], outcome="used", claim_id=other[0]),
        await vote(api, made["context_id"], outcome="used", claim_id="nothing"),
        await vote(api, "ctx_" + "0" * 32, outcome="used"),
        await vote(api, made["context_id"], outcome="used", user_id="u2"),
    ]
    shapes = {(a.status_code, a.json()["error"]["code"], a.json()["error"]["message"]) for a in answers}
    assert len(shapes) == 1
    assert next(iter(shapes))[:2] == (404, "not_found")


@pytest.mark.parametrize("how", ["header", "body"])
async def test_a_repeated_call_is_the_same_vote(api: Api, how: str) -> None:
    ids = await tell(api, FACTS)
    made = await compiled(api, "checkout")
    more: dict[str, Any] = {"client_mutation_id": "k1"} if how == "body" else {"headers": {"idempotency-key": "k1"}}
    first = (await vote(api, made["context_id"], outcome="used", claim_id=ids[2], **more)).json()
    again = (await vote(api, made["context_id"], outcome="used", claim_id=ids[2], **more)).json()
    assert again["feedback_id"] == first["feedback_id"]
    assert (first["meta"]["replayed"], again["meta"]["replayed"]) == (False, True)
    other = await vote(api, made["context_id"], outcome="harmful", claim_id=ids[2], **more)
    assert (other.status_code, other.json()["error"]["code"]) == (422, "idempotency_key_reused")


async def test_a_repeated_call_may_write_its_fields_in_another_order(api: Api) -> None:
    await tell(api, FACTS)
    made = await compiled(api, "checkout")
    path = f"/v1/context/{made['context_id']}/feedback"
    body = {"user_id": "u1", "outcome": "used", "client_mutation_id": "k1"}
    replayed = [
        (await api.http.post(path, json=dict(order))).json()["meta"]["replayed"]
        for order in (body.items(), reversed(body.items()))
    ]
    assert replayed == [False, True]


async def test_votes_are_kept_after_their_claim_was_replaced(api: Api) -> None:
    ids = await tell(api, FACTS[2:])
    made = await compiled(api, "checkout")
    await vote(api, made["context_id"], outcome="incorrect", claim_id=ids[0])
    await tell(api, [("user", "The ledger has no checkout page.", "correction")], supersedes={0: ids[0]})
    assert ids[0] not in [i["claim_id"] for i in (await compiled(api, "checkout"))["items"]]
    stats = (await api.http.get("/v1/stats/overview", params={"user_id": "u1", "conversation_id": "c1"})).json()
    assert stats["feedback"] == {"incorrect": 1}
    assert (await vote(api, made["context_id"], outcome="harmful", claim_id=ids[0])).status_code == 200

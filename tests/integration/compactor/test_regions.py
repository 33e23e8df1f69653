"""One region from messages to a link: what each kind of answer leads to, and what is never paid twice."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bobctx.compactor import run, wire
from bobctx.core import chain
from bobctx.errors import StoreUnavailable
from bobctx.ports import Job, SeatReply, SeatRequest
from tests.integration.compactor.conftest import RULE, SCOPE, Lane, talk

NOTHING = '{"claims": []}'


def quoting(request: SeatRequest, **changes: Any) -> str:
    """A good reply: the rule if it is in the region, else the first user message, word for word."""
    said = [m for m in request.region.messages if m.role == "user"]
    message = next((m for m in said if m.text == RULE), said[0])
    kind, importance = ("constraint", 3) if message.text == RULE else ("fact", 2)
    claim = {"id": "c1", "type": kind, "importance": importance, "text": message.text, "cites": [message.alias]}
    return json.dumps({"claims": [{**claim, "supersedes": None, **changes}]})


def wrong(request: SeatRequest) -> str:
    return quoting(request, text="Service svc-1 listens on port 9999.")


async def test_the_extractor_covers_everything_eligible_and_keeps_the_rule(lane: Lane) -> None:
    await lane.record(talk(60))
    answer = await lane.scheduler().run_now(SCOPE)
    assert {r["status"] for r in answer["regions"]} == {"shadow_ok"}
    assert answer["chain"]["break"] is None
    texts = [(c.text, c.type, c.importance) for row in await lane.chain() for c in row.claims]
    assert (RULE, "constraint", 3) in texts
    again = await lane.scheduler().run_now(SCOPE)
    assert again["regions"] == []


async def test_a_good_model_answer_is_one_call_a_region(lane: Lane) -> None:
    await lane.record(talk(60))
    answer = await lane.scheduler(seat=lane.model(quoting)).run_now(SCOPE)
    assert len(lane.dispatch.asked) == len(answer["regions"]) > 1
    assert all(r["claims"] == 1 and r["seat"] == "model" for r in answer["regions"])


async def test_no_claims_is_an_answer_and_the_chain_goes_on(lane: Lane) -> None:
    await lane.record(talk(40))
    answer = await lane.scheduler(seat=lane.model(lambda _: NOTHING)).run_now(SCOPE)
    assert {(r["status"], r["claims"]) for r in answer["regions"]} == {("shadow_ok", 0)}


async def test_reasons_go_back_once_and_a_better_answer_is_taken(lane: Lane) -> None:
    def script(request: SeatRequest) -> str:
        return quoting(request) if request.ask == "retry" else wrong(request)

    await lane.record(talk(17))
    answer = await lane.scheduler(seat=lane.model(script)).run_now(SCOPE)
    assert [r["status"] for r in answer["regions"]] == ["shadow_ok"]
    assert [j.ask for j in lane.dispatch.asked] == ["first", "retry"]
    assert lane.dispatch.asked[1].reasons


def forgetful(request: SeatRequest) -> str:
    """A valid reply that leaves the rule out."""
    message = next(m for m in request.region.messages if m.role == "user" and m.text != RULE)
    claim = {"id": "c1", "type": "fact", "importance": 2, "text": message.text, "cites": [message.alias]}
    return json.dumps({"claims": [{**claim, "supersedes": None}]})


async def test_a_prohibition_that_no_claim_carries_is_asked_for_once(lane: Lane) -> None:
    await lane.record(talk(17))
    seat = lane.model(lambda request: quoting(request) if request.ask == "re-ask" else forgetful(request))
    await lane.scheduler(seat=seat).run_now(SCOPE)
    assert [j.ask for j in lane.dispatch.asked] == ["first", "re-ask"]
    assert RULE in lane.dispatch.asked[1].reasons[0]
    assert [c.text for row in await lane.chain() for c in row.claims] == [RULE]


async def test_a_seat_that_goes_on_leaving_it_out_keeps_its_first_answer(lane: Lane) -> None:
    await lane.record(talk(17))
    answer = await lane.scheduler(seat=lane.model(forgetful)).run_now(SCOPE)
    assert [j.ask for j in lane.dispatch.asked] == ["first", "re-ask"]
    assert [(r["status"], r["seat"], r["claims"]) for r in answer["regions"]] == [("shadow_ok", "model", 1)]


async def test_a_seat_that_is_always_wrong_costs_three_calls_and_then_the_extractor_writes(lane: Lane) -> None:
    await lane.record(talk(17))
    answer = await lane.scheduler(seat=lane.model(wrong)).run_now(SCOPE)
    assert len(lane.dispatch.asked) == 3
    assert {r["seat"] for r in answer["regions"]} == {"extractive"}
    assert {r["status"] for r in answer["regions"]} == {"shadow_ok"}
    kept = await lane.store.compactions(SCOPE, include_rejected=True)
    assert "shadow_rejected" in {row.status for row in kept}
    assert all("9999" not in c.text for row in kept for c in row.claims)


@pytest.mark.parametrize(
    "reply",
    [
        SeatReply(text='{"claims": [', finish_reason="stop"),
        SeatReply(text=""),
        SeatReply(text="<think>hm</think>"),
        SeatReply(text='{"claims": [], "claims": []}'),
        SeatReply(text="I will not.", finish_reason="content_filter"),
    ],
)
async def test_an_unusable_reply_never_blocks_the_chain(lane: Lane, reply: SeatReply) -> None:
    await lane.record(talk(17))
    answer = await lane.scheduler(seat=lane.model(lambda _: reply)).run_now(SCOPE)
    assert len(lane.dispatch.asked) <= 3
    assert {r["status"] for r in answer["regions"]} <= {"shadow_ok", "empty"}
    assert answer["regions"]


async def test_a_truncated_reply_halves_the_region(lane: Lane) -> None:
    def script(request: SeatRequest) -> SeatReply:
        whole = len(request.region.messages) > 20
        return SeatReply(text=quoting(request), finish_reason="length" if whole else "stop")

    await lane.record(talk(17))
    answer = await lane.scheduler(seat=lane.model(script)).run_now(SCOPE)
    assert [r["status"] for r in answer["regions"]] == ["shadow_ok", "shadow_ok"]
    assert [j.ask for j in lane.dispatch.asked] == ["first", "piece", "piece"]
    assert sum(r["messages"] for r in answer["regions"]) == 32


async def test_a_stored_reply_is_never_paid_for_again(lane: Lane) -> None:
    await lane.record(talk(60))
    seat = lane.model(quoting)
    await lane.scheduler(seat=seat).run_now(SCOPE)
    paid = len(lane.dispatch.asked)
    old = {"id": "u9", "role": "user", "content": "Service svc-9 listens on port 7009 in zone z9."}
    await lane.record([{**old, "content": "Service svc-9 is gone."}])
    await lane.record([old])
    await lane.scheduler(seat=seat).run_now(SCOPE)
    assert len(lane.dispatch.asked) == paid
    assert {row.status for row in await lane.chain()} == {"shadow_ok"}


async def test_a_reply_that_was_paid_for_before_a_commit_failed_serves_the_next_run(
    lane: Lane, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails if a reply is stored only with its link: whatever ends a run in between would cost the call again."""
    await lane.record(talk(17))
    seat = lane.model(quoting)

    async def fails(*_: Any, **__: Any) -> bool:
        raise StoreUnavailable("the disk is full", reason="disk_full")

    with monkeypatch.context() as patch:
        patch.setattr(lane.store, "commit_compaction", fails)
        with pytest.raises(StoreUnavailable):
            await lane.scheduler(seat=seat).run_now(SCOPE)
    paid = len(lane.dispatch.asked)
    assert paid == 1
    assert await lane.chain() == []
    answer = await lane.scheduler(seat=seat).run_now(SCOPE)
    assert [r["status"] for r in answer["regions"]] == ["shadow_ok"]
    assert len(lane.dispatch.asked) == paid


async def test_an_edit_costs_one_call_for_its_region_and_none_for_later_ones(lane: Lane) -> None:
    await lane.record(talk(60))
    seat = lane.model(quoting)
    await lane.scheduler(seat=seat).run_now(SCOPE)
    paid = len(lane.dispatch.asked)
    before = [row.input_sha256 for row in await lane.chain()]
    await lane.record([{"id": "u9", "role": "user", "content": "Service svc-9 listens on port 4444 in zone z9."}])
    assert [row.status for row in await lane.chain()].count("empty") == 1
    answer = await lane.scheduler(seat=seat).run_now(SCOPE)
    assert len(lane.dispatch.asked) == paid + 1
    assert [r["status"] for r in answer["regions"]] == ["shadow_ok"]
    after = [row.input_sha256 for row in await lane.chain()]
    assert len(after) == len(before)
    assert sum(a != b for a, b in zip(after, before, strict=True)) == 1


async def test_a_message_deleted_during_the_ask_discards_the_result(lane: Lane) -> None:
    await lane.record(talk(40))

    async def delete(job: Job) -> None:
        if len(lane.dispatch.asked) == 1:
            await lane.store.delete_message(SCOPE, "u5", now=lane.clock.now())

    lane.dispatch.before = delete
    answer = await lane.scheduler(seat=lane.model(quoting)).run_now(SCOPE)
    assert answer["regions"][0]["status"] == "stale"
    assert all(r["status"] == "shadow_ok" for r in answer["regions"][1:])
    replies = await lane.store.replies_for(
        SCOPE, [m.sha256 for m in lane.dispatch.asked[0].region.messages], prompt_version="claims-v2"
    )
    assert replies == []


async def test_turns_recorded_during_the_ask_do_not_spoil_it(lane: Lane) -> None:
    await lane.record(talk(40))

    async def more(job: Job) -> None:
        if len(lane.dispatch.asked) == 1:
            await lane.record(talk(1, start=500))

    lane.dispatch.before = more
    answer = await lane.scheduler(seat=lane.model(quoting)).run_now(SCOPE)
    assert "stale" not in {r["status"] for r in answer["regions"]}


async def test_a_cloud_seat_sees_no_claim_that_rests_on_local_text(lane: Lane) -> None:
    """Fails if only the region's own messages are looked at: earlier claims quote local ones (invariant I7)."""
    await lane.record(talk(40), egress="local", backend="deepseek/chat")
    seat = lane.model(quoting, egress="cloud_ok")
    await lane.scheduler(seat=seat).run_now(SCOPE)
    assert lane.dispatch.asked == []
    assert any(c.text == RULE for row in await lane.chain() for c in row.claims)
    await lane.record(talk(80, start=100), egress="cloud_ok", backend="deepseek/chat")
    await lane.scheduler(seat=seat).run_now(SCOPE)
    assert len(lane.dispatch.asked) > 1
    sent = [json.dumps(wire.job_to_json(job)) for job in lane.dispatch.asked]
    assert not any(f"svc-{number} " in text or RULE in text for text in sent for number in range(40))
    assert any(job.prior for job in lane.dispatch.asked)


async def test_local_text_goes_to_the_extractor_when_the_seat_is_in_the_cloud(lane: Lane) -> None:
    await lane.record(talk(40), egress="local", backend="ollama")
    answer = await lane.scheduler(seat=lane.model(quoting, egress="cloud_ok")).run_now(SCOPE)
    assert lane.dispatch.asked == []
    assert {r["seat"] for r in answer["regions"]} == {"extractive"}


async def test_a_cloud_seat_reads_only_its_own_providers_conversations(lane: Lane) -> None:
    await lane.record(talk(40), egress="cloud_ok", backend="openai")
    await lane.scheduler(seat=lane.model(quoting, egress="cloud_ok")).run_now(SCOPE)
    assert lane.dispatch.asked == []
    other = SCOPE.__class__(conversation_id="d", user_id="u")
    await lane.record(talk(40), egress="cloud_ok", backend="deepseek/chat", scope=other)
    await lane.scheduler(seat=lane.model(quoting, egress="cloud_ok")).run_now(other)
    assert lane.dispatch.asked


async def test_reseat_replaces_what_a_lesser_seat_wrote(lane: Lane) -> None:
    await lane.record(talk(60))
    await lane.scheduler().run_now(SCOPE)
    first = await lane.chain()
    answer = await lane.scheduler(seat=lane.model(quoting)).run_now(SCOPE, reseat=True)
    chain = await lane.chain()
    assert len(answer["regions"]) == len(chain) == len(first)
    assert {row.backend for row in chain} == {"model"}
    assert answer["chain"]["break"] is None


async def test_a_new_validator_reads_stored_replies_again_without_a_call(
    lane: Lane, monkeypatch: pytest.MonkeyPatch
) -> None:
    await lane.record(talk(60))
    seat = lane.model(quoting)
    await lane.scheduler(seat=seat).run_now(SCOPE)
    paid, before = len(lane.dispatch.asked), await lane.chain()
    for module in (chain, run):
        monkeypatch.setattr(module, "VALIDATOR_VERSION", "next")
    await lane.scheduler(seat=seat, window=9_000).run_now(SCOPE)
    after = [row for row in await lane.chain() if row.validator_version == "next"]
    assert len(lane.dispatch.asked) == paid
    assert [row.input_sha256 for row in after] == [row.input_sha256 for row in before]
    assert [[c.id for c in row.claims] for row in after] == [[c.id for c in row.claims] for row in before]


async def test_a_planted_key_reaches_no_seat_no_claim_and_no_reply(lane: Lane) -> None:
    secret = "sk-proj-" + "aB3dE5gH7jK9mN1pQ3sT5vW7xY9z"
    turns = talk(17)
    turns[4]["content"] = f"The deploy key of host-9 is {secret} and it expires on 2027-03-01."
    seen: list[str] = []

    def script(request: SeatRequest) -> str:
        seen.append(json.dumps([dict(m) for m in request.prompt]) + repr(request.region))
        message = next(m for m in request.region.messages if "host-9" in m.text)
        return quoting(request, text=message.text, cites=[message.alias])

    await lane.record(turns)
    answer = await lane.scheduler(seat=lane.model(script)).run_now(SCOPE)
    rows = await lane.chain()
    assert answer["regions"][0]["claims"] == 1
    assert "<secret:openai:" in rows[0].claims[0].text
    assert secret not in "".join(seen) + repr(rows)
    replies = await lane.store.replies(SCOPE, [rows[0].reply_key or ""])
    assert secret not in repr(replies)
    expanded, _, _ = await lane.store.expand(SCOPE, ["u2"], offset=0, max_messages=1, max_chars=1000)
    assert secret in expanded[0].message.text

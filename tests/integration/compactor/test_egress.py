"""No local text reaches a cloud seat or host (invariant I7): every case under a guard on this process's sockets.

The "cloud" is a server on this machine that is declared one, so that what it was sent can be read afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from bobctx.compactor.scheduler import SchedulerConfig
from bobctx.compactor.seating import SeatInfo, Seating
from bobctx.core.types import Region, Scope
from bobctx.errors import ConfigurationError, SeatFailed
from bobctx.ports import SeatReply, SeatRequest
from bobctx.seats.choice import build, choose
from bobctx.seats.http_seat import Endpoint, HttpSeat
from bobctx.seats.litellm_seat import LitellmModels, LitellmSeat
from bobctx.seats.scripted import ScriptedSeat
from tests.fake_model import FakeModel, fake_model
from tests.integration.compactor.conftest import SCOPE, Lane, talk
from tests.integration.compactor.guard import socket_guard
from tests.integration.compactor.test_regions import NOTHING, quoting, wrong

PRIVATE = "Bluebird"
"""A word of the local texts and of no other."""


def private(count: int, *, start: int = 0) -> list[dict[str, Any]]:
    return [{**m, "content": m["content"].replace("Service", PRIVATE)} for m in talk(count, start=start)]


def seat_at(lane: Lane, model: FakeModel) -> SeatInfo:
    lane.dispatch.seats["m"] = HttpSeat(
        Endpoint(base_url=model.base_url, model="m", egress="cloud_ok", provider="deepseek", window=60_000)
    )
    return SeatInfo(name="m", egress="cloud_ok", provider="deepseek", window=60_000)


def sent(model: FakeModel) -> str:
    return json.dumps(model.requests, ensure_ascii=False)


@pytest.mark.parametrize("backend", ["ollama", "my-box", "", None, "deepseek-lookalike", "local/deepseek"])
async def test_local_unknown_and_unset_backends_reach_no_cloud(lane: Lane, backend: str | None) -> None:
    from bobctx.core.egress import egress_of

    await lane.record(private(40), egress=egress_of(backend), backend=backend)
    async with fake_model("nothing") as model:
        with socket_guard(model.port) as guard:
            answer = await lane.scheduler(seat=seat_at(lane, model)).run_now(SCOPE)
    assert guard.reached == []
    assert {r["seat"] for r in answer["regions"]} == {"extractive"}


async def test_local_then_cloud_sends_the_cloud_part_only(lane: Lane) -> None:
    """Neither the local messages nor the claims that rest on them: fails where earlier claims are all shown."""
    await lane.record(private(40), egress="local", backend="ollama")
    await lane.record(talk(40, start=100), egress="cloud_ok", backend="deepseek")
    async with fake_model("nothing") as model:
        with socket_guard(model.port) as guard:
            scheduler = lane.scheduler(seat=seat_at(lane, model))
            answer = await scheduler.run_now(SCOPE)
    assert guard.ports() == {model.port}
    assert {r["seat"] for r in answer["regions"]} == {"extractive", "m"}
    assert "svc-110" in sent(model)
    assert PRIVATE not in sent(model)
    assert "local_text" in scheduler.status()["fixes"]
    rows = await lane.chain()
    assert any(PRIVATE in claim.text for row in rows for claim in row.claims)


async def test_cloud_then_local_sends_nothing_more(lane: Lane) -> None:
    await lane.record(talk(40), egress="cloud_ok", backend="deepseek")
    await lane.record(private(10, start=100), egress="local", backend="ollama")
    async with fake_model("nothing") as model:
        with socket_guard(model.port) as guard:
            await lane.scheduler(seat=seat_at(lane, model)).run_now(SCOPE)
    assert guard.reached == []


async def test_an_edit_takes_the_stricter_class(lane: Lane) -> None:
    await lane.record(talk(40), egress="cloud_ok", backend="deepseek")
    edited = [{**talk(40)[20], "content": f"{PRIVATE} only"}]
    await lane.record(edited, egress="local", backend="deepseek")
    async with fake_model("nothing") as model:
        with socket_guard(model.port):
            await lane.scheduler(seat=seat_at(lane, model)).run_now(SCOPE)
    assert PRIVATE not in sent(model)


async def test_an_operators_raise_opens_the_way_and_a_lowering_closes_it(lane: Lane) -> None:
    await lane.record(talk(40), egress="local", backend="deepseek")
    changed = await lane.store.set_egress(SCOPE, None, "cloud_ok", now=1.0)
    assert len(changed) == 80
    async with fake_model("nothing") as model:
        with socket_guard(model.port) as guard:
            await lane.scheduler(seat=seat_at(lane, model)).run_now(SCOPE)
    assert guard.ports() == {model.port}
    [row] = [r for r in await lane.chain() if r.backend == "m"][:1]
    reply = (await lane.store.replies(SCOPE, [row.reply_key or ""]))[row.reply_key or ""]
    assert (reply.provider, reply.host) == ("deepseek", "127.0.0.1")
    assert await lane.store.set_egress(SCOPE, ["u1"], "local", now=2.0) == ["u1"]
    snapshot = await lane.store.snapshot(SCOPE)
    assert snapshot.spine.flags[2] & 32


async def test_retries_and_reasons_are_held_to_the_same_class(lane: Lane) -> None:
    await lane.record(private(40), egress="local", backend="ollama")
    await lane.record(talk(40, start=100), egress="cloud_ok", backend="deepseek")
    prompts: list[str] = []

    def script(request: SeatRequest) -> str:
        prompts.append(json.dumps([dict(m) for m in request.prompt]) + repr(request.prior))
        return wrong(request) if request.ask == "first" else quoting(request)

    with socket_guard() as guard:
        await lane.scheduler(seat=lane.model(script, egress="cloud_ok")).run_now(SCOPE)
    assert guard.reached == []
    assert len(prompts) > 2
    assert all(PRIVATE not in prompt for prompt in prompts)


async def test_a_claim_that_replaces_a_local_one_is_local(lane: Lane) -> None:
    """The strictest class goes along through what a claim replaces, and stays out of later cloud prompts."""
    turns = [{"id": "p", "role": "user", "content": "Hello."}, {"id": "q", "role": "assistant", "content": "Hello."}]
    old = [
        {"id": "o", "role": "user", "content": f"The {PRIVATE} gate listens on port 8443."},
        {"id": "o2", "role": "assistant", "content": "Noted."},
    ]
    new = [
        {
            "id": "n",
            "role": "user",
            "content": f"Correction: the {PRIVATE} gate listens on port 9443, no longer on 8443.",
        },
        {"id": "n2", "role": "assistant", "content": "Noted."},
    ]
    await lane.record([*turns, *old], egress="local", tokens=1_500)

    def script(request: SeatRequest) -> str:
        message = next(m for m in request.region.messages if m.role == "user")
        link = request.prior[-1].alias if request.prior else None
        kind = "correction" if link else "fact"
        return quoting(
            request, text=message.text.removeprefix("Correction: "), type=kind, supersedes=link, importance=2
        )

    scheduler = lane.scheduler(seat=lane.model(script), region_cap=3_000, forced_min=3_000)
    await scheduler.run_now(SCOPE)
    await lane.record(new, egress="cloud_ok", backend="deepseek", tokens=1_500)
    await scheduler.run_now(SCOPE)
    rows = await lane.store._database.read(
        lambda conn: conn.execute("SELECT alias, supersedes, egress FROM claims ORDER BY claim").fetchall()
    )
    assert rows == [("r1.c1", None, "local"), ("r2.c1", "r1.c1", "local")]


# -- seats with fallbacks ------------------------------------------------------------------


class Api:
    """litellm's place: the first model fails, and every model that is asked is noted."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def acompletion(self, **body: Any) -> Any:
        self.asked.append(body["model"])
        raise SeatFailed("down", reason="unreachable")


async def asked_by(models: Sequence[str], may_read: Sequence[str], **config: Any) -> list[str]:
    api = Api()
    seat = LitellmSeat(LitellmModels(models=tuple(models), **config), api=api)
    request = SeatRequest(
        region=Region(messages=()), prior=(), prefix="r1", prompt=(), schema={}, may_read=tuple(may_read)
    )
    with pytest.raises(SeatFailed):
        await seat.ask(request)
    return api.asked


async def test_a_fallback_reads_only_conversations_that_a_row_lets_it_read() -> None:
    models, allow = ("openai/a", "openai/b", "deepseek/c"), ("deepseek",)
    assert await asked_by(models, ("openai", "deepseek"), allow=allow) == list(models)
    assert await asked_by(models, ("anthropic", "openai"), allow=allow) == ["openai/a", "openai/b"]
    assert await asked_by(models, (), allow=allow) == ["openai/a", "openai/b"]


def test_a_local_seat_has_no_fallback_elsewhere_whatever_the_rows_say() -> None:
    with pytest.raises(ConfigurationError):
        LitellmModels(models=("ollama/a", "deepseek/c"), egress="local", allow=("deepseek",))


def test_the_address_names_the_provider_and_a_models_name_does_not() -> None:
    """A broker lists every provider's models: their text still goes to the broker."""
    assert choose("anthropic/claude", base_url="https://openrouter.ai/api/v1").provider == "openrouter"


def test_readers_are_the_own_provider_and_the_rows_of_this_backend() -> None:
    seating = Seating(allow={"openai": ["deepseek"], "openai/gpt": ["groq/x"], "anthropic": ["xai"]})
    assert seating.readers("openai/gpt") == ("deepseek", "groq/x", "openai")
    assert seating.readers("OpenAI/other") == ("deepseek", "openai")
    assert seating.readers(None) == ()


async def test_the_worker_refuses_a_local_text_or_claim_for_a_cloud_seat(lane: Lane) -> None:
    """The last gate, in the process that opens the connection: it holds where a caller is wrong."""
    from dataclasses import replace

    from bobctx.compactor.worker import run_job
    from bobctx.core.types import PriorClaim
    from bobctx.ports import Job

    await lane.record(talk(2), egress="cloud_ok")
    messages = await lane.store.load(SCOPE, ["u0", "a0"])
    prior = PriorClaim(alias="r1.c1", id="g", type="fact", importance=2, text="t", egress="local")
    job = Job(scope=SCOPE, region=Region(messages=tuple(messages)), prior=(), prefix="r1", seat="cloud")
    seats = {"cloud": ScriptedSeat(lambda _: SeatReply(text=NOTHING), name="cloud", egress="cloud_ok")}
    assert (await run_job(seats, job)).error is None
    assert (await run_job(seats, replace(job, prior=(prior,)))).error == "egress"
    local = tuple(replace(m, egress="local") for m in messages)
    assert (await run_job(seats, replace(job, region=Region(messages=local)))).error == "egress"


async def test_a_small_local_seat_reads_local_text_and_reaches_its_own_port_only(lane: Lane) -> None:
    await lane.record(private(40), egress="local", backend="ollama")
    async with fake_model("nothing") as model:
        choice = choose("small", base_url=model.base_url, profile="small")
        lane.dispatch.seats["small"] = build(choice, window=8_192)
        with socket_guard(model.port) as guard:
            answer = await lane.scheduler(seat=SeatInfo(name="small", window=8_192, small=True)).run_now(SCOPE)
    assert {host for host, _ in guard.reached} == {"127.0.0.1"}
    assert guard.ports() == {model.port}
    assert len(guard.reached) == len(model.requests) > len(answer["regions"])
    assert PRIVATE in sent(model)


def test_defaults_send_nothing_anywhere() -> None:
    config = SchedulerConfig(budget_for=lambda _: pytest.fail("not asked"))
    assert config.seating.choose(backend="openai", egress="cloud_ok")[0].name == "extractive"
    assert Scope(conversation_id="c", user_id="u") == SCOPE

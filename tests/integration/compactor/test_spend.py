"""What seats may cost: booked before the call, remembered over a restart, and past a cap the extractor goes on."""

from __future__ import annotations

from typing import Any

import pytest
import structlog

from bobctx import logs
from bobctx.compactor import wire
from bobctx.compactor.scheduler import Scheduler
from bobctx.compactor.spending import Caps, caps_for
from bobctx.compactor.worker import run_job
from bobctx.core.prices import DEAREST, Price, at_most, upper_bound
from bobctx.core.types import Scope, UserScope
from bobctx.errors import ConfigurationError, SeatFailed, StoreUnavailable
from bobctx.model_data import dearest_price, listed_price
from bobctx.ports import Job, JobResult, SeatReply, SeatRequest
from tests.integration.compactor.conftest import SCOPE, Lane, talk
from tests.integration.compactor.test_regions import quoting, wrong

PRICE = Price(given=10.0, made=10.0)
ONE_ASK = at_most(PRICE, 2_000)
"""Dollars that one ask about a full region is booked with, a little more with earlier claims."""
CLOUD: dict[str, Any] = {"egress": "cloud_ok"}


def costing(usd: float | None, answer: Any = quoting) -> Any:
    def script(request: SeatRequest) -> SeatReply:
        return SeatReply(text=answer(request), provider="deepseek", host="api.example", cost_usd=usd)

    return script


async def filled(lane: Lane, scope: Scope = SCOPE) -> None:
    await lane.record(talk(60), egress="cloud_ok", backend="deepseek", scope=scope)


def scheduler(lane: Lane, caps: Caps, script: Any) -> Scheduler:
    return lane.scheduler(seat=lane.model(script, **CLOUD), caps=caps)


def seats(answer: Any) -> set[str]:
    return {region["seat"] for region in answer["regions"]}


async def test_the_real_cost_takes_the_place_of_the_bound(lane: Lane) -> None:
    await filled(lane)
    answer = await scheduler(lane, Caps(price=PRICE), costing(0.001)).run_now(SCOPE)
    calls = len(lane.dispatch.asked)
    assert seats(answer) == {"model"}
    spent = await lane.store.ledger.spent(SCOPE, now=lane.clock.now())
    assert spent.lane_day_calls == calls > 1
    assert spent.lane_day_usd == spent.conversation_hour_usd == pytest.approx(0.001 * calls)


def reporting(answer: Any = quoting) -> Any:
    """A seat that reports 4,000 tokens read and 150 written for each ask, and no price."""

    def script(request: SeatRequest) -> SeatReply:
        usage = {"prompt_tokens": 4_000, "completion_tokens": 150, "total_tokens": 4_150}
        return SeatReply(text=answer(request), provider="deepseek", host="api.example", usage=usage, cost_usd=None)

    return script


@pytest.mark.parametrize("answer", [quoting, wrong])
async def test_what_compaction_read_and_wrote_is_in_the_totals_whatever_became_of_it(lane: Lane, answer: Any) -> None:
    """Fails if asks count only where their claims were taken, or only in dollars."""
    await lane.record(talk(17), egress="cloud_ok", backend="deepseek")
    runner = scheduler(lane, Caps(price=PRICE, hour_usd=100), reporting(answer))
    await runner.run_now(SCOPE)
    calls = len(lane.dispatch.asked)
    assert calls > (answer is wrong)
    status = runner.status()
    assert (status["calls"], status["tokens_read"], status["tokens_written"]) == (calls, 4_000 * calls, 150 * calls)
    cost = calls * 4_150 * PRICE.given / 1_000_000
    assert status["cost_usd"] == pytest.approx(cost)
    kept = await lane.store.overview(SCOPE)
    assert (kept["compaction_tokens_read"], kept["compaction_tokens_written"]) == (4_000 * calls, 150 * calls)
    assert kept["compaction_usd"] == pytest.approx(cost)
    nothing = await lane.store.overview(UserScope(user_id="other"))
    assert (nothing["compaction_tokens_read"], nothing["compaction_usd"]) == (None, None)


async def test_an_ask_whose_result_could_not_be_stored_is_in_the_totals(
    lane: Lane, monkeypatch: pytest.MonkeyPatch
) -> None:
    await lane.record(talk(17), egress="cloud_ok", backend="deepseek")
    runner = scheduler(lane, Caps(price=PRICE, hour_usd=100), reporting())

    async def fails(*_: Any, **__: Any) -> bool:
        raise StoreUnavailable("the disk is full", reason="disk_full")

    monkeypatch.setattr(lane.store, "commit_compaction", fails)
    with pytest.raises(StoreUnavailable):
        await runner.run_now(SCOPE)
    status = runner.status()
    assert (status["calls"], status["tokens_read"], status["tokens_written"]) == (1, 4_000, 150)
    assert status["cost_usd"] > 0


async def test_past_the_day_cap_the_extractor_goes_on_with_one_warning(lane: Lane) -> None:
    await filled(lane)
    heard: list[tuple[str, float]] = []
    caps = Caps(price=PRICE, day_usd=ONE_ASK * 1.5, hour_usd=100)
    runner = Scheduler(
        lane.store, lane.dispatch, lane.clock, scheduler(lane, caps, costing(None))._config,
        ledger=lane.store.ledger, observe=lambda event, usd: heard.append((event, usd)),
    )  # fmt: skip
    with structlog.testing.capture_logs() as lines:
        answer = await runner.run_now(SCOPE)
    assert len(lane.dispatch.asked) == 1
    assert seats(answer) == {"model", "extractive"}
    assert len([line for line in lines if line["event"] == logs.SPEND_CAP]) == 1
    assert "spend_day" in answer["regions"][-1]["reasons"]
    assert [event for event, _ in heard].count("capped") == len(answer["regions"]) - 1
    status = runner.status()
    assert status["instead"]["spend_day"] == len(answer["regions"]) - 1
    assert "BOBCTX_MAX_USD_PER_DAY" in status["fixes"]["spend_day"]
    standing = await runner.spending.standing()
    assert standing["capped"] == "spend_day"
    assert standing["day_usd"] <= caps.day_usd


async def test_a_restart_forgets_nothing_and_a_day_later_there_is_room(lane: Lane) -> None:
    await filled(lane)
    caps = Caps(price=PRICE, day_usd=ONE_ASK * 1.5, hour_usd=100)
    await scheduler(lane, caps, costing(None)).run_now(SCOPE)
    other = Scope(conversation_id="other", user_id="u")
    await filled(lane, other)
    again = scheduler(lane, caps, costing(None))
    assert seats(await again.run_now(other)) == {"extractive"}
    lane.clock.ahead += 86_401
    third = Scope(conversation_id="third", user_id="u")
    await filled(lane, third)
    assert "model" in seats(await again.run_now(third))


async def test_the_cap_of_one_conversation_leaves_others_alone(lane: Lane) -> None:
    await filled(lane)
    other = Scope(conversation_id="other", user_id="u")
    await filled(lane, other)
    runner = scheduler(lane, Caps(price=PRICE, day_usd=100, hour_usd=ONE_ASK * 1.5), costing(None))
    first = await runner.run_now(SCOPE)
    assert "spend_hour" in first["regions"][-1]["reasons"]
    assert (await runner.run_now(other))["regions"][0]["seat"] == "model"


async def test_a_call_that_never_came_back_stays_booked(lane: Lane) -> None:
    """Booked before the call: a daemon that is killed during it finds the bound in its books."""
    await filled(lane)
    seen: list[float] = []

    async def look(job: Any) -> None:
        seen.append((await lane.store.ledger.spent(SCOPE, now=lane.clock.now())).lane_day_usd)

    lane.dispatch.before = look
    await scheduler(lane, Caps(price=PRICE, day_usd=0.5), costing(0.0)).run_now(SCOPE)
    assert seen[0] >= ONE_ASK * 0.5


async def test_a_region_costs_three_calls_at_most(lane: Lane) -> None:
    await filled(lane)
    answer = await scheduler(lane, Caps(price=PRICE, day_usd=100, hour_usd=100), costing(0.0, wrong)).run_now(SCOPE)
    assert answer["regions"]
    assert max(region["calls"] for region in answer["regions"]) == 3


async def test_a_cap_met_during_a_reask_keeps_the_good_answer(lane: Lane) -> None:
    """The extractor never replaces what the model already said well."""
    await lane.record(talk(17), egress="cloud_ok", backend="deepseek")
    caps = Caps(price=PRICE, day_usd=ONE_ASK * 1.5, hour_usd=100)
    answer = await scheduler(lane, caps, costing(None)).run_now(SCOPE)
    assert answer["regions"][0]["seat"] == "model"


async def test_a_local_seat_is_never_booked(lane: Lane) -> None:
    await lane.record(talk(40))
    runner = lane.scheduler(seat=lane.model(quoting), caps=Caps(day_usd=0, hour_usd=0, price=PRICE))
    assert seats(await runner.run_now(SCOPE)) == {"model"}
    assert (await lane.store.ledger.spent(None, now=lane.clock.now())).lane_day_calls == 0


def test_the_dearest_price_counts_and_an_unknown_one_is_an_upper_bound() -> None:
    listed = {"a/cheap": (0.3, 0.4), "a/dear": (3.0, 15.0)}
    found = caps_for(["a/cheap", "a/dear"], day_usd=1, hour_usd=1, listed=listed.get)
    assert (found.price, found.asks) == (Price(given=3.0, made=15.0), 2)
    assert caps_for(["a/cheap", "a/new"], day_usd=1, hour_usd=1, listed=listed.get).price == upper_bound()
    assert caps_for(["a/new"], day_usd=1, hour_usd=1, given=("1", "2"), listed=listed.get).price.made == 2
    for pair in (("cheap",), ("1",), ("1", "-2"), ("1", "inf"), ("1", "nan")):
        with pytest.raises(ConfigurationError):
            caps_for(["a/new"], day_usd=1, hour_usd=1, given=pair, listed=listed.get)
        with pytest.raises(ConfigurationError):
            caps_for(["a/new"], day_usd=1, hour_usd=1, bound=pair, listed=listed.get)


@pytest.mark.parametrize("setting", ["given", "bound"])
@pytest.mark.parametrize("models", [[], ["a/cheap"]])
def test_a_price_that_is_none_is_refused_also_where_nothing_is_reckoned_with_it(
    setting: str, models: list[str]
) -> None:
    with pytest.raises(ConfigurationError, match="IN,OUT"):
        caps_for(models, day_usd=1, hour_usd=1, listed=lambda _: (1.0, 1.0), **{setting: ("x",)})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("dearest", "bound", "price"),
    [
        (None, (), DEAREST),
        ((200.0, 100.0), (), (200.0, 600.0)),
        ((15.0, 75.0), (), DEAREST),
        ((15.0, 75.0), ("1000", "2000"), (1_000.0, 2_000.0)),
        ((200.0, 900.0), ("1", "1"), (200.0, 900.0)),
    ],
)
def test_no_list_and_no_setting_makes_an_unknown_model_cheaper(
    dearest: tuple[float, float] | None, bound: tuple[str, ...], price: tuple[float, float]
) -> None:
    found = caps_for(["a/new"], day_usd=1, hour_usd=1, listed=lambda _: None, dearest=lambda: dearest, bound=bound)
    assert ((found.price.given, found.price.made), found.price.known) == (price, False)


def test_an_unknown_model_is_booked_no_lower_than_any_model_that_is_listed() -> None:
    """Read from the package's own file: fails when a dearer model than our constant is listed and not looked at."""
    listed = dearest_price()
    assert listed is not None
    found = caps_for(["a/new"], day_usd=1, hour_usd=1, listed=lambda _: None, dearest=dearest_price).price
    for model in ("o1-pro", "gpt-4", "deepseek/deepseek-chat"):
        price = listed_price(model)
        assert price is not None, model
        assert found.given >= price[0]
        assert found.made >= price[1]


async def test_an_ask_whose_worker_died_stays_booked_and_its_retry_is_booked_for_itself(lane: Lane) -> None:
    """Fails if the retry is made inside the dispatcher: then two calls may be charged for one booking."""
    await lane.record(talk(17), egress="cloud_ok", backend="deepseek")
    genuine = lane.dispatch.dispatch
    died: list[Job] = []

    async def dispatch(job: Job) -> JobResult:
        if job.raw is None and job.seat == "model" and not died:
            died.append(job)
            return wire.failed_result(job, "worker_died")
        return await genuine(job)

    lane.dispatch.dispatch = dispatch  # type: ignore[method-assign]
    answer = await scheduler(lane, Caps(price=PRICE, hour_usd=100), costing(0.001)).run_now(SCOPE)
    assert {r["seat"] for r in answer["regions"]} == {"model"}
    assert answer["regions"][0]["calls"] == 2
    assert len(died) == 1
    spent = await lane.store.ledger.spent(SCOPE, now=lane.clock.now())
    assert spent.lane_day_calls == 1 + len(lane.dispatch.asked)
    assert spent.lane_day_usd >= ONE_ASK * 0.5 + 0.001


async def test_a_retry_that_no_cap_has_room_for_is_not_made(lane: Lane) -> None:
    await lane.record(talk(17), egress="cloud_ok", backend="deepseek")

    async def dispatch(job: Job) -> JobResult:
        lane.dispatch.asked.append(job)
        failed = job.raw is None and job.seat == "model"
        return wire.failed_result(job, "worker_died") if failed else await run_job(lane.dispatch.seats, job)

    lane.dispatch.dispatch = dispatch  # type: ignore[method-assign]
    caps = Caps(price=PRICE, day_usd=ONE_ASK * 1.5, hour_usd=100)
    answer = await scheduler(lane, caps, costing(0.001)).run_now(SCOPE)
    assert [j.seat for j in lane.dispatch.asked].count("model") == 1
    assert "spend_day" in answer["regions"][0]["reasons"]


@pytest.mark.parametrize(("asks", "left"), [(1, 0.0), (2, 1.0)])
async def test_what_the_last_of_several_models_says_frees_nothing_of_the_first(
    lane: Lane, asks: int, left: float
) -> None:
    await lane.record(talk(17), egress="cloud_ok", backend="deepseek")

    def limited(request: SeatRequest) -> SeatReply:
        raise SeatFailed("slow down", reason="rate_limited")

    await scheduler(lane, Caps(price=PRICE, hour_usd=100, asks=asks), limited).run_now(SCOPE)
    spent = await lane.store.ledger.spent(SCOPE, now=lane.clock.now())
    assert (spent.lane_day_usd > 0) is bool(left)

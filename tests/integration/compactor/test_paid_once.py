"""Repair without paying twice: forks, the way back, edits taken back and re-derived ids reuse stored replies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from bobctx.core.parts import read_message
from bobctx.ports import Incoming, Job, SeatReply, SeatRequest
from tests.integration.compactor.conftest import SCOPE, Lane, talk


def quoting(request: SeatRequest) -> SeatReply | str:
    """The first user message of the region, word for word."""
    message = next(m for m in request.region.messages if m.role == "user")
    claim = {"id": "c1", "type": "fact", "importance": 2, "text": message.text, "cites": [message.alias]}
    return json.dumps({"claims": [{**claim, "supersedes": None}]})


async def branch(lane: Lane, messages: Sequence[dict[str, Any]], parent: str | None) -> None:
    """Record `messages` one under the other, the first under `parent` (None: a new root)."""
    incoming = []
    for message in messages:
        parents = () if parent is None else (parent,)
        incoming.append(
            Incoming(message=read_message(message, tokens=60, egress="local"), parents=parents, counter_id="test")
        )
        parent = str(message["id"])
    await lane.store.record(SCOPE, incoming, backend=None, truncate_after=None, now=lane.clock.now())


def other(start: int, count: int) -> list[dict[str, Any]]:
    """Exchanges that nothing else holds."""
    return [
        {**m, "id": f"b-{m['id']}", "content": m["content"].replace("svc-", "node-")} for m in talk(count, start=start)
    ]


def firsts(lane: Lane) -> list[Job]:
    """Asks for a region or a piece of one; re-asks name messages by alias and are not counted here."""
    return [job for job in lane.dispatch.asked if job.ask in ("first", "piece")]


def asked_twice(lane: Lane) -> int:
    """First asks and pieces for one and the same region content."""
    regions = [tuple(m.sha256 for m in job.region.messages) for job in firsts(lane)]
    return len(regions) - len(set(regions))


async def test_a_fork_pays_only_for_what_it_brings(lane: Lane) -> None:
    seat = lane.model(quoting)
    await lane.record(talk(60))
    await lane.scheduler(seat=seat).run_now(SCOPE)
    paid, links = len(firsts(lane)), len(await lane.chain())
    await branch(lane, other(40, 20), "a39")
    await lane.scheduler(seat=seat).run_now(SCOPE)
    more = firsts(lane)[paid:]
    assert 0 < len(more) < links
    for job in more:
        assert any(m.id.startswith("b-") for m in job.region.messages), "a region of old messages was paid for again"
    assert asked_twice(lane) == 0


async def test_the_way_back_to_an_old_branch_costs_nothing(lane: Lane) -> None:
    seat = lane.model(quoting)
    await lane.record(talk(60))
    await lane.scheduler(seat=seat).run_now(SCOPE)
    await branch(lane, other(40, 20), "a39")
    await lane.scheduler(seat=seat).run_now(SCOPE)
    paid = len(firsts(lane))
    await branch(lane, [{"id": "back", "role": "user", "content": "Back to the first way."}], "a59")
    await lane.scheduler(seat=seat).run_now(SCOPE, force=False)
    snapshot = await lane.store.snapshot(SCOPE)
    assert snapshot.spine.ids[-1] == "back"
    assert snapshot.spine.ids[-2] == "a59"
    assert len(firsts(lane)) == paid
    shown = [row for row in snapshot.compactions if row.status == "shadow_ok"]
    assert shown


async def test_re_derived_ids_reuse_every_reply(lane: Lane) -> None:
    """A host that lost its ids sends the same history under new ones, as a tree of its own."""
    seat = lane.model(quoting)
    history = talk(60)
    await lane.record(history)
    await lane.scheduler(seat=seat).run_now(SCOPE)
    paid, links = len(firsts(lane)), len(await lane.chain())
    await branch(lane, [{**m, "id": f"again-{m['id']}"} for m in history], None)
    snapshot = await lane.store.snapshot(SCOPE)
    assert snapshot.spine.n == len(history)
    assert snapshot.spine.ids[0] == "again-u0"
    await lane.scheduler(seat=seat).run_now(SCOPE)
    assert len(firsts(lane)) == paid
    claims = [c for row in await lane.chain() for c in row.claims]
    assert len(claims) >= links


async def test_an_edit_in_the_middle_keeps_what_stands_around_it_paid(lane: Lane) -> None:
    seat = lane.model(quoting)
    await lane.record(talk(60))
    await lane.scheduler(seat=seat).run_now(SCOPE)
    paid = len(firsts(lane))
    for turn in (9, 9, 30):
        text = f"Service svc-{turn} listens on port {4000 + len(firsts(lane))} in zone z{turn}."
        await lane.record([{"id": f"u{turn}", "role": "user", "content": text}])
        await lane.scheduler(seat=seat).run_now(SCOPE)
    assert len(firsts(lane)) == paid + 3, "each edit costs its own region once"
    assert asked_twice(lane) == 0

"""The recall block: bounded, sealed, of omitted and current claims only, the same through a tool loop."""

from __future__ import annotations

from typing import Any

import pytest

from bobctx.core.assembly import finish_assembly, plan_assembly
from bobctx.core.claims import merge
from bobctx.core.links import Link
from bobctx.core.plan import Assembled
from bobctx.core.recall import HEADER, RecallRequest, is_recall, recall, recall_room
from bobctx.core.tokens import estimate
from bobctx.core.types import Claim, Message
from tests.chains import BOTH, KEY, claim, message, request, rows_of, snapshot, spine_of, talk

MESSAGES = talk(60)
SPINE = spine_of(MESSAGES)
IDS = list(SPINE.ids)
OLD = [claim(f"Value {i} is {i * 100}.", IDS[2:12], [i], label=f"c{i + 1}") for i in range(8)]
NEW = [claim("The port is 9443.", IDS[12:22], label="c1", supersedes=OLD[0])]


def view_of(*regions: list[Claim]) -> Any:
    spans = ((2, 12), (12, 22))[: len(regions)]
    rows = rows_of(SPINE, [(a, b, claims) for (a, b), claims in zip(spans, regions, strict=True)])
    return merge([Link(start=a, end=b, compaction=row) for (a, b), row in zip(spans, rows, strict=True)])


def recalled(**more: Any) -> Any:
    values: dict[str, Any] = {
        "view": view_of(OLD, NEW),
        "spine": SPINE,
        "usable": 2,
        "shown": frozenset[str](),
        "scores": {c.id: 0.1 + i / 10 for i, c in enumerate([*OLD, *NEW])},
        "room": 400,
        "style": "seed",
        "tools": BOTH,
        "key": KEY,
        "count": estimate,
        **more,
    }
    return recall(RecallRequest(**values))


def test_claims_stand_by_score_and_replaced_ones_never() -> None:
    found = recalled()
    assert [c.alias for c in found.claims] == ["r2.c1", *(f"r1.c{i}" for i in range(8, 1, -1))]
    assert HEADER in found.text
    assert estimate(found.text) <= found.tokens <= 400


def test_what_the_stable_block_shows_and_what_is_not_omitted_is_left_out() -> None:
    assert "r1.c8" not in [c.alias for c in recalled(shown=frozenset({"r1.c8"})).claims]
    assert [c.region for c in recalled(usable=1).claims] == [0] * 7


def test_it_never_costs_more_than_its_room() -> None:
    for room in range(0, 400, 7):
        assert recalled(room=room).tokens <= room


def test_without_scores_there_is_no_block() -> None:
    assert recalled(scores={}).text == ""


def test_a_loop_gets_the_claims_that_were_chosen_first() -> None:
    first = recalled()
    again = recalled(scores={}, chosen=tuple(c.claim.id for c in first.claims))
    assert again.text == first.text


def test_only_our_header_makes_a_recall_block() -> None:
    assert is_recall(HEADER + "\nmore")
    assert not is_recall("[compacted history: …]")


@pytest.mark.parametrize(
    ("cap", "claims", "room"),
    [(2_000, 1_000, 400), (2_000, 167, 400), (2_000, 166, 0), (790, 1_000, 0), (800, 1_000, 160)],
)
def test_room_is_set_aside_for_many_claims_and_no_small_block(cap: int, claims: int, room: int) -> None:
    assert recall_room(cap, claims) == room


# -- in a whole assembly ---------------------------------------------------------------


MANY = [claim(f"Value {i} is {i + 7000} and was checked.", IDS[2:12], [i % 10], label=f"a{i}") for i in range(120)]
MINOR = claim("The zebra answers.", IDS[2:12], [0], label="z1")


def assembled(messages: list[Message], *, on: bool = True, claims: int = 120, **more: Any) -> Assembled:
    spine = spine_of(messages)
    rows = rows_of(spine, [(2, 12, [*MANY[:claims], MINOR]), (12, 22, NEW)])
    stored = snapshot(spine, rows)
    asked = request(16_384, recall=on, scores={MINOR.id: 0.9}, policy="pinned", **more)
    plan = plan_assembly(stored, asked)
    return finish_assembly(plan, [messages[p] for p in plan.positions])


def long_talk() -> list[Message]:
    return [*talk(141, words=240), message("what was value 7?", id="q", seq=142)]


def test_the_stable_block_leaves_room_and_the_recall_stands_before_the_newest_user_message() -> None:
    found = assembled(long_talk())
    assert found.recalled == (MINOR.id,)
    kinds = [item.kind for item in found.plan]
    assert kinds[-2] == "recall"
    assert HEADER in found.messages[-2]["content"]
    assert found.budget["used"] <= found.budget["history"]


@pytest.mark.parametrize("window", [16_384, 65_536])
def test_the_stable_block_takes_12_percent_and_the_recall_block_3_while_both_are_on(window: int) -> None:
    """Fails when the recall block comes on top of the 15 % or the stable block does not yield its room."""
    many = [
        claim(f"Value {i} is {i} and was looked at with care.", IDS[2:12], [i % 10], label=f"a{i}") for i in range(900)
    ]
    talk_ = [*talk(141, words=900), message("what was value 7?", id="q", seq=142)]
    rows = rows_of(spine_of(talk_), [(2, 12, [*many, MINOR]), (12, 22, NEW)])
    stored = snapshot(spine_of(talk_), rows)
    sizes = {}
    for on in (True, False):
        asked = request(window, recall=on, scores={MINOR.id: 0.9, **{c.id: 0.8 for c in many[:40]}}, policy="pinned")
        plan = plan_assembly(stored, asked)
        found = finish_assembly(plan, [talk_[p] for p in plan.positions])
        sizes[on] = found.decision["tokens"] / found.budget["history"]
        if on:
            assert 0 < found.decision["recall"]["tokens"] <= 0.03 * found.budget["history"]
    assert sizes[True] <= 0.12 < sizes[False] <= 0.15


def test_where_the_stable_block_shows_most_claims_it_keeps_all_of_its_room() -> None:
    """Fails when room is set aside that no recalled claim makes good."""
    on, off = assembled(long_talk(), claims=60), assembled(long_talk(), claims=60, on=False)
    assert (on.messages, on.recalled) == (off.messages, ())


def test_off_by_default() -> None:
    assert request().recall is False
    found = assembled(long_talk(), on=False)
    assert found.recalled == ()
    assert "recall" not in found.decision

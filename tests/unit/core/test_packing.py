"""What a policy keeps when room is short, and that no pack is over its room."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bobctx.core.claims import ClaimView, merge
from bobctx.core.links import Link
from bobctx.core.packing import POLICIES, Pack, PackRequest, Policy, pack
from bobctx.core.render import header
from bobctx.core.tokens import estimate
from bobctx.core.types import Claim, Pin
from tests.chains import BOTH, claim, rows_of, spine_of, talk

SPINE = spine_of(talk(60))
IDS = list(SPINE.ids)
SPANS = ((2, 12), (12, 22), (22, 32), (32, 42))


def view_of(*regions: Sequence[Claim]) -> ClaimView:
    spans = SPANS[: len(regions)]
    rows = rows_of(SPINE, [(a, b, claims) for (a, b), claims in zip(spans, regions, strict=True)])
    return merge([Link(start=a, end=b, compaction=row) for (a, b), row in zip(spans, rows, strict=True)])


HEADER = estimate(header("seed", BOTH))


def region(number: int, *, importance: int = 2, count: int = 5, kind: str = "fact") -> list[Claim]:
    a, b = SPANS[number]
    return [
        claim(
            f"Value {number}.{i} is {number * 100 + i} and stays that way.",
            IDS[a:b],
            [i],
            label=f"c{i + 1}",
            importance=importance,
            type=kind,  # type: ignore[arg-type]  # a parameter of the tests
        )
        for i in range(count)
    ]


def chosen(view: ClaimView, room: int, policy: Policy, pins: tuple[Pin, ...] = ()) -> Pack:
    found = pack(
        PackRequest(
            view=view,
            usable=len(view.links),
            spine=SPINE,
            room=room,
            count=estimate,
            policy=policy,
            style="seed",
            tools=BOTH,
            pins=pins,
        )
    )
    assert found.tokens <= room
    assert (estimate(found.text) if found.text else 0) <= found.tokens
    return found


@pytest.mark.parametrize("policy", POLICIES)
def test_with_room_everything_of_importance_two_is_shown(policy: Policy) -> None:
    view = view_of(region(0), region(1, importance=3), region(2, importance=1))
    found = chosen(view, 5_000, policy)
    assert [c.alias for c in found.claims] == [f"r{r}.c{i}" for r in (1, 2) for i in range(1, 6)]
    assert (found.floor, found.covered, found.partial) == (2, (0, 1), ())


def test_seed_drops_the_oldest_regions_before_it_raises_the_floor() -> None:
    view = view_of(region(0), region(1), region(2, importance=3))
    all_tokens = chosen(view, 5_000, "seed").tokens
    found = chosen(view, all_tokens - 60, "seed")
    assert (found.covered, found.floor) == ((1, 2), 2)
    assert chosen(view, all_tokens - 250, "seed").covered == (2,)


def test_seed_raises_the_floor_with_all_regions_again() -> None:
    important = [claim("Never enable zeta-sync.", IDS[2:12], importance=3, type="constraint")]
    view = view_of(important, region(1), region(2, count=8))
    found = chosen(view, HEADER + 60, "seed")
    assert (found.floor, [c.alias for c in found.claims]) == (3, ["r1.c1"])


def test_pinned_keeps_old_directives_where_seed_drops_them() -> None:
    old = [claim("Never enable zeta-sync.", IDS[2:12], importance=3, type="constraint")]
    view = view_of(old, region(1), region(2), region(3))
    room = chosen(view, 5_000, "pinned").tokens - 200
    assert "r1.c1" in [c.alias for c in chosen(view, room, "pinned").claims]
    assert "r1.c1" not in [c.alias for c in chosen(view, room, "seed").claims]


def test_pinned_prefers_importance_then_salience_then_recency() -> None:
    a, b = SPANS[0]
    low = [claim(f"Low {i}.", IDS[a:b], [i], label=f"c{i + 1}", salience=i / 10) for i in range(6)]
    high = claim("High.", IDS[a:b], [0], label="c9", importance=3)
    view = view_of([*low, high])
    kept = [c.alias for c in chosen(view, HEADER + 85, "pinned").claims]
    assert kept[-1] == "r1.c9"
    assert "r1.c6" in kept
    assert "r1.c1" not in kept


@pytest.mark.parametrize("policy", POLICIES)
def test_replaced_claims_are_never_shown(policy: Policy) -> None:
    old = claim("The port is 8443.", IDS[2:12], importance=3)
    new = claim("The port is 9443.", IDS[12:22], importance=2, supersedes=old)
    for room in (HEADER, HEADER + 50, HEADER + 100, 5_000):
        assert "8443" not in chosen(view_of([old], [new]), room, policy).text


@pytest.mark.parametrize("policy", POLICIES)
def test_a_region_whose_claims_are_all_replaced_by_shown_ones_is_covered(policy: Policy) -> None:
    old = claim("The port is 8443.", IDS[2:12])
    new = claim("The port is 9443.", IDS[12:22], supersedes=old)
    assert chosen(view_of([old], [new]), 5_000, policy).covered == (0, 1)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_region_without_a_shown_claim_is_not_covered(policy: Policy) -> None:
    view = view_of([], region(1, importance=1), region(2))
    assert chosen(view, 5_000, policy).covered == (2,)


def test_partly_shown_regions_are_named_and_said_in_the_text() -> None:
    view = view_of(region(0, count=10), region(1, importance=3))
    found = chosen(view, HEADER + 190, "pinned")
    assert found.partial == (0,)
    assert "more claims not shown" in found.text


@pytest.mark.parametrize("policy", POLICIES)
def test_no_room_is_no_block(policy: Policy) -> None:
    found = chosen(view_of(region(0)), 100, policy)
    assert (found.text, found.claims, found.reason) == ("", (), "no_room")


@pytest.mark.parametrize("policy", POLICIES)
def test_nothing_to_show_is_named(policy: Policy) -> None:
    assert chosen(view_of([]), 5_000, policy).reason == "no_claims"


PINS = (
    Pin(pin_id="p1", text="Answer in French.", by="user"),
    Pin(pin_id="p2", text="long " * 400, by="operator"),
    Pin(pin_id="p3", text="Use tabs.", by="user"),
)


@pytest.mark.parametrize("policy", POLICIES)
def test_pins_are_shown_verbatim_and_overflowing_ones_reported(policy: Policy) -> None:
    found = chosen(view_of(region(0)), HEADER + 250, policy, PINS)
    assert [p.pin_id for p in found.pins] == ["p1", "p3"]
    assert [p.pin_id for p in found.pins_overflow] == ["p2"]
    assert "- pinned by user: Answer in French." in found.text
    assert "1 more" in found.text


def test_a_pinned_claim_goes_first() -> None:
    a, b = SPANS[0]
    claims = [*region(0, importance=3, kind="constraint"), claim("Minor.", IDS[a:b], [6], label="c9")]
    pin = Pin(pin_id="p", text="Minor.", by="user", claim_id=claims[-1].id)
    room = HEADER + 60
    assert "Minor." in chosen(view_of(claims), room, "pinned", (pin,)).text
    assert "Minor." not in chosen(view_of(claims), room, "pinned").text


def test_a_pinned_claim_that_was_replaced_is_not_shown() -> None:
    old = claim("The port is 8443.", IDS[2:12])
    new = claim("The port is 9443.", IDS[12:22], supersedes=old)
    pin = Pin(pin_id="p", text="The port is 8443.", by="user", claim_id=old.id)
    assert "8443" not in chosen(view_of([old], [new]), 5_000, "pinned", (pin,)).text


def test_ranked_keeps_the_pinned_tier_and_then_what_answers_the_request() -> None:
    a, b = SPANS[0]
    rule = claim("Never enable zeta-sync.", IDS[a:b], [0], label="c8", importance=3, type="constraint")
    salient = claim("A salient aside of long ago.", IDS[a:b], [1], label="c9", importance=3, salience=0.9)
    asked = claim("The answer to the request.", IDS[a:b], [2], label="c10")
    view = view_of([rule, salient, asked])

    def ranked(room: int) -> list[str]:
        request = PackRequest(
            view=view,
            usable=1,
            spine=SPINE,
            room=room,
            count=estimate,
            policy="ranked",
            style="seed",
            tools=BOTH,
            scores={asked.id: 0.7},
        )
        return [c.alias for c in pack(request).claims]

    two = next(room for room in range(HEADER, HEADER + 300) if len(ranked(room)) == 2)
    assert ranked(two) == ["r1.c8", "r1.c10"]
    assert [c.alias for c in chosen(view, two + 2, "pinned").claims] == ["r1.c8", "r1.c9"]
    assert ranked(5_000) == ["r1.c8", "r1.c9", "r1.c10"]


def test_one_of_a_series_of_routine_reports_is_shown_before_its_others() -> None:
    a, b = SPANS[0]
    reports = [f"The queue was at {n} when I looked." for n in (12, 47, 81)]
    claims = [claim(t, IDS[a:b], [i], label=f"c{i + 1}", salience=0.9) for i, t in enumerate(reports)]
    fact = claim("Heron is on port 8443.", IDS[a:b], [5], label="c9", salience=0.1)
    shown = next(
        found.claims
        for room in range(HEADER, HEADER + 300)
        if len((found := chosen(view_of([*claims, fact]), room, "pinned")).claims) == 2
    )
    assert "r1.c9" in [c.alias for c in shown]
    assert len(chosen(view_of([*claims, fact]), 5_000, "pinned").claims) == 4

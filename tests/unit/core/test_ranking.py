"""The order in which claims are let into a block, and that it is kept up to date without starting over."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bobctx.core.claims import ClaimView, extended, merge
from bobctx.core.links import Link
from bobctx.core.ranking import Ranking, ranking_of
from bobctx.core.types import Claim
from tests.chains import claim, rows_of, spine_of, talk

SPINE = spine_of(talk(60))
IDS = list(SPINE.ids)
SPANS = [(a, a + 6) for a in range(2, 56, 6)]


def links_of(*regions: list[Claim]) -> list[Link]:
    spans = SPANS[: len(regions)]
    rows = rows_of(SPINE, [(a, b, claims) for (a, b), claims in zip(spans, regions, strict=True)])
    return [Link(start=a, end=b, compaction=row) for (a, b), row in zip(spans, rows, strict=True)]


def test_directives_come_first_then_importance_salience_and_recency() -> None:
    a, b = SPANS[0]
    claims = [
        claim("low", IDS[a:b], [5], label="c1", importance=2, salience=0.9),
        claim("newer", IDS[a:b], [3], label="c2", importance=3, salience=0.5),
        claim("older", IDS[a:b], [1], label="c3", importance=3, salience=0.5),
        claim("salient", IDS[a:b], [0], label="c4", importance=3, salience=0.7),
        claim("rule", IDS[a:b], [0], label="c5", importance=3, type="constraint"),
        claim("small", IDS[a:b], [0], label="c6", importance=1, salience=1.0),
    ]
    ranking = ranking_of(merge(links_of(claims)))
    assert [c.claim.label for c in ranking.ranked] == ["c5", "c4", "c2", "c3", "c1"]
    assert ranking.unreplaced == (5,)


def test_a_region_that_was_replaced_names_what_stands_for_it_now() -> None:
    first = claim("a", IDS[2:8])
    second = claim("b", IDS[8:14], supersedes=first)
    third = claim("c", IDS[14:20], supersedes=second)
    assert ranking_of(merge(links_of([first], [second]))).replaced == {0: ("r2.c1",)}
    assert ranking_of(merge(links_of([first], [second], [third]))).replaced == {0: ("r3.c1",), 1: ("r3.c1",)}


@st.composite
def chains(draw: st.DrawFn) -> list[list[Claim]]:
    earlier: list[str] = []
    regions: list[list[Claim]] = []
    for a, b in SPANS[: draw(st.integers(1, 8))]:
        region: list[Claim] = []
        for number in range(draw(st.integers(0, 4))):
            made = claim(
                f"claim {a} {number}",
                IDS[a:b],
                [draw(st.integers(0, 5))],
                label=f"c{number + 1}",
                importance=draw(st.integers(1, 3)),
                type=draw(st.sampled_from(["fact", "constraint", "correction"])),
                salience=draw(st.sampled_from([0.0, 0.5, 1.0])),
                supersedes=draw(st.sampled_from([None, *earlier])) if earlier else None,
            )
            region.append(made)
            earlier.append(made.id)
        regions.append(region)
    return regions


@settings(max_examples=150, deadline=None)
@given(regions=chains(), data=st.data())
def test_going_on_gives_what_starting_over_gives(regions: list[list[Claim]], data: st.DataObject) -> None:
    links = links_of(*regions)
    view, ranking = ClaimView(), Ranking()
    at = 0
    while at < len(links):
        at = data.draw(st.integers(at + 1, len(links)))
        longer = extended(view, links[:at])
        ranking = ranking_of(longer, (view, ranking))
        view = longer
        assert view == merge(links[:at])
        assert ranking == ranking_of(merge(links[:at]))
